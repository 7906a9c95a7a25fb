package divergence

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// TestDoneBeforeStart has a goroutine that runs 1 and 2 (line 20, a go statement) three times
// each, and starts two goroutines at line 20. One of these starts another. Everything before the
// go statement itself happened before everything that the child does.
func TestDoneBeforeStart(t *testing.T) {
	sites := &trace.Sites{
		Root: "/m", Files: []trace.File{{Path: "m.go"}}, Funcs: []trace.Func{{Name: "f"}},
		Blocks: []trace.Block{{}, {StartLine: 10, EndLine: 10, StartCol: 1, EndCol: 5}, {StartLine: 20, EndLine: 20, StartCol: 1, EndCol: 5}, {StartLine: 30, EndLine: 30, StartCol: 1, EndCol: 5}},
	}
	a := &analysis{in: Input{Sites: sites}}
	spawn := trace.Frame{File: "/m/m.go", Line: 20}
	g := trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 1, 2, 1, 2})
	child := func(id, parent trace.GoroutineID, start int64, at trace.Frame) *trace.Goroutine {
		c := trace.NewGoroutine(id, "TestX", []trace.Event{2, 3})
		c.Parent, c.Start, c.Spawn = parent, start, at
		return c
	}
	first, second := child(2, 1, 100, spawn), child(3, 1, 200, spawn)
	grand, other, orphan := child(4, 3, 300, spawn), child(5, 1, 400, trace.Frame{File: "/else/x.go", Line: 20}), child(6, 9, 500, spawn)
	all := []*trace.Goroutine{g, second, first, grand, other, orphan}
	for _, tt := range []struct {
		h    *trace.Goroutine
		want int64
	}{{first, 1}, {second, 3}, {grand, 3}, {other, 0}, {orphan, 0}, {g, 0}} {
		if got := a.doneBeforeStart(all, g, tt.h); got != tt.want {
			t.Errorf("goroutine %v: %d events before it was started, want %d", tt.h.ID, got, tt.want)
		}
	}
	if got := a.doneBeforeStart(all, first, second); got != 0 {
		t.Errorf("%d events of a sibling", got)
	}
	// By the times the order is unknown, because both ran from 0 to 1000. By the go statement 1
	// event came before.
	if sure, never := a.startOrder(all, g, first); sure != 1 || never != 6 {
		t.Errorf("sure %d, never %d, want 1 and 6", sure, never)
	}
}

// startOrder is doneAt for a time about which nothing is known.
func (a *analysis) startOrder(all []*trace.Goroutine, g, h *trace.Goroutine) (sure, never int64) {
	a.in.Runs = []Run{{Trace: &trace.Trace{Goroutines: all}}}
	return a.doneAt(g, anchor{run: 0, g: h, lo: 0, hi: 1000})
}
