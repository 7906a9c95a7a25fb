package report

import (
	"math"
	"strings"
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

// orderFailure is a failure with that order, of which the test diverged.
func orderFailure(o *divergence.Order) (*finding.Failure, finding.Order) {
	f := &finding.Failure{Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{{Goroutine: o.Pass.Anchor}}}}
	return f, finding.Order{Found: o, Event: divergence.Missed{Block: 5, First: 1, Nth: 1, PassAt: 1, FailAt: 1}, A: trace.Frame{File: "w.go", Line: 5}, B: trace.Frame{File: "x_test.go", Line: 2}}
}

func emptyViewer() *viewer {
	return newViewer(&finding.Result{Sites: &trace.Sites{Blocks: make([]trace.Block, 1)}})
}

func TestLanes(t *testing.T) {
	w := emptyViewer().lanes(orderFailure(orderOfWorker()))
	want := []string{
		"In passing run 1 another goroutine ran w.go:5 at 60ms, before the test came to x_test.go:2 at 100ms.",
		"In failing run 2 the test came to x_test.go:2 at 100ms, before another goroutine ran w.go:5 at 150ms.",
	}
	if strings.Join(w.Text, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", w.Text, want)
	}
	// The axis ends 1/12 after the last thing that matters: 150 ms + 12.5 ms.
	at := func(ms float64) string { return perCent(1 + 96*ms/162.5) }
	pass, fail := w.Groups[0], w.Groups[1]
	for _, c := range []struct{ what, got, want string }{
		{"event in the passing run", pass.Lanes[0].Mark, at(60)},
		{"event in the failing run", fail.Lanes[0].Mark, at(150)},
		{"where they part", pass.Lanes[1].Mark, at(100)},
		{"arrow of the passing run", pass.Arrow.X1 + " " + pass.Arrow.X2, at(60) + " " + at(100)},
		{"arrow of the failing run", fail.Arrow.X1 + " " + fail.Arrow.X2, at(100) + " " + at(150)},
		{"text of the last mark", fail.Lanes[0].Anchor + " " + fail.Lanes[0].MarkText, "end w.go:5 at 150ms"},
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
	if fail.Arrow != nil || fail.Lanes[0].Mark != "" || fail.Lanes[0].MarkText != "w.go:5 not run for the 2nd time" {
		t.Errorf("got %+v and %+v", fail.Arrow, fail.Lanes[0])
	}
	if want := "In failing run 2 the test came to x_test.go:2 at 100ms; another goroutine did not run w.go:5 for the 2nd time in this run."; w.Text[1] != want {
		t.Errorf("got %q, want %q", w.Text[1], want)
	}
	o.Fail.Other = nil // no such goroutine is there
	if want, got := "In failing run 2 the test came to x_test.go:2 at 100ms; another goroutine came to no line of the code in this run.", emptyViewer().lanes(f, order).Text[1]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The order in one sentence, with both outcomes.
func TestOrderSaid(t *testing.T) {
	for _, c := range []struct {
		late  bool
		table divergence.Table
		want  string
	}{
		{true, divergence.Table{FailTaken: 15, PassNot: 33}, "in all 33 passing runs, but in none of the 15 failing runs."},
		{true, divergence.Table{FailTaken: 14, FailNot: 1, PassNot: 30, PassTaken: 3}, "in 30 of 33 passing runs, but in 1 of 15 failing runs."},
		{true, divergence.Table{FailTaken: 1, PassNot: 1}, "in the one passing run, but in 0 of 1 failing run."},
		{false, divergence.Table{FailTaken: 22, PassNot: 20, PassTaken: 8}, "in 8 of 28 passing runs, but in all 22 failing runs."},
	} {
		o := orderOfWorker()
		o.Late = c.late
		f, order := orderFailure(o)
		order.Count(c.table)
		got := emptyViewer().orderSaid(f, order)[0].Plain()
		if want := "When the test came to x_test.go:2, another goroutine had run w.go:5 " + c.want; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Runs in which the order is not known are counted, since the table leaves them out.
func TestOrderUnknown(t *testing.T) {
	o := orderOfWorker()
	f, order := orderFailure(o)
	order.Count(divergence.Table{FailTaken: 2, PassNot: 3})
	f.Analysis.Passing = make([]int, 4)
	for n, want := range map[int]string{
		2: "Not counted: 1 more passing run, in which the order can't be told, or which did not do the same until then.",
		3: "Not counted: 1 more failing run and 1 more passing run, in which the order can't be told, or which did not do the same until then.",
		5: "Not counted: 3 more failing runs and 1 more passing run, in which the order can't be told, or which did not do the same until then.",
	} {
		f.Runs = make([]int, n)
		if got := emptyViewer().orderSaid(f, order)[1].Plain(); got != want {
			t.Errorf("%d failing runs: %q, want %q", n, got, want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, end := range []time.Duration{1, 7, 162500 * time.Microsecond, time.Hour} {
		if n := len(laneScale{end}.ticks()); n < 2 || n > 7 {
			t.Errorf("%v: %d ticks", end, n)
		}
	}
}

// The time of a line within a burst of running is known to lie in it, no closer.
func TestLanesInABurst(t *testing.T) {
	o := orderOfWorker()
	for _, r := range []*divergence.OrderRun{&o.Pass, &o.Fail} {
		r.Anchor.Stamps = []trace.Stamp{{Pos: 2, Time: int64(100 * time.Millisecond)}} // it ran without waiting until then
	}
	w := emptyViewer().lanes(orderFailure(o))
	want := []string{
		"In passing run 1 the test came to x_test.go:2 between 0s and 100ms; another goroutine ran w.go:5 at 60ms.",
		"In failing run 2 the test came to x_test.go:2 between 0s and 100ms, before another goroutine ran w.go:5 at 150ms.",
	}
	if strings.Join(w.Text, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", w.Text, want)
	}
}

// A time without an upper bound is told as one that comes after another, and the longest
// of all times has an end too.
func TestBoundsWords(t *testing.T) {
	for want, b := range map[string]bounds{
		"after 1.31µs":              {1310, math.MaxInt64},
		"at 1.31µs":                 {1310, 1310},
		"between 1.31µs and 54.9µs": {1310, 54900},
	} {
		if got := b.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := short(math.MaxInt64); got == "" {
		t.Error("no words for the longest time")
	}
}

// TestOneOfSeveralStartedByALibrary has goroutines of sync.WaitGroup.Go: what is counted is of one
// of them, the same in all runs.
func TestOneOfSeveralStartedByALibrary(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	v := newViewer(f.result(test))
	by := []trace.Frame{{Func: "sync.(*WaitGroup).Go", File: "/go/src/sync/waitgroup.go", Line: 238}}
	d := *test.Failures[0].Analysis.Chain[0]
	for nth, want := range map[int]string{2: "the 2nd goroutine started at waitgroup.go:238, in sync.(*WaitGroup).Go", 0: "a certain goroutine started at waitgroup.go:238, in sync.(*WaitGroup).Go"} {
		o := &divergence.Order{Class: by, Nth: nth, Of: 12, Pass: divergence.OrderRun{Other: new(trace.Goroutine)}}
		if got := v.otherName(o).Plain(); got != want {
			t.Errorf("late or early: got %q, want %q", got, want)
		}
		d.Class, d.Nth, d.Of = by, nth, 12
		if got := v.anchorName(&finding.Failure{Analysis: &divergence.Analysis{Chain: []*divergence.Divergence{&d}}}, o).Plain(); got != want {
			t.Errorf("that diverges: got %q, want %q", got, want)
		}
	}
}

// Runs that come to a line again and again are compared at one pass, or each at its own.
func TestVisitOfOrder(t *testing.T) {
	for visit, want := range map[int64]string{0: "", 1: "", 7: " for the 7th time", -1: ", which is not at the same pass over it in all runs"} {
		if got := visitOf(&divergence.Order{Visit: visit}); got != want {
			t.Errorf("%d: got %q, want %q", visit, got, want)
		}
	}
}
