package finding

import (
	"strings"

	"github.com/fdebug/fdebug/internal/stats"
)

// A State is what the runs of a test come to.
type State string

const (
	Passing  State = "passing"
	Flaky    State = "flaky"
	Failing  State = "failing"  // in every run
	Provoked State = "provoked" // each failing run was made to fail
	OnlySeen State = "seen"     // each failing run is one of experiments, which have shown nothing of it
	// Recorder is a test that fails only with the recorder: every recorded run failed, and no other. It is neither
	// flaky nor broken, as far as so many runs show.
	Recorder State = "recorder-only"
)

// InExperiments reports whether no run failed but those of experiments.
func (s State) InExperiments() bool { return s == Provoked || s == OnlySeen }

// State returns the state of a test by its runs, those without the recorder too.
func (t *Test) State() State {
	var with, plain Outcomes
	provoked := 0
	for _, r := range t.Runs {
		with.Add(r.Status)
		if r.Status.Failing() && r.Provoked != "" {
			provoked++
		}
	}
	for _, r := range t.Plain {
		plain.Add(r.Status)
	}
	table := stats.Table{FailTaken: with.Failed, PassTaken: with.Passed, FailNot: plain.Failed, PassNot: plain.Passed}
	switch always := len(t.Verdicts) > 0 && t.Verdicts[0].Proof.Always; {
	case provoked > 0 && provoked == with.Failed && always:
		return Failing // what passed was made to
	case provoked > 0 && provoked == with.Failed && len(t.Verdicts) > 0:
		return Provoked
	case provoked > 0 && provoked == with.Failed && with.Passed > 0:
		return OnlySeen
	case with.Failed+plain.Failed == 0:
		return Passing
	case table.Decides():
		return Recorder
	case with.Passed+plain.Passed > 0:
		return Flaky
	}
	return Failing
}

// Seen counts in how many runs of experiments a test failed, in any way that they have no verdict on.
func (t *Test) Seen() (all SeenIn) {
	for _, f := range t.Failures {
		if x := f.Seen; x != nil {
			all.Perturbed.Failed, all.Perturbed.Of = all.Perturbed.Failed+x.Perturbed.Failed, x.Perturbed.Of
			all.Plain.Failed, all.Plain.Of = all.Plain.Failed+x.Plain.Failed, x.Plain.Of
			all.Before += x.Before
		}
	}
	return all
}

// All counts the runs of both sides, and those that failed before.
func (x *SeenIn) All() Count {
	return Count{Failed: x.Perturbed.Failed + x.Plain.Failed + x.Before, Of: x.Perturbed.Of + x.Plain.Of + x.Before}
}

// ByItself reports whether it came in a run in which nothing was perturbed.
func (x *SeenIn) ByItself() bool { return x.Plain.Failed+x.Before > 0 }

// Add counts one more run; one that neither passed nor failed counts nowhere.
func (o *Outcomes) Add(s Status) {
	switch {
	case s.Failing():
		o.Failed++
	case s == Passed:
		o.Passed++
	}
}

// Died reports whether the process died of it: of a panic, or of a fatal error that is
// no deadlock.
func (f *Failure) Died() bool {
	return f.Dump != "" && f.Hang == nil &&
		(strings.HasPrefix(f.Message, "panic: ") ||
			strings.HasPrefix(f.Message, "fatal error: ") &&
				!strings.HasPrefix(f.Message, "fatal error: all goroutines are asleep"))
}
