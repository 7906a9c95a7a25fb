package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var divergenceRule = Rule{
	Name: "divergence",
	Doc: `The conditions where failing runs leave every passing run, the earliest first.
They say where runs diverge, not why. A condition that leads straight to the
failed check is where the failure surfaces.`,
	find: divergences,
}

// differs returns the kind of a divergence: failing runs may not come on from a wait.
func (s *scene) differs(d *divergence.Divergence, block int) kind {
	waits := s.Source.Block(block, source.Wait)
	switch {
	case d.Loop != nil:
		return whyLoops
	case d.FailNext != 0 || len(waits) == 0:
		return whyDiverges
	case waits[len(waits)-1].How == "sync.Cond.Wait":
		return whyMisses
	}
	return whyStays
}

func divergences(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for i, st := range s.steps {
		b, ok := st.d.LastCommon.Block()
		if !ok || st.d.SamePath {
			continue
		}
		e := finding.Evidence{Class: finding.Hint, Table: st.d.Table, P: st.d.P, Step: i}
		for _, later := range s.steps[i+1:] {
			if b, ok := later.d.LastCommon.Block(); ok && st.parts() {
				e.Explains = append(e.Explains, s.end(s.decidedIn(later.d, b)))
			}
		}
		if s.surfaces(st.d) && st.d.Table.PassTaken == 0 {
			e.Class = finding.Symptom
		}
		list = append(list, at(line(s.end(s.decidedIn(st.d, b))), e, reason{kind: s.differs(st.d, b)}))
	}
	return list
}

// parts reports whether another goroutine than the test's goes, where runs diverge, where most failing runs go and
// hardly a passing one does.
func (st *step) parts() bool {
	t := st.d.Table
	return len(st.d.Class) > 0 && st.d.Loop == nil && t.FailTaken > t.FailNot && 10*t.PassTaken <= t.PassTaken+t.PassNot
}

// surfaces reports whether a divergence leads straight to the failed check.
func (s *scene) surfaces(d *divergence.Divergence) bool {
	next, ok := d.FailNext.Block()
	return !ok || s.holdsCheck(next)
}

// blockOf returns the block of an event, if it is one that is known.
func (s *scene) blockOf(e trace.Event) (block trace.Block, ok bool) {
	b, ok := e.Block()
	if !ok || !s.Sites.Has(b) {
		return block, false
	}
	return s.Sites.Blocks[b], true
}

// decidedIn returns the block at whose end runs diverge: the last common one, or the one from
// which its function was called, if that had returned on both sides. Of the calls under way that
// is the innermost in which either side goes on: the other one has left it, or goes on there too.
func (s *scene) decidedIn(d *divergence.Divergence, last int) int {
	fail, ok := s.blockOf(d.FailNext)
	if !ok || fail.Kind == trace.BlockEntry {
		return last
	}
	pass, too := s.blockOf(d.PassNext)
	goesOn := func(block int) bool {
		fn := s.Sites.Blocks[block].Func
		return fn == fail.Func || too && pass.Kind != trace.BlockEntry && fn == pass.Func
	}
	if goesOn(last) {
		return last
	}
	for _, step := range slices.Backward(d.Path) {
		if goesOn(step.Block) {
			return step.Block
		}
	}
	return last
}

var checkRule = Rule{
	Name: "check",
	Doc: `The failed check, or the statement in which the process died. The failure surfaces
there.`,
	find: check,
}

func check(s *scene) []finding.Suspect {
	r := reason{whyCheck, s.condition()}
	if s.Failure.Died() {
		r = reason{kind: whyDied}
	}
	return []finding.Suspect{at(line(s.rel(s.Failure.Frame)), finding.Evidence{Class: finding.Symptom}, r)}
}

// condition is the condition of the check that failed the test, zero if that does not stand before it.
func (s *scene) condition() trace.Frame {
	failed := s.rel(s.Failure.Frame)
	if from := s.Source.Checks(failed.File, failed.Line); from > 0 {
		return trace.Frame{File: failed.File, Line: from}
	}
	return trace.Frame{}
}
