package experiment

import (
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// A Finding is a failure that a perturbation brings: its proof so far, and the search's
// data for it. [Experimenter.Proof] adds the acts and their places.
type Finding struct {
	proof.Proof
	Sig runner.Signature // with the path that the frame has in the build

	Trial   Trial    // that brings it
	sites   []Site   // of its stalls, in that order
	ordered *Ordered // the order of two events that Trial forces, nil if it forces none
	after   *Site    // of a law: its first step
	cure    *Trial   // with which it passes, nil if none is needed or known
	cures   []Site   // at which cure holds goroutines
	sham    *Trial
	window  *Window // of the first stall, nil if it was not looked for
	// called is by which calls goroutines come to places: to those of an order or a law, or to where one is held.
	called map[Site][]divergence.Call

	blocks []int // whose draws decide, or that ask for the setting

	Tried proof.Count // runs of the search in which it came first
	// Traces are runs of the confirmation, with their traces if those were kept.
	Traces Traces
}

// Traces are the runs of a confirmation.
type Traces struct {
	Fail, Pass []*Outcome
	Plain      []*Outcome // failed so with nothing changed
}

// A Window is where a goroutine must be held for the failure to come: at the first
// position, at the last, and in between.
type Window struct{ First, Last Site }

// Kind returns the name of the kind, or kinds, of perturbation.
func (f *Finding) Kind() string {
	switch {
	case f.Needs != nil:
		return "tests"
	case f.Always:
		return f.cure.Kind()
	case f.Decides != nil:
		return strings.Join(f.Decides, "+")
	}
	return f.Trial.Kind()
}

// factor is how many times the smallest dose is given in confirmations and replays,
// leastDose the least that is: below it, other load of the machine counts for more. The
// goroutine that is to come meanwhile may have to wait for a processor.
const (
	factor    = 3
	leastDose = 10 * time.Millisecond
)

// times returns how long a stall is to be that is given so many times the dose.
func times(dose time.Duration, n float64) time.Duration {
	d := time.Duration(float64(dose) * n)
	if n >= factor {
		d = max(d, leastDose)
	}
	return d
}

// dosed returns the trial of f with each stall as long as a replay is to have it, and timers as late.
func (f *Finding) dosed() Trial {
	t := f.Trial
	if f.Smallest > 0 {
		t.Plan = t.Plan.Dosed(times(f.Smallest, factor))
	}
	return t
}
