package report

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// Where the source lacks an order the advice is about that, with and without a verdict, and of
// other places there is none.
func TestGapFix(t *testing.T) {
	then, other := trace.Frame{File: "queue/queue.go", Line: 37}, trace.Frame{File: "queue/queue.go", Line: 44}
	for _, c := range []struct {
		reason finding.Reason
		want   string
	}{
		{finding.Reason{Kind: finding.ReasonRaceAdd, Code: "wg", Then: then, Other: other}, "Call wg.Add before the statement that starts the goroutine, and not in it: then if q.done.Load() { (queue/queue.go:44) can't end before it is done."},
		{finding.Reason{Kind: finding.ReasonAddInside, Code: "wg", Other: other}, "Call wg.Add before the statement that starts the goroutine, and not in it: then if q.done.Load() { (queue/queue.go:44) can't end before it is done."},
		{finding.Reason{Kind: finding.ReasonLockOrder, Code: "to.mu", Held: "from.mu", Other: other}, "Take from.mu and to.mu in one order wherever both are held: where they belong to two of one type, by something that orders these, as a name or number. Or guard both by one lock."},
		{finding.Reason{Kind: finding.ReasonSelfLock, Code: "q.mu"}, "Give q.mu back before q.Close() (queue/queue_test.go:13), or call there what expects it to be held: a goroutine that takes it twice waits for itself."},
		{finding.Reason{Kind: finding.ReasonLeakedLock, Code: "q.mu"}, "Give q.mu back on every way out of the function: defer that right after it is taken."},
		{finding.Reason{Kind: finding.ReasonRaceSignal, Then: then, Other: other}, "Do q.Close() (queue/queue_test.go:13) only after q.done.Store(true) (queue/queue.go:37), and after all else that the wait at if q.done.Load() { (queue/queue.go:44) is for: that ends as soon as it is done."},
		{finding.Reason{Kind: finding.ReasonRaceUnlock, Code: "q.mu", Held: "q.mu", Then: then, Other: other}, "Give q.mu back only after q.done.Store(true) (queue/queue.go:37): that belongs to what is done under it."},
		{finding.Reason{Kind: finding.ReasonRaceUnlock, Code: "q.mu", Then: then, Other: other}, "Give q.mu back only after q.done.Store(true) (queue/queue.go:37), and on the other side after if q.done.Load() { (queue/queue.go:44): that belongs to what is done under it."},
		{finding.Reason{Kind: finding.ReasonRaceUnlock, Code: "q.mu", Then: then, Other: then}, "Give q.mu back only after q.done.Store(true) (queue/queue.go:37): that belongs to what is done under it."},
		{finding.Reason{Kind: finding.ReasonRaceNoLock, Held: "q.mu", Then: then, Other: other}, "Take q.mu before q.Close() (queue/queue_test.go:13), as is done for if q.done.Load() { (queue/queue.go:44), and hold it until what is called there has returned."},
		{finding.Reason{Kind: finding.ReasonRaceShared, Var: "all", Held: "q.mu", Then: then, Other: other}, "Give each instance its own in place of all, or guard that by one lock for all instances."},
		{finding.Reason{Kind: finding.ReasonRaceLook, Then: then, Other: other}, "Before q.Close() (queue/queue_test.go:13) wait until if q.done.Load() { (queue/queue.go:44) has been done by the goroutine started at q.done.Store(true) (queue/queue.go:37): call WaitGroup.Wait, or receive from a channel that it closes after that."},
		{finding.Reason{Kind: finding.ReasonRaceSleep, Then: then, Other: other}, "In place of the sleep wait until if q.done.Load() { (queue/queue.go:44) has been done by the goroutine started at q.done.Store(true) (queue/queue.go:37): call WaitGroup.Wait, or receive from a channel that it closes after that."},
		{finding.Reason{Kind: finding.ReasonOutlivesEnd, Code: "TestB", Other: other}, "Before the test ends wait until the goroutine started at if q.done.Load() { (queue/queue.go:44) has ended: call WaitGroup.Wait, or receive from a channel that it closes as the last. One that goes on for ever must be told to stop first."},
		{finding.Reason{Kind: finding.ReasonOutlivesSignal, Code: "TestB", Then: then, Other: other}, "Do q.Close() (queue/queue_test.go:13) only after all that the goroutine does with the test: defer it at its beginning."},
		{finding.Reason{Kind: finding.ReasonOutlives, Code: "TestB", Other: other}, ""},
		{finding.Reason{Kind: finding.ReasonLimitHeld}, "Give several times the limit at q.Close() (queue/queue_test.go:13): on a busy machine what is waited for takes longer, and a wait that ends when that is done costs no more where it passes."},
		{finding.Reason{Kind: finding.ReasonLimitHeld, Checked: true}, "How long something takes is held against a limit at q.Close() (queue/queue_test.go:13), and it takes longer on a busy machine: let the limit be several times that, and less than what the wrong behaviour would take."},
		{finding.Reason{Kind: finding.ReasonNeverEnds, Code: "wg.Done()", Other: other}, ""},
		{finding.Reason{Kind: finding.ReasonNeverEnds, Code: "wg.Done()", Other: other, By: finding.EndedByPanic}, "Signal with defer at the beginning of this goroutine: it does not come to wg.Done()."},
		{finding.Reason{Kind: finding.ReasonMeasuredLate, Other: other}, "Read the clock at q.Close() (queue/queue_test.go:13) before if q.done.Load() { (queue/queue.go:44)."},
		{finding.Reason{Kind: finding.ReasonLimitNear}, "Give several times the limit at q.Close() (queue/queue_test.go:13): on a busy machine what is waited for takes longer, and a wait that ends when that is done costs no more where it passes."},
		{finding.Reason{Kind: finding.ReasonLimit, Checked: true}, "How long something takes is held against a limit at q.Close() (queue/queue_test.go:13), and it takes longer on a busy machine: let the limit be several times that, and less than what the wrong behaviour would take."},
		{finding.Reason{Kind: finding.ReasonLimit}, "Give several times the limit at q.Close() (queue/queue_test.go:13): on a busy machine what is waited for takes longer, and a wait that ends when that is done costs no more where it passes."},
		{finding.Reason{Kind: finding.ReasonUnset, Var: "all", Code: "TestB", Other: other}, "Let this test set all itself, as TestB does at if q.done.Load() { (queue/queue.go:44), and set it back with t.Cleanup: alone it must pass too."},
		{finding.Reason{Kind: finding.ReasonRaceUnguarded, Held: "q.mu", Started: other}, "Take q.mu before q.Close() (queue/queue_test.go:13), as is done for if q.done.Load() { (queue/queue.go:44), and hold it until what is called there has returned."},
		{finding.Reason{Kind: finding.ReasonRaceBranch, Code: "q.idle", Then: then, Other: other}, "Wait for q.idle before q.Close() (queue/queue_test.go:13) too, as is done at q.done.Store(true) (queue/queue.go:37)."},
		{finding.Reason{Kind: finding.ReasonRaceOutlives, Code: "TestA", Var: "TestB", Then: then, Other: other}, "Before the test ends wait until q.done.Store(true) (queue/queue.go:37) has been done by its goroutine: call WaitGroup.Wait, or receive from a channel that it closes after that."},
		{finding.Reason{Kind: finding.ReasonUnwaited, Code: "wg", Other: other}, "Wait for wg before the first line that needs what the goroutine started at if q.done.Load() { (queue/queue.go:44) does, and after all that this one needs itself: call its Wait, or receive from it, if it is a channel, as often as something is sent."},
		{finding.Reason{Kind: finding.ReasonCommon, Var: "all", Code: "TestB"}, "Let this test make of all itself what it needs, if it is that which TestB leaves as this one needs it, and set it back with t.Cleanup: alone it must pass too."},
		{finding.Reason{Kind: finding.ReasonCommon, Var: "all", Code: "TestB", FailsIf: true}, "Give this test its own all, there or where it is handed out, if it is that which TestB leaves changed. Set back there with t.Cleanup it must be with all that it points to, and other tests that rely on what is left would fail."},
		{finding.Reason{Kind: finding.ReasonAsserted, Code: "keys", Then: then}, "If users of the code may rely on an order of what the loop makes, make one there, at q.done.Store(true) (queue/queue.go:37): go through sorted keys, if they have an order, or sort the list before anything is made to correspond to it. Expect that one here."},
		{finding.Reason{Kind: finding.ReasonAsserted, Code: "got", Within: true, Then: then}, "If users of the code may rely on an order of what the loop makes, make one there, at q.done.Store(true) (queue/queue.go:37): go through sorted keys, if they have an order, or sort the list before anything is made to correspond to it. Expect that one here."},
		{finding.Reason{Kind: finding.ReasonTimedWait, Other: other}, "In place of q.Close() (queue/queue_test.go:13) wait until if q.done.Load() { (queue/queue.go:44) has been done: receive from a channel that is closed right after it, or call WaitGroup.Wait. Where it can't say so, ask until it has been done, up to a limit of seconds."},
		{finding.Reason{Kind: finding.ReasonSleep, Other: other}, "In place of q.Close() (queue/queue_test.go:13) wait until if q.done.Load() { (queue/queue.go:44) has been done: receive from a channel that is closed right after it, or call WaitGroup.Wait. Where it can't say so, ask until it has been done, up to a limit of seconds."},
		{finding.Reason{Kind: finding.ReasonRace, Then: then, Other: other}, ""},
	} {
		v := newViewer(newFixture(t).result())
		v.t = new(finding.Test)
		s := finding.Suspect{File: "queue/queue_test.go", Start: 13, End: 13, Reason: c.reason}
		got := v.gapFix(&s)
		if first := firstLine(got); first != c.want {
			t.Errorf("%s: %s\nwant %s", c.reason.Kind, first, c.want)
		}
		d := finding.Verdict{Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond}, Signature: "s", Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}}}
		s.Reason.Verdict = &d
		v.t.Failures = []*finding.Failure{{Suspects: []finding.Suspect{s}}}
		if first := firstLine(v.gapFixOf(&d)); first != c.want {
			t.Errorf("%s, proved: %s\nwant %s", c.reason.Kind, first, c.want)
		}
	}
}

func firstLine(list []prose) string {
	if len(list) == 0 {
		return ""
	}
	return list[0].Plain()
}

// TestSignalFix has what ends a wait before the goroutine comes to where it was held, in a window or at one place.
func TestSignalFix(t *testing.T) {
	held, from := finding.Span{File: "queue/queue.go", Start: 44, End: 44}, finding.Span{File: "queue/queue.go", Start: 37, End: 37}
	const want = "Do q.Close() (queue/queue_test.go:13) only after if q.done.Load() { (queue/queue.go:44), and after all else that the wait at q.done.Store(true) (queue/queue.go:37) is for: that ends as soon as it is done."
	for _, d := range []finding.Verdict{{Window: []finding.Span{from, held}}, {At: held, Window: []finding.Span{from}}} {
		v := newViewer(newFixture(t).result())
		s := finding.Suspect{File: "queue/queue_test.go", Start: 13, End: 13, Reason: finding.Reason{Kind: finding.ReasonSignal, Other: trace.Frame{File: "queue/queue.go", Line: 37}, Verdict: &d}}
		if got := firstLine(v.gapFix(&s)); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestAssertedFix has what a check may do if no order is promised.
func TestAssertedFix(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result(f.queue()))
	for within, want := range map[bool]string{
		false: "If they may not, compare got without regard to order, as a sorted copy of it with one of what is expected, and so wherever the test looks at what the loop makes.",
		true:  "If they may not, compare the lists in got without regard to order, as sorted copies of them with those of what is expected, and so wherever the test looks at what the loop makes.",
	} {
		if got := v.assertedFix(&finding.Reason{Code: "got", Within: within})[1].Plain(); got != want {
			t.Errorf("within %v: %s", within, got)
		}
	}
}

// Of a goroutine that is made to end before it has signalled that comes first, and then what brought it about.
func TestEndedFix(t *testing.T) {
	v := newViewer(newFixture(t).result())
	v.t = &finding.Test{Verdicts: []finding.Verdict{{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("limits taken")}, Category: "timeout", Signature: "s"}}}
	d := &v.t.Verdicts[0]
	r := finding.Reason{Kind: finding.ReasonNeverEnds, Code: "wg.Done()", Other: trace.Frame{File: "queue/queue.go", Line: 37}, By: finding.EndedByFailNow, Verdict: d}
	v.t.Failures = []*finding.Failure{{Suspects: []finding.Suspect{{File: "queue/queue_test.go", Start: 13, End: 13, Reason: r}}}}
	want := []string{
		"Signal with defer at the beginning of this goroutine: it does not come to wg.Done().",
		"Use t.Error in place of q.Close() (queue/queue_test.go:13): FailNow ends this goroutine.",
		"Let the system choose a free port: listen on port 0, and take the address from what Addr of the listener returns.",
	}
	got := v.shownCause(0, d).Fix
	for i, w := range want {
		if i >= len(got) || got[i].Plain() != w {
			t.Errorf("%d: %v, want %s", i, got, w)
		}
	}
	if why := Why(&v.t.Failures[0].Suspects[0]); why != "the goroutine that ends the wait at queue.go:37 in passing runs, with wg.Done(), ended here, by FailNow, without doing so" {
		t.Error(why)
	}
}
