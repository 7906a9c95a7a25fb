package finding

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A Verdict is what experiments have shown about a failure: that a perturbation
// brings it, and what else was tried. It rests on fresh runs alone, not on those
// that were searched. All that it says follows from its proof.
type Verdict struct {
	Proof proof.Proof
	Edits bool `json:"-"` // there are edits for it, which nobody has tried
	// Category is that of the flake, which follows from the proof and from the places that rules name; "" if it does not.
	Category string `json:"-"`
}

// Document returns the proof as result.json and the replay file have it.
func (v *Verdict) Document() *proof.Proof {
	p := v.Proof
	p.Category = v.Category
	return &p
}

// A Hold is one of several goroutines that are held: where, and what started it, as
// [Verdict.Started] and [Verdict.StartedBy] have it.
type Hold struct {
	At        Span
	Started   trace.Frame
	StartedBy string
	InTest    string `json:",omitempty"` // as [Verdict.InTest]
	// of an event: which of several that are started there, from 1; 0 if no others are known
	Nth int `json:",omitempty"`
}

// Class says how surely it decides.
func (v *Verdict) Class() Class {
	if v.Proof.Verdict == proof.Proved {
		return Proved
	}
	return Reproduced
}

// Kind returns the name of what decides: "stall", "map", "stall+select".
func (v *Verdict) Kind() string { return v.Proof.Kind() }

// Signature is that of the failure that it brings, and Place where that is reported: "file.go:12", "" if unknown.
func (v *Verdict) Signature() string { return v.Proof.Signature.String() }
func (v *Verdict) Place() string     { return v.Proof.Signature.Place() }

// Tests returns the tests that must run before, for it to fail or to pass: see Needs.
func (v *Verdict) Tests() []string {
	if v.Proof.Needs != nil {
		return v.Proof.Needs
	}
	return v.Proof.Before
}

// Window is where a goroutine must be held, or what is chosen decides: see [proof.Proof.Where].
func (v *Verdict) Window() []Span { return v.Proof.Where() }

// At is where the one goroutine is held, before its statement: one place in Window. Zero if there is none, or
// it was not kept.
func (v *Verdict) At() Span {
	if at := v.Proof.Hold(); at != nil {
		return at.Shown
	}
	return Span{}
}

// Holds are the goroutines that must be held at once, each at its place, where one of them
// does not suffice; else nil.
func (v *Verdict) Holds() (list []Hold) {
	holds := v.Proof.Plan.Of(proof.Act.Holds)
	if len(holds) < 2 || len(v.Proof.At) > 0 {
		return nil
	}
	for _, a := range holds {
		list = append(list, v.hold(a.At))
	}
	return list
}

// Events are the goroutines of the two events of an order, in the order of Window; nil if
// it was not kept which they are.
func (v *Verdict) Events() (list []Hold) {
	first, then := v.Proof.Events()
	if first == nil || first.Goroutine == nil || then.Goroutine == nil {
		return nil
	}
	alike := first.Goroutine.Like(then.Goroutine)
	for _, at := range []*proof.Place{first, then} {
		h := v.hold(at)
		if alike || at.Goroutine.Nth > 0 {
			h.Nth = at.Goroutine.Nth + 1
		}
		h.At = Span{}
		list = append(list, h)
	}
	return list
}

// hold says which goroutine is at a place, and where that is.
func (v *Verdict) hold(at *proof.Place) (h Hold) {
	if at == nil {
		return h
	}
	h.At = at.Shown
	h.Started, h.StartedBy = at.Goroutine.Go()
	if test := at.Goroutine.Test(); test != v.Proof.Signature.Test && v.Proof.Signature.Test != "" {
		h.InTest = test
	}
	return h
}

// held is the goroutine that is held, where it is one or those of one kind.
func (v *Verdict) held() (Hold, *proof.GoroutineRef) {
	a := v.Proof.Plan.First(proof.Act.Holds)
	if a == nil || a.At == nil || v.Holds() != nil {
		return Hold{}, nil
	}
	return v.hold(a.At), a.At.Goroutine
}

// Started is the go statement that started the goroutine that is held, zero for
// the test's own.
func (v *Verdict) Started() trace.Frame {
	h, _ := v.held()
	return h.Started
}

// StartedBy is the function of a library that started it, where Started is not in the
// user's code: "sync.(*WaitGroup).Go".
func (v *Verdict) StartedBy() string {
	h, _ := v.held()
	return h.StartedBy
}

// InTest is the test in whose goroutine that is, or whose own it is, "" for the one that failed.
func (v *Verdict) InTest() string {
	h, _ := v.held()
	return h.InTest
}

// Several reports whether others were started where the goroutine was that is held.
func (v *Verdict) Several() bool {
	_, g := v.held()
	return g != nil && (g.All && !g.First || g.Nth > 0 || g.Among > 0)
}

// Cure is where holding is to make the failure vanish, see Cures; empty if there is none or none is needed.
func (v *Verdict) Cure() (list []Span) {
	for _, a := range v.Proof.CureHolds() {
		if a.At.Shown.File != "" {
			list = append(list, a.At.Shown)
		}
	}
	return list
}

// About reports whether a verdict is about a failure: one of that signature, or of the same
// check in other words.
func (v *Verdict) About(f *Failure) bool {
	return v.Signature() != "" && v.Signature() == f.Signature ||
		v.Place() != "" && f.Frame.File != "" && v.Place() == checkOf(f.Frame)
}

// checkOf names a line as signatures do: without its directory.
func checkOf(f trace.Frame) string {
	return fmt.Sprintf("%s:%d", path.Base(strings.ReplaceAll(f.File, `\`, "/")), f.Line)
}

// A Tried is what came of the experiments with a test, whether they found something or
// not.
type Tried struct {
	Test  string        // the top-level test that they were made with
	Runs  int           // made, those without a perturbation included
	Took  time.Duration // for them
	Limit time.Duration // what they had time for in all, with those of other tests
	// Complete is set if nothing was left to be tried, CutOff if the time was up before.
	Complete, CutOff bool
	Budget           bool // -budget set Limit, and not -experiments
	Interrupted      bool `json:",omitempty"` // the user ended them, or what comes before them
}

// Ordered reports whether the order of two events was forced.
func (v *Verdict) Ordered() bool { return v.Proof.Orders() && len(v.Window()) == 2 }

// Anywhere reports, of what is not proved, whether the same perturbation elsewhere made the test
// fail about as often: then nothing is shown of the place.
func (v *Verdict) Anywhere() bool {
	w, s := v.Proof.Confirmed.With, v.Proof.Confirmed.Sham
	if v.Class() == Proved || w.Of == 0 || s.Of == 0 {
		return false
	}
	return !proof.More(w, s) || proof.Chance(w, s) > stats.Chance
}

// Cures reports whether the runs with the cure show one: hardly any failed, where more than
// that did with nothing changed, and it acted in nearly all. What only passing runs come to
// passes whenever it acts.
func (v *Verdict) Cures() bool {
	c, p := v.Proof.Confirmed.Cure, v.Proof.Confirmed.Plain
	if len(v.Cure()) == 0 || c.Of == 0 || 20*c.Failed > c.Of || 9*c.Missed > c.Of {
		return false
	}
	return p.Failed > 0 && proof.Chance(p, c) <= stats.Chance
}

// Needs reports whether the test fails without Tests, and not with them.
func (v *Verdict) Needs() bool { return len(v.Proof.Needs) > 0 }

// A Count is how many runs failed with the signature in question. Those that failed with
// another one count on no side, nor do those in which the perturbation did not act: Other, Missed.
type Count = proof.Count

// A Span is lines of a file, with its path relative to the module root.
type Span = proof.Span

// Outlived reports whether a goroutine that outlives its test is what fails. What was done says only how long the
// process lives then, unless it is what the goroutine chooses.
func (v *Verdict) Outlived(f *Failure) bool { return f.Late && !v.Proof.Plan.Does(proof.Act.Chooses) }

// Deadlock returns the locks that runs end in which fail as a verdict says, nil if they
// don't: whatever was held, goroutines that wait for each other's locks are the failure.
func (t *Test) Deadlock(v *Verdict) *Suspect {
	if t == nil { // the verdict stands by itself
		return nil
	}
	for _, f := range t.Failures {
		if !v.About(f) {
			continue
		}
		for i := range f.Suspects {
			s := &f.Suspects[i]
			if s.Class == Mechanism && s.Link == Decides && s.Reason.Claim().Deadlock {
				return s
			}
		}
	}
	return nil
}
