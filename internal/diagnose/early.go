package diagnose

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A meeting has the facts in the source about two goroutines, one of them late for the
// other: how the other one waits for it.
type meeting struct {
	// signal is the release that wakes the other goroutine too soon, and wait is where it
	// was waiting; nil if there is none.
	signal, wait *source.Op
	// the other one has waited for a later step of the late one, or for the late one in a way that the source does not
	// show
	awaited bool
	tells   bool // the late one does something afterwards that ends a wait
}

// meet returns how a goroutine waits for another, by where the functions of that stand, the
// innermost first, and the waits of the other one.
func (s *scene) meet(late []trace.Frame, waits []*source.Op) (m meeting) {
	for _, f := range late {
		m.tells = m.tells || slices.ContainsFunc(s.Source.After(f.File, f.Line, false, source.Release),
			func(r *source.Op) bool { return !r.Unlocks() })
		m.awaited = m.awaited || slices.ContainsFunc(s.Source.After(f.File, f.Line, true, source.Release),
			func(r *source.Op) bool { return s.ends(r, waits) != nil })
	}
	for _, f := range late {
		done := s.Source.Before(f.File, f.Line, true, source.Release)
		for _, r := range slices.Backward(done) {
			if w := s.ends(r, waits); w != nil && !r.Unlocks() && !m.awaited && m.signal == nil {
				m.signal, m.wait = r, w
			}
		}
	}
	return m
}

// ends returns the wait that a release ends, nil if it is none of these.
func (s *scene) ends(r *source.Op, waits []*source.Op) *source.Op {
	for _, w := range waits {
		if slices.Contains(s.Source.Enders(w), r) {
			return w
		}
	}
	return nil
}

// waits returns the waits of a goroutine on its way, and at the place where it is; not those
// for locks, and not those before it starts another goroutine, at a place.
func (s *scene) waits(frames []trace.Frame, started trace.Frame) []*source.Op {
	var list []*source.Op
	if len(frames) > 0 {
		list = s.waitsAt(frames[0])
	}
	start, _ := s.Source.Started(started.File, started.Line)
	for _, f := range frames {
		for _, o := range s.Source.Before(f.File, f.Line, false, source.Wait, source.Call) {
			switch {
			case start != nil && s.Source.Over(o, start):
			case o.Kind == source.Wait:
				list = append(list, o)
			default:
				list = append(list, s.Source.Inside(o, maxSteps, source.Wait)...)
			}
		}
	}
	return slices.DeleteFunc(list, (*source.Op).Locks)
}

// waitsAt returns the waits at a line, by the cases of a select that begins there too.
func (s *scene) waitsAt(f trace.Frame) []*source.Op {
	list := s.Source.Lines(f.File, f.Line, f.Line, source.Wait)
	for _, o := range s.Source.Lines(f.File, f.Line, f.Line, source.Draw) {
		list = append(list, s.casesOf(o)...)
	}
	return list
}

// casesOf returns the waits of the cases of a select, if an operation is one.
func (s *scene) casesOf(o *source.Op) (list []*source.Op) {
	sel, ok := o.Node.(*ast.SelectStmt)
	if !ok || o.How != "select" {
		return nil
	}
	for _, c := range sel.Body.List {
		if comm := c.(*ast.CommClause).Comm; comm != nil {
			list = append(list, s.Source.In(comm, source.Wait)...)
		}
	}
	return list
}

// frames returns where the functions of a call path stand, the innermost first: at the
// first line of its block, or the last one, and where each was called.
func (s *scene) frames(path []divergence.Call, last bool) (list []trace.Frame) {
	steps := s.Source.Callers(path, false)
	for i, step := range slices.Backward(steps) {
		if i == len(steps)-1 {
			at := s.frame(step.Block)
			if last {
				at = s.end(step.Block)
			}
			list = append(list, at)
		}
		if step.From.Line > 0 {
			list = append(list, step.From)
		}
	}
	return list
}

// A partner is the goroutine for which the one that an experiment held was late.
type partner struct {
	meeting
	frames []trace.Frame // where its functions stand, the innermost first
	// where it goes on without waiting, in the function that starts the late one if that is on the way
	look  trace.Frame
	slept bool // there it sleeps for a time
	// where it had waited for the late one in some run, which ended that before it was held; zero if that was not seen
	ended trace.Frame
	cured bool // it was held there, or in a function called there, and the failure vanished
	early bool // the same, beside the late one
}

// partner returns the other goroutine of a verdict about one that was started by the
// user's code: that which holding lets it pass, in its place or beside it, or which failed; nil if it is not known,
// or another one that was started there too.
func (s *scene) partner(v *finding.Verdict) *partner {
	if v.Started().File == "" || len(v.Path()) == 0 {
		return nil
	}
	p := &partner{}
	switch {
	case v.Cures() && len(v.CurePath()) > 0 && !v.CureOwn():
		p.frames, p.cured = s.frames(v.CurePath(), true), true
	case v.Early() != nil && v.Early().Root && len(v.Early().Path) > 0:
		// one that was started on its own waits for nobody
		p.frames, p.cured, p.early = s.frames(v.Early().Path, true), true, true
	case v.Cures() || s.failed() == nil || s.sameStart(s.failed().d.Class, v.Started()):
		return nil
	default:
		p.frames = s.frames(s.failed().d.Path, true)
	}
	if len(p.frames) == 0 {
		return nil
	}
	p.meeting = s.meet(s.frames(v.Path(), false), s.waits(p.frames, s.rel(v.Started())))
	if !p.cured {
		s.woken(p, v)
	}
	started := s.rel(v.Started())
	in := s.Source.FuncAt(started.File, started.Line)
	depth := slices.IndexFunc(p.frames, func(f trace.Frame) bool {
		return in != nil && s.Source.FuncAt(f.File, f.Line) == in
	})
	way := p.frames[:depth+1]
	if depth < 0 { // the function that started the late one has returned: any caller may sleep in its place
		depth, way = 0, p.frames
	}
	p.look = p.frames[depth]
	if w := s.sleepBefore(way); w != nil && !s.startsSince(w, way, started) && !s.calledBack(w, p.frames) {
		p.look.File, p.look.Line = s.Source.Place(w)
		p.slept = true
	}
	return p
}

// startsSince reports whether, by the source, a goroutine is started between a sleep and where the functions of another
// one stand, the innermost first: then the sleep can't stand in the place of a wait for it.
func (s *scene) startsSince(sleep *source.Op, frames []trace.Frame, started trace.Frame) bool {
	start, _ := s.Source.Started(started.File, started.Line)
	if start == nil {
		return false
	}
	for _, f := range frames {
		for _, o := range s.Source.Before(f.File, f.Line, false, source.Call, source.Go) {
			if s.Source.Over(sleep, o) &&
				(o == start || slices.Contains(s.Source.Inside(o, maxSteps, source.Go), start)) {
				return true
			}
		}
		if s.Source.FuncAt(f.File, f.Line) == s.Source.FuncAround(sleep.Node) {
			break
		}
	}
	return false
}

// calledBack reports whether a sleep is in a function of a test file that the code under test calls, where the
// functions of a goroutine stand, the innermost first: that is how long something takes there, and no wait of the
// test.
func (s *scene) calledBack(sleep *source.Op, frames []trace.Frame) bool {
	in := slices.IndexFunc(frames, func(f trace.Frame) bool {
		return s.Source.FuncAt(f.File, f.Line) == s.Source.FuncAround(sleep.Node)
	})
	if in < 0 || !strings.HasSuffix(frames[in].File, "_test.go") {
		return false
	}
	return slices.ContainsFunc(frames[in:], func(f trace.Frame) bool { return !strings.HasSuffix(f.File, "_test.go") })
}

// woken takes into account that the goroutine that failed was seen to wait for the one that was
// held, even if the source does not show why: the release may be in a function that is called through an
// interface. If the release came before the place of the hold, the goroutine went on too early.
func (s *scene) woken(p *partner, v *finding.Verdict) {
	for _, w := range s.failed().d.Woken {
		if s.rel(w.By) != s.rel(v.Started()) {
			continue
		}
		waits, at, known := s.waitIn(w.At)
		if !s.before(&w, v) || !known {
			p.awaited, p.ended = true, trace.Frame{}
			return
		}
		if p.ended.File == "" {
			p.ended = at
		}
		for _, r := range s.Source.Block(w.From, source.Release) {
			if o := s.ends(r, waits); o != nil && p.signal == nil && !p.awaited && !r.Unlocks() {
				p.signal, p.wait = r, o
			}
		}
	}
}

// waitIn returns the waits in a block, except those for locks, and their line; of a select that of
// the select. It is not known if there are several.
func (s *scene) waitIn(b int) (waits []*source.Op, at trace.Frame, known bool) {
	lines := make(map[trace.Frame]bool)
	note := func(o *source.Op, ops []*source.Op) {
		if len(ops) > 0 {
			at = trace.Frame{File: s.fileOf(o), Line: s.Source.Line(o.Node)}
			lines[at], waits = true, append(waits, ops...)
		}
	}
	for _, o := range s.Source.Block(b, source.Wait) {
		if !o.Locks() && !strings.HasPrefix(o.How, "select ") {
			note(o, []*source.Op{o})
		}
	}
	for _, o := range s.Source.Block(b, source.Draw) {
		note(o, s.casesOf(o))
	}
	return waits, at, len(lines) == 1
}

// before reports whether a goroutine had not come to where it was held when it ended a wait.
func (s *scene) before(w *divergence.Wake, v *finding.Verdict) bool {
	at, hit := v.Path()[len(v.Path())-1].Block, 1
	if span, ok := s.Sites.Pos(at); ok && len(v.Visits()) == 1 && v.At().File == span.File &&
		v.At().Start == span.Start {
		hit = v.Visits()[0]
	}
	return !slices.ContainsFunc(w.Ran, func(c divergence.Count) bool { return c.Block == at && c.N >= int64(hit) })
}

// sameStart reports whether a place has the last of the go statements that lead to the goroutines of a class.
func (s *scene) sameStart(class []trace.Frame, started trace.Frame) bool {
	return len(class) > 0 && s.rel(class[len(class)-1]) == s.rel(started)
}
