package analyze

import (
	"testing"
	"time"

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
