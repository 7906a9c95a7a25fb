package report

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// hint says where to look for the cause, as far as the first divergence alone
// can tell. It is left out once an experiment has found the cause.
func (v *viewer) hint(f *finding.Failure) prose {
	if len(v.t.Verdicts) > 0 || f.Analysis == nil || count(v.t.Runs).Passed == 0 {
		return nil
	}
	if len(f.Analysis.Chain) == 0 {
		return say("Look at what the failed check compares, and follow it back to where it comes from: " +
			"the clock, a random number, the order of a map, or something that another goroutine writes.")
	}
	d := f.Analysis.Chain[0]
	last, pass, fail := v.ends(d)
	switch {
	case d.SamePath && v.f.Died():
		return say("Follow the values that the statement uses back to where they come from: " +
			"the clock, a random number, the order of a map, or something that another goroutine writes.")
	case d.SamePath:
		return say("Follow the values that the check compares back to where they come from: " +
			"the clock, a random number, the order of a map, or something that another goroutine writes.")
	case last == nil:
		return nil
	}
	if cond, _, ok := v.condition(last, pass, fail, d); ok {
		return v.placeEnd(say("What makes ").code(cond).text(" true in one run and false in another? Look upwards from "), *last).
			text(" for what sets it, and in other goroutines for what writes it meanwhile.")
	}
	return v.hintAt(d, last)
}

// hintAt is the hint for a divergence that is no condition: a call that did not
// come back, or a choice between cases.
func (v *viewer) hintAt(d *divergence.Divergence, last *place) prose {
	pass, fail := v.kind(d.PassNext), v.kind(d.FailNext)
	switch {
	case d.FailNext == 0 && pass == trace.BlockCall:
		return v.codeWithPlace(say("In "+failingWho(d)+" "), *last).
			text(" has not come back by the end of the recording. What does it wait for, and who should have let it go on?")
	case d.PassNext == 0 && fail == trace.BlockCall:
		who, _ := passingWho(d)
		return v.codeWithPlace(say("In "+who+" "), *last).
			text(" has not come back by the end of the recording; in " + failingWho(d) + " it does. Should this goroutine still be running?")
	case pass == trace.BlockComm && fail == trace.BlockComm:
		return v.placeEnd(say("What decides which case of the select at "), *last).
			text(" is ready first? If both are, Go takes either.")
	case pass == trace.BlockLoop || fail == trace.BlockLoop:
		return v.placeEnd(say("What decides how often the loop at "), *last).text(" goes round?")
	}
	return v.placeEnd(say("Look upwards from "), *last).text(" for what decides which way the runs go.")
}

// kind returns the kind of block that e is, BlockEntry if it is none.
func (v *viewer) kind(e trace.Event) trace.BlockKind {
	if b, ok := e.Block(); ok && v.src.valid(b) {
		return v.r.Sites.Blocks[b].Kind
	}
	return trace.BlockEntry
}
