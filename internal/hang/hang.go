package hang

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// maxWaits is how many waits of a run are looked at: a leak of goroutines can
// make thousands of one kind.
const maxWaits = 50

// An Input is the runs of one test, for one failure.
type Input struct {
	Test  string
	Runs  []Run
	Sites *trace.Sites
	// Index returns the source of packages, by import path. It is called only if a
	// failing run hung.
	Index func(packages []string) *source.Index
}

// A Run is one run of the test.
type Run struct {
	N      int
	Failed bool
	Trace  *trace.Trace
	// Kind says how a failing run ended, if it ended by hanging: timeout or
	// deadlock; or that goroutines were left. "" says that the process came to its end.
	Kind finding.HangKind
	Wall time.Duration   // how long the process ran
	Dump []runner.Dumped // of the end, nil if there is none; the goroutines that were left
}

// Find returns the waits of goroutines, nil if the failing runs did not hang.
func Find(in Input) *finding.Hang {
	f := &finder{Input: in, family: trace.TopTest(in.Test), visited: make(map[visitKey]visitList)}
	f.left = slices.ContainsFunc(in.Runs, func(r Run) bool { return r.Kind == finding.HangLeak })
	for i := range in.Runs {
		f.look(&in.Runs[i])
	}
	if f.shown == nil {
		return nil
	}
	f.code = newCode(in.Sites, in.Index(f.packages()))
	f.out = &finding.Hang{Kind: f.shown.kind, Run: f.shown.N, Failing: len(f.failing), Passing: len(f.passing)}
	f.waits()
	if len(f.out.Waits) == 0 {
		return nil
	}
	f.lockOrder()
	if f.out.Kind == finding.HangLocks && f.out.LockOrder == nil {
		return nil
	}
	return f.out
}

// packages returns the import paths of the packages whose code ran in the run shown or in passing ones, or that the
// dump shows goroutines in.
func (f *finder) packages() (list []string) {
	for _, m := range append([]*moment{f.shown}, f.passing...) {
		ours := slices.DeleteFunc(slices.Clone(m.Trace.Goroutines), func(g *trace.Goroutine) bool { return !f.ours(g) })
		list = append(list, f.Sites.Packages(ours)...)
	}
	for _, d := range f.shown.Dump {
		_, rel, _ := f.inUserCode(d.Frames)
		for _, file := range f.Sites.Files {
			if file.Path == rel {
				list = append(list, path.Dir(file.Name))
			}
		}
	}
	return list
}

// A finder does one search.
type finder struct {
	Input
	code    *code
	family  string // name of the top-level test
	left    bool   // the failing runs failed because goroutines were left
	out     *finding.Hang
	failing []*moment // the failing runs that hung
	passing []*moment
	shown   *moment // the one of failing that is described
	known   []known // of its goroutines that wait, in the order of out.Waits

	visited map[visitKey]visitList // the results of visits
}

// A known has the facts about a goroutine that waits, beside those reported.
type known struct {
	state *state // nil if only a dump shows it
	on    operand
	holds []heldLock
}

// A described is a wait with the facts that it was told from.
type described struct {
	finding.Wait
	known
}

// A moment is a run at the time to look at.
type moment struct {
	*Run
	kind   finding.HangKind
	time   int64
	byID   map[trace.GoroutineID]*trace.Goroutine
	states []*state // the result of statesAt
	looked bool     // whether it was called
}

// look finds the moment of a run.
func (f *finder) look(r *Run) {
	m := &moment{Run: r, kind: r.Kind, byID: make(map[trace.GoroutineID]*trace.Goroutine)}
	for _, g := range r.Trace.Goroutines {
		m.byID[g.ID] = g
	}
	switch {
	case !r.Failed:
		m.time = f.testEnd(r.Trace)
		f.passing = append(f.passing, m)
		return
	case r.Kind == finding.HangDeadlock:
		m.time = lastTime(r.Trace) // the runtime finds it as soon as the last one waits
	case r.Kind == finding.HangLeak:
		m.time = f.testEnd(r.Trace)
	case r.Kind != "":
		m.time = alarm(r.Trace)
		if m.time == 0 {
			m.time = max(lastTime(r.Trace), int64(r.Wall))
		}
	default:
		m.kind, m.time = finding.HangLocks, lastTime(r.Trace)
		if len(f.statesAt(m)) < 2 {
			return
		}
	}
	f.failing = append(f.failing, m)
	if f.shown == nil {
		f.shown = m
	}
}

// testEnd returns when the test ended in a run.
func (f *finder) testEnd(t *trace.Trace) int64 {
	end := int64(0)
	for _, run := range t.Tests {
		if run.Name == f.Test {
			end = max(end, run.End)
		}
	}
	if end == 0 {
		return lastTime(t)
	}
	return end
}

// lastTime returns the last time that a trace knows of.
func lastTime(t *trace.Trace) int64 {
	last := int64(0)
	for _, g := range t.Goroutines {
		last = max(last, g.Start, g.End)
		if n := len(g.Stamps); n > 0 {
			last = max(last, g.Stamps[n-1].Time)
		}
		if n := len(g.Chunks); n > 0 {
			last = max(last, g.Chunks[n-1].Time)
		}
	}
	return last
}

// alarm returns when package testing found that time was up (-timeout), 0 if it did not. The process
// goes on after that, until all goroutines are printed.
func alarm(t *trace.Trace) int64 {
	for _, g := range t.Goroutines {
		if strings.HasPrefix(g.Entry.Func, "testing.(*M).startAlarm") && g.Len() > 0 {
			from, _ := g.Between(g.Len() - 1)
			return from
		}
	}
	return 0
}

// ours reports whether a goroutine has to do with the test: those of other
// tests wait for reasons of their own, unless they were left.
// The main goroutine waits for the tests to end.
func (f *finder) ours(g *trace.Goroutine) bool {
	return trace.TopTest(g.Test) == f.family || (g.Test == "" || f.left) && g.Entry.Func != "runtime.main"
}

// waits describes the goroutines that wait at the moment of the run shown.
func (f *finder) waits() {
	states := f.statesAt(f.shown)
	if f.left {
		states = slices.DeleteFunc(slices.Clone(states), func(s *state) bool { return f.shown.dumped(s.g) == nil })
	}
	var list []described
	for _, s := range states[:min(len(states), maxWaits)] {
		list = append(list, f.describe(s))
	}
	list = append(list, f.dumpOnly(states)...)
	slices.SortStableFunc(list, func(a, b described) int { return cmp.Compare(f.rank(a), f.rank(b)) })
	for _, d := range list {
		f.known = append(f.known, d.known)
		f.out.Waits = append(f.out.Waits, d.Wait)
	}
	for i, k := range f.known {
		w := &f.out.Waits[i]
		if k.state != nil {
			f.waker(w, k.state)
		}
	}
}

// rank orders waits: the test's own first, benign ones last.
func (f *finder) rank(d described) int {
	switch {
	case d.Benign:
		return 3
	case d.By.Root:
		return 1
	}
	return 2
}

// describe describes a wait, without the goroutine that should have ended it.
func (f *finder) describe(s *state) described {
	w := described{
		finding.Wait{By: actor(s.g), Since: s.since(), Reason: s.reason},
		known{state: s, holds: f.locksOf(s)},
	}
	f.place(&w, s)
	w.For = w.on.text
	f.inPassing(&w.Wait, s)
	w.Stuck = f.shown.stuck(s.g.Number)
	w.Benign = 2*w.Waiting > len(f.passing)
	for _, h := range w.holds {
		w.Holds = append(w.Holds, h.HeldLock)
	}
	for _, m := range f.failing {
		if t := f.waitLike(m, s); t != nil {
			w.Failing++
			w.Stuck = w.Stuck && m.stuck(t.g.Number)
		}
	}
	return w
}

// actor says which goroutine of a run it is.
func actor(g *trace.Goroutine) finding.Actor {
	return finding.Actor{Root: g.Root, Started: g.Spawn, Entry: g.Entry.Func}
}

// place fills in where it waits, and the operand: from the dump if there is one,
// which knows the line, else from the last block.
func (f *finder) place(w *described, s *state) {
	block := f.waitBlock(s)
	w.At = f.code.endOf(block)
	if d := f.shown.dumped(s.g); d != nil {
		if w.Reason == "" {
			w.Reason = d.State
		}
		if s.park == 0 {
			w.Since = max(w.Since, d.Waiting)
		}
		if at, rel, ok := f.inUserCode(d.Frames); ok {
			w.At = at
			w.on = f.code.operandAt(rel, at.Line, w.Reason)
			return
		}
	}
	if w.on = f.code.operandIn(block, w.Reason); w.on.line > 0 {
		w.At.Line = w.on.line
	}
}

// inUserCode returns the innermost frame in code of the module.
func (f *finder) inUserCode(frames []trace.Frame) (at trace.Frame, rel string, ok bool) {
	for _, fr := range frames {
		if rel, ok := f.Sites.Rel(fr.File); ok {
			return fr, rel, true
		}
	}
	return trace.Frame{}, "", false
}

// dumped returns a goroutine of the dump: by its number, or else by its
// go statement if just one was started there.
func (m *moment) dumped(g *trace.Goroutine) *runner.Dumped {
	var found *runner.Dumped
	for i := range m.Dump {
		d := &m.Dump[i]
		switch {
		case g.Number != 0 && d.Number == g.Number:
			return d
		case g.Number != 0 || g.Spawn.File == "" || d.Creator.File != g.Spawn.File || d.Creator.Line != g.Spawn.Line:
		case found != nil:
			return nil
		default:
			found = d
		}
	}
	return found
}

// stuck reports whether a goroutine could never go on in the end, by its number.
func (m *moment) stuck(number uint64) bool {
	return slices.ContainsFunc(m.Trace.Notes, func(n trace.Note) bool {
		return n.Kind == trace.ActStuck && uint64(n.Value) == number
	})
}

// dumpOnly describes goroutines in user code that only the dump knows: they ran
// no recorded code, or the trace has no waits.
func (f *finder) dumpOnly(states []*state) []described {
	traced := make(map[*runner.Dumped]bool)
	for _, g := range f.shown.Trace.Goroutines {
		if d := f.shown.dumped(g); d != nil && (len(g.Stamps) > 0 || !f.ours(g)) {
			traced[d] = true
		}
	}
	var out []described
	for i := range f.shown.Dump {
		d := &f.shown.Dump[i]
		at, rel, ok := f.inUserCode(d.Frames)
		if !ok || traced[d] || d.State == inBubble || d.State == "running" || d.State == "runnable" ||
			len(out)+len(states) >= maxWaits {
			continue
		}
		root := slices.ContainsFunc(d.Frames, func(fr trace.Frame) bool { return fr.Func == "testing.tRunner" })
		if root && slices.ContainsFunc(d.Frames, func(fr trace.Frame) bool { return fr.Func == "testing.(*T).Run" }) {
			continue // it waits for its subtest
		}
		on := f.code.operandAt(rel, at.Line, d.State)
		out = append(out, described{finding.Wait{
			By: finding.Actor{Root: root, Started: d.Creator}, At: at, Reason: d.State, Since: d.Waiting,
			Failing: 1, For: on.text, Stuck: f.shown.stuck(d.Number),
		}, known{on: on}})
	}
	return out
}
