package analyze

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
)

// How far experiments with a test came is known to each of its subtests, and to no
// other test; a file of a version that did not keep it is read all the same.
func TestTriedIsKept(t *testing.T) {
	an := &Analyzer{Dir: t.TempDir(), Warnf: t.Errorf}
	result := &finding.Result{Tests: []*finding.Test{{Package: "p", Name: "TestX/a"}, {Package: "p", Name: "TestXY"}, {Package: "q", Name: "TestX"}}}
	tried := &finding.Tried{Test: "TestX", Runs: 12, Took: time.Second, Limit: time.Minute, CutOff: true, Budget: true}
	list := []TestVerdict{
		{Package: "p", Test: "TestX/a", Place: "x_test.go:3", Verdicts: []finding.Verdict{{Kind: "stall"}}},
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

// A test that does not wait goes on too soon in its own goroutine; others that come too
// soon are no matter of its waiting.
func TestGoesOn(t *testing.T) {
	own := &experiment.GoroutineRef{Chain: []experiment.Start{{Test: "TestX"}}}
	other := &experiment.GoroutineRef{Chain: []experiment.Start{{Test: "TestX"}, {In: "m.TestX", Text: "go f()"}}}
	cured, not := &experiment.Count{Of: 20}, &experiment.Count{Failed: 5, Of: 20}
	for _, c := range []struct {
		name string
		cure experiment.Place
		held *experiment.GoroutineRef
		runs *experiment.Count
		want bool
	}{
		{"the test looks too soon", experiment.Place{Goroutine: own, File: "x_test.go"}, other, cured, true},
		{"code that it calls does", experiment.Place{Goroutine: own, File: "x.go"}, other, cured, false},
		{"another goroutine does", experiment.Place{Goroutine: other, File: "x_test.go"}, other, cured, false},
		{"it is the test itself that is held", experiment.Place{Goroutine: own, File: "x_test.go"}, own, cured, false},
		{"it fails all the same", experiment.Place{Goroutine: own, File: "x_test.go"}, other, not, false},
	} {
		r := &experiment.Replay{Stalls: []experiment.ReplayStall{{At: experiment.Place{Goroutine: c.held}}}, Cure: []experiment.ReplayStall{{At: c.cure}}}
		r.Confirmed.Cure = c.runs
		if got := goesOn(r); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
