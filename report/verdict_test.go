package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestVerdictOfTests has tests that make another one fail by having run before it, and one
// without which it fails.
func TestVerdictOfTests(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name string
		d    finding.Verdict
		said string
		bars string
	}{
		{"one spoils it", finding.Verdict{Proof: proof.Proof{Before: []string{"TestA"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 19, Of: 20}, Sham: finding.Count{Of: 20}, Plain: finding.Count{Of: 20}}}},
			"The test fails if just TestA runs before it in the same process: in 19 of 20 runs; alone in 0 of 20.",
			"after just TestA: 19 of 20 failed; after just another: 0 of 20 failed; alone: 0 of 20 failed"},
		{"two do, and other checks fail", finding.Verdict{Proof: proof.Proof{Before: []string{"TestA", "TestB"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 14, Of: 20, Other: 5}, Plain: finding.Count{Of: 20}}}},
			"The test fails if just TestA, TestB run before it in the same process: in 14 of 20 runs (5 more failed differently); alone in 0 of 20.",
			"after just these tests: 14 of 20 failed, 5 more failed differently; alone: 0 of 20 failed"},
		{"others do as well", finding.Verdict{Proof: proof.Proof{Before: []string{"TestA"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Sham: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}}},
			"The test fails if just TestA runs before it in the same process: in 20 of 20 runs; alone in 0 of 20, but with another test before it instead in 20 of 20.",
			"after just TestA: 20 of 20 failed; after just another: 20 of 20 failed; alone: 0 of 20 failed"},
		{"by a variable", finding.Verdict{Proof: proof.Proof{Before: []string{"TestA"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}}, Pollution: &finding.Pollution{
			Vars: []finding.PackageVar{{Name: "all", At: finding.Span{File: "queue/queue.go", Start: 7, End: 7}}}, Of: 4,
			Back: finding.Count{Of: 20}, Without: finding.Count{Failed: 19, Of: 20}, Left: finding.Count{Failed: 20, Of: 20}}},
			"The test fails if just TestA runs before it in the same process: in 20 of 20 runs; alone in 0 of 20. What decides is left in all (queue/queue.go:7): put back before the test, to what it was, in 0 of 20; with the 3 other package variables put back instead, in 19 of 20.",
			"after just TestA: 20 of 20 failed; alone: 0 of 20 failed; after it, all put back: 0 of 20 failed; all other variables put back: 19 of 20 failed"},
		{"by no variable", finding.Verdict{Proof: proof.Proof{Before: []string{"TestA"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}}, Pollution: &finding.Pollution{
			Of: 4, Back: finding.Count{Failed: 20, Of: 20}, Left: finding.Count{Failed: 20, Of: 20}}},
			"The test fails if just TestA runs before it in the same process: in 20 of 20 runs; alone in 0 of 20. With 4 package variables of the module put back before it, it failed in 20 of 20 all the same: what decides is left elsewhere, such as in files, in the environment, or in variables of other modules.",
			"after just TestA: 20 of 20 failed; alone: 0 of 20 failed; after it, all variables put back: 20 of 20 failed"},
		{"it needs one", finding.Verdict{Proof: proof.Proof{Before: []string{"TestA"}, Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 2, Of: 20}, Cure: finding.Count{Of: 20, Missed: 1}}}},
			"The test fails if it runs alone: in 20 of 20 runs; if just TestA runs before it in the same process, in 0 of 20 (in 1 more run it did not act).",
			"alone: 20 of 20 failed; after just TestA: 0 of 20 failed, in 1 more run it did not act; with all tests, in one order: 2 of 20 failed"},
	} {
		c.d.Class = finding.Proved
		test := f.queue()
		test.Verdicts = []finding.Verdict{c.d}
		v := newViewer(f.result(test))
		v.t = test
		x := v.verdictView(&c.d)
		if got := x.Said.Plain(); got != c.said {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.said)
		}
		if got := strings.Contains(x.Cost, "No other test was tried in place of T") || strings.Contains(x.Cost, "No other test was tried in place of these tests"); got != (c.d.Proof.Confirmed.Sham.Of == 0) {
			t.Errorf("%s: %s", c.name, x.Cost)
		}
		var bars []string
		for _, b := range x.Bars {
			bars = append(bars, b.Label+": "+b.Text)
		}
		if got := strings.Join(bars, "; "); got != c.bars {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.bars)
		}
	}
}

// TestVerdictAlways has tests that fail with nothing changed: what is told is what makes them pass.
func TestVerdictAlways(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct {
		name string
		d    finding.Verdict
		said string
		bars string
	}{
		{"held", finding.Verdict{Cure: []finding.Span{{File: "queue/queue.go", Start: 37}}, Proof: proof.Proof{Opposite: proof.Named("stall"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 19, Of: 20}, Plain: finding.Count{Failed: 17, Of: 20}, Cure: finding.Count{Of: 20}}}},
			"With nothing changed the test fails: in 19 of 20 runs. If what runs q.done.Store(true) (queue/queue.go:37) is held there, it failed in 0 of 20.",
			"nothing changed: 19 of 20 failed; held there: 0 of 20 failed; nothing changed, again: 17 of 20 failed"},
		{"chosen", finding.Verdict{Proof: proof.Proof{Opposite: proof.Named("rand"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 20, Of: 20}, Cure: finding.Count{Failed: 1, Of: 20}}}},
			"With nothing changed the test fails: in 20 of 20 runs. If what is chosen at random (random numbers) is fixed to one choice, it failed in 1 of 20.",
			"nothing changed: 20 of 20 failed; with one choice: 1 of 20 failed; nothing changed, again: 20 of 20 failed"},
	} {
		c.d.Class, c.d.Proof.Always = finding.Proved, true
		test := f.queue()
		test.Verdicts = []finding.Verdict{c.d}
		v := newViewer(f.result(test))
		v.t = test
		x := v.verdictView(&c.d)
		if got := x.Said.Plain(); got != c.said {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.said)
		}
		var bars []string
		for _, b := range x.Bars {
			bars = append(bars, b.Label+": "+b.Text)
		}
		if got := strings.Join(bars, "; "); got != c.bars {
			t.Errorf("%s: %s\nwant %s", c.name, got, c.bars)
		}
		if s := (finding.Suspect{Start: 37, Reason: finding.Reason{Kind: finding.ReasonCure, Verdict: &c.d}}); strings.Contains(Why(&s), "instead") {
			t.Errorf("%s: %s, but nothing else is held", c.name, Why(&s))
		}
	}
}

// TestKnownOfHeld gives the p-value of an experiment only where the goroutine was held, and where it is what there is to go by.
func TestKnownOfHeld(t *testing.T) {
	e := finding.Evidence{Class: finding.Reproduced, Link: finding.Decides, Table: divergence.Table{FailTaken: 20, PassNot: 20}, P: 0.001}
	for kind, want := range map[finding.ReasonKind]string{
		finding.ReasonExperiment: "rule experiment: reproduced, decides, p = 0.001",
		finding.ReasonCure:       "rule experiment: reproduced, decides",
		finding.ReasonWindow:     "rule experiment: reproduced, decides",
		finding.ReasonSignal:     "rule experiment: reproduced, decides",
	} {
		if got := known(&finding.Suspect{Rule: "experiment", Evidence: e, Reason: finding.Reason{Kind: kind}}); got != want {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
	e.Class = finding.Proved
	if got := known(&finding.Suspect{Rule: "experiment", Evidence: e, Reason: finding.Reason{Kind: finding.ReasonExperiment}}); got != "rule experiment: proved, decides" {
		t.Errorf("proved: %q", got)
	}
}

// TestExcerptHeld has a window of two functions: only the line at which the goroutine was
// held has the counts.
func TestExcerptHeld(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	first, last := finding.Span{File: "queue/queue.go", Start: 37, End: 37}, finding.Span{File: "queue/queue.go", Start: 44, End: 44}
	test.Verdicts = []finding.Verdict{{
		Class: finding.Proved, Window: []finding.Span{first, last}, At: last, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: 4 * time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}},
	}}
	v := newViewer(f.result(test))
	want := "! queue.go:44  if q.done.Load() {    <- held here for 10ms: 20 of 20 failed\n! queue.go:37  q.done.Store(true)    <- the window begins here"
	if got := mdExcerpt(v.test(test).Causes[0].Code, 20); got != want {
		t.Errorf("the excerpt is\n%s\nwant\n%s", got, want)
	}
}

// TestExcerptHeldBefore has a block of two lines: a goroutine is held before the first of them.
func TestExcerptHeldBefore(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	at := finding.Span{File: "queue/queue.go", Start: 36, End: 37}
	test.Verdicts = []finding.Verdict{{
		Class: finding.Proved, Window: []finding.Span{at}, At: at, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: 4 * time.Millisecond, Confirmed: proof.Confirmation{Held: 4 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}},
	}}
	v := newViewer(f.result(test))
	want := "! queue.go:36  }    <- held here for 4ms: 20 of 20 failed\n! queue.go:37  q.done.Store(true)"
	if got := mdExcerpt(v.test(test).Causes[0].Code, 20); got != want {
		t.Errorf("the excerpt is\n%s\nwant\n%s", got, want)
	}
}

// TestCauseInOtherWords has a cause that brings a failure at the place of one that is shown,
// with a message that is not shown: its runs are counted by the place.
func TestCauseInOtherWords(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	d := &test.Verdicts[0]
	said := func() string { v := newViewer(f.result(test)); v.t = test; return v.verdictSaid(d).Plain() }
	if got := said(); !strings.Contains(got, ", the test fails: in 20 of 20") {
		t.Errorf("of the failure that is shown: %s", got)
	}
	if d.Signature, d.Place = "another", "queue_test.go:45"; !strings.Contains(said(), ", the test fails at queue_test.go:45, in whatever words: in 20 of 20") {
		t.Errorf("of another message: %s", said())
	}
}

// TestAsEver has a test that fails about as often with nothing changed as with a goroutine held.
func TestAsEver(t *testing.T) {
	for plain, want := range map[finding.Count]string{
		{Failed: 2, Of: 20}: "", {}: "", {Failed: 13, Of: 20}: "",
		{Failed: 14, Of: 20}: ", and with nothing changed in 14 of 20", {Failed: 20, Of: 20}: ", and with nothing changed in 20 of 20",
	} {
		if got := asEver(&finding.Verdict{Proof: proof.Proof{Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: plain}}}); got != want {
			t.Errorf("%v: %q, want %q", plain, got, want)
		}
	}
}

// TestOtherWordsAtACheck is about a failure with another message than the one of the
// experiment, at the same check: the counts are of the check.
func TestOtherWordsAtACheck(t *testing.T) {
	d := &finding.Verdict{Proof: proof.Proof{Plan: proof.Named("map"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 3, Of: 20}}}}
	for want, other := range map[string]trace.Frame{
		"with what is chosen at random here (map) fixed to one choice the test failed in 20 of 20 runs, with nothing changed in 3 of 20":                                            {},
		"with what is chosen at random here (map) fixed to one choice the test failed at s_test.go:45 (in these words or others) in 20 of 20 runs, with nothing changed in 3 of 20": {File: "s_test.go", Line: 45},
	} {
		if got := Why(&finding.Suspect{Reason: finding.Reason{Kind: finding.ReasonExperiment, Verdict: d, Other: other}}); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What was tried as a cure and cured nothing keeps nothing away, and is not shown as if.
func TestNoCureNoBar(t *testing.T) {
	v := newViewer(newFixture(t).result())
	for want, cured := range map[int]finding.Count{3: {Of: 20}, 2: {Failed: 5, Of: 11, Missed: 29}} {
		x := v.verdictView(&finding.Verdict{
			Class: finding.Reproduced, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 12, Of: 20}, Cure: cured}}, Cure: []finding.Span{{File: "queue/queue.go", Start: 44, End: 44}},
		})
		if len(x.Bars) != want {
			t.Errorf("%+v: bars %+v, want %d", cured, x.Bars, want)
		}
	}
}

// TestChoiceNotAlone has a choice with whose opposite the test passes, or some run fails as well.
func TestChoiceNotAlone(t *testing.T) {
	f := newFixture(t)
	f.file("keys/keys.go", "package keys\n\nfunc F(in map[string]int) {\n\tfor k := range in {\n\t\tuse(k)\n\t}\n}\n")
	for failed, want := range map[int]string{
		0: "with one choice it failed in 20 of 20 runs, with another in 0 of 20.",
		1: "with one choice it failed in 20 of 20 runs, with another in 1 of 20: something else decides with it.",
	} {
		d := &finding.Verdict{
			Class: finding.Proved, Category: "unordered-collections", Window: []finding.Span{{File: "keys/keys.go", Start: 4, End: 4}},
			Proof: proof.Proof{Plan: proof.Named("map"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}, Cure: finding.Count{Failed: failed, Of: 20}}},
		}
		if got := newViewer(f.result()).verdictSaid(d).Plain(); !strings.HasSuffix(got, want) {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestJointChoices has choices at several places that were fixed in the same runs: no place may read as if it alone decided.
func TestJointChoices(t *testing.T) {
	span := func(n int) finding.Span { return finding.Span{File: "p/s.go", Start: n, End: n} }
	for n, want := range map[int][2]string{
		1: {"with what is chosen at random here (map) fixed to one choice the test failed in 20 of 20 runs", "at p/s.go:1: with one choice"},
		2: {"with what is chosen at random here (map) fixed to one choice, and at s.go:2 to one as well, the test failed in 20 of 20 runs", "at p/s.go:1 and p/s.go:2: with one choice"},
		5: {"with what is chosen at random here (map) fixed to one choice, and at 4 other places to one as well, the test failed in 20 of 20 runs", "at p/s.go:1, p/s.go:2, p/s.go:3 and 2 more places: with one choice"},
	} {
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}}}
		for i := range n {
			d.Window = append(d.Window, span(i+1))
		}
		if got := Why(&finding.Suspect{File: "p/s.go", Start: 1, End: 1, Reason: finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}}); !strings.HasPrefix(got, want[0]) {
			t.Errorf("%d places: %s", n, got)
		}
		if got := newViewer(newFixture(t).result()).choiceSaid(d).Plain(); !strings.Contains(got, want[1]) {
			t.Errorf("%d places: %s", n, got)
		}
	}
}

// Of the ends of a window it is said where the goroutine was held, if that was kept.
func TestWindowWords(t *testing.T) {
	for want, d := range map[string]*finding.Verdict{
		"an end of the window; in the runs that count the goroutine was held from its beginning": {Proof: proof.Proof{FromStart: true}},
		"an end of the window in which a goroutine was held; at which place of it was not kept":  {},
		"an end of the window; in the runs that count the goroutine was held at queue.go:14":     {At: finding.Span{File: "queue/queue.go", Start: 14}},
	} {
		if got := windowWords(d); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// Two goroutines that must be held at once are two places, and no window of one of them.
func TestHeldAtOnce(t *testing.T) {
	v := newViewer(newFixture(t).result())
	a, b := finding.Span{File: "queue/queue.go", Start: 44, End: 44}, finding.Span{File: "queue/queue_test.go", Start: 16, End: 16}
	d := &finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: 20 * time.Microsecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 1, Of: 20}}}, Window: []finding.Span{a, b},
		Holds: []finding.Hold{{At: a}, {At: b, Started: trace.Frame{File: "/home/gopher/m/queue/queue_test.go", Line: 12}}},
	}
	said := v.verdictSaid(d).Plain()
	for _, want := range []string{"If the test's own goroutine is held for up to 10ms at ", "queue.go:44", ", and a goroutine started at ", "queue_test.go:12", " is held for up to 10ms at ", "queue_test.go:16", ", the test fails: in 20 of 20 runs."} {
		_, rest, ok := strings.Cut(said, want)
		if !ok {
			t.Fatalf("%q is not said, or not in this order: %s", want, said)
		}
		said = rest
	}
	for _, smallest := range []time.Duration{d.Proof.Smallest, 0} { // how long is enough may not have been looked for
		d.Proof.Smallest = smallest
		if got := experimentWords(d, "", "here", &finding.Suspect{}); !strings.HasPrefix(got, "with a goroutine held here and 1 other held elsewhere,") || !strings.HasSuffix(got, " the test failed in 20 of 20 runs, with nothing changed in 1 of 20") {
			t.Errorf("of the places it is said: %s", got)
		}
	}
	if x := v.documentVerdict(d); x.Window != nil || len(x.Holds) != 2 || x.Holds[0].Started != nil || x.Holds[1].At.Start != 16 {
		t.Errorf("result.json has %+v", x)
	}
	for _, line := range v.fix(d) {
		if strings.Contains(line.Plain(), "one step: under one lock, held over both") {
			t.Errorf("the advice is for one goroutine: %s", line.Plain())
		}
	}
}

// Runs that passed with the very order show that it does not decide: no cause is told, but counts.
func TestOrderThatPassed(t *testing.T) {
	v := newViewer(newFixture(t).result())
	start := trace.Frame{File: "/home/gopher/m/queue/queue_test.go", Line: 12}
	d := &finding.Verdict{
		Class: finding.Reproduced, Proof: proof.Proof{Plan: proof.Named("order"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 3, Of: 20}, Cure: finding.Count{Of: 20}}},
		Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}, {File: "queue/queue.go", Start: 44, End: 44}},
		Events: []finding.Hold{{Started: start}, {}}, PassedSo: 3, PassedOf: 10,
	}
	const want = "If it is forced that q.done.Store(true) (queue/queue.go:37) in a goroutine started at queue/queue_test.go:12 comes before " +
		"if q.done.Load() { (queue/queue.go:44) in the test's own goroutine, the test fails: in 20 of 20 runs; in the other order in 0 of 20. " +
		"The order alone does not decide: with nothing changed it was the same in 3 of 10 passing runs of which it is known."
	if x := v.verdictView(d); x.Title != "Failure reproduced, cause not shown" || x.Said.Plain() != want {
		t.Errorf("%s: %s", x.Title, x.Said.Plain())
	}
	const why = "one of two events of which the order was forced: with one order the test failed in 20 of 20 runs, with nothing changed in 3 of 20, with the other order in 0 of 20; " +
		"with nothing changed it was the same in 3 of 10 passing runs of which it is known"
	if got := Why(&finding.Suspect{Start: 37, Reason: finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}}); got != why {
		t.Errorf("got %s", got)
	}
	if d.PassedSo = 0; !strings.HasPrefix(v.verdictView(d).Said.Plain(), "The order of two goroutines decides: when ") {
		t.Errorf("none passed so: %s", v.verdictView(d).Said.Plain())
	}
	if d.FailedElse, d.FailedOf = 2, 7; !strings.HasSuffix(v.verdictView(d).Said.Plain(), "The order alone does not decide: with nothing changed it was not so in 2 of 7 failing runs of which it is known.") || d.OrderDecides() {
		t.Errorf("some failed otherwise: %s", v.verdictView(d).Said.Plain())
	}
	d.FailedElse = 0
	d.Proof.Confirmed.Cure = finding.Count{} // nor is anything known of the other order
	if got := v.verdictView(d).Said.Plain(); !strings.HasPrefix(got, "If it is forced that ") {
		t.Errorf("with one order alone: %s", got)
	}
	if got := Why(&finding.Suspect{Start: 37, Reason: finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}}); strings.Contains(got, "decides") {
		t.Errorf("with one order alone: %s", got)
	}
}

// It passes if the first event comes when the other goroutine is further than just past the second: how far is told, and no
// other order of the two.
func TestOrderPast(t *testing.T) {
	v := newViewer(newFixture(t).result())
	start := trace.Frame{File: "/home/gopher/m/queue/queue_test.go", Line: 12}
	for _, c := range []struct {
		past         *finding.Past
		amid         bool
		want, advice string
	}{
		{nil, false, ", the test fails: in 20 of 20 runs; in the other order in 0 of 20.", "has been done (with what follows there, as far as that is needed) before q.done"},
		{nil, true, ", and after all that the other goroutine does before that, the test fails: in 20 of 20 runs; in the other order in 0 of 20.", "has been done (with what follows there, as far as that is needed) before q.done"},
		{&finding.Past{Ended: true}, false, ", the test fails: in 20 of 20 runs; if it comes only when the other goroutine has ended, in 0 of 20.", "has been done, and all that follows there to the goroutine's end before q.done"},
		{&finding.Past{}, false, ", the test fails: in 20 of 20 runs; if it comes later, in 0 of 20.", "has been done (with what follows there, as far as that is needed) before q.done"},
		{&finding.Past{At: finding.Span{File: "queue/queue.go", Start: 44, End: 44}, Visit: 3}, false, "; if it comes when the other goroutine has come to if q.done.Load() { (queue/queue.go:44) (the 3rd time) in 0 of 20.",
			"has been done, and what follows there until if q.done.Load() { (queue/queue.go:44) (the 3rd time) before q.done"},
		{&finding.Past{At: finding.Span{File: "queue/queue.go", Start: 44, End: 44}, Visit: 3, Amid: true}, true, "has come to if q.done.Load() { (queue/queue.go:44) (the 3rd time), and before that goes on, in 0 of 20.",
			"until if q.done.Load() { (queue/queue.go:44) (the 3rd time) before q.done"},
	} {
		d := &finding.Verdict{
			Class: finding.Proved, Category: "concurrency", Proof: proof.Proof{Plan: proof.Named("order"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 3, Of: 20}, Cure: finding.Count{Of: 20}}},
			Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37}, {File: "queue/queue.go", Start: 44, End: 44}},
			Events: []finding.Hold{{Started: start}, {}}, Amid: c.amid, Past: c.past,
		}
		if got := v.forcedSaid(d).Plain(); !strings.HasSuffix(got, c.want) {
			t.Errorf("%+v: %s\nwant %s", c.past, got, c.want)
		}
		if got := v.fix(d)[0].Plain(); !strings.Contains(got, c.advice) {
			t.Errorf("%+v: %s\nwant %s", c.past, got, c.advice)
		}
		if other := strings.Contains(otherOrder(d), "other order") && orderOfCure(d) == "in the other order" && wayRound(d) == "the other way round"; other != (c.past == nil) {
			t.Errorf("%+v: %s, %s", c.past, otherOrder(d), orderOfCure(d))
		}
	}
}

// Runs that end in a cycle of locks show more than a hold that provokes it, unless that is proved.
func TestDeadlockFirst(t *testing.T) {
	held := finding.Suspect{File: "queue/queue_test.go", Start: 13, End: 13, Evidence: finding.Evidence{Class: finding.Reproduced}}
	locks := finding.Suspect{File: "queue/queue.go", Start: 44, End: 44, Evidence: finding.Evidence{Class: finding.Mechanism, Link: finding.Decides},
		Reason: finding.Reason{Kind: finding.ReasonLockOrder, Code: "to.mu", Held: "from.mu", Other: trace.Frame{File: "queue/queue.go", Line: 37}}}
	d := &finding.Verdict{
		Class: finding.Reproduced, Signature: "s", Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 3, Of: 20}}}, Window: []finding.Span{{File: "queue/queue_test.go", Start: 13, End: 13}},
	}
	held.Reason = finding.Reason{Kind: finding.ReasonExperiment, Verdict: d}
	f := newFixture(t)
	test := f.queue()
	test.Failures[0].Signature, test.Failures[0].Suspects = "s", []finding.Suspect{held, locks}
	test.Verdicts = []finding.Verdict{*d}
	const want = "Look first at if q.done.Load() { (queue.go:44): locks to.mu while it holds from.mu (since queue.go:37); another goroutine holds one and waits for another too."
	if got := newViewer(f.result(test)).test(test).Causes[0]; got.Begin.Plain() != want || !strings.HasPrefix(firstLine(got.Fix), "Take from.mu and to.mu in one order") {
		t.Errorf("%s\n%s", got.Begin.Plain(), firstLine(got.Fix))
	}
	test.Verdicts[0].Class = finding.Proved // that is where to look, and the locks are what to mend
	if got := newViewer(f.result(test)).test(test).Causes[0]; strings.Contains(got.Begin.Plain(), "to.mu") || !strings.HasPrefix(firstLine(got.Fix), "Take from.mu and to.mu in one order") {
		t.Errorf("proved: %s\n%s", got.Begin.Plain(), firstLine(got.Fix))
	}
	for name, change := range map[string]func(){
		"of another failure": func() { d.Signature = "other" },
		"no more than a hint": func() {
			d.Class = finding.Reproduced
			test.Failures[0].Suspects[1].Class = finding.Hint
		},
	} {
		was := *d
		if change(); test.Deadlock(d) != nil {
			t.Errorf("%s: told", name)
		}
		*d, test.Failures[0].Suspects[1].Class = was, finding.Mechanism
	}
}

// With the same elsewhere it fails about as often: that is said, and no cause is.
func TestReproducedAnywhere(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result())
	d := &finding.Verdict{
		Class: finding.Reproduced, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 12, Of: 20}, Sham: finding.Count{Failed: 10, Of: 20}, Plain: finding.Count{Failed: 3, Of: 20}}}, Window: []finding.Span{{File: "queue/queue.go", Start: 44, End: 44}},
	}
	x := v.verdictView(d)
	if said := x.Said.Plain(); x.Title != "Failure reproduced, cause not shown" || !strings.HasSuffix(said, "in 12 of 20 runs. With the same elsewhere it failed in 10 of 20: that it is this place is not shown.") {
		t.Errorf("%s: %s", x.Title, said)
	}
	d.Proof.Confirmed.Sham.Failed = 2
	if x = v.verdictView(d); x.Title != "Cause, reproduced by experiment" || strings.Contains(x.Said.Plain(), "not shown") {
		t.Errorf("it hardly fails elsewhere: %s: %s", x.Title, x.Said.Plain())
	}
}

// TestExcerptAroundLiteral has a window with a function literal between its ends: what that does is done when it
// is called, and is not marked.
func TestExcerptAroundLiteral(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	r := f.result(test)
	work := slices.IndexFunc(r.Sites.Funcs, func(fn trace.Func) bool { return fn.Name == "(*Queue).work" })
	fn := r.Sites.Funcs[work]
	first, last := finding.Span{File: "queue/queue.go", Start: fn.Line + 1, End: fn.Line + 1}, finding.Span{File: "queue/queue.go", Start: fn.Line + 3, End: fn.Line + 3}
	test.Verdicts = []finding.Verdict{{
		Class: finding.Proved, Window: []finding.Span{first, last}, At: first, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: 4 * time.Millisecond, Confirmed: proof.Confirmation{Held: 4 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}},
	}}
	lines := func() (held []int) {
		for _, row := range newViewer(r).test(test).Causes[0].Code[0].Rows {
			if row.Class == "held" {
				held = append(held, row.N-fn.Line)
			}
		}
		return held
	}
	if got := lines(); !slices.Equal(got, []int{1, 2, 3}) {
		t.Errorf("without a literal the lines %v are marked", got)
	}
	r.Sites.Funcs = append(r.Sites.Funcs, trace.Func{File: fn.File, Name: "(*Queue).work.func1", Line: fn.Line + 1, End: fn.Line + 3})
	if got := lines(); !slices.Equal(got, []int{1, 3}) {
		t.Errorf("around a literal the lines %v are marked", got)
	}
}

// TestWindowOfPasses has a window that begins in one pass of a loop and ends in a later one.
func TestWindowOfPasses(t *testing.T) {
	f := newFixture(t)
	v := newViewer(f.result(f.queue()))
	first, last := finding.Span{File: "queue/queue.go", Start: 37, End: 37}, finding.Span{File: "queue/queue.go", Start: 44, End: 44}
	for _, c := range []struct {
		window       []finding.Span
		visits, ends []int
		want         string
	}{
		{[]finding.Span{first, last}, []int{5}, []int{2, 9}, "between q.done.Store(true) (queue/queue.go:37) (the 2nd time) and if q.done.Load() { (queue/queue.go:44) (the 9th time), at queue/queue.go:44 (the 5th time), the test"},
		{[]finding.Span{first, last}, []int{5}, []int{5, 5}, "between q.done.Store(true) (queue/queue.go:37) and if q.done.Load() { (queue/queue.go:44), at queue/queue.go:44 (the 5th time), the test"},
		{[]finding.Span{last}, []int{5}, []int{2, 9}, "at if q.done.Load() { (queue/queue.go:44) (the 5th time, and likewise from the 2nd to the 9th), the test"},
		{[]finding.Span{last}, []int{5}, nil, "at if q.done.Load() { (queue/queue.go:44) (the 5th time), the test"},
	} {
		d := &finding.Verdict{
			Class: finding.Proved, Window: c.window, At: last, Visits: c.visits, Ends: c.ends, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: 4 * time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}}},
		}
		if got := v.verdictSaid(d).Plain(); !strings.Contains(got, c.want) {
			t.Errorf("%v %v: got %q, want %q", c.visits, c.ends, got, c.want)
		}
	}
}

// Who is held of several goroutines that are started at one place is said: each, or one of them.
func TestHeldOneOfSeveral(t *testing.T) {
	v := newViewer(newFixture(t).result())
	at := finding.Span{File: "queue/queue.go", Start: 44, End: 44}
	for _, c := range []struct {
		d    finding.Verdict
		want string
	}{
		{finding.Verdict{Every: true}, "If every goroutine started at queue/queue_test.go:11 is held "},
		{finding.Verdict{OneOf: true}, "If one of the goroutines started at queue/queue_test.go:11 is held "},
		{finding.Verdict{}, "If a goroutine started at queue/queue_test.go:11 is held "},
	} {
		d := c.d
		d.Class, d.Proof.Plan, d.Window, d.At, d.Proof.Confirmed.With = finding.Proved, proof.Named("stall"), []finding.Span{at}, at, finding.Count{Failed: 20, Of: 20}
		d.Started = trace.Frame{File: "queue/queue_test.go", Line: 11}
		if got := v.verdictSaid(&d).Plain(); !strings.HasPrefix(got, c.want) {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

// A hold that needs a choice is told with it: of the hold alone the counts would not be true.
func TestHeldAndChosen(t *testing.T) {
	at := []finding.Span{{File: "m.go", Start: 7, End: 7}}
	d := &finding.Verdict{
		Class: finding.Proved, Category: "concurrency", Window: at, At: at[0], Chosen: []finding.Span{{File: "m.go", Start: 9, End: 9}},
		Proof: proof.Proof{Plan: proof.Named("stall+select"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}, Sham: finding.Count{Of: 20}, Cure: finding.Count{Of: 20}}},
	}
	v := newViewer(&finding.Result{})
	v.t = &finding.Test{}
	for _, c := range []struct {
		kind   string
		chosen []finding.Span
		said   string
		label  string
	}{
		{"stall+select", d.Chosen, "is held for 10ms at m.go:7, and what is chosen at random (select) at m.go:9 is fixed to one choice, the test fails: in 20 of 20 runs.", "held here, with another choice"},
		{"stall+select+map", nil, "is held for 10ms at m.go:7, and all that is chosen at random follows one seed, the test fails: in 20 of 20 runs.", "held here, with another choice"},
		{"stall", nil, "is held for 10ms at m.go:7, the test fails: in 20 of 20 runs.", "other held instead"},
	} {
		d.Proof.Plan, d.Chosen = proof.Named(c.kind), c.chosen
		x := v.verdictView(d)
		if said := x.Said.Plain(); !strings.HasSuffix(said, c.said) {
			t.Errorf("%s: %s", c.kind, said)
		}
		if l := x.Bars[2].Label; l != c.label {
			t.Errorf("%s: %s", c.kind, l)
		}
		why := experimentWords(d, "", "here", &finding.Suspect{})
		if strings.Contains(why, "for 10ms and random choices fixed the test failed") != (c.kind != "stall") {
			t.Errorf("%s: %s", c.kind, why)
		}
		if fix := v.fix(d)[0].Plain(); strings.HasPrefix(fix, "Of the cases of m.go:9 that are ready") != (c.kind == "stall+select") {
			t.Errorf("%s: %s", c.kind, fix)
		}
	}
}

// TestCauseNamesWho has a hold in one of several goroutines, at the first visit: a bubble in a listing that is about
// another goroutine says whose hold it was, and that it was not at the visit which the listing is about.
func TestCauseNamesWho(t *testing.T) {
	f := newFixture(t)
	f.file("feed.go", "package m\n\nfunc deliver() {\n\tnews <- 1\n}\n")
	at := f.block(f.fn("feed.go", "m.deliver", "func deliver()"), trace.BlockEntry, "news <- 1")
	v := newViewer(f.result())
	d := &finding.Verdict{
		Class: finding.Proved, Window: []finding.Span{{File: "feed.go", Start: 4, End: 4}}, At: finding.Span{File: "feed.go", Start: 4, End: 4},
		Visits: []int{1}, OneOf: true, Started: trace.Frame{File: "/home/gopher/m/feed.go", Line: 9}, Proof: proof.Proof{Plan: proof.Named("stall"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}}},
	}
	chain := []*divergence.Divergence{{Common: []divergence.Count{{Block: at, N: 1}}}}
	v.t = &finding.Test{Failures: []*finding.Failure{{Analysis: &divergence.Analysis{Chain: chain}}}}
	if got, want := v.causeText(d), "cause: one of the goroutines started at feed.go:9 held here: 20 of 20 failed"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	v.f, d.Signature = v.t.Failures[0], "of another"
	if got := v.causeText(d); !strings.HasPrefix(got, "cause of another failure: one of ") {
		t.Errorf("of a failure that is not shown: %q", got)
	}
	v.t.Failures = append(v.t.Failures, &finding.Failure{Signature: "of another"})
	if got := v.causeText(d); !strings.HasPrefix(got, "cause of failure 2: one of ") {
		t.Errorf("beside another failure: %q", got)
	}
	v.f = v.t.Failures[1]
	chain[0].Common[0].N = 2
	if got, want := v.causeText(d), "cause: one of the goroutines started at feed.go:9 held here (the first time): 20 of 20 failed"; got != want {
		t.Errorf("come to twice: %q, want %q", got, want)
	}
}

// TestChoiceNotShown has a choice with which the test fails more often, and none with which it passes: that the choice is what
// it fails by is not said.
func TestChoiceNotShown(t *testing.T) {
	v := newViewer(newFixture(t).result())
	d := &finding.Verdict{Class: finding.Reproduced, Proof: proof.Proof{Plan: proof.Named("map+select"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 18, Of: 20}, Plain: finding.Count{Failed: 5, Of: 20}}}}
	if got, want := v.verdictSaid(d).Plain(), "With what is chosen at random (map order, select) fixed to one choice the test failed in 18 of 20 runs, with nothing changed in 5 of 20."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d.Class, d.Proof.Confirmed.Cure = finding.Proved, finding.Count{Of: 20}
	if got, want := v.verdictSaid(d).Plain(), "The test fails by what is chosen at random (map order, select): with one choice it failed in 18 of 20 runs, with another in 0 of 20."; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestOfWhichFailures has failures of which some are of one check in other words: what is shown is of all these.
func TestOfWhichFailures(t *testing.T) {
	v := newViewer(newFixture(t).result())
	at := func(sig string, line int) *finding.Failure {
		return &finding.Failure{Signature: sig, Frame: trace.Frame{File: "/m/x_test.go", Line: line}}
	}
	d := &finding.Verdict{Signature: "b", Place: "x_test.go:5"}
	for _, tt := range []struct {
		failures []*finding.Failure
		want     string
	}{
		{[]*finding.Failure{at("b", 5)}, ""},
		{[]*finding.Failure{at("a", 5), at("b", 5)}, ""},
		{[]*finding.Failure{at("a", 6), at("b", 5)}, "of failure 2"},
		{[]*finding.Failure{at("a", 5), at("b", 5), at("c", 6)}, "of failures 1 and 2"},
		{[]*finding.Failure{at("a", 5), at("b", 5), at("c", 6), at("d", 5)}, "of failures 1, 2 and 4"},
		{[]*finding.Failure{at("c", 6)}, ""},
	} {
		v.t = &finding.Test{Failures: tt.failures}
		if got := v.ofFailures(d); got != tt.want {
			t.Errorf("%d failures: %q, want %q", len(tt.failures), got, tt.want)
		}
	}
}
