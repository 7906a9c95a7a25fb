package report

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// TestFactJSON keeps the facts of the first failure that has any.
func TestFactJSON(t *testing.T) {
	f := finding.Fact{
		Freedom: "clock", Measure: "phase", Unit: 100 * time.Millisecond, Likely: true, P: 0.001, At: []finding.Span{{File: "f.go", Start: 5, End: 6}},
		Table: divergence.Table{FailTaken: 4, FailNot: 1, PassTaken: 2, PassNot: 9},
	}
	got := documentFacts(&finding.Test{Failures: []*finding.Failure{{}, {Facts: []finding.Fact{f}}, {Facts: []finding.Fact{f, f}}}})
	if len(got) != 1 || got[0].At[0] != (finding.Span{File: "f.go", Start: 5, End: 6}) || got[0].Unit != 100*time.Millisecond || got[0].P != 0.001 {
		t.Errorf("got %+v", got)
	}
}
