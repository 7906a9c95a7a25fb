package report

import (
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestFixSaysWhichTime has a goroutine that comes several times to where it is held, or kept
// away: to wait there for the first time is something else.
func TestFixSaysWhichTime(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	at, cure := finding.Span{File: "queue/queue.go", Start: 37, End: 37}, finding.Span{File: "queue/queue.go", Start: 44, End: 44}
	d := &test.Verdicts[0]
	*d = finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Window: []finding.Span{at}, At: at, Visits: []int{3}, Cure: []finding.Span{cure}, CureVisit: 2,
		Proof: proof.Proof{Plan: proof.Named("stall"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 16, Of: 20}, Cure: finding.Count{Of: 20}}},
	}
	v := newViewer(f.result(test))
	v.t = test
	if got, want := v.fix(d)[1].Plain(), "If not, let if q.done.Load() { (queue/queue.go:44) (the 2nd time) wait for q.done.Store(true) (queue/queue.go:37) (the 3rd time) and what follows there"; !strings.HasPrefix(got, want) {
		t.Errorf("the fix is %q", got)
	}
	if got := v.verdictSaid(d).Plain(); !strings.Contains(got, "q.done.Store(true) (queue/queue.go:37) (the 3rd time), the test fails") || !strings.Contains(got, "(queue/queue.go:44) (the 2nd time) is held there") {
		t.Errorf("the cause is %q", got)
	}
	// Of the first of several visits that is said too, where the place is in a loop.
	d.Visits, d.CureVisit = []int{1}, 1
	if got := v.verdictSaid(d).Plain(); !strings.Contains(got, "q.done.Store(true) (queue/queue.go:37), the test fails") || !strings.Contains(got, "(queue/queue.go:44) (the first time) is held there") {
		t.Errorf("of the first time the cause is %q", got)
	}
	d.Window, d.At, d.Visits = []finding.Span{cure, at}, cure, []int{2}
	if got := v.verdictSaid(d).Plain(); !strings.Contains(got, "and q.done.Store(true) (queue/queue.go:37), at queue/queue.go:44 (the 2nd time), the test fails") {
		t.Errorf("of a window the cause is %q", got)
	}
	if got := v.windowText(d); !strings.HasPrefix(got, "held here (the 2nd time): ") {
		t.Errorf("the bubble is %q", got)
	}
}

// TestFixOfInit has a goroutine that is started while its package is initialized: no test can wait for it.
func TestFixOfInit(t *testing.T) {
	for name, want := range map[string]bool{
		"example.com/m.io/keys.init.0": true, "keys.init.0.func1": true, "keys.init": true,
		"keys.initAll": false, "keys.(*Set).init": false, "init.Start": false, "keys.TestKeys.func1": false,
	} {
		f := newFixture(t)
		f.file("keys/keys.go", "package keys\n\nfunc init() {\n\tgo fill()\n}\n")
		at := finding.Span{File: "keys/keys.go", Start: 4, End: 4}
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("stall")}, Category: "async-wait", Window: []finding.Span{at}, At: at, Started: trace.Frame{Func: name, File: "keys/keys.go", Line: 4}}
		lines := newViewer(f.result()).fix(d)
		if len(lines) == 0 || strings.Contains(lines[0].Plain(), "is started while the package is initialized") != want {
			t.Errorf("%s: %v", name, lines)
		}
	}
}

// TestFixOfSelect has a select whose choice decides: nobody was held there.
func TestFixOfSelect(t *testing.T) {
	f := newFixture(t)
	at := finding.Span{File: "queue/queue.go", Start: 44, End: 44}
	for kind, want := range map[string]string{
		"select": "Of the cases of if q.done.Load() { (queue/queue.go:44) that are ready Go takes any: let each of them lead to what is wanted when others are ready too.",
		"sched":  "See what goroutines do with the same data in the order in which they happen to go on, from if q.done.Load() { (queue/queue.go:44) on.",
	} {
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named(kind)}, Category: "concurrency", Window: []finding.Span{at}}
		if got := newViewer(f.result(f.queue())).fix(d)[0].Plain(); got != want {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// TestFixOfTwoFunctions has two places of which each is in a function of its own, which are
// no section to put under a lock.
func TestFixOfTwoFunctions(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result(f.queue()))
	in := func(line int) finding.Span { return finding.Span{File: "queue/queue.go", Start: line, End: line} }
	d := &finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond}},
		Window: []finding.Span{in(36), in(44)}, At: in(44),
	}
	if got := v.fix(d)[0].Plain(); strings.Contains(got, "one step: under one lock") {
		t.Errorf("two functions: %s", got)
	}
	d.Window, d.At = []finding.Span{in(36), in(37)}, in(37)
	if got := v.fix(d)[0].Plain(); !strings.Contains(got, "one step: under one lock") {
		t.Errorf("one function: %s", got)
	}
}

// TestFixOfLateSelect has a goroutine that comes to a wait late, over which no lock can be held.
func TestFixOfLateSelect(t *testing.T) {
	const code = `package m

func f(a, b chan int, group interface{ Wait() }) {
	work()
	select {
	case <-a:
	case <-b:
	}
	work()
	group.Wait()
	work()
	go func() { <-a }()
	work()
	select {
	case <-a:
	default:
	}
	work()
	time.Sleep(1)
}
`
	s := newSources(&finding.Result{Source: func(string) ([]byte, error) { return []byte(code), nil }})
	for lines, want := range map[[2]int]waiting{
		{4, 5}: {selects: true, waits: true}, {4, 9}: {waits: true}, {9, 10}: {waits: true}, {11, 13}: {}, {13, 14}: {}, {18, 19}: {waits: true},
	} {
		if got := s.waitsBetween("m.go", lines[0], lines[1]); got != want {
			t.Errorf("lines %v: got %+v, want %+v", lines, got, want)
		}
	}
}

// A goroutine that was held from its beginning may go on for ever: the test is not to wait
// for its end.
func TestFixOfEndless(t *testing.T) {
	v := newViewer(newFixture(t).result())
	v.t = &finding.Test{}
	d := &finding.Verdict{
		Class: finding.Proved, Category: "async-wait", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, FromStart: true, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond}},
		Window:  []finding.Span{{File: "queue/queue.go", Start: 32, End: 32}},
		Started: trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: 31},
	}
	var got []string
	for _, p := range v.fix(d) {
		got = append(got, p.Plain())
	}
	all := strings.Join(got, "\n")
	if !strings.Contains(all, "does, or leads to, has been done") || !strings.Contains(all, "say so right after") {
		t.Errorf("got %s", all)
	}
}

// Where it is not known which goroutine comes late, the advice reads all the same.
func TestFixOfUnknownStart(t *testing.T) {
	v := newViewer(newFixture(t).result())
	d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("stall")}, Category: "async-wait", Window: []finding.Span{{File: "queue/queue.go", Start: 32, End: 32}}}
	if got, want := v.fix(d)[0].Plain(), "Let the test wait until what the goroutine that comes late does, or leads to, has been done."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What is to be looked at is where the goroutine was held, which need not be where its window
// begins; and nothing is said of a program that no experiment was made with.
func TestFixWhereHeld(t *testing.T) {
	v := newViewer(newFixture(t).result())
	d := &finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond}},
		Window: []finding.Span{{File: "queue/queue.go", Start: 44, End: 44}, {File: "queue/queue_test.go", Start: 16, End: 16}},
		At:     finding.Span{File: "queue/queue.go", Start: 37, End: 37},
	}
	var got []string
	for _, p := range v.fix(d) {
		got = append(got, p.Plain())
	}
	if all := strings.Join(got, "\n"); !strings.Contains(got[0], "while this one stands at q.done.Store(true) (queue/queue.go:37)") || strings.Contains(all, "queue.go:44") || strings.Contains(all, "in the program") {
		t.Errorf("got %s", all)
	}
}

// A goroutine that fails by beginning late has nothing before to be one step with: who needs
// what it does must wait.
func TestFixOfLateBeginning(t *testing.T) {
	v := newViewer(newFixture(t).result())
	d := &finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, FromStart: true, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond}},
		Window:  []finding.Span{{File: "queue/queue.go", Start: 34, End: 34}, {File: "queue/queue.go", Start: 37, End: 37}},
		Started: trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: 31},
	}
	got := v.fix(d)
	if first := got[0].Plain(); !strings.HasPrefix(first, "What the goroutine started at queue/queue.go:31 does must be waited for by whoever needs it") {
		t.Errorf("got %s", first)
	}
	d.Proof.FromStart = false
	if first := v.fix(d)[0].Plain(); !strings.HasPrefix(first, "If nothing may come between what is just before ") {
		t.Errorf("held from a later line on, and got %s", first)
	}
}

// A goroutine that passes if it is held elsewhere can't wait for itself.
func TestFixOfOwnCure(t *testing.T) {
	v := newViewer(newFixture(t).result())
	d := &finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 9, Of: 20}, Cure: finding.Count{Of: 20}}}, CureOwn: true,
		Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}}, Cure: []finding.Span{{File: "queue/queue_test.go", Start: 16, End: 16}},
	}
	if got := v.fix(d)[0].Plain(); !strings.HasPrefix(got, "The test passes if it is held at ") || strings.Contains(got, "has run") {
		t.Errorf("advice: %s", got)
	}
	if got := v.verdictSaid(d).Plain(); !strings.Contains(got, "If it is held instead at ") || strings.Contains(got, "kept away") {
		t.Errorf("cause: %s", got)
	}
	d.Started = trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: 31}
	if got := v.verdictSaid(d).Plain(); !strings.Contains(got, "If one that is started at the same place is held instead at ") {
		t.Errorf("of several: %s", got)
	}
	if l := barLabelsOf(d); l.cure != "held there instead" {
		t.Errorf("bar: %s", l.cure)
	}
	if got := v.fix(d)[0].Plain(); !strings.Contains(got, "what one of them does must not come between two steps of another one.") {
		t.Errorf("advice for several: %s", got)
	}
	d.ShamAt = d.Cure[0] // of others: it can't be of those that the cure is about
	if got := v.shamPlace(d); got != " (queue/queue_test.go:16, in another goroutine)" {
		t.Errorf("the same place: %s", got)
	}
	if d.ShamAt.Start++; v.shamPlace(d) != " (queue/queue_test.go:17)" {
		t.Errorf("another place: %s", v.shamPlace(d))
	}
}

// Of two goroutines that do the same either may be the first: none is to wait for the other,
// which it would do for ever where it holds the lock.
func TestFixOfAlikeOrder(t *testing.T) {
	v := newViewer(newFixture(t).result())
	start := trace.Frame{File: "/home/gopher/m/queue/queue_test.go", Line: 12}
	d := &finding.Verdict{
		Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("order")}, Category: "concurrency",
		Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}, {File: "queue/queue.go", Start: 44, End: 44}},
		Events: []finding.Hold{{Started: start, Nth: 1}, {Started: start, Nth: 2}},
	}
	if got := v.fix(d)[0].Plain(); !strings.HasPrefix(got, "Where either may come first, do what must not be divided as one step") {
		t.Errorf("got %s", got)
	}
	d.Events[1].Started.Line = 13
	if got := v.fix(d)[0].Plain(); !strings.HasPrefix(got, "See that if q.done.Load() { (queue/queue.go:44) has been done (with what follows there, as far as that is needed) before q.done.Store(true) (queue/queue.go:37): wait for that with a channel") {
		t.Errorf("of two that differ: %s", got)
	}
}

// A cure that too few runs tell from chance is told with its runs.
func TestFixSeesCure(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result(f.queue()))
	at := finding.Span{File: "queue/queue.go", Start: 44, End: 44}
	d := &finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Window: []finding.Span{at}, At: at, Visits: []int{1},
		Proof: proof.Proof{Plan: proof.Named("stall"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 2, Of: 20}, Cure: finding.Count{Of: 20}}}, Cure: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}},
	}
	if got, want := v.fix(d)[0].Plain(), "Begin with q.done.Store(true) (queue/queue.go:37): with what comes there held it failed in 0 of 20, with nothing changed in 2 of 20, which may be chance."; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	d.Proof.Confirmed.Plain.Failed = 0
	if got, want := v.fix(d)[0].Plain(), ": no experiment has shown that."; !strings.HasSuffix(got, want) {
		t.Errorf("it never fails with nothing changed: got %q, want %q", got, want)
	}
}

// A random sleep is no matter of random numbers: time decides.
func TestFixOfNap(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result(f.queue()))
	d := &finding.Verdict{Class: finding.Proved, Category: "async-wait", Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}}, Proof: proof.Proof{Plan: proof.Named("rand"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Cure: finding.Count{Of: 20}}}}
	if got, want := v.fix(d)[0].Plain(), "For how long q.done.Store(true) (queue/queue.go:37) waits is drawn, and tells the outcome: "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Where a sleep stands in the place of the wait, that is what to replace.
func TestFixOfSleep(t *testing.T) {
	f := newFixture(t)
	d := &finding.Verdict{Class: finding.Proved, Category: "async-wait", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}}}, Started: trace.Frame{File: "queue/queue.go", Line: 31}}
	for kind, want := range map[finding.ReasonKind]string{
		finding.ReasonSleepHeld: "In place of q.done.Store(true) (queue/queue.go:37) let the test wait until what the goroutine started at queue/queue.go:31 does",
		finding.ReasonLook:      "Let the test wait until what the goroutine started at queue/queue.go:31 does",
	} {
		v := newViewer(f.result(f.queue()))
		v.t = &finding.Test{Failures: []*finding.Failure{{Suspects: []finding.Suspect{{File: "queue/queue.go", Start: 37, End: 37, Reason: finding.Reason{Kind: kind, Verdict: d}}}}}}
		if got := v.fix(d)[0].Plain(); !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}
