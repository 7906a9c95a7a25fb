package diagnose

import (
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
)

var limitRule = Rule{
	Name: "limit",
	Doc: `A limit of time that is written in the code which was run before runs diverge, and
that failing runs exceeded by how long they waited and passing runs did not, though
some came near it.`,
	find: limits,
}

func limits(s *scene) []finding.Suspect {
	st := s.failed()
	if st == nil {
		return nil
	}
	var list []finding.Suspect
	for _, c := range st.d.Common {
		for _, o := range s.Source.Block(c.Block, source.Limit) {
			if h, ok := s.exceeded(st, o); ok {
				list = append(list, h)
			}
		}
	}
	return list
}

// exceeded returns the hypothesis about a limit: the wait that it separates best.
func (s *scene) exceeded(st *step, o *source.Op) (h finding.Suspect, ok bool) {
	if o.Value <= 0 || o.How == "time.Sleep" {
		return h, false
	}
	for _, held := range s.a.WaitTimes {
		t := held.At(int64(o.Value))
		near := held.At(int64(o.Value) / 10)
		e := finding.Counted(t)
		if s.sameStatement(held.Block, o) || near.PassTaken == 0 || !e.Tells() {
			continue
		}
		if !ok || e.P < h.P {
			e.Link, e.Step = finding.Feeds, len(s.steps)-1
			h, ok = at(s.lineOf(o), e,
				finding.Reason{Kind: finding.ReasonLimit, Other: s.end(held.Block), Limit: time.Duration(o.Value)}), true
		}
	}
	return h, ok
}

// sameStatement reports whether a limit is that of the wait itself: who gives up
// after it says when, not why.
func (s *scene) sameStatement(block int, o *source.Op) bool {
	if x := s.Source.Decision(block); x != nil && o.Block == block && x.Stmt.Pos() <= o.Node.Pos() {
		return true // of a select, whose cases are evaluated before it waits
	}
	span, ok := s.Sites.Pos(block)
	n := s.Source.Line(o.Node)
	return !ok || span.File == s.fileOf(o) && span.Start <= n && n <= span.End
}
