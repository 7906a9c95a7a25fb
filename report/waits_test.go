package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/browsertest"
	"github.com/fdebug/fdebug/internal/finding"

	"github.com/fdebug/fdebug/trace"
)

func queueAt(file string, line int) trace.Frame {
	return trace.Frame{Func: "example.com/m/queue.f", File: "/home/gopher/m/queue/" + file, Line: line}
}

// waiting is the hang of TestDrainSlow: the test waits for the worker, the worker
// for jobs that nobody closes; three others wait as they do in passing runs.
func (f *fixture) waiting() *finding.Hang {
	worker := finding.Actor{Started: queueAt("queue.go", 22), Entry: "example.com/m/queue.(*Queue).work"}
	idle := finding.Wait{By: finding.Actor{Started: trace.Frame{Func: "net/http.(*Server).Serve", File: "/usr/local/go/src/net/http/server.go", Line: 3454}},
		At: queueAt("queue.go", 27), Reason: "chan send", For: "q.jobs", Since: 9 * time.Second, Benign: true, Failing: 2, Waiting: 8, Never: 1}
	return &finding.Hang{Kind: finding.HangTimeout, Run: 2, Failing: 2, Same: 2, Passing: 9, Waits: []finding.Wait{
		{
			By: finding.Actor{Root: true}, At: queueAt("queue.go", 43), Reason: "sleep", For: "tick", Since: 9876 * time.Millisecond, Failing: 2,
			Past: 9, Within: 3210 * time.Microsecond,
			Waker: &finding.Waker{By: worker, At: queueAt("queue.go", 37), Code: "q.done.Store(true)", Runs: 7, Of: 8,
				Fate: finding.Fate{State: finding.FateWaits, At: queueAt("queue.go", 34), Wait: 1}},
		},
		{
			By: worker, At: queueAt("queue.go", 34), Reason: "chan receive", For: "q.jobs", Since: 9870 * time.Millisecond, Failing: 2,
			Holds: []finding.HeldLock{{Lock: "q.mu", At: queueAt("queue.go", 33)}}, Past: 6, Never: 3,
		},
		idle, idle, idle,
	}}
}

// Each kind of hang and each fate of a waker has its words.
func TestWaitSentences(t *testing.T) {
	f := newFixture(t)
	test := f.hang()
	v := newViewer(f.result(test))
	v.t, v.f, v.dir = test, test.Failures[0], "queue"
	w := func(change func(h *finding.Hang, w *finding.Wait)) string {
		h := f.waiting()
		v.f.Runs = []int{2, 5}
		change(h, &h.Waits[0])
		var lines []string
		for _, p := range v.hang(h).Said {
			lines = append(lines, p.Plain())
		}
		return strings.Join(lines, "\n")
	}
	fate := func(x finding.Fate) func(*finding.Hang, *finding.Wait) {
		return func(_ *finding.Hang, w *finding.Wait) { x.Wait, w.Waker.Fate = -1, x }
	}
	at := queueAt("queue.go", 36)
	for name, c := range map[string]struct {
		change func(*finding.Hang, *finding.Wait)
		want   string // among what is said
	}{
		"timeout":          {func(h *finding.Hang, _ *finding.Wait) {}, "TestDrainSlow/two/three had waited 9.9s at queue.go:43 for tick (sleep) when failing run 2 was stopped. Same in all 2 failing runs.\n"},
		"gave up":          {func(h *finding.Hang, _ *finding.Wait) { h.Kind = finding.HangGaveUp }, "waited 9.9s at queue.go:43 for tick (sleep) in failing run 2, and gave up. Same"},
		"not all":          {func(h *finding.Hang, w *finding.Wait) { v.f.Runs = make([]int, 7) }, " Seen in 2 of 7 failing runs.\n"},
		"deadlock":         {func(h *finding.Hang, w *finding.Wait) { h.Kind, w.Since = finding.HangDeadlock, 0 }, "was waiting at queue.go:43 for tick (sleep) when all goroutines of failing run 2 were asleep."},
		"who":              {func(h *finding.Hang, _ *finding.Wait) {}, "\nIn all 9 passing runs it came past here within 3.3ms: the goroutine started at queue.go:22 (queue.(*Queue).work) ended the wait with q.done.Store(true) (queue.go:37), in 7 of the 8 that had to wait.\n"},
		"chain":            {func(h *finding.Hang, _ *finding.Wait) {}, "\nHere that goroutine waits itself at queue.go:34.\nThe goroutine started at queue.go:22 (queue.(*Queue).work) has waited 9.9s at queue.go:34 for q.jobs (chan receive).\nIn 6 of 9 passing runs it came past here and did not wait."},
		"ended":            {fate(finding.Fate{State: finding.FateEnded, At: at}), "\nHere that goroutine ended at queue.go:36 without doing that."},
		"missing":          {fate(finding.Fate{State: finding.FateMissing}), "\nHere there is no such goroutine."},
		"runs":             {fate(finding.Fate{State: finding.FateRuns, At: at}), "\nHere that goroutine has not come to that: it was last seen at queue.go:36, not waiting."},
		"late":             {fate(finding.Fate{State: finding.FateLate, At: at}), "\nHere that goroutine did that only after the wait had ended."},
		"unknown":          {fate(finding.Fate{State: finding.FateUnknown, At: at}), " in 7 of the 8 that had to wait."},
		"others differ":    {func(h *finding.Hang, w *finding.Wait) { h.Same = 1 }, " So it does in all 2 failing runs, but which others wait differs.\n"},
		"which of several": {func(h *finding.Hang, w *finding.Wait) { h.Waits[1].By.Nth, h.Waits[1].By.Of = 3, 10 }, "\nThe 3rd goroutine started at queue.go:22 (queue.(*Queue).work) has waited 9.9s at queue.go:34 for q.jobs (chan receive).\nIn 6 of 9 passing runs it came past here"},
		"one of several": {func(h *finding.Hang, w *finding.Wait) {
			h.Waits[1].By.Nth, h.Waits[1].By.Of, h.Waits[1].Kin = 3, 10, true
			w.Waker.By.Of, w.Waker.Fate.Kin = 10, true
		}, ": one of the goroutines started at queue.go:22 (queue.(*Queue).work) ended the wait with q.done.Store(true) (queue.go:37), in 7 of the 8 that had to wait.\nHere one of the goroutines started there waits itself at queue.go:34.\nThe 3rd goroutine started at queue.go:22 (queue.(*Queue).work) has waited 9.9s at queue.go:34 for q.jobs (chan receive).\nIn 6 of 9 passing runs one of the goroutines started there came past here"},
		"a limit": {func(_ *finding.Hang, w *finding.Wait) { w.Within = 103164 * time.Microsecond }, "it came past here within 110ms: "},
		"did":     {fate(finding.Fate{State: finding.FateDid, At: at}), "\nHere that goroutine did that too, and yet the wait went on."},
		"early":   {fate(finding.Fate{State: finding.FateEarly, Before: 1234567}), "\nHere that goroutine had done that 1.2ms before the wait began."},
		"signal": {func(h *finding.Hang, w *finding.Wait) {
			w.Reason = "sync.Cond.Wait"
			fate(finding.Fate{State: finding.FateEarly, Before: 1234567})(h, w)
		}, "1.2ms before the wait began: a signal that nobody waits for yet is lost."},
		"no wait": {func(_ *finding.Hang, w *finding.Wait) { v.f.Runs, w.Within, w.Waker = nil, 0, nil }, "\nIn no passing run did it have to wait here."},
		"no wait, one of several": {func(_ *finding.Hang, w *finding.Wait) {
			v.f.Runs, w.Within, w.Waker, w.Kin, w.Past = nil, 0, nil, true, 9
		}, "\nIn all 9 passing runs one of the goroutines started there came past here and did not wait."},
		"never":             {func(_ *finding.Hang, w *finding.Wait) { w.Past, w.Never, w.Waker = 0, 9, nil }, "\nIn passing runs no such goroutine came here."},
		"timer":             {func(_ *finding.Hang, w *finding.Wait) { w.Waker = &finding.Waker{Timer: true, Runs: 9, Of: 9} }, "it came past here within 3.3ms, when a timer fired."},
		"some did not wait": {func(_ *finding.Hang, w *finding.Wait) { w.Waker.Runs, w.Waker.Of = 7, 7 }, " ended the wait with q.done.Store(true) (queue.go:37), in the 7 that had to wait.\n"},
		"timer, some":       {func(_ *finding.Hang, w *finding.Wait) { w.Waker = &finding.Waker{Timer: true, Runs: 6, Of: 8} }, ", when a timer fired, in 6 of the 8 that had to wait."},
		"way out":           {func(_ *finding.Hang, w *finding.Wait) { w.Waker.Code, w.Waker.Deferred = "", true }, "ended the wait on its way out, after queue.go:37,"},
		"holder":            {func(_ *finding.Hang, w *finding.Wait) { w.For, w.Waker, w.Holders = "s.mu", nil, []int{1} }, "\nA lock of that name, q.mu, is held by the goroutine started at queue.go:22 (queue.(*Queue).work), which locked it at queue.go:33 and waits at queue.go:34."},
		"by name": {func(_ *finding.Hang, w *finding.Wait) {
			w.Releasers = []finding.Releaser{{At: queueAt("queue.go", 31), Code: "close(q.jobs)", Passing: 9, Of: 9, Failing: 0, FailOf: 2}}
		},
			"\nWhat can end it, by its name: close(q.jobs) (queue.go:31) was run in 9 of 9 passing runs, and by then in 0 of 2 failing runs."},
		"by name, before": {func(_ *finding.Hang, w *finding.Wait) {
			w.Releasers = []finding.Releaser{{At: queueAt("queue.go", 31), Code: "close(q.jobs)", Passing: 7, Of: 8, Failing: 0, FailOf: 2, Before: true}}
		},
			"\nWhat can end it, by its name: close(q.jobs) (queue.go:31) had been run in 7 of 8 passing runs when they came past here, and in 0 of 2 failing runs by then."},
		"gave up soon":       {func(h *finding.Hang, w *finding.Wait) { h.Kind, w.Since = finding.HangGaveUp, 1300*time.Nanosecond }, "waited at least 1.3µs at queue.go:43 for tick (sleep) in failing run 2, and gave up. Same"},
		"gave up, the table": {func(h *finding.Hang, _ *finding.Wait) { h.Kind = finding.HangGaveUp }, "\nThe table has who else waited when that check failed."},
		"several at one place": {func(h *finding.Hang, w *finding.Wait) {
			h.Waits[1].Waker = &finding.Waker{By: h.Waits[1].By, At: at, Runs: 1, Of: 1, Fate: finding.Fate{State: finding.FateWaits, At: queueAt("queue.go", 34), Wait: 5}}
			h.Waits = append(h.Waits, h.Waits[1])
		}, "Here that goroutine waits itself at queue.go:34.\nThe goroutine started at queue.go:22 (queue.(*Queue).work) has waited 9.9s at queue.go:34 for q.jobs (chan receive).\nIn 6 of 9 passing runs it came past here and did not wait."},
		"gave up in a bubble": {func(h *finding.Hang, w *finding.Wait) {
			h.Kind, w.Bubble, w.Since, w.Within, w.Waker = finding.HangGaveUp, true, 0, 0, nil
		}, "TestDrainSlow/two/three waited at queue.go:43 for tick (sleep) in failing run 2, and gave up. Same in all 2 failing runs.\nIn all 9 passing runs it came past here too."},
		"by name, not all": {func(h *finding.Hang, w *finding.Wait) {
			v.f.Runs = make([]int, 7)
			w.Releasers = []finding.Releaser{{At: queueAt("queue.go", 31), Code: "close(q.jobs)", Passing: 9, Of: 9, Failing: 0, FailOf: 2}}
		}, "and by then in 0 of 2 failing runs that hung."},
		"leaked": {func(_ *finding.Hang, w *finding.Wait) { w.Leaked = []finding.HeldLock{{Lock: "q.mu", At: at}} }, "\nA lock of that name, q.mu, was locked at queue.go:36 and not unlocked on the way out of the function."},
		"order": {func(h *finding.Hang, w *finding.Wait) {
			w.Holds, h.LockOrder = []finding.HeldLock{{Lock: "p.mu", At: at}}, []int{0, 1}
		},
			"\n2 goroutines wait for a lock while each holds one: p.mu was locked at queue.go:36 and tick is waited for at queue.go:43; q.mu was locked at queue.go:33 and q.jobs is waited for at queue.go:34. Locks"},
	} {
		if got := w(c.change); !strings.Contains(got, c.want) || strings.Count(got, "In 6 of 9") > 1 {
			t.Errorf("%s: %q is not in\n%s", name, c.want, got)
		}
	}
}

// TestWaitTable opens the page on a phone and on a desk: the table is there with
// its rows, goroutines that wait alike are one row, benign ones are folded away,
// and nothing sticks out of the screen.
func TestWaitTable(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.hang()
	b.Show("hang.html", pageOf(t, f.result(test), test))
	for _, width := range []int64{360, 1280} {
		b.Look("light", width, 900)
		if got := browsertest.Eval[string](b, `document.querySelector("table.waits").innerText.replace(/\s+/g, " ")`); !strings.Contains(got, "The goroutine started at queue.go:22 (queue.(*Queue).work)") || !strings.Contains(got, "went on in 6 of 9, never came here in 3 of 9") {
			t.Errorf("%d pixels: the table says %q", width, got)
		}
		if n := browsertest.Eval[int](b, `document.querySelectorAll("table.waits").length`); n != 2 {
			t.Errorf("%d pixels: %d tables, want that of what hangs and that of what is benign", width, n)
		}
		if got := browsertest.Eval[string](b, `document.querySelector(".evidence details table.waits tbody").textContent`); !strings.Contains(got, "×3") {
			t.Errorf("%d pixels: three alike are shown as %q", width, got)
		}
		if browsertest.Eval[bool](b, `document.querySelector(".evidence details").open`) {
			t.Errorf("%d pixels: what is benign is not folded away", width)
		}
		if n := browsertest.Eval[int](b, `document.documentElement.scrollWidth - window.innerWidth`); n > 0 {
			t.Errorf("%d pixels: the page is %d wider", width, n)
		}
		labelled := browsertest.Eval[string](b, `getComputedStyle(document.querySelector("table.waits td"), "::before").content`)
		if phone := width == 360; phone != strings.Contains(labelled, "waits at") {
			t.Errorf("%d pixels: cells are labelled %s", width, labelled)
		}
	}
	b.Quiet()
}

// TestWaitsJSON checks the document, as a program would read it.
func TestWaitsJSON(t *testing.T) {
	f := newFixture(t)
	var b bytes.Buffer
	if err := JSON(&b, f.result(f.hang())); err != nil {
		t.Fatal(err)
	}
	d, err := ReadJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	h := d.Tests[0].Failures[0].Hang
	if h == nil || h.Kind != "timeout" || h.Run != 2 || len(h.Waits) != 5 || d.Tests[0].Failures[1].Hang != nil {
		t.Fatalf("got %+v", h)
	}
	w := h.Waits[0]
	if !w.Goroutine.Test || w.At != (DocumentRange{"queue/queue.go", 43, 43}) || w.For != "tick" || w.Since != 9.876 || w.Within != 0.00321 {
		t.Errorf("got %+v", w)
	}
	if k := w.Waker; k.Fate != "waits" || k.Goroutine.Started.Start != 22 || k.At.Start != 37 || k.FateAt.Start != 34 {
		t.Errorf("got %+v", k)
	}
}
