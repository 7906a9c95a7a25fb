package diagnose

import (
	"slices"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A passage is where a function that starts a goroutine goes on without having waited for it.
type passage struct {
	span  trace.Span // from the line after the start, if that is near, to where it looks; or the sleep
	slept bool
}

// goesOn returns how the function that starts a goroutine comes to where another stack
// stands; nil if that is not on the stack, or waits in between.
func (s *scene) goesOn(started trace.Frame, stack []trace.Frame) *passage {
	in := s.Source.FuncAt(started.File, started.Line)
	depth := slices.IndexFunc(stack, func(f trace.Frame) bool {
		return in != nil && s.Source.FuncAt(f.File, f.Line) == in
	})
	if depth < 0 || stack[depth].Line <= started.Line {
		return nil
	}
	look := stack[depth]
	g := &passage{span: line(look)}
	waits := s.waitsBetween(started, look)
	if n := len(waits); n > 0 {
		if w := waits[n-1]; !w.Sleeps() || s.Source.Polls(w.Block) {
			return nil
		}
		g.slept, g.span = true, s.lineOf(waits[n-1])
		return g
	}
	for _, f := range stack[:depth] { // a called function may wait before it looks
		if len(slices.DeleteFunc(s.Source.Before(f.File, f.Line, false, source.Wait), (*source.Op).Locks)) > 0 {
			return nil
		}
	}
	if first := s.Source.LineAfter(started.File, started.Line, look.Line); first > 0 && look.Line-first < maxWindow {
		g.span.Start = first
	}
	return g
}

// waitsBetween returns the waits of the function around two lines of it between them,
// also in functions it calls, except for locks.
func (s *scene) waitsBetween(from, to trace.Frame) (list []*source.Op) {
	for _, o := range s.Source.Before(to.File, to.Line, false, source.Wait, source.Call) {
		if s.Source.Line(o.Node) <= from.Line {
			continue
		}
		if o.Kind == source.Wait {
			list = append(list, o)
		} else {
			list = append(list, s.Source.Inside(o, maxSteps, source.Wait)...)
		}
	}
	return slices.DeleteFunc(list, (*source.Op).Locks)
}
