package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A test that waits until 100 ms and then looks; a worker that goes on at 60 ms
// in the passing run and at 150 ms in the failing one.
func orderOfWorker() *divergence.Order {
	side := func(run int, goesOn time.Duration) divergence.OrderRun {
		test := trace.NewGoroutine(1, "TestX", []trace.Event{1, 2, 3})
		test.Root, test.End = true, int64(200*time.Millisecond)
		test.Stamps = []trace.Stamp{{Pos: 1, Time: int64(time.Millisecond)}, {Pos: 1, Time: int64(100 * time.Millisecond), GoesOn: true}}
		worker := trace.NewGoroutine(2, "TestX", []trace.Event{4, 5})
		worker.Start = int64(time.Millisecond)
		worker.Stamps = []trace.Stamp{{Pos: 1, Time: int64(2 * time.Millisecond)}, {Pos: 1, Time: int64(goesOn), GoesOn: true}}
		return divergence.OrderRun{Run: run, Anchor: test, AnchorPos: 2, Other: worker, Done: 1, Last: 4}
	}
	return &divergence.Order{Late: true, Event: 1, Block: 5, Pass: side(1, 60*time.Millisecond), Fail: side(2, 150*time.Millisecond)}
}

func TestLanes(t *testing.T) {
	v := newViewer(&Result{Sites: &trace.Sites{Blocks: make([]trace.Block, 1)}})
	w := v.lanes(Order{Found: orderOfWorker(), Event: 1, A: trace.Frame{File: "w.go", Line: 5}, B: trace.Frame{File: "x_test.go", Line: 2}})
	want := []string{
		"passing run 1: w.go:5 at 60ms, then parted at 100ms",
		"failing run 2: parted at 100ms, then w.go:5 at 150ms",
	}
	if strings.Join(w.Text, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", w.Text, want)
	}
	// The axis ends 1/12 after the last thing that matters: 150 ms + 12.5 ms.
	pass, fail := w.Groups[0], w.Groups[1]
	for _, c := range []struct{ what, got, want string }{
		{"event in the passing run", pass.Lanes[0].Mark, coord(600 * 60 / 162.5)},
		{"event in the failing run", fail.Lanes[0].Mark, coord(600 * 150 / 162.5)},
		{"where they part", pass.Lanes[1].Mark, coord(600 * 100 / 162.5)},
	} {
		if c.got != c.want {
			t.Errorf("%s is at %s, want %s", c.what, c.got, c.want)
		}
	}
	if len(fail.Lanes[0].Bars) != 2 {
		t.Errorf("the worker runs %d times, want 2: before and after it waits", len(fail.Lanes[0].Bars))
	}
}

func TestTicks(t *testing.T) {
	for _, end := range []time.Duration{1, 7, 162500 * time.Microsecond, time.Hour} {
		if n := len(ticks(end)); n < 2 || n > 7 {
			t.Errorf("%v: %d ticks", end, n)
		}
	}
}
