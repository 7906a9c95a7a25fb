package finding

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// A Verdict is what experiments have shown about a failure: that a perturbation
// brings it, and what else was tried. It rests on fresh runs alone, none of those
// that were searched.
type Verdict struct {
	// Proof is what is done to make it fail and pass, and the runs that show it.
	Proof proof.Proof

	Class     Class  // Proved or Reproduced
	Category  string // of the flake, by what was proved: "async-wait"; "" if that does not follow
	Signature string // of the failure that it brings
	Place     string // where that is reported: "file.go:12", "" if unknown

	// Window is where a goroutine must be held, or the blocks whose draws decide:
	// lines of the user's code. Of the kind order it is the event that comes first
	// when the test fails, and the one that comes then.
	Window []Span
	// Holds are the goroutines that must be held at once, each at its place, where one of them
	// does not suffice; else nil. Window has just these places then, and Started and StartedBy
	// are zero.
	Holds []Hold `json:",omitempty"`
	// Events are the goroutines of the two events of an order, in the order of Window; nil if
	// it was not kept which they are.
	Events []Hold `json:",omitempty"`
	// Chosen is where choices are made that a hold needs, of the kinds that Kind has beside it;
	// nil if it needs none, or if they are of no place.
	Chosen []Span `json:",omitempty"`
	// At is where the goroutine was held in the runs that With counts: one place in Window,
	// before its statement. Zero if there is more than one, or none, or it was not kept.
	At Span `json:",omitzero"`
	// Visits say the how manieth time it is that a goroutine comes to At, or to the two
	// events of an order.
	Visits []int
	// Ends are the how manieth time the goroutine comes to the first place of Window, and to the last; nil if
	// that is not known, or no window was looked for.
	Ends []int `json:",omitempty"`
	// Started is the go statement that started the goroutine that is held, zero for
	// the test's own; FromStart of Proof says that holding it from its first event on
	// suffices, so that this statement is what decides.
	Started trace.Frame
	// StartedBy is the function of a library that started it, where Started is not in the
	// user's code: "sync.(*WaitGroup).Go".
	StartedBy string
	// InTest is the test in whose goroutine that is, or whose own it is, "" for the one that failed.
	InTest string `json:",omitempty"`
	Every  bool   `json:",omitempty"` // each goroutine that Started starts was held, and not one of them
	OneOf  bool   `json:",omitempty"` // there are several that were started where the one that was held was
	// Pollution is what [Verdict.Tests] leave behind that makes it fail; nil if that is not known, or no package
	// variable.
	Pollution *Pollution `json:",omitempty"`
	// PassedSo are the runs that passed with the order of a verdict though nothing was perturbed, of
	// PassedOf of which it is known: if there are any the order does not decide.
	PassedSo, PassedOf int `json:",omitempty"`
	// FailedElse are the runs that failed so with the other order though nothing was perturbed, or without Tests before
	// it, of FailedOf of which it is known: if there are any something else decides with it, or does the same.
	FailedElse, FailedOf int `json:",omitempty"`
	// Amid is set if, for a verdict of an order, the first event came when the other goroutine had come to the
	// second, and before it went on: how far that was counts.
	Amid bool `json:",omitempty"`
	// Past is how far the other goroutine was in runs that pass, nil where it was past the second event, and
	// no further.
	Past *Past `json:",omitempty"`

	// Before is what the goroutine does right before Window: held before that it passes.
	// Zero if there is nothing, or if that is not known.
	Before Span `json:",omitzero"`
	// Path is by which calls the goroutine that is held comes to where it is, of a
	// window to the first position, and CurePath likewise where holding makes the failure
	// vanish; functions and blocks are those of the run's sites. CureOwn says that both are
	// of goroutines that came about alike.
	Path, CurePath []divergence.Call `json:",omitempty"`
	CureOwn        bool              `json:",omitempty"`

	// Cure is where holding, or drawing otherwise, is to make the failure vanish, see Cures;
	// empty if there is none or none is needed.
	Cure []Span
	// CureVisit is the how manieth time it is that a goroutine comes to Cure; 0 if any may be.
	CureVisit int `json:",omitempty"`

	// Early is who comes too early while the goroutine is held: held too, it lets the test pass. Nil if
	// that is not known, or Cure has told it.
	Early *Early `json:",omitempty"`

	// Still is how often it failed, held likewise, with clocks that stood still meanwhile; where Reading is set, for the
	// readings there alone. Zero if that was not tried, or did not keep the failure away.
	Still   Count `json:",omitzero"`
	Reading Span  `json:",omitzero"`

	ShamAt Span   `json:",omitzero"` // there; zero if that is not one place
	Replay string // name of the replay file, "" if there is none
}

// A Hold is one of several goroutines that are held: where, and what started it, as
// [Verdict.Started] and [Verdict.StartedBy] have it.
type Hold struct {
	At        Span
	Started   trace.Frame
	StartedBy string
	InTest    string `json:",omitempty"` // as [Verdict.InTest]
	Nth       int    `json:",omitempty"` // of an event: which of several that are started there, from 1; 0 if no others are known
}

// An Early is where a goroutine comes too early while another one is held.
type Early struct {
	At        Span
	Visit     int               // the how manieth time it is that the goroutine comes there
	Path      []divergence.Call `json:",omitempty"` // by which calls
	Started   trace.Frame       // the go statement that started it, as [Verdict.Started]
	StartedBy string
	InTest    string `json:",omitempty"` // as [Verdict.InTest]
	Root      bool   // it is the goroutine of the test
	Held      Count  // the runs with both held, that one for longer
}

// Kind returns the name of what decides: "stall", "map", "stall+select".
func (v *Verdict) Kind() string { return v.Proof.Kind() }

// Tests returns the tests that must run before, for it to fail or to pass: see Needs.
func (v *Verdict) Tests() []string {
	if v.Proof.Needs != nil {
		return v.Proof.Needs
	}
	return v.Proof.Before
}

// Settings returns what the system around the program was set to: Window has the lines that
// ask for it.
func (v *Verdict) Settings() proof.Acts { return v.Proof.Plan.Set() }

// About reports whether a verdict is about a failure: one of that signature, or of the same
// check in other words.
func (v *Verdict) About(f *Failure) bool {
	return v.Signature != "" && v.Signature == f.Signature || v.Place != "" && f.Frame.File != "" && v.Place == checkOf(f.Frame)
}

// checkOf names a line as signatures do: without its directory.
func checkOf(f trace.Frame) string {
	return fmt.Sprintf("%s:%d", path.Base(strings.ReplaceAll(f.File, `\`, "/")), f.Line)
}

// Held reports whether the perturbation holds goroutines: else it chooses.
func (v *Verdict) Held() bool {
	return strings.Contains(v.Kind(), "stall") || strings.Contains(v.Kind(), "order")
}

// ChosenKinds returns the kinds of choices that were made on purpose while goroutines were
// held, joined by "+"; "" if all were left to chance.
func (v *Verdict) ChosenKinds() string {
	if !v.Held() {
		return ""
	}
	var kinds []string
	for kind := range strings.SplitSeq(v.Kind(), "+") {
		if kind == "select" || kind == "map" || kind == "rand" {
			kinds = append(kinds, kind)
		}
	}
	return strings.Join(kinds, "+")
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
	// Beside is another test of the same top-level test, which has no page, and what makes that fail was shown;
	// "" if there is none.
	Beside string `json:"-"`
}

// A Looks is a guess at the category of a flake that nothing was shown of.
type Looks struct {
	Category string // "async-wait"
	Reason   LooksReason
	Detail   string // what it rests on: code or a message
	At       Span   // where, zero if it is the message
}

// A LooksReason says what a guess at the category rests on.
type LooksReason string

const (
	LooksByPlace   LooksReason = "place"   // the place that is ranked first is of that kind
	LooksByMessage LooksReason = "message" // the failure says so: Detail
	LooksByLate    LooksReason = "late"    // a goroutine of the test ended the process after the test had passed
	LooksByValues  LooksReason = "values"  // the numbers that decide differ in their last digits only: Detail
)

// Spans reports whether the goroutine comes to the ends of the window at other visits than that at which
// it was held: the window is in more than one pass.
func (v *Verdict) Spans() bool {
	return len(v.Ends) == 2 && len(v.Visits) == 1 && len(v.Window) > 0 && (v.Ends[0] != v.Visits[0] || v.Ends[1] != v.Visits[0])
}

// AtBeginning reports whether the runs that count were held at the first place of Window.
func (v *Verdict) AtBeginning() bool {
	return len(v.Window) == 0 || v.At == v.Window[0] && (len(v.Ends) == 0 || len(v.Visits) == 0 || v.Ends[0] == v.Visits[0])
}

// Ordered reports whether the order of two events was forced.
func (v *Verdict) Ordered() bool { return v.Kind() == "order" && len(v.Window) == 2 }

// OrderDecides reports whether the order of two events was shown to decide: it is proved, or the other order was
// tried, and while nothing was perturbed no run has passed with it, and none failed without it.
func (v *Verdict) OrderDecides() bool {
	return v.Ordered() && v.PassedSo == 0 && v.FailedElse == 0 && (v.Class == Proved || v.Proof.Confirmed.Cure.Of > 0)
}

// Alike reports whether the two events of an order are of goroutines that are started at the
// same place: either of them may be the first.
func (v *Verdict) Alike() bool {
	return len(v.Events) == 2 && v.Events[0].Started == v.Events[1].Started && v.Events[0].StartedBy == v.Events[1].StartedBy &&
		(v.Events[0].Started.File != "" || v.Events[0].StartedBy != "")
}

// Unshown reports whether the test was made to fail, and what by was not shown: it fails about as often with the
// same elsewhere, or has passed with the same order though nothing was perturbed.
func (v *Verdict) Unshown() bool { return v.Anywhere() || v.PassedSo > 0 && v.Class < Proved }

// Anywhere reports, of what is not proved, whether the same perturbation elsewhere made the test
// fail about as often: then nothing is shown of the place.
func (v *Verdict) Anywhere() bool {
	w, s := v.Proof.Confirmed.With, v.Proof.Confirmed.Sham
	if v.Class == Proved || w.Of == 0 || s.Of == 0 {
		return false
	}
	t := divergence.Table{FailTaken: w.Failed, FailNot: w.Of - w.Failed, PassTaken: s.Failed, PassNot: s.Of - s.Failed}
	return w.Failed*s.Of <= s.Failed*w.Of || t.Fisher() > maxChance
}

// Cures reports whether the runs with the cure show one: hardly any failed, where more than
// that did with nothing changed, and it acted in nearly all. What only passing runs come to
// passes whenever it acts.
func (v *Verdict) Cures() bool {
	c, p := v.Proof.Confirmed.Cure, v.Proof.Confirmed.Plain
	if len(v.Cure) == 0 || c.Of == 0 || 20*c.Failed > c.Of || 9*c.Missed > c.Of {
		return false
	}
	t := divergence.Table{FailTaken: p.Failed, FailNot: p.Of - p.Failed, PassTaken: c.Failed, PassNot: c.Of - c.Failed}
	return p.Failed > 0 && t.Fisher() <= maxChance
}

// maxChance is the p-value above which a difference between runs is taken for chance.
const maxChance = 0.05

// Needs reports whether the test fails without Tests, and not with them.
func (v *Verdict) Needs() bool { return v.Kind() == "tests" && v.Proof.Confirmed.Cure.Of > 0 }

// A Count is how many runs failed with the signature in question. Those that failed with
// another one count on no side, nor do those in which the perturbation did not act: Other, Missed.
type Count = proof.Count

// A Span is lines of a file, with its path relative to the module root.
type Span struct {
	File       string
	Start, End int
	// After says of a choice that it may also be made right after these lines, where their
	// function has come back to: it could not be told.
	After bool `json:",omitempty"`
}

// A Past is how far a goroutine has come.
type Past struct {
	At    Span // to this, zero if that is no line
	Visit int
	Amid  bool // and not gone on from there
	Ended bool // or to its end
}

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
			if s.Class == Mechanism && s.Link == Decides && (s.Reason.Kind == ReasonLockOrder || s.Reason.Kind == ReasonSelfLock) {
				return s
			}
		}
	}
	return nil
}
