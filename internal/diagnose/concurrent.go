package diagnose

import (
	"go/types"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var concurrentRule = Rule{
	Name: "concurrent",
	Doc: `What other goroutines change that decides, at about the time at which it is looked
at: by when they waited it can't be told which came first. The source says that it
is the same object; nothing shows that it matters. If the last that the test waited
for was a time, that is named first: nothing but the time makes it look later. If the
others had ended by then, what several of them changed side by side is named: how
they take turns may decide.`,
	find: func(s *scene) []finding.Suspect {
		if s.a == nil {
			return nil
		}
		return append(concurrent(s), turns(s)...)
	},
}

func concurrent(s *scene) []finding.Suspect {
	var list []finding.Suspect
	for _, m := range s.a.Concurrent {
		st := s.steps[m.Divergence]
		link, span := finding.Unlinked, trace.Span{}
		var by int
		for _, b := range m.Blocks { // the last one completes what is looked at
			if s.ofOthers(m.Goroutine) && !s.changesGlobal(st, b) {
				continue // another test has its own
			}
			if l, at := s.link(st, b); l >= link && l > finding.Unlinked && !s.waitedFor(st, b) {
				link, span, by = l, at, b
			}
		}
		if link < finding.Feeds {
			continue
		}
		last, _ := st.d.LastCommon.Block()
		e := finding.Evidence{Class: finding.Hint, Link: link, Step: m.Divergence, Explains: []trace.Frame{s.end(last)}}
		late := !slices.Contains(m.Around, by)
		again := !late && slices.Contains(m.After, by)
		done := trace.Frame{File: span.File, Line: span.Start}
		if b := s.slept(m.Waited); b != 0 {
			list = append(list, at(s.waitSpan(b), e, finding.Reason{Kind: finding.ReasonSleep, Other: done, Late: late, Again: again}))
		}
		why := finding.Reason{Kind: finding.ReasonConcurrent, Other: s.end(last), Late: late, Again: again}
		if s.ofOthers(m.Goroutine) {
			why.Code = m.Goroutine.Test
		}
		if n := s.readIn(last, by); n > 0 {
			why.Other.Line, why.Read = n, true
		}
		list = append(list, at(span, e, why))
	}
	return list
}

// readIn returns the line at which a block reads what another one changes, 0 if it does
// not itself.
func (s *scene) readIn(block, changes int) int {
	for _, w := range s.Source.Block(changes, source.Write, source.Release) {
		for _, r := range s.Source.Block(block, source.Read, source.Wait) {
			if w.Obj() != nil && r.Obj() == w.Obj() {
				return s.Source.Line(r.Node)
			}
		}
	}
	return 0
}

// waitedFor reports whether what a block changes is but a channel that it sends on or
// closes, and that the function that decides waits on: it goes on when that is done, so
// that there is an order.
func (s *scene) waitedFor(st *step, b int) bool {
	last, ok := st.d.LastCommon.Block()
	if !ok || !s.Sites.Has(last) {
		return false
	}
	linked, waited := 0, 0
	for _, w := range s.Source.Block(b, source.Write, source.Release) {
		if st.links[w] == finding.Unlinked {
			continue
		}
		linked++
		if w.Kind == source.Release && slices.ContainsFunc(s.Source.Of(w.Obj(), source.Wait), func(r *source.Op) bool {
			return !strings.HasPrefix(r.How, "select") && s.Sites.Has(r.Block) && s.Sites.Blocks[r.Block].Func == s.Sites.Blocks[last].Func
		}) {
			waited++
		}
	}
	return linked > 0 && linked == waited
}

// turns returns what goroutines that lived at the same time have changed, each, and
// the failed goroutine looked at when they had ended.
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
		n := beside(changes[obj])
		if n < 2 {
			continue
		}
		w := changes[obj][max(0, slices.IndexFunc(changes[obj], func(c change) bool { return s.readsToo(c.op) }))].op
		list = append(list, at(s.lineOf(w), finding.Evidence{Class: finding.Hint, Link: st.links[w], Step: len(s.steps) - 1},
			finding.Reason{Kind: finding.ReasonTurns, Other: s.end(last), Seen: n}))
	}
	return list
}

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

// readsToo reports whether what an operation writes hangs on what was read there
// before, in a step of its own: then a change that comes in between is lost.
func (s *scene) readsToo(w *source.Op) bool {
	if strings.HasPrefix(w.How, "sync/atomic.") && !strings.HasPrefix(w.How[strings.LastIndex(w.How, ".")+1:], "Store") {
		return false
	}
	return slices.ContainsFunc(s.Source.Block(w.Block, source.Read), func(r *source.Op) bool { return s.Source.Same(r, w) })
}

// ofOthers reports whether a goroutine belongs to a test that is neither the one that
// failed nor one above or below it.
func (s *scene) ofOthers(g *trace.Goroutine) bool {
	if g == nil {
		return false
	}
	a, b := g.Test, s.Test.Name
	return a != b && !strings.HasPrefix(a, b+"/") && !strings.HasPrefix(b, a+"/")
}

// changesGlobal reports whether a block changes a variable of the package that what
// decided at a step is linked with.
func (s *scene) changesGlobal(st *step, b int) bool {
	return slices.ContainsFunc(s.Source.Block(b, source.Write, source.Release), func(w *source.Op) bool {
		return st.links[w] > finding.Unlinked && len(w.Path) > 0 && source.Global(w.Path[0])
	})
}
