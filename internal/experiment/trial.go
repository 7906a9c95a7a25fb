package experiment

import (
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A Trial is what one run is subjected to. The zero Trial is the test alone in its
// process, with nothing perturbed.
type Trial struct {
	Plan    perturb.Plan
	Before  []string `json:",omitempty"` // top-level tests that run in the process too
	Suite   bool     `json:",omitempty"` // all tests of the package run
	Shuffle int64    `json:",omitempty"` // seed of -shuffle, 0 for the order of the source
}

// An Outcome is what became of the test in one run.
type Outcome struct {
	Ran       bool // the process came to the test; else the run counts for nothing
	Failed    bool
	TimedOut  bool             `json:",omitempty"` // it was ended because it took too long
	Signature runner.Signature `json:",omitzero"`  // of the failure
	Message   string           `json:",omitempty"`
	Acts      []Act            `json:",omitempty"`
	Draws     []trace.Draw     `json:",omitempty"`
	Trace     string           `json:",omitempty"` // its trace, "" if it was not kept
	Wall      time.Duration    // of the process
	CPU       time.Duration    `json:",omitempty"` // of the process and what it waited for
	Elapsed   time.Duration    // of the test
	Run       *runner.Run      `json:",omitempty"` // kept with the trace
}

// An Act is what a perturbation did, with the goroutine that it did it to.
type Act struct {
	trace.Act
	ID    trace.GoroutineID
	Class uint64
	Test  string
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
// none. Of a hold that the process did not live to see the end of it is what was asked for.
func (t *Trial) longestStall(o *Outcome) (d time.Duration) {
	for _, a := range o.Acts {
		switch {
		case a.Kind != trace.ActStall || !a.Applied || a.Index >= len(t.Plan.Stalls):
		case a.Held == 0:
			d = max(d, t.Plan.Stalls[a.Index].Dose)
		default:
			d = max(d, time.Duration(a.Held))
		}
	}
	return d
}

// same reports whether two failures are one: those of one check are, whatever
// values it prints.
func same(a, b runner.Signature) bool {
	if a.Test != b.Test || a.Place() != b.Place() {
		return false
	}
	return a.Place() != "" || a.Message == b.Message
}

// acted reports whether everything that the plan of t names acted in the run: each
// stall held somebody, for each order somebody waited, of each block with a draw of its
// own there was one.
func (t *Trial) acted(o *Outcome) bool {
	for i := range t.Plan.Stalls {
		if !hasAct(o, trace.ActStall, i, false) {
			return false
		}
	}
	for i := range t.Plan.Orders {
		if !hasAct(o, trace.ActOrder, i, false) {
			return false
		}
	}
	for i := range t.Plan.Collect {
		if !hasAct(o, trace.ActGC, i, false) {
			return false
		}
	}
	for _, p := range t.Plan.Pins {
		if len(p.Blocks) > 0 && !drew(o, p) {
			return false
		}
	}
	for _, set := range t.Plan.Settings {
		if !asked(o, set) {
			return false
		}
	}
	return true
}

// met reports whether each order of t came about. Runs in which one did not count all
// the same: whether it can may hang on what decides the outcome.
func (t *Trial) met(o *Outcome) bool {
	for i := range t.Plan.Orders {
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

func drew(o *Outcome, p perturb.Pin) bool {
	return slices.ContainsFunc(o.Draws, func(d trace.Draw) bool {
		return d.Kind == p.Kind && slices.Contains(p.Blocks, d.Block)
	})
}

// stalled returns how long the stalls of t take in all.
func (t *Trial) stalled() time.Duration {
	var d time.Duration
	for _, s := range t.Plan.Stalls {
		d += s.Dose
	}
	return d
}

// hold returns for how long the perturbations of t keep goroutines waiting at most.
func (t *Trial) hold() time.Duration {
	d := t.stalled()
	for _, o := range t.Plan.Orders {
		d += o.Limit
	}
	for _, set := range t.Plan.Settings {
		d += set.Wait()
	}
	return d
}

// Kind returns the name of the kind of perturbation, or of the kinds joined by "+".
func (t *Trial) Kind() string {
	var names []string
	add := func(name string, is bool) {
		if is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	p := &t.Plan
	add("stall", len(p.Stalls) > 0)
	add("order", len(p.Orders) > 0)
	add("yield", p.Yield != nil)
	add("sched", p.Sched != nil)
	for _, pin := range p.Pins {
		add(pin.Kind.String(), true)
	}
	add("gc", len(p.Collect) > 0)
	for _, set := range p.Settings {
		add(set.Kind.String(), true)
	}
	add("tests", t.Suite || len(t.Before) > 0 || t.Shuffle != 0)
	return strings.Join(names, "+")
}
