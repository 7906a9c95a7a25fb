package diagnose

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var update = flag.Bool("update", false, "write the golden file anew")

// A plainCoder shows places without a source: "here" is the one that a reason is for.
type plainCoder struct{}

var names = map[int]string{1: "here()", 2: "other()", 3: "then()"}

func (plainCoder) Code(s finding.Span) say.Code {
	return say.Code{Text: names[s.Start], Place: fmt.Sprintf("a.go:%d", s.Start)}
}

func (c plainCoder) Line(f trace.Frame) say.Code {
	if f.File == "" {
		return say.Code{}
	}
	return c.Code(finding.Span{Start: f.Line})
}

func (c plainCoder) Named(text string, s finding.Span) say.Code {
	x := c.Code(s)
	x.Text = text
	return x
}

func (c plainCoder) Ranged(s finding.Span) say.Code { return c.Named("m", s) }
func (c plainCoder) Drawn(s finding.Span) say.Code  { return c.Named("rand.Int()", s) }
func (plainCoder) Name(s string) say.Name           { return say.Name(s) }

// examples are reasons of a kind, with all that they can know.
func examples(k *kind) []finding.Reason {
	r := reason{k, trace.Frame{File: "a.go", Line: 2}}
	then := trace.Frame{File: "a.go", Line: 3}
	left := legator{reason: r, tests: []string{"TestA"}, test: "TestA", variable: "defaults"}
	switch k {
	case whyRace, whyRaceLost:
		return []finding.Reason{side{r, finding.Read, finding.Write, 3, 20}}
	case whySelfLock, whyLeakedLock:
		return []finding.Reason{named{r, "mu"}}
	case whySignal:
		test := r
		test.other.File = "a_test.go"
		return []finding.Reason{signal{r, then}, signal{reason: test}}
	case whyLockOrder:
		return []finding.Reason{hung{named: named{r, "mu"}, held: "rw"}}
	case whyNeverEnds:
		return []finding.Reason{hung{named: named{reason: r}}, hung{named: named{reason: r}, gaveUp: true, endedBy: finding.EndedByFailNow}}
	case whyEndsWait, whyGaveUp:
		return []finding.Reason{hung{named: named{reason: r}, gaveUp: true}}
	case whyStuck:
		return []finding.Reason{hung{named: named{reason: r}}}
	case whyTooEarly, whyTurned, whyWaits, whyWaited:
		return []finding.Reason{hung{named: named{reason: r}}, hung{named: named{reason: r}, gaveUp: true}}
	case whyTest:
		maybe, environment, unknown := left, left, left
		maybe.maybe, environment.variable, unknown.variable = true, "the environment variable HOME", ""
		return []finding.Reason{left, maybe, environment, unknown}
	case whyUnset:
		left.needed = true
		return []finding.Reason{left}
	case whyTestCall, whyTestBefore, whyShared, whyCommon, whyPolluted, whyPutBack:
		needed := left
		needed.needed = true
		return []finding.Reason{left, needed}
	case whyFact:
		return []finding.Reason{entry{reason{kind: k}, mapOrder}, entry{reason{kind: k}, "math/rand"}, entry{reason{kind: k}, theClock}}
	case whyDrawVaries:
		return []finding.Reason{entry{r, mapOrder}, entry{r, writeOrder}}
	case whyDraw:
		return []finding.Reason{entry{r, mapOrder}, entry{r, "math/rand"}, entry{r, theClock}, entry{r, "a channel"}, entry{r, "the order of tests"}}
	case whySelect, whySelectOnce:
		return []finding.Reason{taken{r}}
	case whyLimit:
		return []finding.Reason{limited{r, 50 * time.Millisecond}}
	case whyCrash:
		return []finding.Reason{closed{r, "q.done"}}
	}
	return []finding.Reason{r}
}

// TestWords renders all texts about places by all rules, and their claims, into one page for a reader.
func TestWords(t *testing.T) {
	var b strings.Builder
	given := make(map[*kind]bool)
	for _, r := range Rules() {
		fmt.Fprintf(&b, "== %s\n", r.Name)
		for _, k := range r.kinds {
			if given[k] {
				t.Errorf("%s is a kind of two rules", k.name)
			}
			given[k] = true
			for _, x := range examples(k) {
				describe(&b, x)
			}
		}
	}
	if strings.Contains(b.String(), "%!") {
		t.Error("a sentence lacks a value")
	}
	const golden = "testdata/words.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("%s (-want +got):\n%s", golden, diff)
	}
}

func describe(b *strings.Builder, r finding.Reason) {
	s := &finding.Suspect{File: "a.go", Start: 1, End: 1, Reason: r, Evidence: finding.Evidence{Class: finding.Associated}}
	w, c := r.Words(s, plainCoder{}), r.Claim()
	fmt.Fprintf(b, "%s: %s\n", r.Kind(), r.Why(plainCoder{}))
	for _, x := range w.Cause {
		fmt.Fprintf(b, "\tcause: %s\n", x)
	}
	if !w.Mark.None() {
		fmt.Fprintf(b, "\tmark:  %s\n", w.Mark)
	}
	for _, o := range w.Other {
		fmt.Fprintf(b, "\tother: %s\n", o.Mark)
	}
	for _, x := range w.Fix {
		fmt.Fprintf(b, "\tfix:   %s\n", x)
	}
	try := [...]string{"lines", "choices", "tests", "nothing"}[c.Try]
	fmt.Fprintf(b, "\tclaim: try %s", try)
	for _, f := range []struct {
		says string
		is   bool
	}{
		{"category " + c.Category, c.Category != ""}, {"in tests " + c.InTest, c.InTest != ""}, {"no wait in tests", c.NoWait},
		{"early", c.Early}, {"exceeds", c.Exceeds}, {"deadlock", c.Deadlock}, {"surfaces", c.Surfaces}, {"differs", c.Differs},
	} {
		if f.is {
			fmt.Fprintf(b, ", %s", f.says)
		}
	}
	fmt.Fprintln(b)
}

// What ends a wait too early must come after the place where the goroutine was held, if that is known; and what an experiment has
// shown of tests says itself how to mend it.
func TestWordsOfExperiments(t *testing.T) {
	held := &finding.Verdict{Proof: proof.Proof{Plan: proof.Acts{{Kind: "stall", At: &proof.Place{Shown: finding.Span{File: "a.go", Start: 3, End: 3}}}}}}
	for _, c := range []struct {
		reason finding.Reason
		d      *finding.Verdict
		want   string
	}{
		{signal{reason: reason{kind: whySignal}}, held, "Run `here()` (a.go:1) after `then()` (a.go:3): it ends the wait too early."},
		{signal{reason: reason{kind: whySignal}}, nil, "Signal last in the goroutine: what follows is not waited for."},
		{legator{reason: reason{kind: whyTest}, variable: "defaults", test: "TestA"}, held, ""},
		{legator{reason: reason{kind: whyTest}, variable: "defaults", test: "TestA"}, nil, "Reset `defaults` (a.go:1) with t.Cleanup in TestA."},
	} {
		s := &finding.Suspect{File: "a.go", Start: 1, End: 1, Reason: c.reason, Verdict: c.d}
		var got []string
		for _, x := range c.reason.Words(s, plainCoder{}).Fix {
			got = append(got, x.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.reason.Kind(), got, c.want)
		}
	}
}

// A test always decides only if it does so in all runs counted, by itself.
func TestWordsOfTests(t *testing.T) {
	all := divergence.Table{FailTaken: 5, PassNot: 45}
	for _, c := range []struct {
		tests  []string
		needed bool
		table  divergence.Table
		want   string
	}{
		{[]string{"TestA"}, false, all, "Fails after TestA."},
		{[]string{"TestA"}, true, all, "Fails unless TestA ran before."},
		{[]string{"TestA"}, false, divergence.Table{FailTaken: 5, PassTaken: 3, PassNot: 42}, "Can fail after TestA."},
		{[]string{"TestA"}, true, divergence.Table{FailTaken: 5, FailNot: 1, PassNot: 44}, "Can fail unless TestA ran before."},
		{[]string{"TestA", "TestB"}, true, all, "Can fail unless TestA ran before."},
	} {
		r := legator{reason: reason{kind: whyTestBefore}, tests: c.tests, test: "TestA", needed: c.needed}
		s := &finding.Suspect{File: "a.go", Start: 1, End: 1, Reason: r, Evidence: finding.Evidence{Table: c.table}}
		if got := r.Words(s, plainCoder{}).Cause[0].String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.table, got, c.want)
		}
	}
}

// A value that the failed check looks at is no cause, and where the failure shows.
func TestSurfaces(t *testing.T) {
	for _, c := range []struct {
		reason finding.Reason
		class  finding.Class
		want   bool
	}{
		{reason{kind: whyCheck}, finding.Symptom, true},
		{reason{kind: whyDied}, finding.Symptom, true},
		{reason{kind: whyDiverges}, finding.Symptom, true},
		{reason{kind: whyDiverges}, finding.Hint, false},
		{reason{kind: whyLoops}, finding.Symptom, false},
		{entry{reason{kind: whyDraw}, mapOrder}, finding.Symptom, true},
		{entry{reason{kind: whyDraw}, mapOrder}, finding.Associated, false},
		{hung{named: named{reason: reason{kind: whyWaits}}}, finding.Symptom, false},
	} {
		s := &finding.Suspect{Reason: c.reason, Evidence: finding.Evidence{Class: c.class}}
		if s.Surfaces() != c.want {
			t.Errorf("%s, %s: %v", c.reason.Kind(), c.class, !c.want)
		}
		if _, draws := c.reason.(entry); draws && c.want && len(c.reason.Words(s, plainCoder{}).Cause) > 0 {
			t.Errorf("%s: a symptom has a cause", c.reason.Kind())
		}
	}
}
