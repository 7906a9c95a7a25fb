package diagnose

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
)

var limitRule = Rule{
	Name: "limit",
	Doc: `A time limit in the source that failing runs exceed by their waits and passing
runs do not. The wait ends by it. Some passing runs must come near it. A wait that
ends at its own limit says nothing.`,
	find: limits,
}

// A limited is a reason about a limit of time that a wait exceeds, or comes near to.
type limited struct {
	reason
	limit time.Duration
}

func (r limited) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	v := r.values(s, c)
	v.limit = say.Limit(r.limit)
	return r.words(v)
}

func (r limited) Claim() finding.Claim {
	c := r.reason.Claim()
	c.Allows = r.limit
	return c
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
	if o.Value <= 0 {
		return h, false
	}
	for _, held := range s.a.WaitTimes {
		t := held.At(int64(o.Value))
		near := held.At(max(1, int64(o.Value)/10))
		e := finding.Counted(t)
		if s.sameStatement(held.Block, o) || near.PassTaken == 0 || !e.Tells() ||
			!slices.Contains(s.Source.Deadlines(held.Block), o) {
			continue
		}
		if !ok || e.P < h.P {
			e.Link, e.Step = finding.Feeds, len(s.steps)-1
			limit := s.lineOf(o)
			h, ok = at(limit, e, limited{reason{whyLimit, s.end(held.Block)}, o.Value}), true
		}
	}
	return h, ok
}

// sameStatement reports whether a limit is that of the wait itself: that it gives up
// then shows when, not why.
func (s *scene) sameStatement(block int, o *source.Op) bool {
	if x := s.Source.Decision(block); x != nil && o.Block == block && x.Stmt.Pos() <= o.Node.Pos() {
		return true // of a select, whose cases are evaluated before it waits
	}
	span, ok := s.Sites.Pos(block)
	n := s.Source.Line(o.Node)
	return !ok || span.Has(s.fileOf(o), n)
}
