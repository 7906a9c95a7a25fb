package report

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
)

// Subtests of one test that fail in the very same runs are linked to each other
// and stand together.
func TestRelate(t *testing.T) {
	test := func(pkg, name string, failed ...int) *finding.Test {
		return &finding.Test{Package: "example.com/m/" + pkg, Name: name, Runs: runs(10, finding.Failed, failed...), Failures: []*finding.Failure{{Message: "bad", Runs: failed}}}
	}
	a, b, c := test("q", "TestX/a", 2, 5), test("q", "TestX/b", 2), test("q", "TestX/c", 2, 5)
	other, top, pkg, d := test("q", "TestY/a", 2, 5), test("q", "TestZ", 2, 5), test("r", "TestX/a", 2, 5), test("q", "TestX/d/e", 2, 5)
	all := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	x, y := test("q", "TestX/x", all...), test("q", "TestX/y", all...)
	f := newFixture(t)
	r := f.result(finding.Relate([]*finding.Test{a, b, c, other, top, pkg, d, x, y})...)
	var names []string
	for _, t := range r.Tests {
		names = append(names, strings.TrimPrefix(t.Package, "example.com/m/")+"."+t.Name)
	}
	if want := []string{"q.TestX/a", "q.TestX/c", "q.TestX/d/e", "q.TestX/b", "q.TestY/a", "q.TestZ", "r.TestX/a", "q.TestX/x", "q.TestX/y"}; !slices.Equal(names, want) {
		t.Errorf("order %v, want %v", names, want)
	}
	v := newViewer(r)
	for _, o := range r.Tests {
		want := map[*finding.Test]string{a: "TestX/c TestX/d/e", c: "TestX/a TestX/d/e", d: "TestX/a TestX/c"}[o]
		if got := relatedTo(v, o); got != want {
			t.Errorf("%s: %q, want %q", o.Name, got, want)
		}
	}
	if html := words(v.related(a)[0].Tests[0]); string(html) != `<a class="place" href="q.TestX-c.html">TestX/c</a>` {
		t.Errorf("%s", html)
	}
	data, err := json.Marshal(v.document())
	if err != nil || !strings.Contains(string(data), `"same_runs":["TestX/c","TestX/d/e"]`) || strings.Count(string(data), "same_runs") != 3 {
		t.Errorf("%v, %s", err, data)
	}
	if md, err := v.markdown(v.test(c)); err != nil || !strings.Contains(md, "fails in the same runs: `TestX/a` `TestX/d/e`") {
		t.Errorf("%s", md)
	}
}

// Of many that fail in the same runs some are named.
func TestRelateMany(t *testing.T) {
	var tests []*finding.Test
	for _, name := range strings.Split("abcdefghijklmnopqrstuvwxyz", "") {
		tests = append(tests, &finding.Test{Name: "TestX/" + name, Runs: runs(3, finding.Failed, 2)})
	}
	r := newFixture(t).result(finding.Relate(tests)...)
	if got, want := relatedTo(newViewer(r), tests[0]), strings.ReplaceAll("TestX/b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u", "-", " TestX/"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// relatedTo names the tests that a page links to as related.
func relatedTo(v *viewer, t *finding.Test) string {
	var names []string
	for _, x := range v.related(t) {
		for _, s := range x.Tests {
			names = append(names, s.String())
		}
	}
	return strings.Join(names, " ")
}

// A run in which only a subtest failed is not one that did not come to the test.
func TestByChild(t *testing.T) {
	test := &finding.Test{Name: "TestX", Runs: runs(5, finding.Failed, 1)}
	for i, byChild := range []bool{true, true, false} {
		test.Runs[i+2].Status, test.Runs[i+2].ByChild = finding.NotRun, byChild
	}
	v := newViewer(newFixture(t).result(test))
	w := v.test(test)
	var got []string
	for _, l := range w.Legend {
		got = append(got, l.Text)
	}
	want := []string{"1 passed", "1 failed", "1 not run", "2 only a subtest failed"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestSameCause links tests with the same proof.
func TestSameCause(t *testing.T) {
	at := func(line int) []finding.Span { return []finding.Span{{File: "keys.go", Start: line, End: line}} }
	test := func(name string, d ...finding.Verdict) *finding.Test {
		return &finding.Test{Package: "example.com/m", Name: name, Runs: runs(10, finding.Failed, 2), Verdicts: d}
	}
	a, b := test("TestA", verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("map")}, Window: at(4)}.Make()), test("TestB", verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("map")}, Window: at(4)}.Make())
	r := newFixture(t).result(a, b,
		test("TestElsewhere", verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("map")}, Window: at(9)}.Make()), test("TestHeld", verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("stall")}, Window: at(4)}.Make()),
		test("TestNone"), test("TestNowhere", verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("gc")}}.Make()), test("TestNowhereToo", verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("gc")}}.Make()),
		test("TestVictim", verdicttest.Verdict{Proof: proof.Proof{Before: []string{"TestSets"}}}.Make()), test("TestOther", verdicttest.Verdict{Proof: proof.Proof{Before: []string{"TestSets"}}}.Make()))
	for _, o := range r.Tests {
		want := map[string]string{
			"TestA": "TestB", "TestB": "TestA", "TestVictim": "TestOther", "TestOther": "TestVictim",
		}[o.Name]
		if got := relatedTo(newViewer(r), o); got != want {
			t.Errorf("%s: %q, want %q", o.Name, got, want)
		}
	}
}
