package runner

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// GiveDeath assigns the death of a process to the test whose goroutine died, which the trace
// knows. Package testing blames the test that runs at that time. If the test that started the
// goroutine has completed, that is another one, and a different one in each run.
func (r *Run) GiveDeath(t *trace.Trace) {
	r.giveDeath(func(o *Outcome) string { return diedOf(o, t) })
}

// giveDeath assigns the death of the process to the test that of returns for the outcome with the
// dump, if that test had passed by then. The tests that were running when the process died were
// cut off.
func (r *Run) giveDeath(of func(*Outcome) string) {
	o := r.died()
	if o == nil {
		return
	}
	died := *o
	owner := r.lastOutcome(of(&died))
	if owner == nil || owner.Status != Passed { // it is still running, and has its failure
		return
	}
	for _, o := range r.Outcomes {
		if o.Status == Crashed {
			*o = Outcome{Test: o.Test, Nth: o.Nth, Status: NotRun, Elapsed: o.Elapsed}
		}
	}
	owner.Status, owner.Late, owner.Dump = Crashed, true, died.Dump
	owner.Message, owner.Signature = died.Message, died.Signature
	owner.Signature.Test = owner.Test
	for name := parentOf(owner.Test); name != ""; name = parentOf(name) {
		if o := r.lastOutcome(name); o != nil && (o.Status == Passed || o.Status == NotRun) {
			o.Status, o.ByChild = Crashed, true
		}
	}
}

// died returns an outcome with the dump of a process that died, or nil if there is none.
func (r *Run) died() *Outcome {
	for _, o := range r.Outcomes {
		if o.Status == Crashed && o.Dump != "" {
			return o
		}
	}
	return nil
}

// giveDeaths assigns the deaths of runs without a trace. It uses runs with a trace: if
// goroutines left behind by exactly one test died there at the same place with the same words,
// the death is that test's.
func giveDeaths(runs, controls []*Run) {
	type death struct {
		frame   trace.Frame
		message string
	}
	owners := map[death]string{}
	for _, r := range runs {
		for _, o := range r.Outcomes {
			if !o.Late || o.Status != Crashed || o.Signature.Frame.File == "" {
				continue
			}
			d := death{o.Signature.Frame, o.Signature.Message}
			if other, ok := owners[d]; ok && other != o.Test {
				owners[d] = ""
			} else {
				owners[d] = o.Test
			}
		}
	}
	for _, r := range controls {
		r.giveDeath(func(o *Outcome) string { return owners[death{o.Signature.Frame, o.Signature.Message}] })
	}
}

// diedOf returns the test of the goroutine that the dump of an outcome begins with. It returns ""
// if that is unknown or did not end the process, or if the goroutine ran a function of the test
// that it died in: a worker started by one test may do the work of another.
func diedOf(o *Outcome, t *trace.Trace) string {
	if afterEnd.MatchString(o.Dump) || timedOutPanic.MatchString(o.Dump) || asleep(o.Dump) {
		return ""
	}
	gs := ParseDump(o.Dump)
	if len(gs) == 0 || gs[0].Number == 0 {
		return ""
	}
	for _, g := range t.Goroutines {
		if g.Number != gs[0].Number {
			continue
		}
		if top := trace.TopTest(o.Test); top != "" && top != trace.TopTest(g.Test) && gs[0].mentions(top) {
			return ""
		}
		return g.Test
	}
	return ""
}

// lastOutcome returns the last execution of a test, or nil for "".
func (r *Run) lastOutcome(test string) *Outcome {
	for _, o := range slices.Backward(r.Outcomes) {
		if test != "" && o.Test == test {
			return o
		}
	}
	return nil
}
