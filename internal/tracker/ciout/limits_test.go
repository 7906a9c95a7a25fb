package ciout

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/trace"
)

// crowd is a report on n flaky tests with much to say; the last has a proved
// cause.
func crowd(n int) *Report {
	r := fixture()
	s := &Suite{Package: queue}
	r.Suites, r.Result.Tests = []*Suite{s}, nil
	drain := fixture().Result.Tests[1]
	for i := range n {
		t := *drain
		f := *t.Failures[0]
		t.Name, t.Failures = fmt.Sprintf("TestCrowd%d%s", i, strings.Repeat("x", 2000)), []*finding.Failure{&f}
		f.Message, f.Output = strings.Repeat("message ", 1000), strings.Repeat("output\n", 3_000)
		if i < n-1 {
			t.Verdicts = nil
		}
		r.Result.Tests = append(r.Result.Tests, &t)
		c := &Case{Name: t.Name, Test: &t}
		c.recount()
		s.Cases = append(s.Cases, c)
	}
	return r
}

func TestAnnotationLimits(t *testing.T) {
	var left int
	out := string(written(t, func(w io.Writer) (err error) { left, err = crowd(25).Annotations(w); return err }))
	lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
	if len(lines) != maxAnnotations || left != 15 {
		t.Errorf("%d annotations and %d left out, want 10 and 15", len(lines), left)
	}
	if !strings.HasPrefix(lines[0], "::error ") || !strings.Contains(lines[0], "TestCrowd24") {
		t.Errorf("what is proved does not come first: %.80s", lines[0])
	}
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, "::warning file=m/queue/queue_test.go,line=13,title=TestCrowd") || len(line) > 3000 {
			t.Errorf("%.200s (%d bytes)", line, len(line))
		}
	}
}

// TestSummaryReports looks for the report of each test below its name, in the order of
// the table.
func TestSummaryReports(t *testing.T) {
	rest := string(written(t, func(w io.Writer) error { return fixture().Summary(w, MaxComment) }))
	for _, name := range []string{"TestDrain", `TestAlways/&lt;a&gt;&amp;&#34;b&#34;&#124;::add-mask::x,y% ##[error]@all`, "TestPlain"} {
		_, after, ok := strings.Cut(rest, "<details><summary><code>"+name+"</code></summary>\n\n# `"+name[:9])
		if !ok {
			t.Fatalf("no report of %s in %s", name, rest)
		}
		rest = after
	}
}

// TestSummaryLimits cuts a summary to a comment, to a step, and to less than it takes to
// say anything.
func TestSummaryLimits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, limit := range []int{MaxComment, MaxStepSummary, 4000} {
		out := string(written(t, func(w io.Writer) error { return crowd(200).Summary(w, limit) }))
		if len(out) > limit || len(out) < limit/3 {
			t.Errorf("%d bytes, want at most %d and much of that", len(out), limit)
		}
		if !strings.Contains(out, "*This text was cut: ") || !strings.HasPrefix(out, marker) {
			t.Errorf("it is not said that it was cut: ...%s", out[max(0, len(out)-200):])
		}
		if a, b := strings.Count(out, "<details>"), strings.Count(out, "</details>"); a != b {
			t.Errorf("%d of %d foldings are closed", b, a)
		}
	}
}

func TestTextLimits(t *testing.T) {
	const n, texts, rest = 20, 100_000, 8_000 // each test has rest bytes beside long texts
	r := crowd(n)                             // 21 kB of long texts each
	r.texts = texts
	for name, fill := range map[string]func(io.Writer) error{"JUnit": r.JUnit, "CTRF": r.CTRF} {
		out := written(t, fill)
		if len(out) < texts || len(out) > texts*5/4+n*rest || !strings.Contains(string(out), textsLeftOut) {
			t.Errorf("%s: %d bytes", name, len(out))
		}
	}
}

// TestProvoked is about a test that passes by itself: nothing of its rate is claimed.
func TestProvoked(t *testing.T) {
	r := fixture()
	c := r.Suites[0].Cases[slices.IndexFunc(r.Suites[0].Cases, func(c *Case) bool { return c.Name == "TestDrain" })]
	c.Runs, c.Plain, c.Provoked = Counts{Failed: 20, Passed: 20}, Counts{}, 20
	if c.state() != finding.Provoked {
		t.Errorf("state %s", c.state())
	}
	const want = `message="provoked: with the perturbation 20 of 20 runs failed, without it 0 of 20: got odd"`
	if out := string(written(t, r.JUnit)); !strings.Contains(out, "<flakyFailure "+want) {
		t.Errorf("no %s in\n%s", want, out)
	}
}

// TestSeen is about a test that failed in experiments alone, which have shown nothing of it. If it did so with nothing
// perturbed, it is flaky.
func TestSeen(t *testing.T) {
	runs := []finding.Run{{N: 1, Status: finding.Failed, Provoked: "stall"}, {N: 2, Status: finding.Passed, Failure: -1}}
	for _, c := range []struct {
		seen  finding.SeenIn
		state finding.State
		want  string
	}{
		{finding.SeenIn{Perturbed: finding.Count{Failed: 2, Of: 90}, Plain: finding.Count{Of: 25}}, finding.OnlySeen,
			`<flakyFailure message="seen: with something perturbed 2 of 90 runs failed, without it 0 of 25: lost"`},
		{finding.SeenIn{Perturbed: finding.Count{Failed: 2, Of: 90}, Plain: finding.Count{Failed: 1, Of: 25}}, finding.Flaky,
			`<flakyFailure message="flaky: 1 of 25 runs failed`},
	} {
		x := &finding.Test{Package: "p", Name: "TestX", Runs: runs,
			Failures: []*finding.Failure{{Message: "lost", Seen: &c.seen, Runs: []int{1}}}}
		suite := &Suite{Package: "p"}
		r := New(&finding.Result{Tests: []*finding.Test{x}, Sites: &trace.Sites{}}, []*Suite{suite}, "nothing")
		if got := suite.Cases[0].state(); got != c.state {
			t.Errorf("state %s, want %s", got, c.state)
		}
		if out := string(written(t, r.JUnit)); !strings.Contains(out, c.want) {
			t.Errorf("no %s in\n%s", c.want, out)
		}
	}
}

// TestSeenBeside has a test that is flaky, and failed in another way in experiments. That is a case of its own.
func TestSeenBeside(t *testing.T) {
	runs := []finding.Run{{N: 1, Status: finding.Failed}, {N: 2, Status: finding.Passed, Failure: -1}}
	held := []finding.Run{{N: 1, Status: finding.Failed, Provoked: "stall"}, {N: 2, Status: finding.Passed, Failure: -1}}
	seen := &finding.SeenIn{Perturbed: finding.Count{Failed: 2, Of: 90}, Plain: finding.Count{Of: 25}}
	own := &finding.Test{Package: "p", Name: "TestX", Runs: runs, Failures: []*finding.Failure{{Message: "full", Runs: []int{1}}}}
	other := &finding.Test{Package: "p", Name: "TestX", Runs: held, Failures: []*finding.Failure{{Message: "lost", Seen: seen, Runs: []int{1}}}}
	result := &finding.Result{Tests: []*finding.Test{own, other}, Sites: &trace.Sites{}}
	r := New(result, Suites(result, &runner.Results{Packages: []*runner.Package{{
		Target: runner.Target{ImportPath: "p"},
		Runs: []*runner.Run{{N: 1, Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Failed}}},
			{N: 2, Outcomes: []*runner.Outcome{{Test: "TestX", Status: runner.Passed}}}},
	}}}), "")
	out := string(written(t, r.JUnit))
	for _, want := range []string{`<flakyFailure message="flaky: 1 of 2 runs failed`, `<flakyFailure message="seen: with something perturbed 2 of 90 runs failed`} {
		if strings.Count(out, want) != 1 || len(r.Suites[0].Cases) != 2 {
			t.Errorf("not once %s in\n%s", want, out)
		}
	}
}

// TestProofWithoutLine is about an order of tests, which is proved and has no line: that
// of the annotation is a guess, and said to be one.
func TestProofWithoutLine(t *testing.T) {
	r := fixture()
	drain := r.Result.Tests[1]
	v := &drain.Verdicts[0]
	v.Proof.Plan, v.Proof.Before, v.Proof.At, v.Proof.Smallest = nil, []string{"TestSteady"}, nil, 0
	const said = "Fails after TestSteady."
	check := func(what, place, said string) {
		t.Helper()
		out := string(written(t, func(w io.Writer) error { _, err := r.Annotations(w); return err }))
		line, _, _ := strings.Cut(out, "\n")
		if !strings.HasPrefix(line, "::error file=m/queue/"+place+",title=TestDrain") || !strings.HasSuffix(line, "::"+said+"%0AFailed: got odd") {
			t.Errorf("%s: %s", what, line)
		}
	}
	check("only the failed check is known", "queue_test.go,line=13", said)
	drain.Failures[0].Suspects = []finding.Suspect{{
		Span: finding.Span{File: "queue/queue.go", Start: 5}, Evidence: finding.Evidence{Class: finding.Hint},
		Reason: verdicttest.Reason{},
	}}
	check("with a suspect", "queue.go,line=5", said)
}

func TestNothing(t *testing.T) {
	r := new(Report).withResult()
	r.Suites = []*Suite{{Package: queue, Cases: []*Case{{Name: "TestSteady", Runs: Counts{Passed: 6}}}}}
	r.Nothing = "nothing failed: 0 of 6 runs."
	const want = "<!-- fdebug -->\n## fdebug: nothing found (1 test)\n\nnothing failed: 0 of 6 runs.\n"
	if got := string(written(t, func(w io.Writer) error { return r.Summary(w, MaxComment) })); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := string(written(t, r.CodeQuality)); got != "[]\n" {
		t.Errorf("code quality %q", got)
	}
}

// TestGuard writes what tests may print, in pieces that end anywhere.
func TestGuard(t *testing.T) {
	const text = "::error::a\n  \t::add-mask::b\nin a line :: is no command\nan old ##[add-path]/tmp\n##[x] ##[y]\n"
	const want = ": :error::a\n  \t: :add-mask::b\nin a line :: is no command\nan old ## [add-path]/tmp\n## [x] ## [y]\n"
	for size := 1; size < len(text); size++ {
		var b strings.Builder
		g := Guard(&b)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if _, err := io.WriteString(g, rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if b.String() != want {
			t.Fatalf("in pieces of %d: %q", size, b.String())
		}
	}
}

func TestSecrets(t *testing.T) {
	clean := newCleaner("", []string{
		"GITHUB_TOKEN=ghs_abcdefgh", "DEPLOY_KEY=first line of it\nsecond line\n", "DB_PASSWORD=a<b>c*d_e", "MY_SECRET=short", "PATH=/usr/local/bin",
		"GIT_AUTHOR_NAME=Gopher Gopherson", "LONGER_TOKEN=ghs_abcdefghijk",
	})
	for text, want := range map[string]string{
		"x ghs_abcdefgh y": "x *** y", "ghs_abcdefghijk": "***", "the second line": "the ***", "first line of it\nsecond line": "***",
		"a<b>c*d_e": "***", `a\<b\>c\*d\_e`: "***", "a&lt;b&gt;c*d_e": "***", "short": "short", "/usr/local/bin": "/usr/local/bin", "Gopher Gopherson": "Gopher Gopherson",
	} {
		if got := clean.secrets.Hide(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestFile(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "out.xml")
	if err := os.WriteFile(name, []byte("of an earlier run"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := prepare(name); err != nil {
		t.Fatal(err)
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("left in the directory: %v", entries)
	}
	fill := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	if err := write(name, fill); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(name); string(got) != "new" {
		t.Errorf("written %q", got)
	}
	broken := func(w io.Writer) error { io.WriteString(w, "half"); return io.ErrUnexpectedEOF }
	if err := write(name, broken); err == nil {
		t.Error("an error got lost")
	}
	if got, _ := os.ReadFile(name); string(got) != "new" {
		t.Errorf("after an error the file is %q", got)
	}
	for _, bad := range []string{dir, filepath.Join(dir, "none", "out.xml"), filepath.Join(name, "out.xml")} {
		if err := prepare(bad); err == nil {
			t.Errorf("%s can be written", bad)
		}
	}
}

func TestAppend(t *testing.T) {
	name := filepath.Join(t.TempDir(), "summary.md")
	fill := func(text string) func(io.Writer, int) error {
		return func(w io.Writer, room int) error {
			_, err := io.WriteString(w, text[:min(len(text), room)])
			return err
		}
	}
	for _, text := range []string{"first ", "second ", "third"} {
		var p part
		for _, text := range []string{"before " + text, text} { // the later one replaces the earlier
			if err := p.add(name, 15, fill(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got, _ := os.ReadFile(name); string(got) != "first second th" {
		t.Errorf("appended %q", got)
	}
	if err := new(part).add(name, 15, func(w io.Writer, _ int) error { _, err := io.WriteString(w, "x"); return err }); err == nil {
		t.Error("more than there is room for")
	}
}

// TestAddHunt adds what a hunt has provoked of another test to a report that is written already: all is in it, and only
// what is new gets an annotation.
func TestAddHunt(t *testing.T) {
	var out bytes.Buffer
	r := fixture()
	c := Job{Console: &session.Console{Stderr: &out, Getenv: func(string) string { return "" }}, commands: &out}
	c.github(r)
	before := out.String()
	out.Reset()
	drain := r.Result.Tests[1]
	steady := &finding.Test{Package: queue, Name: "TestSteady", Verdicts: slices.Clone(drain.Verdicts), Failures: drain.Failures}
	steady.Verdicts[0].Proof.Confirmed.With = proof.Count{Failed: 20, Of: 20}
	steady.Verdicts[0].Proof.Confirmed.Plain = proof.Count{Of: 20}
	AddHunt(r, &finding.Result{Sites: r.Result.Sites, Tests: []*finding.Test{steady}}, "nothing")
	c.github(r)
	if !strings.Contains(before, "title=TestDrain") || strings.Contains(before, "TestSteady") {
		t.Errorf("first: %s", before)
	}
	if got := out.String(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "title=TestSteady is provoked") {
		t.Errorf("then: %s", got)
	}
	text := string(written(t, r.JUnit))
	for _, want := range []string{`message="flaky: `, `message="provoked: with the perturbation 20 of 20 runs failed, without it 0 of 20`} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
}
