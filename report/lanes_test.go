package report

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
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

// orderFailure is a failure with that order, in which the test diverged.
func orderFailure(o *divergence.Order) (*finding.Failure, finding.Order) {
	f := &finding.Failure{Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{{Goroutine: o.Pass.Anchor}}}}
	return f, finding.Order{Found: o, Event: divergence.Missed{Block: 5, First: 1, Nth: 1, PassAt: 1, FailAt: 1}, A: trace.Frame{File: "w.go", Line: 5}, B: trace.Frame{File: "x_test.go", Line: 2}}
}

func emptyViewer() *viewer {
	v := newViewer(&finding.Result{Sites: &trace.Sites{Blocks: make([]trace.Block, 1)}})
	v.of(&finding.Test{Name: "TestX"})
	return v
}

func TestLanes(t *testing.T) {
	w := emptyViewer().lanes(orderFailure(orderOfWorker()))
	// The axis ends 1/12 after the last thing that matters: 150 ms + 12.5 ms.
	at := func(ms float64) string { return perCent(1 + 96*ms/162.5) }
	pass, fail := w.Groups[0], w.Groups[1]
	for _, c := range []struct{ what, got, want string }{
		{"event in the passing run", pass.Lanes[0].Mark, at(60)},
		{"event in the failing run", fail.Lanes[0].Mark, at(150)},
		{"where they part", pass.Lanes[1].Mark, at(100)},
		{"arrow of the passing run", pass.Arrow.X1 + " " + pass.Arrow.X2, at(60) + " " + at(100)},
		{"arrow of the failing run", fail.Arrow.X1 + " " + fail.Arrow.X2, at(100) + " " + at(150)},
		{"text of the last mark", fail.Lanes[0].Anchor + " " + fail.Lanes[0].MarkText, "end w.go:5"},
	} {
		if c.got != c.want {
			t.Errorf("%s is at %s, want %s", c.what, c.got, c.want)
		}
	}
	if pass.Arrow.Y1 >= pass.Arrow.Y2 || fail.Arrow.Y1 <= fail.Arrow.Y2 {
		t.Errorf("arrows %+v and %+v, want one down and one up", pass.Arrow, fail.Arrow)
	}
	if len(fail.Lanes[0].Bars) != 2 {
		t.Errorf("the worker runs %d times, want 2: before and after it waits", len(fail.Lanes[0].Bars))
	}
}

// What did not happen by the end has no mark and no arrow, and that is said.
func TestLanesNever(t *testing.T) {
	o := orderOfWorker()
	o.Fail.Other = trace.NewGoroutine(2, "TestX", []trace.Event{4})
	f, order := orderFailure(o)
	order.Event.Nth, order.Event.FailAt = 2, -1 // it ran it once, before the picture begins
	w := emptyViewer().lanes(f, order)
	fail := w.Groups[1]
	if fail.Arrow != nil || fail.Lanes[0].Mark != "" || fail.Lanes[0].MarkText != "w.go:5 not run" {
		t.Errorf("got %+v and %+v", fail.Arrow, fail.Lanes[0])
	}
	o.Fail.Other = nil // no such goroutine is there
	if fail := emptyViewer().lanes(f, order).Groups[1]; fail.Arrow != nil || fail.Lanes[0].Mark != "" {
		t.Errorf("without the goroutine: %+v and %+v", fail.Arrow, fail.Lanes[0])
	}
}

func TestTicks(t *testing.T) {
	for _, end := range []time.Duration{1, 7, 162500 * time.Microsecond, time.Hour} {
		if n := len(laneScale{end}.ticks()); n < 2 || n > 7 {
			t.Errorf("%v: %d ticks", end, n)
		}
	}
}
