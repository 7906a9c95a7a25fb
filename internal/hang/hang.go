package hang

import (
	"cmp"
	"path"
	"slices"
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
	f.out.FailNow = f.failNow()
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

// A known is a goroutine that waits, with the facts that it is told from.
type known struct {
	finding.Wait
	state *state
	on    operand
	holds []heldLock
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
		m.time = max(lastTime(r.Trace), int64(r.Wall))
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
	for _, s := range states[:min(len(states), maxWaits)] {
		f.known = append(f.known, f.describe(s))
	}
	slices.SortStableFunc(f.known, func(a, b known) int { return cmp.Compare(a.rank(), b.rank()) })
	for _, k := range f.known {
		f.out.Waits = append(f.out.Waits, k.Wait)
	}
}

// failNow returns where FailNow ended a goroutine of the run shown that is not a test's own, zero if it ended none.
// After that only its deferred calls run, so it has not done what others wait for.
func (f *finder) failNow() trace.Frame {
	for _, g := range f.shown.Trace.Goroutines {
		events, ok := eventsOf(g)
		if !ok || g.Root || !f.ours(g) || g.End == 0 || g.End > f.shown.time {
			continue
		}
		if i := slices.IndexFunc(events, func(e trace.Event) bool {
			kind, _, ok := e.Check()
			return ok && kind == trace.CheckFailNow
		}); i >= 0 {
			return f.code.endOf(blockAt(g, int64(i)))
		}
	}
	return trace.Frame{}
}

// rank orders waits: the test's own first, benign ones last.
func (k *known) rank() int {
	switch {
	case k.Benign:
		return 3
	case k.By.Root:
		return 1
	}
	return 2
}

// describe describes a wait.
func (f *finder) describe(s *state) known {
	k := known{state: s, holds: f.locksOf(s), Wait: finding.Wait{
		By:    finding.Actor{Root: s.g.Root, Started: s.g.Spawn},
		Since: s.since, Reason: s.reason, Stuck: f.shown.stuck(s.g.Number),
	}}
	f.place(&k)
	k.For = k.on.text
	f.inPassing(&k.Wait, s)
	k.Benign = 2*k.Waiting > len(f.passing)
	for _, h := range k.holds {
		k.Holds = append(k.Holds, h.HeldLock)
	}
	for _, m := range f.failing {
		if t := f.waitLike(m, s); t != nil {
			k.Failing++
			k.Stuck = k.Stuck && m.stuck(t.g.Number)
		}
	}
	return k
}

// place fills in where it waits, and the operand: from the dump if there is one,
// which knows the line, else from the last block.
func (f *finder) place(k *known) {
	if d := f.shown.dumped(k.state.g); d != nil {
		if k.Reason == "" {
			k.Reason = d.State
		}
		if at, rel, ok := f.inUserCode(d.Frames); ok {
			k.At, k.on = at, f.code.operandAt(rel, at.Line, k.Reason)
			return
		}
	}
	block := k.state.block
	k.At, k.on = f.code.endOf(block), f.code.operandIn(block, k.Reason)
	if k.on.line > 0 {
		k.At.Line = k.on.line
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

// dumped returns a goroutine of the dump, nil if it is not there.
func (m *moment) dumped(g *trace.Goroutine) *runner.Dumped {
	if i := slices.IndexFunc(m.Dump, func(d runner.Dumped) bool { return d.Number == g.Number }); i >= 0 && g.Number != 0 {
		return &m.Dump[i]
	}
	return nil
}

// stuck reports whether a goroutine could never go on in the end, by its number.
func (m *moment) stuck(number uint64) bool {
	return slices.ContainsFunc(m.Trace.Notes, func(n trace.Note) bool {
		return n.Kind == trace.ActStuck && uint64(n.Value) == number
	})
}
