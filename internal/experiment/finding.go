package experiment

import (
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A Finding is a failure that a perturbation brings.
type Finding struct {
	Test      string // of the experimenter; Signature.Test may be a subtest of it
	Signature runner.Signature
	Message   string // of one failure
	Natural   bool   // plain runs failed with this signature too
	Always    bool   // they all did, and Cure is what makes it pass

	Trial Trial    // that brings it
	Sites []Site   // of its stalls, in that order
	plain Trial    // what it is held against: nothing perturbed
	Needs []string // tests without which it fails
	// Ordered is the order of two events that Trial forces, nil if it forces none.
	Ordered *Ordered

	dose     time.Duration // at which it was found
	Smallest time.Duration // the shortest that suffices, 0 if the kind has none
	Window   *Window       // of the first stall, nil if it was not looked for
	Limit    string        // duration in the source that Smallest is about, with its place
	Slept    string        // duration, with its place, that is slept for where Cure holds, or before what comes too soon; "" if none is
	Artefact string        // why it is a deadline artefact, "" if it is none

	// Path is by which calls the goroutine comes to where it is held, or to the first
	// position of Window, and CurePath that of CureSite; nil if not known.
	Path, CurePath []divergence.Call

	Nap     bool            // what decides is drawn for how long to sleep
	blocks  []int           // whose draws decide
	Decides []trace.ActKind // kinds of draws that decide, where Trial fixes others too; nil for all of its
	failing uint64
	passing uint64 // seed with which the draws of blocks let it pass

	Cure      *Trial // with which it passes, nil if none is needed or known
	CureSite  *Site  // that Cure holds
	sham      *Trial
	Early     *Early // who comes too early meanwhile, nil if that is not known, or Cure has told it
	Still     *Count // of Trial with clocks that stand still meanwhile, see standing; nil if that did not keep the failure away
	Reading   uint32 // the block for whose readings alone they do, 0 for all
	Confirmed Confirmation
	Verdict   Verdict
	Found     int // runs made until it first failed
	Again     int // times in a row that it then failed again
	// Screened is how often random perturbations failed of which Trial is one, zero if it was
	// not found by these.
	Screened   Count
	Runs       int // runs made until the verdict
	Kept       int // of these, those that the log had from before: Took has not their time
	Took       time.Duration
	chance     bool       // it failed as often by chance
	FailTraces []*Outcome // runs of the confirmation, with their traces if those were kept
	PassTraces []*Outcome
	// PlainTraces are those that failed so with nothing changed.
	PlainTraces []*Outcome
}

// A Window is where a goroutine must be held for the failure to come: at the first
// position, at the last, and in between.
type Window struct {
	First, Last   Site
	FromBeginning bool // the goroutine's first event is in it: it begins where that was started
	toEnd         bool // its last event is
	Before        int  // block that comes right before it: held there it passes; 0 if FromBeginning
}

// Kind returns the name of the kind, or kinds, of perturbation.
func (f *Finding) Kind() string {
	switch {
	case f.Needs != nil:
		return "tests"
	case f.Always:
		return f.Cure.Kind()
	case f.Decides != nil:
		return joinKinds(f.Decides)
	}
	return f.Trial.Kind()
}

// Places returns the blocks at which the perturbation acts.
func (f *Finding) Places() []int {
	list := append([]int(nil), f.blocks...)
	for _, s := range f.Sites {
		list = append(list, s.Block)
	}
	if o := f.Ordered; o != nil {
		list = append(list, o.First.Block, o.Then.Block)
	}
	return list
}

// ShamPlace returns the block at which the sham acts, and the kind of what is drawn or set there, which is
// trace.ActStall of a stall; 0 if there is no sham, or it is not of one block.
func (f *Finding) ShamPlace() (block int, kind trace.ActKind) {
	if f.sham == nil {
		return 0, 0
	}
	for _, is := range []func(perturb.Act) bool{perturb.Act.Holds, perturb.Act.Sets, perturb.Act.Chooses} {
		if a := f.sham.Plan.First(is); a.At.Block != 0 {
			return int(a.At.Block), a.Kind
		}
	}
	return 0, 0
}

// factor is how many times the smallest dose is given in confirmations and replays,
// leastDose the least that is: below it, what else the machine does counts for more. Who
// is to look meanwhile may have to wait for a processor.
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

// dosed returns the trial of f with each stall as long as a replay is to have it.
func (f *Finding) dosed() Trial {
	if f.Smallest == 0 {
		return f.Trial
	}
	return dosed(f.Trial, times(f.Smallest, factor))
}

// lengthened returns f with a longer stall, at most as long as that with which it was
// found, if it failed in some runs of its confirmation and not in nearly all: the machine
// may have been less busy while the dose was looked for. Otherwise nil.
func (f *Finding) lengthened() *Finding {
	if !f.Trial.Plan.Does(perturb.Act.Holds) || f.Smallest == 0 || f.Smallest >= f.dose || f.Confirmed.sufficient() || f.Confirmed.With.Failed == 0 {
		return nil
	}
	next := *f
	next.Smallest = min(max(4*f.Smallest, leastDose), f.dose)
	next.sham, next.Confirmed, next.FailTraces, next.PassTraces, next.PlainTraces = nil, Confirmation{}, nil, nil, nil
	return &next
}

// dosed returns t with stalls of the given length, and timers as late; 0 leaves them.
func dosed(t Trial, dose time.Duration) Trial {
	if dose == 0 {
		return t
	}
	t.Plan = t.Plan.Dosed(dose)
	return t
}

// draws reports whether the kind is one of draws.
func draws(kind trace.ActKind) bool {
	return kind == trace.ActSelect || kind == trace.ActMap || kind == trace.ActRand
}
