package analyze

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// TestSteps follows goroutines through functions main (blocks 1 to 3) and called (blocks 4
// and 5), one line each: calls, returns, recursion, and what repeats.
func TestSteps(t *testing.T) {
	sites := &trace.Sites{Files: []trace.File{{Path: "m.go"}}, Funcs: []trace.Func{{Name: "main"}, {Name: "called"}}, Blocks: make([]trace.Block, 1)}
	for b := 1; b <= 5; b++ {
		kind, fn := trace.BlockCall, 0
		if b == 1 || b == 4 {
			kind = trace.BlockEntry
		}
		if b >= 4 {
			fn = 1
		}
		sites.Blocks = append(sites.Blocks, trace.Block{Func: fn, Kind: kind, StartLine: 10 * b, StartCol: 1, EndLine: 10*b + b/3*9, EndCol: 5})
	}
	an := &Analyzer{Sites: sites}
	stacks := map[uint32][]trace.Frame{7: {{Func: "runtime.panicIndex", File: "/go/src/runtime/panic.go", Line: 35}, {Func: "main", File: "/m/m.go", Line: 34}}}
	for _, tt := range []struct{ events, want string }{
		{"1 3 p", "main 10 30-34"}, // the rest of the block was not run
		{"1 3 p p", "main 10 30-34"},
		{"3 2 3 p", "main 20 30-39"},          // it was, the time before
		{"3 p 5", "main 30-34; called 50-59"}, // recovered, by a deferred call
		{"4 p", "called 40-49"},               // of another function's line
		{"1 2", "main 10 20"},
		{"1 4 5 2", "main 10; called 40-59; main 20"},
		{"1 3 2 3", "main 10 20 30-39"},
		{"4 4 4", "called 40-49 ×3"},
		{"1 4 2 4 2 4 2", "main 10; called 40-49 ×3; main 20 ×3"},
		{"", ""},
	} {
		var events []trace.Event
		for _, s := range strings.Fields(tt.events) {
			if s == "p" {
				events = append(events, trace.CheckEvent(trace.CheckPanic, 7))
				continue
			}
			var b int
			fmt.Sscan(s, &b)
			events = append(events, trace.Event(b))
		}
		steps, more, _ := an.steps(trace.NewGoroutine(1, "TestX", events), stacks)
		if got := stepsText(collapse(steps)); got != tt.want || more != 0 {
			t.Errorf("%s: %q, and %d more, want %q", tt.events, got, more, tt.want)
		}
	}
}

// Of a long stream the end is left out, and so are goroutines beyond the sixth: how much that is is kept. Chunks
// have 64, 128, ... events, 4,096 at most: the ones that are read are those that begin within the first 16,384.
func TestPathsLeftOut(t *testing.T) {
	sites := &trace.Sites{Files: []trace.File{{Path: "m.go"}}, Funcs: []trace.Func{{Name: "main"}}, Blocks: make([]trace.Block, 1)}
	sites.Blocks = append(sites.Blocks, trace.Block{Kind: trace.BlockCall, StartLine: 1, StartCol: 1, EndLine: 1, EndCol: 5})
	long := make([]trace.Event, 40_000)
	for i := range long {
		long[i] = 1
	}
	tr := new(trace.Trace)
	for i := range 9 {
		g := trace.NewGoroutine(trace.GoroutineID(i+1), "TestX", long[:3])
		if i == 0 {
			g = trace.NewGoroutine(1, "TestX", long)
			g.Root = true
		}
		tr.Goroutines = append(tr.Goroutines, g)
	}
	paths, others := (&Analyzer{Sites: sites}).paths(tr, "TestX")
	if len(paths) != 6 || others != 3 {
		t.Errorf("%d paths, %d others", len(paths), others)
	}
	read := int64(0)
	for i := 0; read <= maxPathEvents; i++ {
		read += int64(trace.ChunkLen(i))
	}
	if paths[0].More != 40_000-read || paths[1].More != 0 {
		t.Errorf("%d events left out of the first, want %d; %d of the second", paths[0].More, 40_000-read, paths[1].More)
	}
}

// TestPathsApart has a goroutine of 100 steps that in another run does another one: in the middle, where steps of
// a path are left out, near the beginning, and nowhere. Paths are one only if all their steps are.
func TestPathsApart(t *testing.T) {
	path := func(other int) []fullPath {
		var p fullPath
		for i := range 100 {
			s := finding.PathStep{Func: fmt.Sprint("f", i), Times: 1}
			if i == other {
				s.Func = "other"
			}
			p.Steps = append(p.Steps, s)
		}
		return []fullPath{p}
	}
	usual := path(-1)
	for _, c := range []struct {
		other int
		kept  int
		cuts  []finding.PathCut
	}{
		{50, 60, []finding.PathCut{{After: 20, Steps: 25}, {After: 40, Steps: 15}}},
		{10, 45, []finding.PathCut{{After: 25, Steps: 55}}},
		{-1, 40, []finding.PathCut{{After: 20, Steps: 60}}},
	} {
		got := shortened(path(c.other), usual)[0]
		shown := slices.ContainsFunc(got.Steps, func(s finding.PathStep) bool { return s.Func == "other" })
		if len(got.Steps) != c.kept || !slices.Equal(got.Cuts, c.cuts) || shown != (c.other >= 0) {
			t.Errorf("another step %d: %d steps, left out %v, shown %v; want %+v", c.other, len(got.Steps), got.Cuts, shown, c)
		}
		if same := hashOf(path(c.other)) == hashOf(usual); same != (c.other < 0) {
			t.Errorf("another step %d: paths are one: %v", c.other, same)
		}
	}
	if p := usual[0]; len(p.Steps) != 100 {
		t.Errorf("the path compared with has %d steps", len(p.Steps))
	}
}

func stepsText(steps []finding.PathStep) string {
	var out []string
	for _, s := range steps {
		text := s.Func
		for _, l := range s.Lines {
			if text += fmt.Sprint(" ", l.Start); l.End > l.Start {
				text += fmt.Sprint("-", l.End)
			}
		}
		if s.Times > 1 {
			text += fmt.Sprint(" ×", s.Times)
		}
		out = append(out, text)
	}
	return strings.Join(out, "; ")
}

// Where more runs differ than are kept, those that failed are among them.
func TestRecordsKeepFailures(t *testing.T) {
	an, test, u := &Analyzer{}, &finding.Test{}, &runner.Unit{}
	for n := range maxRecords + 2 {
		status := runner.Passed
		if n >= maxRecords {
			status = runner.Failed
		}
		u.Runs = append(u.Runs, runner.UnitRun{Run: &runner.Run{N: n + 1}, Status: status, Outcome: &runner.Outcome{Output: fmt.Sprint("run ", n)}})
		test.Runs = append(test.Runs, finding.Run{N: n + 1})
	}
	an.records(test, u, newTraceSet(t.Context(), t.TempDir()))
	kept := 0
	for i, r := range test.Runs {
		if r.Record > 0 {
			kept++
		} else if i >= maxRecords {
			t.Errorf("of failing run %d there is none", r.N)
		}
	}
	if kept != maxRecords {
		t.Errorf("%d are kept", kept)
	}
}
