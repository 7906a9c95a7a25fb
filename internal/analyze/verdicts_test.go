package analyze

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// How far experiments with a test came is known to each of its subtests, and to no
// other test; a file of a version that did not keep it is read all the same.
func TestTriedIsKept(t *testing.T) {
	an := &Analyzer{Dir: t.TempDir(), Warnf: t.Errorf}
	result := &finding.Result{Tests: []*finding.Test{{Package: "p", Name: "TestX/a"}, {Package: "p", Name: "TestXY"}, {Package: "q", Name: "TestX"}}}
	tried := &finding.Tried{Test: "TestX", Runs: 12, Took: time.Second, Limit: time.Minute, CutOff: true, Budget: true}
	list := []TestVerdict{
		{Package: "p", Test: "TestX/a", Verdicts: []finding.Verdict{verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("stall")}}.Make()}},
		{Package: "p", Test: "TestX", Tried: tried},
	}
	if err := WriteVerdicts(an.Dir, list); err != nil {
		t.Fatal(err)
	}
	an.addVerdicts(result)
	if x := result.Tests[0]; len(x.Verdicts) != 1 || x.Tried == nil || *x.Tried != *tried {
		t.Errorf("got %+v", x)
	}
	for _, x := range result.Tests[1:] {
		if x.Tried != nil || len(x.Verdicts) > 0 {
			t.Errorf("got %+v", x)
		}
	}
	if err := WriteVerdicts(an.Dir, list[:1]); err != nil {
		t.Fatal(err)
	}
	an.addVerdicts(result)
	if x := result.Tests[0]; len(x.Verdicts) != 1 || x.Tried != nil {
		t.Errorf("of an old file: %+v", x)
	}
}

// What experiments of this process have shown needs no file.
func TestKeep(t *testing.T) {
	an := &Analyzer{Dir: t.TempDir(), Warnf: t.Errorf}
	test := &finding.Test{Package: "p", Name: "TestX"}
	list := []TestVerdict{{Package: "p", Test: "TestX", Verdicts: []finding.Verdict{verdicttest.Verdict{Proof: proof.Proof{Plan: verdicttest.Named("order")}, Signature: "TestX: s", Visits: []int{2, 1}, Window: []finding.Span{{File: "p.go", Start: 8}, {File: "q.go", Start: 9}}}.Make()}}}
	if err := an.Keep(list); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(an.Dir, VerdictsName)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // it may be asked again when there is more
		an.addVerdicts(&finding.Result{Tests: []*finding.Test{test}})
		if len(test.Verdicts) != 1 || test.Verdicts[0].Window()[0].Start != 8 {
			t.Errorf("got %+v", test.Verdicts)
		}
	}
}

// A failure that something was shown of comes first, and runs still tell which failure they had.
func TestShownFirst(t *testing.T) {
	often, seldom := &finding.Failure{Signature: "TestX: a"}, &finding.Failure{Signature: "TestX: b"}
	test := &finding.Test{
		Failures: []*finding.Failure{often, seldom},
		Runs:     []finding.Run{{N: 1, Failure: 0}, {N: 2, Failure: -1}, {N: 3, Failure: 1}},
		Verdicts: []finding.Verdict{verdicttest.Verdict{Class: finding.Proved, Signature: "TestX: b"}.Make()},
	}
	for range 2 {
		shownFirst(test)
		if test.Failures[0] != seldom || test.Failures[1] != often || test.Runs[0].Failure != 1 || test.Runs[1].Failure != -1 || test.Runs[2].Failure != 0 {
			t.Fatalf("%v, runs %+v", test.Failures, test.Runs)
		}
	}
}

// What was seen is told of the failure that it is.
func TestSeen(t *testing.T) {
	an := &Analyzer{Dir: t.TempDir(), Warnf: t.Errorf}
	lost, slow := &finding.Failure{Signature: "TestX: lost"}, &finding.Failure{Signature: "TestX: slow"}
	x := &finding.Test{Package: "p", Name: "TestX", Failures: []*finding.Failure{lost, slow}}
	seen := &finding.SeenIn{Perturbed: proof.Count{Failed: 2, Of: 9}, Plain: proof.Count{Of: 5}}
	if err := WriteVerdicts(an.Dir, []TestVerdict{{Package: "p", Test: "TestX",
		Otherwise: []Otherwise{{Signature: "TestX: slow", Seen: seen}}}}); err != nil {
		t.Fatal(err)
	}
	an.addVerdicts(&finding.Result{Tests: []*finding.Test{x}})
	if lost.Seen != nil || slow.Seen == nil || *slow.Seen != *seen || len(x.Warnings) > 0 {
		t.Errorf("lost %v, slow %v, %q", lost.Seen, slow.Seen, x.Warnings)
	}
}

// What the test's own goroutine does before another one is what it does not wait for; others that come too soon are no
// matter of its waiting.
func TestCategoryOfLaws(t *testing.T) {
	own := &proof.GoroutineRef{Chain: []proof.Start{{Test: "TestX"}}}
	other := &proof.GoroutineRef{Chain: []proof.Start{{Test: "TestX"}, {In: "m.TestX", Text: "go f()"}}}
	for _, c := range []struct {
		law  proof.LawKind
		f, b *proof.GoroutineRef
		want string
	}{
		{proof.LawOrder, own, other, "async-wait"},
		{proof.LawOrder, other, own, "concurrency"},
		{proof.LawOrder, other, other, "concurrency"},
		{proof.LawBetween, own, other, "concurrency"},
		{proof.LawDeadline, nil, nil, "timeout"},
	} {
		p := &proof.Proof{Verdict: proof.Proved, Plan: proof.Acts{{Kind: trace.ActOrder}}, Law: proof.Law{Kind: c.law},
			At: []proof.Place{{Goroutine: c.f}, {Goroutine: c.b}}}
		if got := categoryOf(p); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// The category of what the machine has left follows from what of it was set; of tests before
// that used up the files it is theirs.
func TestCategoryOfLimits(t *testing.T) {
	of := func(what freedom.Aspect) proof.Acts { return proof.Acts{{Kind: trace.ActLimits, What: what}} }
	before := []string{"TestA"}
	for _, c := range []struct {
		plan    proof.Acts
		before  []string
		message string
		want    string
	}{
		{of(freedom.PortTaken), nil, "", "network"},
		{of(freedom.NetworkNone), nil, "", "network"},
		{of(freedom.FilesMost), nil, "", "resource-leak"},
		{of(freedom.TempFresh), nil, "", "io"},
		{of(freedom.HomeFresh), nil, "", "environment"},
		{of(freedom.HomeNone), nil, "", "environment"},
		{of(freedom.QuotaMost), nil, "", "timeout"},
		{of(freedom.FilesMost), before, "", "resource-leak"},
		{nil, before, "open a: too many open files", "resource-leak"},
		{nil, before, "got 3, want 2", "test-order"},
	} {
		p := &proof.Proof{Plan: c.plan, Before: c.before, Message: c.message, Verdict: proof.Proved}
		if got := categoryOf(p); got != c.want {
			t.Errorf("%s, %q: %s, want %s", p.Kind(), c.message, got, c.want)
		}
		if always := (&proof.Proof{Opposite: c.plan, Always: true, Verdict: proof.Proved}); c.message == "" && categoryOf(always) != c.want {
			t.Errorf("always, cured by %s: %s, want %s", always.Kind(), categoryOf(always), c.want)
		}
	}
}

// TestAbout tells what was made to fail in a way that no recorded run did. What a hunt provokes is all there is.
func TestAbout(t *testing.T) {
	own := verdicttest.Verdict{Signature: "TestX: x_test.go:42: N", Place: "x_test.go:42"}.Make()
	other := verdicttest.Verdict{Signature: "TestX: x_test.go:65: N", Place: "x_test.go:65", Proof: proof.Proof{Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}}}}.Make()
	reworded := verdicttest.Verdict{Signature: "TestX: x_test.go:42: none", Place: "x_test.go:42"}.Make()
	plain := other
	plain.Proof.Natural = true
	fails := []*finding.Failure{{Signature: own.Signature(), Frame: trace.Frame{File: "/m/x_test.go", Line: 42}}}
	for _, c := range []struct {
		name     string
		provoked string
		verdict  finding.Verdict
		want     bool
	}{
		{"its own failure", "", own, true},
		{"the same check in other words", "", reworded, true},
		{"another check", "", other, false},
		{"another check that fails by itself too", "", plain, true},
		{"a hunt", "stall", other, true},
	} {
		x := &finding.Test{Runs: []finding.Run{{Failure: 0, Provoked: c.provoked}, {Failure: -1}}, Failures: fails}
		if got := about(x, &c.verdict); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
