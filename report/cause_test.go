package report

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// line is a line of queue.go of the fixture.
func line(n int) finding.Span { return finding.Span{File: "queue/queue.go", Start: n, End: n} }

func queueGo(n int) trace.Frame {
	return trace.Frame{File: "/home/gopher/m/queue/queue.go", Line: n}
}

// provedBy is a proof: all runs fail with it, and none without.
func provedBy(plan proof.Acts) verdicttest.Verdict {
	d := verdicttest.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: plan}}
	d.Proof.Confirmed = proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Sham: finding.Count{Failed: 1, Of: 20}, Cure: finding.Count{Of: 20}, Plain: finding.Count{Of: 20}}
	return d
}

// set is a proof of a setting.
func set(a proof.Act) verdicttest.Verdict {
	d := provedBy(proof.Acts{a})
	d.Window = []finding.Span{line(37)}
	return d
}

func sentences(list []say.Sentence) string {
	var out []string
	for _, s := range list {
		out = append(out, s.String())
	}
	return strings.Join(out, " ")
}

// proofs has each kind of proof with what is said of it: sentence, labels of the bars, kind and fix.
var proofs = []struct {
	name            string
	plan            verdicttest.Verdict
	with            func(*verdicttest.Verdict)
	said, bars, fix string
	kind            string
}{
	{"the test's own goroutine held", provedBy(verdicttest.Named("stall")), func(d *verdicttest.Verdict) { d.At, d.Window = line(43), []finding.Span{line(43)} },
		"Fails when TestDrain is delayed here for 10 ms.", "delayed here, delayed elsewhere, other one delayed instead, not delayed",
		"Wait for the event itself, not for the time it usually takes.", "concurrency"},
	{"a goroutine held", provedBy(verdicttest.Named("stall")), func(d *verdicttest.Verdict) {
		d.At, d.Window, d.Started = line(37), []finding.Span{line(37)}, queueGo(22)
	},
		"Fails when this goroutine is delayed here for 10 ms.", "delayed here, delayed elsewhere, other one delayed instead, not delayed",
		"Wait for the goroutine started at `go q.work()` (queue.go:22): use a channel or a WaitGroup.", "concurrency"},
	{"one of several", provedBy(verdicttest.Named("stall")), func(d *verdicttest.Verdict) {
		d.At, d.Window, d.Started, d.OneOf = line(37), []finding.Span{line(37)}, queueGo(22), true
	},
		"Fails when a goroutine started at `go q.work()` (queue.go:22) is delayed here for 10 ms.", "", "", ""},
	{"started by a library", provedBy(verdicttest.Named("stall")), func(d *verdicttest.Verdict) { d.At, d.StartedBy = line(37), "sync.(*WaitGroup).Go" },
		"Fails when a goroutine started by sync.(*WaitGroup).Go is delayed here for 10 ms.", "", "", ""},
	{"two holds", provedBy(verdicttest.Named("stall")), func(d *verdicttest.Verdict) {
		d.Holds = []finding.Hold{{At: line(37)}, {At: line(43)}}
		d.Window = []finding.Span{line(37), line(43)}
	},
		"Fails when goroutines are delayed at these 2 places in one run.", "all delayed, delayed elsewhere, other one delayed instead, not delayed",
		"Wait for these goroutines before the check at `t.Fatalf(\"Drain() = %v, want nil\", err)` (queue_test.go:15).", "concurrency"},
	{"inside a statement", provedBy(verdicttest.Named("stall")), func(d *verdicttest.Verdict) {
		d.At, d.Started, d.Proof.At = line(37), queueGo(22), []proof.Place{{Inside: true, Shown: line(37)}, {Inside: true, Shown: line(37)}}
	},
		"Fails when this goroutine is delayed here for 10 ms.", "", "Protect this with a lock, or give each goroutine its own.", "concurrency"},
	{"a hold and a choice", provedBy(verdicttest.Named("stall+select")), func(d *verdicttest.Verdict) { d.At, d.Started = line(37), queueGo(22) },
		"Fails when this goroutine is delayed here for 10 ms with these choices.", "", "", "concurrency"},
	{"an order", provedBy(verdicttest.Named("order")), func(d *verdicttest.Verdict) { d.Window = []finding.Span{line(44), line(37)} },
		"Fails when `if q.done.Load()` (queue.go:44) runs before `q.done.Store(true)` (queue.go:37).", "in this order, in the other order, nothing changed",
		"Wait for `q.done.Store(true)` (queue.go:37) before `if q.done.Load()` (queue.go:44): close a channel after it, or use a WaitGroup.", "concurrency"},
	{"an order at one line", provedBy(verdicttest.Named("order")), func(d *verdicttest.Verdict) { d.Window = []finding.Span{line(37), line(37)} },
		"Fails with one order of two goroutines at `q.done.Store(true)` (queue.go:37).", "", "", ""},
	{"a select", provedBy(verdicttest.Named("select")), func(d *verdicttest.Verdict) { d.Window = []finding.Span{line(37)} },
		"Fails with some choices of `q.done.Store(true)` (queue.go:37).", "this choice, choice made elsewhere, another choice, nothing changed", "When several cases of `q.done.Store(true)` (queue.go:37) are ready, handle all of them before returning.", "concurrency"},
	{"a random number", provedBy(verdicttest.Named("rand")), func(d *verdicttest.Verdict) { d.Window = []finding.Span{line(37)} },
		"Fails with some results of `q.done.Store(true)` (queue.go:37).", "", "Handle every result of `q.done.Store(true)` (queue.go:37). Seed the generator, or test a property of every result.", "randomness"},
	{"a map in what is called", provedBy(verdicttest.Named("map")), func(d *verdicttest.Verdict) { d.Window = []finding.Span{line(37)} },
		"Fails with some iteration orders of a map used in `q.done.Store(true)` (queue.go:37).", "so, choice made elsewhere, otherwise, nothing changed", "Sort what `q.done.Store(true)` (queue.go:37) gives: a map has no order. Or compare without order.", "unordered-collections"},
	{"three keys of a map", provedBy(verdicttest.Named("map")), func(d *verdicttest.Verdict) {
		d.Window, d.Proof.Law.Range = []finding.Span{line(37)}, freedom.Range{Of: freedom.OutOfOrder, To: 1, Key: "8001", Before: `"b", "c"`}
	}, "Fails unless `q.done.Store(true)` (queue.go:37) gives 8001, \"b\", \"c\" in this order.", "", "", "unordered-collections"},
	{"two keys of a map", provedBy(verdicttest.Named("map")), func(d *verdicttest.Verdict) {
		d.Window, d.Proof.Law.Range = []finding.Span{line(37)}, freedom.Range{Of: freedom.InOrder, To: 1, Key: `"a"`, Before: `"b"`}
	}, "Fails when \"a\" comes before \"b\" in `q.done.Store(true)` (queue.go:37).", "", "", "unordered-collections"},
	{"the last key of a map", provedBy(verdicttest.Named("map")), func(d *verdicttest.Verdict) {
		d.Window, d.Proof.Law.Range = []finding.Span{line(37)}, freedom.Range{Of: freedom.LastIsNot, To: 1, Key: `"a"`}
	}, "Fails when the last key of `q.done.Store(true)` (queue.go:37) is not \"a\".", "", "", "unordered-collections"},
	{"map and random number together", provedBy(verdicttest.Named("map+rand")), func(d *verdicttest.Verdict) { d.Window = []finding.Span{line(37), line(44)} },
		"Fails with some combinations of 2 choices, one of them at `if q.done.Load()` (queue.go:44).", "this choice, choice made elsewhere, another choice, nothing changed", "Sort what `q.done.Store(true)` (queue.go:37) gives: a map has no order. Handle every result of `if q.done.Load()` (queue.go:44).", "randomness"},
	{"what comes between, with the order of a map", provedBy(verdicttest.Named("order+map")), func(d *verdicttest.Verdict) {
		d.Window = []finding.Span{line(44), line(37)}
		d.Proof.Law = proof.Law{Kind: proof.LawBetween, After: &proof.Place{Shown: line(34)}}
	}, "Fails when `if q.done.Load()` (queue.go:44) runs between `for job := range q.jobs` (queue.go:34) and `q.done.Store(true)` (queue.go:37).", "", "", ""},
	{"no collection", set(proof.Act{Kind: trace.ActGC, What: freedom.GCOff}), nil, "Fails without garbage collection.", "not collected, done elsewhere, collected, nothing changed", "", ""},
	{"after a test", provedBy(nil), func(d *verdicttest.Verdict) {
		d.Proof.Before, d.Proof.Confirmed.Cure = []string{"TestA"}, finding.Count{}
	},
		"Fails after TestA.", "after TestA, after others, alone", "Undo in each test what it changes: t.Cleanup, t.Setenv, t.TempDir, t.Chdir.", "test-order"},
	{"after a test, where no other one can be a control", provedBy(nil), func(d *verdicttest.Verdict) {
		d.Proof.Before, d.Proof.Confirmed.Sham = []string{"TestA"}, finding.Count{}
	}, "Fails after TestA.", "after TestA, alone", "Undo in each test what it changes: t.Cleanup, t.Setenv, t.TempDir, t.Chdir.", "test-order"},
	{"unless a test ran", provedBy(nil), func(d *verdicttest.Verdict) { d.Proof.Needs = []string{"TestA"} },
		"Fails unless TestA ran before.", "alone, after others, after TestA", "Set up in this test what TestA leaves: it must pass alone.", "test-order"},
	{"after a test, with others elsewhere", provedBy(nil), func(d *verdicttest.Verdict) {
		d.Proof.Before, d.Proof.Confirmed.Cure = []string{"TestA"}, finding.Count{}
	}, "Fails after TestA.", "after TestA, after others, alone", "", ""},
	{"a phase of the clock", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockPhase, Value: 65e6, Unit: 70e6}), nil,
		"Fails when the test starts 5 ms before a 70 ms period ends.", "then, done elsewhere, at other times, nothing changed", "Pass the clock in, or use testing/synctest.", "time"},
	{"an early phase", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockPhase, Value: 5e6, Unit: 70e6}), nil, "Fails when the test starts 5 ms into a 70 ms period.", "", "", ""},
	{"a date", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockDate, Value: time.Date(2028, 2, 29, 12, 0, 0, 0, time.UTC).UnixNano()}), nil, "Fails when the clock says 29 February 2028 12:00:00 UTC.", "", "", ""},
	{"the last day of a month", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockDate, Value: 1}), func(d *verdicttest.Verdict) {
		d.Proof.Law = proof.Law{Range: freedom.Range{Unit: say.MonthEnd, From: -say.Day}}
	}, "Fails when the clock says the last day of a month.", "", "Pass the clock in, or use testing/synctest.", ""},
	{"a set second", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockInstant, Value: 1_800_000_000_990_000_000, Unit: 1e9}), nil,
		"Fails when the test starts 10 ms before a 1 s period ends.", "", "", ""},
	{"two readings", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockInstant, Value: 1, Unit: 1e9}), func(d *verdicttest.Verdict) {
		d.Proof.Law = proof.Law{Kind: proof.LawEnds, Range: freedom.Range{Unit: 1e9, From: 94e7, To: 1e9}}
		d.Window = []finding.Span{line(37), line(44)}
	}, "Fails when a 1 s period ends between `q.done.Store(true)` (queue.go:37) and `if q.done.Load()` (queue.go:44).", "",
		"Read the clock once, and hand the time on. Pass the clock in, or use testing/synctest.", ""},
	{"a coarse clock", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockGrain, Value: 16e6}), nil, "Fails when two clock readings are equal.", "", "", ""},
	{"a zone", set(proof.Act{Kind: trace.ActClock, What: freedom.ClockZone, Text: "Asia/Kolkata"}), nil, "Fails in time zone Asia/Kolkata.", "so, done elsewhere, otherwise, nothing changed", "Fix the time zone of the test.", ""},
	{"a timer", set(proof.Act{Kind: trace.ActTimer, What: freedom.TimerLate, Value: 5e6}), nil, "Fails when this timer fires 5 ms late.", "late, done elsewhere, less late, nothing changed", "", "timeout"},
	{"two timers", set(proof.Act{Kind: trace.ActTimer, What: freedom.TimerLate, Value: 5e6}), func(d *verdicttest.Verdict) {
		d.Proof.Law = proof.Law{Kind: proof.LawTimers}
		d.Window = []finding.Span{line(37), line(44)}
	}, "Fails when the time set at `q.done.Store(true)` (queue.go:37) ends after the time set at `if q.done.Load()` (queue.go:44).",
		"late, other one later, nothing changed", "Make the time set at `if q.done.Load()` (queue.go:44) clearly longer than the one at `q.done.Store(true)` (queue.go:37). Pass the clock in, or use testing/synctest.", "timeout"},
	{"reads", set(proof.Act{Kind: trace.ActRead, What: freedom.ReadMost, Value: 1}), nil, "Fails when this Read returns only part of the data.", "part, done elsewhere, all, nothing changed", "Read until all of it is there: io.ReadFull or io.ReadAll.", "network"},
	{"a port", set(proof.Act{Kind: trace.ActLimits, What: freedom.PortTaken}), nil, "Fails when the port is taken.", "so, done elsewhere, otherwise, nothing changed", "Listen on :0 and pass the address on.", "network"},
	{"descriptors", set(proof.Act{Kind: trace.ActLimits, What: freedom.FilesMost, Value: 64}), nil, "Fails with 64 file descriptors.", "", "", ""},
	{"TMPDIR", set(proof.Act{Kind: trace.ActLimits, What: freedom.TempFresh}), nil, "Fails with an empty TMPDIR.", "", "Give the test a directory of its own: t.TempDir, and t.Setenv for HOME.", ""},
	{"no network", set(proof.Act{Kind: trace.ActLimits, What: freedom.NetworkNone}), nil, "Fails without network.", "", "", ""},
	{"a quota", set(proof.Act{Kind: trace.ActLimits, What: freedom.QuotaMost, Value: 10}), nil, "Fails only on a busy machine, with 10% of a CPU.", "so, done elsewhere, otherwise, nothing changed", "Wait for the event itself, not for the time it usually takes. Pass the clock in, or use testing/synctest.", ""},
	{"a collection", set(proof.Act{Kind: trace.ActGC, At: &proof.Place{}}), nil, "Fails when the garbage collector runs.", "collected, done elsewhere, not collected, nothing changed", "", "resource-leak"},
	{"less often", provedBy(verdicttest.Named("rand")), func(d *verdicttest.Verdict) { d.Window, d.Proof.Confirmed.With.Failed = []finding.Span{line(37)}, 18 }, "Can fail with some results of `q.done.Store(true)` (queue.go:37).", "", "", ""},
	{"it fails anyway", provedBy(nil), func(d *verdicttest.Verdict) {
		d.Proof.Always, d.Proof.Opposite = true, proof.Acts{{Kind: trace.ActStall, Dose: 20 * time.Millisecond, At: &proof.Place{Shown: line(44)}}}
		d.Proof.Confirmed.Held = 0
	}, "Passes when this goroutine is delayed here for 20 ms.", "nothing changed, delayed elsewhere, delayed here, nothing changed", "", "concurrency"},
}

// TestProofs has what is said of each proof. None is without a kind and a line of fix.
func TestProofs(t *testing.T) {
	f := newFixture(t)
	for _, c := range proofs {
		test := f.queue()
		d := c.plan
		if c.with != nil {
			c.with(&d)
		}
		d.Signature = test.Failures[0].Signature
		test.Verdicts = []finding.Verdict{d.Make()}
		test.Failures[0].Suspects = nil
		v := newViewer(f.result(test))
		v.of(test)
		v.f = test.Failures[0]
		x := v.shown(&test.Verdicts[0])
		if got := x.Said[0].String(); got != c.said {
			t.Errorf("%s: says %s\nwant %s", c.name, got, c.said)
		}
		var bars []string
		for _, b := range x.Bars {
			bars = append(bars, b.Label.String())
		}
		if got := strings.Join(bars, ", "); c.bars != "" && got != c.bars {
			t.Errorf("%s: bars %s\nwant %s", c.name, got, c.bars)
		}
		if got := sentences(x.Fix); got == "" || c.fix != "" && got != c.fix {
			t.Errorf("%s: fix %s\nwant %s", c.name, got, c.fix)
		}
		if x.Kind == "" || c.kind != "" && x.Kind != c.kind {
			t.Errorf("%s: kind %q, want %q", c.name, x.Kind, c.kind)
		}
		if len(x.Code) == 0 && x.Picture == nil && len(d.Proof.Before)+len(d.Proof.Needs) == 0 && c.name != "it fails anyway" {
			t.Errorf("%s: no picture", c.name)
		}
	}
}

// A lefty is a reason that knows what a test leaves.
type lefty struct{ finding.Reason }

func (lefty) Left(s *finding.Suspect, c finding.Coder) say.Sentence {
	return say.Leaves.With(c.Name("TestA"), c.Named("defaults", s.Span))
}

func (lefty) Undo(*finding.Suspect, finding.Coder) []say.Sentence {
	return []say.Sentence{say.FixUndo.With()}
}

// What a test leaves is told by the place that was shown.
func TestLeaves(t *testing.T) {
	d := provedBy(nil).New()
	d.Proof.Before = []string{"TestA"}
	v := newViewer(newFixture(t).result())
	s := finding.Suspect{Reason: lefty{}}
	s.File, s.Start, s.End = line(12).File, 12, 12
	v.of(&finding.Test{Package: "example.com/m/queue", Failures: []*finding.Failure{{Suspects: []finding.Suspect{s}}}})
	if len(v.leaves(d)) > 0 {
		t.Error("no verdict has shown it")
	}
	v.t.Failures[0].Suspects[0].Verdict = d
	if got, want := sentences(v.leaves(d)), "TestA leaves `defaults` (queue.go:12) changed."; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Runs that count on no side stand under the bars, and so does that there is no control.
func TestNotes(t *testing.T) {
	d := provedBy(verdicttest.Named("stall")).New()
	d.Proof.Confirmed.With.Missed, d.Proof.Confirmed.With.Other, d.Proof.Confirmed.Sham = 2, 1, finding.Count{}
	d.Proof.Confirmed.With.None, d.Proof.Confirmed.Plain.None = 3, 4
	v := newViewer(newFixture(t).result())
	v.of(&finding.Test{})
	if got, want := sentences(v.proofOf(d).notes()), "9 runs did not get there 1 run failed differently no place to compare with"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSuspected has what is said of places that nothing was shown of: they are likely if
// recorded runs differ by them beyond chance, and what was seen to happen is said as it is.
func TestSuspected(t *testing.T) {
	f := newFixture(t)
	differs := verdicttest.Reason{Claims: finding.Claim{Differs: true}}
	surfaces := verdicttest.Reason{Claims: finding.Claim{Surfaces: true}}
	unsaid := verdicttest.Reason{Label: say.WhyWrites}
	const (
		order = "Fails when `if q.done.Load()` (queue.go:44) runs before `q.done.Store(true)` (queue.go:37)."
		look  = "Cause unknown. Look first at `q.done.Store(true)` (queue.go:37)."
		parts = "Cause unknown. Look first at `job()` (queue.go:35)."
		wait  = "Wait for `q.done.Store(true)` (queue.go:37) before `if q.done.Load()` (queue.go:44): close a channel after it, or use a WaitGroup."
	)
	for _, c := range []struct {
		name               string
		reason             finding.Reason
		class              finding.Class
		p                  float64
		said, verdict, fix string
	}{
		{"likely", lateReason(say.BarLate), finding.Associated, 1e-9, "Likely: " + order, "likely", wait},
		{"by chance", lateReason(say.BarLate), finding.Associated, 0.02, look, "unknown", wait},
		{"a hint", lateReason(say.BarLate), finding.Hint, 1e-9, look, "unknown", wait},
		{"seen to happen", lateReason(say.BarLate), finding.Mechanism, 1, order, "likely", wait},
		{"where runs differ", differs, finding.Associated, 1e-9, look, "unknown", ""},
		{"where it surfaces", surfaces, finding.Symptom, 1e-9, parts, "unknown", ""},
		{"without a sentence", unsaid, finding.Associated, 1e-9, look, "unknown", ""},
	} {
		test := f.queue()
		v := newViewer(f.result(test))
		v.of(test)
		v.f = test.Failures[0]
		s := &finding.Suspect{Span: finding.Span{File: "queue/queue.go", Start: 37, End: 37}, Reason: c.reason, Evidence: finding.Evidence{Class: c.class, P: c.p, Table: divergence.Table{FailTaken: 12, PassNot: 38}}}
		x := v.suspected(v.f, s)
		if got := sentences(x.Said); got != c.said || x.Verdict != c.verdict || sentences(x.Fix) != c.fix {
			t.Errorf("%s: %s (%s) %s\nwant %s (%s) %s", c.name, got, x.Verdict, sentences(x.Fix), c.said, c.verdict, c.fix)
		}
	}
}

// What one or two failing runs have in common may be chance: no cause rests on it. What was seen to happen does not.
// Where they part is told, by the condition that decides it (line 37).
func TestFewFailing(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		class   finding.Class
		failing int
		differs bool // the reason says where runs part, and nothing else
		verdict string
		at      int // the line to look at
		advice  bool
	}{
		{finding.Associated, 1, false, "unknown", 35, false},
		{finding.Associated, 2, false, "unknown", 35, false},
		{finding.Associated, 3, false, "likely", 0, true},
		{finding.Hint, 2, false, "unknown", 35, false},
		{finding.Hint, 2, true, "unknown", 37, false},
		{finding.Mechanism, 1, false, "likely", 0, true},
	} {
		reason := lateReason(say.BarLate)
		reason.Claims.Differs = c.differs
		test := f.queue()
		test.Verdicts = nil
		x := test.Failures[0]
		x.Runs = x.Runs[:c.failing]
		x.Suspects = []finding.Suspect{{Span: finding.Span{File: "queue/queue.go", Start: 37, End: 37}, Reason: reason,
			Evidence: finding.Evidence{Class: c.class, P: 1e-9, Table: divergence.Table{FailTaken: c.failing, PassNot: 38}}}}
		v := newViewer(f.result(test))
		v.of(test)
		v.f = x
		got := v.causeOf(0, x)
		if got.Verdict != c.verdict || len(got.Fix) > 0 != c.advice {
			t.Errorf("%v, %d failing: %s, %s", c.class, c.failing, got.Verdict, sentences(got.Fix))
		}
		at := fmt.Sprintf("(queue.go:%d).", c.at)
		if said := sentences(got.Said); c.at > 0 && !(strings.HasPrefix(said, "Cause unknown. Look first at ") && strings.HasSuffix(said, at)) {
			t.Errorf("%v, %d failing: %s", c.class, c.failing, said)
		}
	}
}

// Rates count the runs that all packages had, unless only all runs show that the test is flaky.
func TestRounds(t *testing.T) {
	for _, c := range []struct{ outcomes, want string }{ // f and p; F and P are extra
		{"p", "0 of 1"},
		{"f", "1 of 1"},
		{"pF", "1 of 2"},
		{"pFPP", "1 of 4"},
		{"fPP", "1 of 3"},
		{"fFF", "1 of 1"}, // always
		{"pfFFF", "1 of 2"},
		{"ppppppFP", "1 of 8"},
	} {
		var runs []finding.Run
		for _, o := range c.outcomes {
			run := finding.Run{Status: finding.Passed, Extra: o == 'F' || o == 'P'}
			if o == 'f' || o == 'F' {
				run.Status = finding.Failed
			}
			runs = append(runs, run)
		}
		n := count(rounds(runs))
		if got := fmt.Sprintf("%d of %d", n.Failed, n.decided()); got != c.want {
			t.Errorf("%s: %s, want %s", c.outcomes, got, c.want)
		}
	}
}

// TestDiverges has where runs diverge, by what the comparison found.
func TestDiverges(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	rng := f.rng()
	v := newViewer(f.result(test, rng))
	v.of(test)
	worker, own := test.Failures[0].Analysis.Chain[0], test.Failures[0].Analysis.Chain[1]
	for _, c := range []struct {
		name string
		of   *finding.Test
		d    *divergence.Divergence
		with func(*divergence.Divergence)
		want string
	}{
		{"branch", rng, rng.Failures[0].Analysis.Chain[0], nil, "Runs diverge at `if n < 50` (rng/rng.go:9). Failing runs go to `return 1` (rng/rng.go:12), passing runs to `return 0` (rng/rng.go:10)."},
		{"end, in another goroutine", test, worker, nil, "In the goroutine started at `go q.work()` (queue.go:22): Runs diverge at visit 5 of `job()` (queue.go:35). Passing runs go on to `q.done.Store(true)` (queue.go:37). In failing runs the goroutine goes no further."},
		{"never", test, own, nil, "Only passing runs get from `if q.done.Load()` (queue.go:44) to `return nil` (queue.go:45)."},
		{"fewer iterations", test, own, func(d *divergence.Divergence) { d.Left, d.Loop = false, &divergence.Loop{Limit: 3} }, "Failing runs reach `if q.done.Load()` (queue.go:44) fewer than 3 times."},
		{"more iterations", test, own, func(d *divergence.Divergence) { d.Left, d.Loop = false, &divergence.Loop{Limit: 3, More: true} }, "Failing runs reach `if q.done.Load()` (queue.go:44) 3 or more times."},
		{"same path", test, own, func(d *divergence.Divergence) { d.SamePath = true }, ""},
		{"the check itself", test, own, func(d *divergence.Divergence) { d.FailNext = trace.CheckEvent(trace.CheckFail, 1) }, ""},
		{"beyond the trace", test, own, func(d *divergence.Divergence) { d.LastCommon = 0 }, "The trace ends here. Use -trace-budget."},
	} {
		d := *c.d
		if c.with != nil {
			c.with(&d)
		}
		v.f = c.of.Failures[0]
		if got := sentences(v.diverges(&d)); got != c.want {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.want)
		}
	}
}

// Of two failures that were shown to have one cause, the second refers to the first.
func TestSameCauseOfFailures(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	other := *test.Failures[0]
	other.Signature, other.Message = "TestDrain queue_test.go:15 other", "queue_test.go:15: other"
	test.Failures = append(test.Failures, &other)
	test.Verdicts[0].Proof.Signature = proof.Signature{Test: "TestDrain", File: "queue/queue_test.go", Line: 15, Message: "x"}
	page, md := string(pageOf(t, f.result(test), test)), &strings.Builder{}
	if err := Markdown(md, f.result(test), test); err != nil {
		t.Fatal(err)
	}
	for what, n := range map[string]int{`same cause: <a class="place" href="#failure-1">failure 1</a>`: 1, ">Reproduce<": 1, `id="cause-2"`: 1} {
		if got := strings.Count(page, what); got != n {
			t.Errorf("%d times %s, want %d", got, what, n)
		}
	}
	if got := strings.Count(md.String(), "same cause: `failure 1`"); got != 1 {
		t.Errorf("Markdown refers %d times to it", got)
	}
}

// Where few passing runs come to a place at all, the one that was compared stands for them: a count of all of them would
// seem to say that others go the other way.
func TestBubbleOfFew(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	v := newViewer(f.result(test))
	v.of(test)
	v.f = test.Failures[0]
	for took, want := range map[int]string{38: "passing runs: 38 of 38", 19: "passing runs: 19 of 38", 18: "passing run 3", 0: "passing run 3"} {
		d := *test.Failures[0].Analysis.Chain[0]
		d.PassTook, d.PassingRun = took, 3
		said := false
		for _, l := range v.divergence(0, 0, &d).Listings {
			for _, r := range l.Rows {
				for _, c := range r.Callouts {
					said = said || c.Text == want
				}
			}
		}
		if !said {
			t.Errorf("%d: no %q", took, want)
		}
	}
}

// A verdict belongs to the failure that it is about, and one about none of them to the first.
func TestVerdictFor(t *testing.T) {
	a, b := &finding.Failure{Signature: "T: a"}, &finding.Failure{Signature: "T: b"}
	v := &viewer{t: &finding.Test{Failures: []*finding.Failure{a, b}, Verdicts: []finding.Verdict{verdicttest.Verdict{Signature: "T: b"}.Make()}}}
	if v.verdictFor(0, a) != nil || v.verdictFor(1, b) == nil {
		t.Error("a verdict about the second failure is not there, or at the first")
	}
	verdicttest.Sign(&v.t.Verdicts[0], "T: c")
	if v.verdictFor(0, a) == nil || v.verdictFor(1, b) != nil {
		t.Error("a verdict about no failure that is shown is not at the first")
	}
}

// TestPageOrder looks at the parts of a page in their order: error and cause stand above all else.
func TestPageOrder(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	page := string(pageOf(t, f.result(test), test))
	at := -1
	for _, part := range []string{`<h1>TestDrain</h1>`, `class="rate"`, `class="error"`, `class="cause proved"`, `How it fails`, `<h3>Values`, `id="details"`, `id="runs"`, `id="environment"`} {
		i := strings.Index(page, part)
		if i <= at {
			t.Errorf("%s is not where it should be", part)
		}
		at = i
	}
	if strings.Contains(page, "<details open") {
		t.Error("what is folded is open")
	}
}

// wordsOf counts the words of a page, code and what only machines read apart.
func wordsOf(page []byte, unfolded bool) int {
	s := string(page)
	s = s[strings.Index(s, "<main"):strings.Index(s, "</main>")]
	if !unfolded {
		s = s[:strings.Index(s, `<details id="details"`)]
		s = regexp.MustCompile(`(?s)<details class="advice">.*?</details>`).ReplaceAllString(s, "")
	}
	for _, tag := range []string{"code", "pre", "svg", "textarea", "select"} {
		s = regexp.MustCompile(`(?s)<`+tag+`[ >].*?</`+tag+`>`).ReplaceAllString(s, " ")
	}
	for _, class := range []string{"place", "file", "no", "mk", "times", "vh"} {
		s = regexp.MustCompile(`<(a|span) class="`+class+`"[^>]*>[^<]*(<span[^>]*>[^<]*</span>)*</(a|span)>`).ReplaceAllString(s, " ")
	}
	s = regexp.MustCompile(`<[^>]*>`).ReplaceAllString(s, " ")
	n := 0
	for _, w := range strings.Fields(s) {
		if strings.IndexFunc(w, func(r rune) bool { return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }) >= 0 {
			n++
		}
	}
	return n
}

// How many words a page has, besides code.
const (
	maxOpen     = 400
	maxUnfolded = 1200
)

func TestPageWords(t *testing.T) {
	f := newFixture(t)
	tests := []*finding.Test{f.queue(), f.rng(), f.keys(), f.hang(), f.always()}
	for _, test := range tests {
		page := pageOf(t, f.result(tests...), test)
		open, all := wordsOf(page, false), wordsOf(page, true)
		t.Logf("%s: %d words, %d unfolded", test.Name, open, all)
		if open > maxOpen || all > maxUnfolded {
			t.Errorf("%s has %d words, %d unfolded", test.Name, open, all)
		}
		if bytes.Contains(page, []byte("%!")) {
			t.Errorf("%s: a sentence lacks a value", test.Name)
		}
	}
}

// TestErrorLine joins a message to its title.
func TestErrorLine(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"not drained\nin time":                           "not drained",
		"values differ:\n  2, want 3":                    "values differ: 2, want 3",
		"Expected\n    <int>: 2\nto equal\n    <int>: 3": "Expected <int>: 2 to equal <int>: 3",
		"Not equal:\nexpected: 1\nactual  : 2":           "Not equal: expected: 1 actual : 2",
	} {
		v := newViewer(newFixture(t).result())
		if got := v.errorLine(&finding.Failure{Message: message}); got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

// TestTerminal is the block of a test: seven lines, and how it fails if that is asked for.
func TestTerminal(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	want := []string{
		"FLAKY  queue.TestDrain  12 of 50 failed (24%)            async wait · proved",
		"  queue_test.go:15  Drain() = queue: not drained in time, want nil",
		"  Fails when this goroutine is delayed here for 10 ms.",
		"  queue.go:37            q.done.Store(true)",
		"  delayed here 20 of 20, delayed elsewhere 4 of 20, other one delayed instead 0 of 20, not delayed 5 of 20",
		"  reproduce  fdebug replay TestDrain",
		"  report     out/queue.TestDrain.html",
	}
	r := f.result(test)
	got := Terminal{Page: "out/queue.TestDrain.html"}.Lines(r, test)
	for i, l := range got {
		got[i] = strings.Join(strings.Fields(l), " ")
	}
	for i, l := range want {
		want[i] = strings.Join(strings.Fields(l), " ")
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if more := len(Terminal{Verbose: true}.Lines(r, test)); more <= len(want) {
		t.Errorf("%d lines with -v", more)
	}
	if got := CauseOf(r, test); got.Said != "Fails when this goroutine is delayed here for 10 ms." || got.Verdict != "proved" || got.File != "queue/queue.go" || got.Line != 37 {
		t.Errorf("for CI: %+v", got)
	}
}

// A message of a test is no command to a terminal.
func TestTerminalHostile(t *testing.T) {
	r, test := hostile(t)
	if text := strings.Join(Terminal{Verbose: true}.Lines(r, test), "\n"); strings.ContainsAny(text, "\x1b\x00\x07\u202e") {
		t.Errorf("control characters: %q", text)
	}
}

// TestSaidProof has the cause of a proof that stands by itself, as a replay file has it.
func TestSaidProof(t *testing.T) {
	f := newFixture(t)
	at := func(n int, g *proof.GoroutineRef) *proof.Place {
		return &proof.Place{File: "queue/queue.go", Line: n, Goroutine: g, Block: 1, Shown: line(n)}
	}
	own := &proof.GoroutineRef{Chain: []proof.Start{{Test: "TestDrain"}}}
	worker := &proof.GoroutineRef{Chain: []proof.Start{{Test: "TestDrain"}, {File: "queue/queue.go", Line: 22, Text: "go q.work()"}}}
	for _, c := range []struct {
		p    proof.Proof
		want string
	}{
		{proof.Proof{Plan: proof.Acts{{Kind: trace.ActStall, At: at(37, worker), Dose: 4 * time.Millisecond}}}, "Fails when this goroutine is delayed here for 4 ms."},
		{proof.Proof{Plan: proof.Acts{{Kind: trace.ActStall, At: at(43, own), Dose: 4 * time.Millisecond}}}, "Fails when TestDrain is delayed here for 4 ms."},
		{proof.Proof{Plan: proof.Acts{{Kind: trace.ActOrder, At: at(37, worker), Until: at(44, own)}}, At: []proof.Place{*at(44, own), *at(37, worker)}}, "Fails when `if q.done.Load()` (queue.go:44) runs before `q.done.Store(true)` (queue.go:37)."},
		{proof.Proof{Before: []string{"TestA"}}, "Fails after TestA."},
	} {
		c.p.Package, c.p.Test = "example.com/m/queue", "TestDrain"
		if got := SaidProof(f.result(), &c.p); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// A place that the cause marks is no other place, whoever proposes it.
func TestOthersOnce(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	test.Verdicts = nil
	x := test.Failures[0]
	for _, n := range []int{44, 24} { // the look that is marked beside the first place; another one
		s := x.Suspects[0]
		s.Start, s.End = n, n
		x.Suspects = append(x.Suspects, s)
	}
	v := newViewer(f.result(test))
	others := v.test(test).Failures[0].Others
	if len(others) != 1 || !strings.Contains(others[0].Place.String(), "queue.go:24") {
		t.Errorf("got %v, want queue.go:24", others)
	}
}
