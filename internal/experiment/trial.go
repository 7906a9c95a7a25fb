package experiment

import (
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A Trial has the conditions of one run. The zero Trial is the test alone in its process, with nothing perturbed.
type Trial struct {
	Plan    freedom.Plan
	Before  []string `json:",omitempty"` // top-level tests that run in the process too
	Suite   bool     `json:",omitempty"` // all tests of the package run
	Shuffle int64    `json:",omitempty"` // seed of -shuffle, 0 for the order of the source
}

// do returns the trial of the test alone with something done to it.
func do(acts ...freedom.Step) Trial { return Trial{Plan: freedom.Plan{Acts: acts}} }

// with returns t with more done to it.
func (t Trial) with(more ...freedom.Step) Trial {
	t.Plan = t.Plan.With(more...)
	return t
}

// instead returns t with something done last, in place of something else.
func (t Trial) instead(of, a freedom.Step) Trial {
	t.Plan = t.Plan.Without(func(s freedom.Step) bool { return s == of }).With(a)
	return t
}

// each returns t with f of all that is done in it.
func (t Trial) each(f func(freedom.Step) freedom.Step) Trial {
	t.Plan = t.Plan.Each(f)
	return t
}

// An Outcome is the outcome of the test in one run.
type Outcome struct {
	Ran       bool // the process came to the test; else the run counts for nothing
	Failed    bool
	TimedOut  bool             `json:",omitempty"` // it was ended because it took too long
	Signature runner.Signature `json:",omitzero"`  // of the failure
	Message   string           `json:",omitempty"`
	Acts      []Act            `json:",omitempty"`
	Draws     []trace.Draw     `json:",omitempty"`
	Keys      [][]freedom.Key  `json:",omitempty"` // of maps
	Trace     string           `json:",omitempty"` // its trace, "" if it was not kept
	Started   []string         `json:",omitempty"` // traces of the processes that it started, kept with it
	Wall      time.Duration    // of the process
	Elapsed   time.Duration    // of the test
	Run       *runner.Run      `json:",omitempty"` // kept with the trace
}

// An Act is an act of a perturbation, with the goroutine that it was done to.
type Act struct {
	trace.Act
	ID   trace.GoroutineID
	Test string
}

// heldFor returns how long goroutines were held in the run, all added up.
func (o *Outcome) heldFor() time.Duration {
	var d int64
	for _, a := range o.Acts {
		d += a.Held
	}
	return time.Duration(d)
}

// longestStall returns how long the goroutine was held that was held longest, 0 if t holds
// none. A hold that the process did not live to see the end of counts with its dose.
func (t *Trial) longestStall(o *Outcome) (d time.Duration) {
	stalls := t.Plan.Of(freedom.Step.Holds)
	for _, a := range o.Acts {
		switch {
		case a.Kind != trace.ActStall || !a.Applied || a.Index >= len(stalls):
		case a.Held == 0:
			d = max(d, stalls[a.Index].Dose)
		default:
			d = max(d, time.Duration(a.Held))
		}
	}
	return d
}

// same reports whether two failures are one: those of one check are, with any values.
func same(a, b runner.Signature) bool {
	if a.Test != b.Test || a.Place() != b.Place() {
		return false
	}
	return a.Place() != "" || a.Message == b.Message
}

// acted reports whether everything that the plan of t names acted in the run: each stall held somebody, for each
// order somebody waited, of the blocks with draws of their own there was one.
func (t *Trial) acted(o *Outcome) bool {
	for i, a := range t.Plan.Acts {
		if !t.did(o, a, t.Plan.Index(i)) {
			return false
		}
	}
	return true
}

// did reports whether an act, which is the one with an index of its kind, was done in a run.
// Of choices that follow from one seed it suffices that one was made.
func (t *Trial) did(o *Outcome, a freedom.Step, index int) bool {
	switch {
	case a.Chooses():
		return a.Everywhere() || t.Plan.Does(func(b freedom.Step) bool {
			return b.Kind == a.Kind && b.Seed == a.Seed && !b.Everywhere() && drew(o, b)
		})
	case a.Sets():
		return asked(o, a)
	}
	return hasAct(o, a.Kind, index, false)
}

// met reports whether each order of t came about. Runs in which one did not count all
// the same: whether it can may depend on the cause of the outcome.
func (t *Trial) met(o *Outcome) bool {
	for i := range t.Plan.Of(freedom.Step.Orders) {
		if !hasAct(o, trace.ActOrder, i, true) {
			return false
		}
	}
	return true
}

func hasAct(o *Outcome, kind trace.ActKind, index int, met bool) bool {
	return slices.ContainsFunc(o.Acts, func(a Act) bool {
		return a.Kind == kind && a.Index == index && a.Applied && (a.Met || !met)
	})
}

func drew(o *Outcome, p freedom.Step) bool {
	return slices.ContainsFunc(o.Draws, func(d trace.Draw) bool {
		return d.Kind == p.Kind && d.Block == p.At.Block
	})
}

// dose returns how long the first stall of t takes, 0 if it has none.
func (t *Trial) dose() time.Duration { return t.Plan.First(freedom.Step.Holds).Dose }

// hold returns for how long the perturbations of t keep goroutines waiting at most.
func (t *Trial) hold() time.Duration {
	var d time.Duration
	for _, a := range t.Plan.Acts {
		d += a.Waits()
	}
	return d
}

// slowed returns how long something may take in a trial that takes so long by itself.
func (t *Trial) slowed(d time.Duration) time.Duration {
	return time.Duration(float64(d) * t.Plan.Slows())
}

// Kind returns the name of the kind of perturbation, or of the kinds joined by "+".
func (t *Trial) Kind() string { return t.kindOf(t.Plan) }

// Done is the kind of the acts done in a run, "" if there were none.
func (t *Trial) Done(o *Outcome) string {
	done := t.Plan
	done.Acts = nil
	for i, a := range t.Plan.Acts {
		if t.did(o, a, t.Plan.Index(i)) {
			done.Acts = append(done.Acts, a)
		}
	}
	return t.kindOf(done)
}

// kindOf is the kind of t with another plan.
func (t *Trial) kindOf(plan freedom.Plan) string {
	names := freedom.Kinds(plan.Acts)
	if t.Suite || len(t.Before) > 0 || t.Shuffle != 0 {
		names = append(names, "tests")
	}
	return strings.Join(names, "+")
}
