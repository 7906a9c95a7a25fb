package report

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A fixture builds a Result by hand, from the sources in testdata/src.
type fixture struct {
	t     *testing.T
	sites *trace.Sites
	files map[string]string
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{t: t, sites: &trace.Sites{Module: "example.com/m", Root: "/home/gopher/m", Blocks: make([]trace.Block, 1)}, files: map[string]string{}}
	root := filepath.Join("testdata", "src")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, strings.TrimSuffix(name, ".txt"))
		f.file(filepath.ToSlash(rel), string(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// file adds a source file.
func (f *fixture) file(path, text string) {
	f.files[path] = text
	f.sites.Files = append(f.sites.Files, trace.File{Path: path, Name: "example.com/m/" + path})
}

// fn adds the function that starts with the line that contains head, and
// returns its number. It ends at the next line that is a brace with the same indent.
func (f *fixture) fn(path, name, head string) int {
	f.t.Helper()
	lines := strings.Split(f.files[path], "\n")
	for i, l := range lines {
		if !strings.Contains(l, head) {
			continue
		}
		indent := l[:len(l)-len(strings.TrimLeft(l, "\t"))]
		end := i
		for !strings.HasSuffix(lines[i], "}") && !strings.HasPrefix(lines[end], indent+"}") {
			end++
		}
		for n, file := range f.sites.Files {
			if file.Path == path {
				f.sites.Funcs = append(f.sites.Funcs, trace.Func{File: n, Name: name, Line: i + 1, End: end + 1})
				return len(f.sites.Funcs) - 1
			}
		}
	}
	f.t.Fatalf("no %q in %s", head, path)
	return 0
}

// block adds the block of function fn that has the given text.
func (f *fixture) block(fn int, kind trace.BlockKind, text string) int {
	f.t.Helper()
	fun := f.sites.Funcs[fn]
	src := f.files[f.sites.Files[fun.File].Path]
	start := 0
	for range fun.Line - 1 {
		start += strings.IndexByte(src[start:], '\n') + 1
	}
	i := strings.Index(src[start:], text)
	if i < 0 {
		f.t.Fatalf("no %q in %s", text, fun.Name)
	}
	i += start
	pos := func(i int) (line, col int) {
		return 1 + strings.Count(src[:i], "\n"), i - strings.LastIndexByte(src[:i], '\n')
	}
	b := trace.Block{Func: fn, Kind: kind, Stmts: 1}
	b.StartLine, b.StartCol = pos(i)
	b.EndLine, b.EndCol = pos(i + len(text))
	f.sites.Blocks = append(f.sites.Blocks, b)
	return len(f.sites.Blocks) - 1
}

// result returns a result with the given tests.
func (f *fixture) result(tests ...*finding.Test) *finding.Result {
	for _, t := range tests {
		for _, x := range t.Failures {
			f.call(x.Analysis)
		}
	}
	return &finding.Result{
		Command: []string{"fdebug", "run", "./...", "-n", "50"}, Version: "v0.1.0", Go: "go1.26.8", Module: "example.com/m",
		Platform: "linux/amd64, GOMAXPROCS=2", Started: time.Date(2026, 5, 4, 12, 30, 0, 0, time.UTC), Elapsed: 12345 * time.Millisecond,
		Sites: f.sites, Tests: tests, Executions: 50,
		Source: func(path string) ([]byte, error) {
			if s, ok := f.files[path]; ok {
				return []byte(s), nil
			}
			return nil, fs.ErrNotExist
		},
	}
}

// runs returns n runs; those in failed fail.
func runs(n int, status finding.Status, failed ...int) []finding.Run {
	out := make([]finding.Run, n)
	for i := range out {
		out[i] = finding.Run{N: i + 1, Status: finding.Passed, Elapsed: time.Duration(1000+37*i) * time.Microsecond, Failure: -1}
	}
	for _, k := range failed {
		out[k-1].Status, out[k-1].Failure = status, 0
	}
	return out
}

// call lets each function on a path be called in the line of the block before.
func (f *fixture) call(a *divergence.Analysis) {
	if a == nil {
		return
	}
	for _, d := range a.Chain {
		d.Callers = nil
		for i, c := range d.Path {
			step := divergence.Step{Call: c}
			if i > 0 {
				at := d.Path[i-1].Block
				step.From = trace.Frame{File: f.sites.Files[f.sites.FileOf(at)].Path, Line: f.sites.Blocks[at].StartLine}
			}
			d.Callers = append(d.Callers, step)
		}
	}
}

func counted(blocks ...int) []divergence.Count {
	var out []divergence.Count
	for _, b := range blocks {
		if n := len(out); n > 0 && out[n-1].Block == b {
			out[n-1].N++
			continue
		}
		out = append(out, divergence.Count{Block: b, N: 1})
	}
	return out
}

// rng is the working example of the FD paper (listings 1 to 3), in Go: lines 7
// to 9 are common, line 10 is green, line 12 is red.
func (f *fixture) rng() *finding.Test {
	test := f.fn("rng/rng_test.go", "TestZeroOrOne", "func TestZeroOrOne")
	call := f.block(test, trace.BlockEntry, "if got := ZeroOrOne(); got != 0 ")
	zero := f.fn("rng/rng.go", "ZeroOrOne", "func ZeroOrOne")
	entry := f.block(zero, trace.BlockEntry, "n := rand.IntN(100)")
	cond := f.block(zero, trace.BlockCall, "if n < 50 ")
	then := f.block(zero, trace.BlockThen, "return 0")
	other := f.block(zero, trace.BlockElse, "return 1")
	failed := []int{2, 3, 5, 8, 9, 11, 14, 15, 17, 20, 21, 22, 26, 27, 30, 33, 34, 36, 39, 41, 44, 45, 48, 50}
	return &finding.Test{
		Package: "example.com/m/rng", Name: "TestZeroOrOne", Runs: runs(50, finding.Failed, failed...),
		Plain: runs(10, finding.Failed, 1, 4, 7, 8),
		Failures: []*finding.Failure{{
			Signature: "TestZeroOrOne rng_test.go:8 ZeroOrOne() = N, want N", Message: "rng_test.go:8: ZeroOrOne() = 1, want 0",
			Output: "=== RUN   TestZeroOrOne\n    rng_test.go:8: ZeroOrOne() = 1, want 0\n--- FAIL: TestZeroOrOne (0.00s)\n",
			Frame:  trace.Frame{Func: "example.com/m/rng.TestZeroOrOne", File: "/home/gopher/m/rng/rng_test.go", Line: 8},
			Runs:   failed,
			Analysis: &divergence.Analysis{
				Failing: failed, Passing: make([]int, 26),
				Chain: []*divergence.Divergence{{
					Goroutine: &trace.Goroutine{Test: "TestZeroOrOne", Root: true}, FailingRun: 2, PassingRun: 1, CommonPrefix: 3,
					Common: counted(call, entry, cond), Path: []divergence.Call{{Func: test, Block: call}, {Func: zero, Block: cond}},
					LastCommon: trace.Event(cond), PassNext: trace.Event(then), FailNext: trace.Event(other), Iteration: 1,
					Exact: true, PassTook: 26,
					Table: divergence.Table{FailTaken: 24, PassNot: 26}, P: 1.6e-14,
				}},
			},
			Values: []finding.Value{{Expr: "n", At: rngGo(9), Passing: numbersSeen(3, 26, 42, 3, 12, 17, 8), Failing: numbersSeen(53, 99, 84, 61, 70, 77)}},
			Data: []finding.DataDivergence{{Expr: "rand.IntN(100)", At: rngGo(8), Source: "math/rand/v2", Kind: finding.DataValue, Operand: "n",
				Found:   &divergence.DataDivergence{Rule: divergence.RuleBelow, Table: divergence.Table{FailTaken: 6, PassNot: 7}},
				Passing: numbersSeen(3, 26, 42, 3, 12, 17, 8), Failing: numbersSeen(53, 99, 84, 61, 70, 77)}},
		}},
	}
}

func rngGo(line int) trace.Frame { return trace.Frame{File: "/home/gopher/m/rng/rng.go", Line: line} }

// numbersSeen is the values of runs 1, 2, 3 and so on.
func numbersSeen(values ...int) (list []finding.Seen) {
	for i, x := range values {
		text := fmt.Sprint(x)
		if k := slices.IndexFunc(list, func(s finding.Seen) bool { return s.Text == text }); k >= 0 {
			list[k].Runs = append(list[k].Runs, i+1)
			continue
		}
		list = append(list, finding.Seen{Text: text, Runs: []int{i + 1}})
	}
	return list
}

// queue is an async wait with all that experiments can add.
func (f *fixture) queue() *finding.Test {
	test := f.fn("queue/queue_test.go", "TestDrain", "func TestDrain(")
	start := f.block(test, trace.BlockEntry, "q := New(8)")
	loop := f.block(test, trace.BlockCall, "for i := range 5 ")
	add := f.block(test, trace.BlockLoop, "q.Add(func() { time.Sleep(time.Duration(i) * 100 * time.Microsecond) })")
	end := f.block(test, trace.BlockNext, "q.Close()")
	drain := f.block(test, trace.BlockCall, "if err := q.Drain(3, time.Millisecond/2); err != nil ")
	newf := f.fn("queue/queue.go", "New", "func New(")
	newb := f.block(newf, trace.BlockEntry, "q := &Queue{jobs: make(chan func(), size)}\n\tgo q.work()\n\treturn q")
	addf := f.fn("queue/queue.go", "(*Queue).Add", ") Add(")
	addb := f.block(addf, trace.BlockEntry, "q.jobs <- job")
	closef := f.fn("queue/queue.go", "(*Queue).Close", ") Close(")
	closeb := f.block(closef, trace.BlockEntry, "close(q.jobs)")
	drainf := f.fn("queue/queue.go", "(*Queue).Drain", ") Drain(")
	forb := f.block(drainf, trace.BlockEntry, "for range n ")
	sleep := f.block(drainf, trace.BlockLoop, "time.Sleep(tick)")
	cond := f.block(drainf, trace.BlockCall, "if q.done.Load() ")
	ok := f.block(drainf, trace.BlockThen, "return nil")
	late := f.block(drainf, trace.BlockNext, "return ErrTimeout")
	work := f.fn("queue/queue.go", "(*Queue).work", ") work(")
	workb := f.block(work, trace.BlockEntry, "for job := range q.jobs ")
	job := f.block(work, trace.BlockLoop, "job()")
	store := f.block(work, trace.BlockNext, "q.done.Store(true)")
	failed := []int{3, 7, 12, 13, 19, 24, 28, 31, 37, 40, 44, 49}
	queueGo := func(line int) trace.Frame { return trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: line} }
	worker := &trace.Goroutine{Test: "TestDrain", Entry: trace.Frame{Func: "example.com/m/queue.(*Queue).work", File: queueGo(0).File, Line: 33}}
	table := divergence.Table{FailTaken: 12, PassNot: 38}
	return &finding.Test{
		Package: "example.com/m/queue", Name: "TestDrain", Runs: runs(50, finding.Failed, failed...), Plain: runs(10, finding.Failed, 2, 9),
		PlainFailure: &finding.PlainFailure{Run: 2, Message: "got 2 items, want 3", Output: "    queue_test.go:45: got 2 items, want 3\n"},
		Failures: []*finding.Failure{{
			Signature: "TestDrain queue_test.go:15 Drain() = queue: not drained in time", Message: "queue_test.go:15: Drain() = queue: not drained in time, want nil",
			Output: "=== RUN   TestDrain\n    queue_test.go:15: Drain() = queue: not drained in time, want nil\n--- FAIL: TestDrain (0.00s)\n",
			Frame:  trace.Frame{Func: "example.com/m/queue.TestDrain", File: "/home/gopher/m/queue/queue_test.go", Line: 15},
			Runs:   failed,
			Analysis: &divergence.Analysis{
				Failing: failed,
				Chain: []*divergence.Divergence{{
					Goroutine: worker, Class: []trace.Frame{queueGo(22)}, FailingRun: 3, PassingRun: 12, CommonPrefix: 5,
					Common: counted(workb, job, job, job), Path: []divergence.Call{{Func: work, Block: job}},
					LastCommon: trace.Event(job), PassNext: trace.Event(store), FailNext: 0, Iteration: 5, Table: table, P: 8.2e-12,
					Exact: true, PassTook: 38,
				}, {
					Goroutine: &trace.Goroutine{Test: "TestDrain", Root: true}, FailingRun: 3, PassingRun: 12, CommonPrefix: 34,
					Common:     counted(start, newb, loop, add, addb, end, closeb, drain, forb, sleep, sleep, sleep, cond, cond, cond),
					Path:       []divergence.Call{{Func: test, Block: drain}, {Func: drainf, Block: cond}},
					LastCommon: trace.Event(cond), PassNext: trace.Event(ok), FailNext: trace.Event(late), Iteration: 3, Table: table, P: 8.2e-12,
					PassTook: 38, Left: true,
				}},
			},
			Values: []finding.Value{{
				Expr: "q.done.Load()", At: queueGo(44), Source: "another goroutine",
				Passing: []finding.Seen{{Text: "true", Runs: make([]int, 38)}}, Failing: []finding.Seen{{Text: "false", Runs: make([]int, 12)}},
			}},
			Suspects: []finding.Suspect{{Span: finding.Span{File: "queue/queue.go", Start: 37, End: 37}, Rule: "order",
				Evidence: finding.Evidence{Class: finding.Associated, Link: finding.Decides, Table: divergence.Table{FailTaken: 12, PassNot: 38}, P: 8e-12},
				Reason:   lateReason(say.BarLate)}},
		}},
		Verdicts: []finding.Verdict{verdicttest.Verdict{
			Class: finding.Proved, Category: "async-wait", Signature: "TestDrain queue_test.go:15 Drain() = queue: not drained in time", Proof: proof.Proof{Version: proof.Version, Plan: verdicttest.Named("stall"), Natural: true, Smallest: 4 * time.Millisecond, Runs: 143, Took: 9 * time.Second, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 5, Of: 20}, Sham: finding.Count{Failed: 4, Of: 20}, Cure: finding.Count{Of: 20}}},
			Window:  []finding.Span{{File: "queue/queue.go", Start: 36, End: 36}, {File: "queue/queue.go", Start: 37, End: 37}},
			Started: queueGo(31), Cure: []finding.Span{{File: "queue/queue.go", Start: 44, End: 44}}, Replay: ".fdebug/latest/queue.TestDrain-1.replay.json",
		}.Make()},
	}
}

// lateReason is the reason for line 37, which line 44 waits for.
func lateReason(why say.Label) verdicttest.Reason {
	look := trace.Frame{File: "queue/queue.go", Line: 44}
	return verdicttest.Reason{Label: why, Claims: finding.Claim{Other: look}, Say: func(s *finding.Suspect, c finding.Coder) finding.Words {
		return finding.Words{
			Cause: []say.Sentence{say.Order.With(say.Fails, c.Line(look), c.Code(s.Span))}, Mark: say.MarkFirst.With(),
			Other: []finding.MarkedPlace{{At: look, Mark: say.MarkEarly.With()}}, Fix: []say.Sentence{say.FixWait.With(c.Code(s.Span), c.Line(look))},
		}
	}}
}

// keys is a test that takes the same path and fails in an assertion helper.
func (f *fixture) keys() *finding.Test {
	test := f.fn("store/store_test.go", "TestKeys", "func TestKeys")
	entry := f.block(test, trace.BlockEntry, "s := New()")
	keys := f.block(test, trace.BlockCall, "keys := s.Keys()")
	length := f.block(test, trace.BlockCall, "assert.Len(t, keys, 2)")
	equal := f.block(test, trace.BlockCall, `assert.Equal(t, []string{"key1", "key2"}, keys)`)
	const stack = 77
	at := trace.Frame{Func: "example.com/m/store.TestKeys", File: "example.com/m/store/store_test.go", Line: 15}
	return &finding.Test{
		Package: "example.com/m/store", Name: "TestKeys", Runs: runs(20, finding.Failed, 1, 4, 6),
		Failures: []*finding.Failure{{
			Signature: "TestKeys store_test.go:15 Not equal", Message: "Error:\tNot equal:\nexpected: []string{\"key1\", \"key2\"}\nactual  : []string{\"key2\", \"key1\"}",
			Frame: at, Runs: []int{1, 4, 6}, Stacks: map[uint32][]trace.Frame{stack: {{File: "/go/pkg/mod/testify/assert.go", Line: 500}, at}},
			Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{{
				Goroutine: &trace.Goroutine{Root: true}, FailingRun: 1, PassingRun: 2, CommonPrefix: 9, SamePath: true,
				Exact: true, PassTook: 17,
				Common: counted(entry, keys, length, equal), Path: []divergence.Call{{Func: test, Block: equal}},
				LastCommon: trace.Event(equal), FailNext: trace.CheckEvent(trace.CheckFail, stack), Iteration: 1,
				Table: divergence.Table{FailTaken: 3, PassNot: 17}, P: 0.0009,
			}}},
		}},
	}
}

// hang is a subtest that times out in one way and crashes in another.
func (f *fixture) hang() *finding.Test {
	t := &finding.Test{Package: "example.com/m/queue", Name: "TestDrainSlow/two/three", Runs: runs(12, finding.Timeout, 2, 5), Warnings: []string{"only 3 failing runs"}}
	t.Runs[7].Status, t.Runs[7].Failure = finding.Crashed, 1
	t.Runs[8].Status, t.Runs[9].Status = finding.Skipped, finding.NotRun
	t.Failures = []*finding.Failure{
		{Signature: "TestDrainSlow/two/three timeout", Message: "no result within 10s", Runs: []int{2, 5},
			Dump:     "goroutine 7 [chan receive]:\nexample.com/m/queue.(*Queue).work(0xc000012345)\n\t/home/gopher/m/queue/queue.go:34 +0x1d\n",
			Analysis: &divergence.Analysis{}, Hang: f.waiting()},
		{Signature: "TestDrainSlow/two/three panic", Message: "panic: send on closed channel", Runs: []int{8},
			Output: "panic: send on closed channel [recovered]\n\tgoroutine 9 [running]:\n"},
	}
	return t
}

// always is a test that no run passed.
func (f *fixture) always() *finding.Test {
	t := &finding.Test{Package: "example.com/m/rng", Name: "TestBroken", Runs: runs(5, finding.Failed, 1, 2, 3, 4, 5)}
	t.Failures = []*finding.Failure{{Signature: "TestBroken", Message: "rng_test.go:30: got 1, want 2", Runs: []int{1, 2, 3, 4, 5}}}
	return t
}
