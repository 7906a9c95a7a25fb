package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/browsertest"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// aCause is the box at the top of a page as a browser shows it.
type aCause struct {
	Title, Kind string
	Above       bool       // it stands above everything else, and ends within the first 800 pixels
	Lines       []aLine    // of the excerpt that are marked
	Bars        [][]string // label, text and width in per cent
	Commands    []string
	Fix         []string
}

const causeBox = `(function () {
	var box = document.querySelector(".cause"), rect = box.getBoundingClientRect();
	var text = function (e) { return e.textContent.trim().replace(/\s+/g, " "); };
	var all = function (sel) { return Array.from(box.querySelectorAll(sel)); };
	return {
		Title: text(box.querySelector("h2")), Kind: text(document.querySelector(".kind-line") || document.createElement("p")),
		Above: document.querySelector("main").firstElementChild === box && rect.bottom < 800,
		Lines: all(".line.held, .line.cure, .line.start").map(function (l) {
			var mk = l.querySelector(".mk"), callouts = [];
			for (var n = l.nextElementSibling; n && n.classList.contains("callout"); n = n.nextElementSibling) { callouts.push(n.innerText.trim()); }
			return {Line: text(l.querySelector(".no")) + " " + text(l.querySelector("code")), Mark: mk.lastElementChild.textContent, Words: mk.firstElementChild.textContent,
				Border: getComputedStyle(l).borderLeftStyle, Callouts: callouts};
		}),
		Bars: all(".bars tr").map(function (r) { var g = r.querySelector("rect").getBoundingClientRect(), s = r.querySelector("svg").getBoundingClientRect();
			return [text(r.querySelector("th")), text(r.querySelector(".num")), String(Math.round(100 * g.width / (s.width - 2)))]; }),
		Commands: all(".shell").map(text), Fix: all(".fix > ul li").map(text)
	};
})()`

// TestCauseBox reads the answer from the page: verdict, the marks of the window, the
// bars, the commands and the fix, on a desk and on a phone, light and dark.
func TestCauseBox(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.queue()
	b.Show("queue.html", pageOf(t, f.result(test), test))
	want := aCause{
		Title: "Cause, proved by experiment async wait", Kind: "async wait · proved", Above: true,
		Lines: []aLine{
			{Line: "44 if q.done.Load() {", Mark: "○", Words: "held here instead it passes:", Border: "dotted", Callouts: []string{"held here instead: 0 of 20 failed"}},
			{Line: "36 }", Mark: "▐", Words: "held here it fails:", Border: "solid", Callouts: []string{}},
			{Line: "37 q.done.Store(true)", Mark: "▐", Words: "held here it fails:", Border: "solid", Callouts: []string{"held here for 10ms: 20 of 20 failed"}},
		},
		Bars: [][]string{
			{"held here", "20 of 20 failed", "100"}, {"held elsewhere", "4 of 20 failed", "20"},
			{"other held instead", "0 of 20 failed", "0"}, {"nothing changed", "5 of 20 failed", "25"},
		},
		Commands: []string{"fdebug replay TestDrain", "fdebug explain async-wait", "fdebug verify TestDrain"},
		Fix: []string{
			"Let the test wait before if q.done.Load() { (queue.go:44) until what the goroutine started at queue.go:31 does, or leads to, has been done.",
			"Let who does it say so right after: close a channel or call WaitGroup.Done, and wait for that; else poll, for seconds.",
			"A sleep, or a longer one, is no fix: a hold longer than it makes the test fail again.",
		},
	}
	for _, scheme := range []string{"light", "dark"} {
		b.Look(scheme, 1200, 800)
		if diff := cmp.Diff(want, browsertest.Eval[aCause](b, causeBox)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", scheme, diff)
		}
	}
	b.Look("light", 400, 800)
	if n := browsertest.Eval[int](b, `document.documentElement.scrollWidth`); n > 400 {
		t.Errorf("%d pixels wide on a phone", n)
	}
	b.Quiet()
}

// TestPageOrder reads the headings: the answer first, and what is folded.
func TestPageOrder(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.queue()
	b.Look("light", 1200, 800)
	b.Show("queue.html", pageOf(t, f.result(test), test))
	got := browsertest.Eval[[]string](b, `Array.from(document.querySelectorAll("main h2")).filter(function (h) { return !h.classList.contains("vh"); }).map(function (h) { return h.firstChild.textContent.trim(); })`)
	want := []string{"Cause, proved by experiment", "Error", "How it gets there", "Evidence", "Next steps", "Control runs", "Runs", "Environment", "For an issue"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headings (-want +got):\n%s", diff)
	}
	open := browsertest.Eval[[]bool](b, `Array.from(document.querySelectorAll(".evidence")).map(function (d) { return d.open; })`)
	for i, is := range open {
		if is != (i == 0) {
			t.Errorf("evidence %d of %d: open is %v", i+1, len(open), is)
		}
	}
	labels := browsertest.Eval[[]string](b, `Array.from(document.querySelectorAll("section[aria-labelledby]")).map(function (s) { return document.getElementById(s.getAttribute("aria-labelledby")).textContent; })`)
	seen := map[string]bool{}
	for _, l := range labels {
		if seen[l] {
			t.Errorf("two landmarks are called %q", l)
		}
		seen[l] = true
	}
	b.Quiet()
}

// TestBegin has a place first that what was shown does not name itself: the cause says so.
func TestBegin(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	v := newViewer(f.result(test))
	v.t = test
	d := &test.Verdicts[0]
	first := finding.Suspect{File: "queue/queue.go", Start: 37, End: 37, Reason: finding.Reason{Kind: finding.ReasonSleepHeld, Verdict: d, Other: trace.Frame{File: "queue/queue_test.go", Line: 13}}}
	for kind, want := range map[finding.ReasonKind]string{
		finding.ReasonSleepHeld:  "Look first at q.done.Store(true) (queue/queue.go:37): sleeps for a time, and does not wait for",
		finding.ReasonExperiment: "", finding.ReasonCure: "", finding.ReasonWindow: "",
	} {
		first.Reason.Kind = kind
		test.Failures[0].Suspects = append([]finding.Suspect{first}, test.Failures[0].Suspects...)
		if got := v.begin(d).Plain(); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s: %q, want %q", kind, got, want)
		}
	}
}

// TestUnproved has nothing shown: the page says so, names what is likely, what was tried
// and what to try, and claims no category.
func TestUnproved(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	test.Verdicts = nil
	test.Tried = &finding.Tried{Runs: 214, Took: 12 * time.Second}
	test.Looks = finding.Looks{Category: "async-wait", Reason: finding.LooksByPlace, At: finding.Span{File: "queue/queue.go", Start: 37, End: 37}}
	text := string(pageOf(t, f.result(test), test))
	for _, want := range []string{
		"Cause not proved", "Most likely: <code>q.done.Store(true)</code>", "Experiments did not show what makes it fail (214 runs in 12s).",
		"Looks like <strong>async wait</strong>", "-experiments=10m", `<span class="kind-line">looks like async wait</span>`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(text, "proved by experiment") {
		t.Error("something is said to be proved")
	}
}

// TestProvoked has failures that fdebug has brought about: no rate is given.
func TestProvoked(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	for i := range test.Runs {
		if test.Runs[i].Status.Failing() {
			test.Runs[i].Provoked = "stall"
		}
	}
	r := f.result(test)
	page := string(pageOf(t, r, test))
	for _, want := range []string{`<span class="badge provoked">provoked</span>`, "Provoked by fdebug in <strong>12 runs</strong>; with nothing changed it failed in 5 of 20 runs."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if strings.Contains(page, "How often it fails by itself is not known") {
		t.Error("the page has just said how often it fails with nothing changed")
	}
	if strings.Contains(page, "12 of 50 runs") || strings.Contains(page, "(24 %") {
		t.Error("the page gives a rate")
	}
	if strings.Contains(page, "by chance alone") || strings.Contains(page, "Fisher") {
		t.Error("the page says how likely by chance is what fdebug has brought about")
	}
	if page := string(pageOf(t, f.result(f.queue()), f.queue())); !strings.Contains(page, "by chance alone") || !strings.Contains(page, "Fisher") {
		t.Error("of failures that came by themselves it does not say it")
	}
	var index bytes.Buffer
	if err := indexHTML(&index, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(index.String(), "provoked") || strings.Contains(index.String(), "(24 %") {
		t.Error("the index does not say that it is provoked, or gives a rate")
	}
}

// TestPicker puts a failing run beside a passing one, and marks the steps that only one
// of the two made. Without script the same is in the folded list, linked from the table.
func TestPicker(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	test := f.queue()
	b.Look("light", 1200, 800)
	b.Show("queue.html", pageOf(t, f.result(test), test))
	sides := func() []string {
		return browsertest.Eval[[]string](b, `Array.from(document.querySelectorAll(".sides .other")).map(function (li) { return li.parentElement.parentElement.dataset.panel + ": " + li.textContent; })`)
	}
	want := []string{"fail: (*Queue).Drain queue.go:42–44, 48", "pass: (*Queue).Drain queue.go:42–45"}
	if diff := cmp.Diff(want, sides()); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	if n := browsertest.Eval[[]int](b, `Array.from(document.querySelectorAll(".picker select")).map(function (s) { return s.options.length; })`); !slices.Equal(n, []int{12, 38}) {
		t.Errorf("%v runs to pick from, want 12 and 38", n)
	}
	browsertest.Eval[bool](b, `(function () { var s = document.querySelector("[data-side=fail]"); s.value = "49"; s.dispatchEvent(new Event("change")); return true; })()`)
	if text := browsertest.Eval[string](b, `document.querySelector("[data-panel=fail]").innerText`); !strings.Contains(text, "not drained in time") || !strings.Contains(text, "3 more left out") {
		t.Errorf("run 49 is shown as %q", text)
	}
	b.Follow(".strip li:nth-child(3) a") // which opens the table
	b.Follow("#run-3 td:last-child a")
	if !browsertest.Eval[bool](b, `document.getElementById("record-2").checkVisibility()`) {
		t.Error("the record of run 3 is not to be seen")
	}
	b.Quiet()
}

// TestIndexFilter filters and sorts the tests of the index.
func TestIndexFilter(t *testing.T) {
	b := browsers.Open(t)
	f := newFixture(t)
	r := f.result(f.always(), f.rng(), f.keys(), f.queue(), f.hang())
	r.Passing = 7
	var page bytes.Buffer
	if err := indexHTML(&page, r); err != nil {
		t.Fatal(err)
	}
	b.Look("light", 1200, 800)
	b.Show("index.html", page.Bytes())
	names := func() string {
		return browsertest.Eval[string](b, `Array.from(document.querySelectorAll(".test")).filter(function (t) { return t.checkVisibility(); }).map(function (t) { return t.dataset.name; }).join(" ")`)
	}
	set := func(id, value string) {
		browsertest.Eval[bool](b, `(function () { var e = document.getElementById("`+id+`"); e.value = "`+value+`"; e.dispatchEvent(new Event("input")); return true; })()`)
	}
	for _, step := range []struct{ id, value, want string }{
		{"filter-text", "", "TestDrain TestZeroOrOne TestKeys TestDrainSlow/two/three TestBroken"}, // proved first, always failing last
		{"sort", "name", "TestDrain TestDrainSlow/two/three TestKeys TestZeroOrOne TestBroken"},
		{"sort", "share", "TestZeroOrOne TestDrainSlow/two/three TestDrain TestKeys TestBroken"}, // 48 %, 3 of 10, 24 %, 3 of 20
		{"filter-package", "example.com/m/queue", "TestDrainSlow/two/three TestDrain"},
		{"filter-kind", "async wait", "TestDrain"},
		{"filter-text", "nothing like it", ""},
	} {
		if set(step.id, step.value); names() != step.want {
			t.Errorf("%s = %q: %s, want %s", step.id, step.value, names(), step.want)
		}
	}
	if text := browsertest.Eval[string](b, `document.body.textContent`); !strings.Contains(text, "7 other tests passed in every run that came to them.") || !strings.Contains(text, "async wait · proved") {
		t.Error("passing tests are not counted, or the kind is not given")
	}
	b.Quiet()
}

// TestExcerptOrdered has two lines of which one must not come first: each is marked as
// what it is, nothing between them is, and the fix lets the one wait for the other.
func TestExcerptOrdered(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	test.Verdicts = []finding.Verdict{{
		Class: finding.Proved, Category: "concurrency",
		Window: []finding.Span{{File: "queue/queue.go", Start: 44, End: 44}, {File: "queue/queue.go", Start: 37, End: 37}},
		Proof:  proof.Proof{Plan: proof.Named("order"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 5, Of: 20}, Cure: finding.Count{Of: 20}}},
	}}
	v := newViewer(f.result(test))
	c := v.test(test).Causes[0]
	want := "! queue.go:44  if q.done.Load() {    <- comes first: 20 of 20 failed\n! queue.go:37  q.done.Store(true)    <- comes then; the other way round: 0 of 20 failed"
	if got := mdExcerpt(c.Code, 20); got != want {
		t.Errorf("the excerpt is\n%s\nwant\n%s", got, want)
	}
	if got := v.windowText(&test.Verdicts[0]); got != "if this comes before queue.go:37: 20 of 20 failed" {
		t.Errorf("a listing says %q", got)
	}
	undecided := test.Verdicts[0]
	undecided.PassedSo = 1
	if got := v.windowText(&undecided); got != "if this is made to come before queue.go:37: 20 of 20 failed" {
		t.Errorf("where recorded runs passed with it, a listing says %q", got)
	}
	w := test.Verdicts[0].Window
	w[0], w[1] = w[1], w[0]
	if other := newViewer(f.result(test)).test(test).Causes[0]; !strings.HasPrefix(mdExcerpt(other.Code, 20), "! queue.go:37  q.done.Store(true)    <- comes first") {
		t.Errorf("the other way round the excerpt is\n%s", mdExcerpt(other.Code, 20))
	}
	w[0], w[1] = w[1], w[0]
	by := []finding.Hold{{}, {StartedBy: "sync.(*WaitGroup).Go", Nth: 7}}
	test.Verdicts[0].Events = by
	said := newViewer(f.result(test)).forcedSaid(&test.Verdicts[0]).Plain()
	if want := "(queue/queue.go:44) in the test's own goroutine comes before q.done.Store(true) (queue/queue.go:37) in the 7th goroutine that sync.(*WaitGroup).Go started, the test fails"; !strings.Contains(said, want) {
		t.Errorf("the cause is %q", said)
	}
	if got := c.Fix[0].Plain(); got != "See that q.done.Store(true) (queue.go:37) has been done (with what follows there, as far as that is needed) before if q.done.Load() { (queue.go:44): wait for that with a channel, a WaitGroup or a condition, not for a time, and with no lock held that the other needs." {
		t.Errorf("the fix is %q", got)
	}
}

// A place without a table that separates the runs predicts nothing.
func TestLooksByPlace(t *testing.T) {
	f := newFixture(t)
	test := f.queue()
	test.Verdicts = nil
	test.Looks = finding.Looks{Category: "async-wait", Reason: finding.LooksByPlace, At: finding.Span{File: "queue/queue.go", Start: 37, End: 37}}
	said := func() string {
		v := newViewer(f.result(test))
		v.t, v.f = test, test.Failures[0]
		return v.looks().Plain()
	}
	if got, want := said(), "Looks like async wait: the place that predicts the outcome best is of that kind (queue/queue.go:37). No experiment has shown it."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	test.Failures[0].Suspects[0].Evidence = finding.Evidence{Class: finding.Associated}
	if got, want := said(), "Looks like async wait: the place that is named first is of that kind (queue/queue.go:37). No experiment has shown it."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// Where the failure shows is no cause of it, be it ranked first for want of anything else.
func TestSurfacedIsNoCause(t *testing.T) {
	for _, tt := range []struct {
		kind       finding.ReasonKind
		want, list string
	}{
		{finding.ReasonCheck, "Nothing was found that leads to the failure. The check that failed is", "Not proved. Nothing was found"},
		{finding.ReasonDied, "Nothing was found that leads to the failure. The process died in", "Not proved. Nothing was found"},
		{finding.ReasonDivergence, "Nothing was found that leads to the failure. Failing runs went straight to where the test fails from", "Not proved. Nothing was found"},
		{finding.ReasonDraw, "Nothing was found that leads to the failure. What the failed check looks at comes from a channel, at", "Not proved. Nothing was found"},
		{finding.ReasonWaits, "Most likely: ", "Not proved. Most likely: "},
	} {
		f := newFixture(t)
		test := f.rng()
		test.Tried = &finding.Tried{Runs: 40, Took: time.Second, CutOff: true, Limit: time.Second}
		test.Failures[0].Suspects = []finding.Suspect{{File: "rng/rng.go", Start: 9, End: 9, Reason: finding.Reason{Kind: tt.kind, Source: "a channel"}}}
		v := newViewer(f.result(test))
		v.t = test
		var b strings.Builder
		if err := Markdown(&b, v.r, test); err != nil || !strings.Contains(b.String(), "**Cause not proved.** "+tt.want) {
			t.Errorf("%s: %v, no %q in\n%s", tt.kind, err, tt.want, b.String()[:min(600, b.Len())])
		}
		if strings.Contains(b.String(), "<summary>Fix to try</summary>") {
			t.Errorf("%s: a fix of what is not known", tt.kind)
		}
		if got := v.indexCause().Plain(); !strings.HasPrefix(got, tt.list) {
			t.Errorf("%s: in the index %q, want %q", tt.kind, got, tt.list)
		}
	}
}

// The terminal says no more of a check that all goroutines come to alike than the page: that
// no branch between statements tells all failing runs from passing ones. Of an edge that is taken at one pass or
// another it counts all passes.
func TestOneLineSaysAll(t *testing.T) {
	f := newFixture(t)
	test := f.rng()
	r, fail := f.result(test), test.Failures[0]
	d := fail.Analysis.Chain[0]
	d.Pooled, d.FailTook = true, 9
	if got, want := OneLine(r, fail), "24 of 24 failing runs, at the pass at which they part,"; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	d.SamePath, d.Followed, d.FailNext = true, 20, trace.CheckEvent(trace.CheckFail, 1)
	if got, want := OneLine(r, fail), "In the test's own goroutine no branch between statements tells all failing runs from the passing ones up to the failed check"; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	fail.Frame = trace.Frame{File: "/home/gopher/go/pkg/mod/go.uber.org/mock/gomock/controller.go", Line: 97} // in a cleanup
	if got, want := OneLine(r, fail), "up to the last statement before the failure in other code."; !strings.Contains(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLikely calls a place for which nothing was counted a hint.
func TestLikely(t *testing.T) {
	for class, want := range map[finding.Class]string{finding.Hint: "A hint, no more", finding.Associated: "Most likely", finding.Mechanism: "Most likely"} {
		if got := likely(&finding.Suspect{Evidence: finding.Evidence{Class: class}}); got != want {
			t.Errorf("%v: %q, want %q", class, got, want)
		}
	}
}
