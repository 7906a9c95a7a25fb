package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// TestEveryReasonHasWords has each kind of reason that package finding declares.
func TestEveryReasonHasWords(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../internal/finding/suspect.go", nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		c, ok := node.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if id, ok := c.Type.(*ast.Ident); !ok || id.Name != "ReasonKind" {
			return true
		}
		kind, err := strconv.Unquote(c.Values[0].(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		n++
		s := &finding.Suspect{Reason: finding.Reason{
			Kind: finding.ReasonKind(kind), Tests: []string{"TestA"}, Code: "x",
			Data: &finding.DataDivergence{Kind: finding.DataVaries}, Verdict: &finding.Verdict{Early: new(finding.Early)}, Party: new(finding.Party),
		}}
		if Why(s) == "" {
			t.Errorf("%s: nothing is said of reason %q", c.Names[0].Name, kind)
		}
		return true
	})
	if n < 20 {
		t.Errorf("only %d kinds were found", n)
	}
}

// Where an operand may get its order is a guess, and told as one.
func TestPermutedWords(t *testing.T) {
	d := finding.DataDivergence{Kind: finding.DataPermuted, Expr: "enc.Encode(m)", Source: "map order", Operand: "buf.String()"}
	r := finding.Reason{Kind: finding.ReasonDrawVaries, Source: d.Source, Code: d.Operand, Data: &d}
	want := "buf.String() has the same content from run to run, but in different orders: it may be written here (map order)"
	if got := Why(&finding.Suspect{Evidence: finding.Evidence{Class: finding.Hint}, Reason: r}); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	v := newViewer(newFixture(t).result())
	if got := v.data([]finding.DataDivergence{d})[0].Plain(); !strings.HasPrefix(got, "Perhaps different from run to run: enc.Encode(m) (") {
		t.Errorf("got %q", got)
	}
}

// Of several goroutines it is said where the one that is meant is started, and which it is,
// if that is known.
func TestAnotherWords(t *testing.T) {
	start := trace.Frame{File: "p/x.go", Line: 9}
	for _, c := range []struct {
		nth, alike    int
		started       trace.Frame
		another, goes string
	}{
		{1, 1, start, "another goroutine", "starts a goroutine, which"},
		{2, 3, start, "the 2nd goroutine started at x.go:9", "starts several goroutines, the 2nd of which"},
		{0, 3, start, "a certain goroutine of those started at x.go:9", "starts several goroutines, a certain one of which"},
		{1, 2, trace.Frame{}, "a certain other goroutine, of several that are started alike,", "starts several goroutines, the 1st of which"},
	} {
		r := finding.Reason{Kind: finding.ReasonLate, Nth: c.nth, Alike: c.alike, Started: c.started}
		if got := Why(&finding.Suspect{Reason: r}); !strings.HasPrefix(got, c.another+" had not run this") {
			t.Errorf("%+v: %q", c, got)
		}
		r.Kind = finding.ReasonGo
		if got := Why(&finding.Suspect{Reason: r}); !strings.HasPrefix(got, c.goes+" had already run ") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// In a loop it is one time of several that was counted: other goroutines that are started
// there, and this one at another time, may run the same line in all runs.
func TestOrderTimes(t *testing.T) {
	at := trace.Frame{File: "p/x.go", Line: 9}
	table := divergence.Table{FailTaken: 4, PassTaken: 8, PassNot: 25}
	for _, c := range []struct {
		r    finding.Reason
		want string
	}{
		{finding.Reason{Kind: finding.ReasonEarly, Times: 7}, "another goroutine had already run this for the 7th time when the run came to x.go:9, in"},
		{finding.Reason{Kind: finding.ReasonLate, Times: 7}, "another goroutine had not run this for the 7th time when the run came to x.go:9, in"},
		{finding.Reason{Kind: finding.ReasonLate, Times: 1}, "another goroutine had not run this when the run came to x.go:9, in"},
		{finding.Reason{Kind: finding.ReasonGo, Nth: 2, Alike: 3, Times: 7}, "starts several goroutines, the 2nd of which had already run x.go:9 for the 7th time when the run came to where the runs diverge, in"},
		{finding.Reason{Kind: finding.ReasonGo, Late: true, Alike: 1, Times: 7}, "starts a goroutine, which had not run x.go:9 for the 7th time when the run came to where the runs diverge, in"},
		{finding.Reason{Kind: finding.ReasonTimedWait, Times: 7}, "sleeps for a time instead of waiting for x.go:9, which another goroutine had not run for the 7th time in"},
	} {
		c.r.Other = at
		if got, want := Why(&finding.Suspect{Evidence: finding.Evidence{Table: table}, Reason: c.r}), c.want+" 4 of 4 failing and 8 of 33 passing runs"; got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

// What is said of a write in another goroutine is what was recorded of its time.
func TestConcurrentWords(t *testing.T) {
	at := trace.Frame{File: "x.go", Line: 9}
	for _, tt := range []struct {
		r    finding.Reason
		want string
	}{
		{finding.Reason{Kind: finding.ReasonConcurrent, Read: true, Seen: 5, Of: 5}, "in all 5 failing runs another goroutine writes here around the time when it is read at x.go:9; by the recorded times either may have come first"},
		{finding.Reason{Kind: finding.ReasonConcurrent, Seen: 1, Of: 5}, "in 1 of 5 failing runs another goroutine writes here around the time when they come to x.go:9; by the recorded times either may have come first"},
		{finding.Reason{Kind: finding.ReasonConcurrent, Read: true, Code: "TestB", Seen: 8, Of: 8, Partly: true}, "in 8 of 8 failing runs that were looked at TestB writes here while this test runs or later; it is read at x.go:9"},
		{finding.Reason{Kind: finding.ReasonConcurrent, Read: true, Late: true, Seen: 1, Of: 1}, "in the one failing run another goroutine writes here after it is read at x.go:9"},
		{finding.Reason{Kind: finding.ReasonDrawVaries, Code: "n", Source: "a channel"}, "n may depend on a channel here, which differs from run to run; no one value or limit was shown to tell failing from passing runs"},
		{finding.Reason{Kind: finding.ReasonDrawVaries, Code: "n", Source: "a channel", Data: &finding.DataDivergence{Kind: finding.DataVaries, OperandTells: true}},
			"n may depend on a channel here, which differs from run to run; no failing run in the table of values had a value of n that a passing one had"},
		{finding.Reason{Kind: finding.ReasonConcurrent, Read: true, Again: true, Seen: 2, Of: 3}, "in 2 of 3 failing runs another goroutine writes here around the time when it is read at x.go:9, and again after that"},
		{finding.Reason{Kind: finding.ReasonSleep, Late: true, Seen: 3, Of: 3}, "sleeps for a time before it looks at what another goroutine changes at x.go:9, in all 3 failing runs after that"},
	} {
		tt.r.Other = at
		if got := Why(&finding.Suspect{Evidence: finding.Evidence{Class: finding.Hint}, Reason: tt.r}); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// What ended the process itself is told as that: package testing did not.
func TestOutlivesWordsOfDeath(t *testing.T) {
	for kind, want := range map[finding.ReasonKind]string{
		finding.ReasonOutlives:       "starts the goroutine that ended the process after TestB had passed",
		finding.ReasonOutlivesEnd:    "the test ends after this without having waited, as far as the source shows, for the goroutine that is started at x.go:9, which ended the process after TestB had passed",
		finding.ReasonOutlivesSignal: "ends the wait at x.go:7, and then the goroutine that is started at x.go:9 goes on: it ended the process after TestB had passed",
	} {
		s := finding.Suspect{Reason: finding.Reason{Kind: kind, Late: true, Code: "TestB", Other: trace.Frame{File: "x.go", Line: 9}, Then: trace.Frame{File: "x.go", Line: 7}}}
		if got := Why(&s); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestOutlivesWords: all that is known is what package testing said, and what the source shows.
func TestOutlivesWords(t *testing.T) {
	for kind, want := range map[finding.ReasonKind]string{
		finding.ReasonOutlives:       "starts the goroutine that failed or logged after TestB had completed, for which package testing ended the process",
		finding.ReasonOutlivesEnd:    "the test ends after this without having waited, as far as the source shows, for the goroutine that is started at x.go:9, which failed or logged after TestB had completed",
		finding.ReasonOutlivesSleep:  "sleeps for a time before the test ends, and does not wait, as far as the source shows, for the goroutine that is started at x.go:9, which failed or logged after TestB had completed",
		finding.ReasonOutlivesSignal: "ends the wait at x.go:7, and then the goroutine that is started at x.go:9 goes on: it failed or logged after TestB had completed",
	} {
		s := finding.Suspect{Reason: finding.Reason{Kind: kind, Code: "TestB", Other: trace.Frame{File: "x.go", Line: 9}, Then: trace.Frame{File: "x.go", Line: 7}}}
		if got := Why(&s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestUnwaitedWords: with an experiment its counts are said, and else what the source shows alone.
func TestUnwaitedWords(t *testing.T) {
	d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("stall"), Smallest: time.Millisecond, Confirmed: proof.Confirmation{Held: 3 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 3, Of: 20}}}}
	r := finding.Reason{Kind: finding.ReasonUnwaited, Code: "wg", Other: trace.Frame{File: "x.go", Line: 9}, Then: trace.Frame{File: "x.go", Line: 10}}
	nothing := "nothing waits here, or anywhere, for wg, by which the goroutine started at x.go:9 tells what it has done, at x.go:10, as far as the source shows"
	for _, want := range []string{nothing, nothing + ": with that goroutine held for 3ms the test failed in 20 of 20 runs, with nothing changed in 3 of 20"} {
		if got := Why(&finding.Suspect{Reason: r}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		r.Verdict = d
	}
	r.Kind, r.Verdict = finding.ReasonUnwaitedSleep, nil
	if got, want := Why(&finding.Suspect{Reason: r}), "sleeps for a time; nothing waits for wg, "; !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q at the beginning", got, want)
	}
}

// TestSelectWords: that runs had to wait is counted where they diverge, and not of other passes.
func TestSelectWords(t *testing.T) {
	s := finding.Suspect{Evidence: finding.Evidence{Table: divergence.Table{FailTaken: 4, PassNot: 6}}, Reason: finding.Reason{Kind: finding.ReasonSelect, Seen: 2, Of: 10, Other: trace.Frame{File: "x.go", Line: 9}}}
	want := "of the cases of this select that are ready, Go takes one at random. Where the runs diverge 2 of 10 had to wait for one; it took the case at x.go:9 in 4 of 4 failing and 0 of 6 passing runs"
	if got := Why(&s); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestGathersWords has a loop over a map whose list is used as it comes.
func TestGathersWords(t *testing.T) {
	d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("map"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Failed: 3, Of: 20}}}}
	s := finding.Suspect{File: "a/x.go", Start: 4, End: 9, Reason: finding.Reason{Kind: finding.ReasonExperiment, Verdict: d, Gathers: "keys"}}
	if got, want := Why(&s), ", with nothing changed in 3 of 20; keys, which the loop appends to, is used at x.go:9, and not sorted by then, as far as the source shows"; !strings.HasSuffix(got, want) {
		t.Errorf("got %q, want %q at the end", got, want)
	}
}

// Of a call that was made several times in a run it is said which one is meant, also if
// that is the first.
func TestWhyWhichCall(t *testing.T) {
	found := divergence.DataDivergence{Rule: divergence.RuleEqual, Value: "65536", Table: divergence.Table{FailNot: 2, PassTaken: 0, PassNot: 3, FailTaken: 0}}
	s := finding.Suspect{Evidence: finding.Evidence{Class: finding.Associated}, Reason: finding.Reason{Kind: finding.ReasonDraw, Code: "n", Source: "the list of goroutines", Data: &finding.DataDivergence{Kind: finding.DataValue, Values: divergence.ValueCall, Found: &found}}}
	for several, want := range map[bool]string{
		false: "n depends on the list of goroutines here: its value was 65536 ",
		true:  "n depends on the list of goroutines here: the value of call 1 was 65536 ",
	} {
		if found.Several = several; !strings.HasPrefix(Why(&s), want) {
			t.Errorf("got %q, want %q", Why(&s), want)
		}
	}
}

// Runs that went a way at any pass are not set against passing runs that were not there.
func TestDivergedAtSomePass(t *testing.T) {
	table := divergence.Table{FailTaken: 3, FailNot: 2, PassNot: 14}
	for partly, want := range map[bool]string{
		true:  "runs diverge here: 3 of 5 failing runs went the same way, each at a pass where the passing runs that were compared with it went on otherwise",
		false: "runs diverge here: 3 of 5 failing and 0 of 14 passing runs went the same way",
	} {
		s := finding.Suspect{Evidence: finding.Evidence{Class: finding.Hint, Table: table}, Reason: finding.Reason{Kind: finding.ReasonDivergence, Partly: partly}}
		if got := Why(&s); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// What is so of every failing run by what a failed check is, is no evidence: not the way into
// the check, and not a value that it looks at. How often a loop went round before is some.
func TestSurfacesIsNoEvidence(t *testing.T) {
	table := divergence.Table{FailTaken: 12, PassNot: 28}
	for _, tt := range []struct {
		r    finding.Reason
		want string
	}{
		{finding.Reason{Kind: finding.ReasonDivergence}, "all 12 failing runs went straight from here to where the test fails"},
		{finding.Reason{Kind: finding.ReasonDivergence, Loop: &divergence.Loop{Limit: 4}}, "runs diverge here: 12 of 12 failing and 0 of 28 passing runs made fewer than 4 iterations of this loop"},
		{finding.Reason{Kind: finding.ReasonDraw, Source: "a channel", Code: "got"}, "what the failed check looks at comes from a channel here, where the failure surfaces"},
	} {
		s := finding.Suspect{Evidence: finding.Evidence{Class: finding.Symptom, Table: table}, Reason: tt.r}
		if got := Why(&s); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}

// What had run, or not, is a function literal within a line that was run: it is named as such.
func TestLiteralWords(t *testing.T) {
	table := divergence.Table{FailTaken: 4, PassTaken: 0, PassNot: 3}
	x := trace.Frame{File: "x.go", Line: 9}
	for _, tt := range []struct {
		r    finding.Reason
		want string
	}{
		{finding.Reason{Kind: finding.ReasonLate, Literal: true}, "another goroutine had not run the function literal here when the run came to x.go:9, in 4 of 4 failing and 0 of 3 passing runs"},
		{finding.Reason{Kind: finding.ReasonLate, Of: 4}, "another goroutine had not run this when the run came to x.go:9, in 4 of 4 failing and 0 of 3 passing runs"},
		{finding.Reason{Kind: finding.ReasonLate, Of: 6}, "another goroutine had not run this when the run came to x.go:9, in 4 of 4 failing and 0 of 3 passing runs (2 more failing left out)"},
		{finding.Reason{Kind: finding.ReasonGo, Late: true, Literal: true}, "starts a goroutine, which had not run the function literal at x.go:9 when the run came to where the runs diverge, in 4 of 4 failing and 0 of 3 passing runs"},
		{finding.Reason{Kind: finding.ReasonTimedWait, Literal: true}, "sleeps for a time instead of waiting for the function literal at x.go:9, which another goroutine had not run in 4 of 4 failing and 0 of 3 passing runs"},
	} {
		tt.r.Other = x
		if got := Why(&finding.Suspect{Evidence: finding.Evidence{Table: table}, Reason: tt.r}); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
}
