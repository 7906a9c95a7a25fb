package diagnose

import (
	"go/types"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var concurrentRule = Rule{
	Name: "concurrent",
	Doc: `What other goroutines change at about the time when the check looks at it. The
source says that it is the same object. Nothing shows that it matters. If the test
last waited for a time, that comes first.`,
	find: func(s *scene) []finding.Suspect {
		if s.a == nil {
			return nil
		}
		return append(concurrent(s), turns(s)...)
	},
}

// A written is a reason about a change. Under a lock already, it is waited for too little, or not in one step with what
// belongs to it.
type written struct {
	reason
	locked bool
}

func (r written) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w := r.reason.Words(s, c)
	if !r.locked {
		w.Fix = []say.Sentence{say.FixGuard.With()}
		return w
	}
	w.Fix = append(w.Fix, say.FixStep.With())
	return w
}

func concurrent(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for _, m := range s.a.Concurrent {
		st := s.steps[m.Divergence]
		link, span, by := finding.Unlinked, trace.Span{}, 0
		for _, b := range m.Blocks { // the last one completes the value that is looked at
			l, at := s.link(st, b, source.Write)
			if l > finding.Unlinked && l >= link {
				link, span, by = l, at, b
			}
		}
		if link < finding.Feeds {
			continue
		}
		last, _ := st.d.LastCommon.Block()
		e := finding.Evidence{Class: finding.Hint, Link: s.unless(m.Divergence, link), Step: m.Divergence}
		if e.Link == link {
			e.Explains = []trace.Frame{s.end(last)}
		}
		if b := s.slept(m.Waited); b != 0 {
			list = append(list, at(s.waitSpan(b), e, reason{whySleeps, frameOf(span)}))
		}
		looks := s.end(last)
		if n := s.readIn(last, by); n > 0 {
			looks.Line = n
		}
		list = append(list, at(span, e, written{reason{whyWrites, looks}, s.lockedAt(span.File, span.Start)}))
	}
	return list
}

// unless returns the link of a change with the deciding condition of the n-th step, or none if runs have parted in
// another goroutine before: then the cause is there, and not in a change at the end.
func (s *scene) unless(n int, link finding.Link) finding.Link {
	if slices.ContainsFunc(s.steps[:n], (*step).parts) {
		return finding.Unlinked
	}
	return link
}

// readIn returns the line at which a block reads a variable that another one changes, 0 if
// it does not itself.
func (s *scene) readIn(block, changes int) int {
	for _, w := range s.Source.Block(changes, source.Write) {
		for _, r := range s.Source.Block(block, source.Read) {
			if w.Obj() != nil && r.Obj() == w.Obj() {
				return s.Source.Line(r.Node)
			}
		}
	}
	return 0
}

// turns returns the variables that goroutines that lived at the same time have each
// changed, and that the failed goroutine looked at when they had ended.
func turns(s *scene) []finding.Suspect {
	st := s.failed()
	if st == nil {
		return nil
	}
	var objects []types.Object
	changes := make(map[types.Object][]change)
	for _, f := range s.a.Finished {
		for _, b := range f.Blocks {
			for _, w := range s.Source.Block(b, source.Write) {
				if st.links[w] < finding.Feeds || w.Obj() == nil {
					continue
				}
				if changes[w.Obj()] == nil {
					objects = append(objects, w.Obj())
				}
				changes[w.Obj()] = append(changes[w.Obj()], change{w, f.Goroutine})
			}
		}
	}
	last, _ := st.d.LastCommon.Block()
	var list []finding.Suspect
	for _, obj := range objects {
		if beside(changes[obj]) < 2 {
			continue
		}
		w := changes[obj][max(0, slices.IndexFunc(changes[obj], func(c change) bool { return s.readsToo(c.op) }))].op
		list = append(list, at(s.lineOf(w),
			finding.Evidence{Class: finding.Hint, Link: s.unless(len(s.steps)-1, st.links[w]), Step: len(s.steps) - 1},
			written{reason{whyWriters, s.end(last)}, s.lockedAt(s.Source.Place(w))}))
	}
	return list
}

// lockedAt reports whether the function of a place may hold a lock there. Then an update is
// lost between two steps, each under the lock.
func (s *scene) lockedAt(file string, line int) bool { return len(s.Source.Locked(file, line)) > 0 }

// A change is an operation that a goroutine has run.
type change struct {
	op *source.Op
	by *trace.Goroutine
}

// beside returns how many goroutines there are among some that lived at the same time
// as another of them.
func beside(list []change) int {
	in := make(map[*trace.Goroutine]bool)
	for i, a := range list {
		for _, b := range list[:i] {
			if a.by != b.by && a.by.Start < b.by.End && b.by.Start < a.by.End {
				in[a.by], in[b.by] = true, true
			}
		}
	}
	return len(in)
}

// readsToo reports whether the value that an operation writes depends on one read there
// before, in a step of its own. Then a change that comes in between is lost.
func (s *scene) readsToo(w *source.Op) bool {
	if strings.HasPrefix(w.How, "sync/atomic.") &&
		!strings.HasPrefix(w.How[strings.LastIndex(w.How, ".")+1:], "Store") {
		return false
	}
	return slices.ContainsFunc(s.Source.Block(w.Block, source.Read), func(r *source.Op) bool {
		return s.Source.Same(r, w)
	})
}

// slept returns the block with the last wait, locks left aside, if that is for a time;
// 0 if it is for something else, or only from one look at something to the next.
func (s *scene) slept(waited []int) int {
	for _, b := range waited {
		waits := s.Source.Block(b, source.Wait)
		switch {
		case slices.ContainsFunc(waits, func(o *source.Op) bool { return o.Sleeps() }):
			if s.Source.Polls(b) {
				return 0
			}
			return b
		case len(waits) == 0 || slices.ContainsFunc(waits, func(o *source.Op) bool { return !o.Locks() }):
			return 0
		}
	}
	return 0
}

// waitSpan returns the lines of the last wait in a block.
func (s *scene) waitSpan(b int) trace.Span {
	span, _ := s.Sites.Pos(b)
	for _, o := range s.Source.Block(b, source.Wait) {
		n := s.Source.Line(o.Node)
		span.Start, span.End = n, n
	}
	return span
}
