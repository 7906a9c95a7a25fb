package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestGuessData has a condition and a text that by the source may be computed from a
// reading of the clock, which was different in each of six runs.
func TestGuessData(t *testing.T) {
	an := &Analyzer{Sites: &trace.Sites{Root: "/m"}, valueSites: []divergence.ValueSite{
		{}, {Kind: divergence.ValueOperand, Expr: "strings.Contains(log, want)", File: "x.go", From: []int{3}},
		{Kind: divergence.ValueArgument, Expr: "log", File: "x.go", From: []int{3}},
		{Kind: divergence.ValueCall, Expr: "time.Now()", File: "x.go", Source: "the clock"},
	}}
	seen := func(text string, runs ...int) divergence.Seen { return divergence.Seen{Text: text, Runs: runs} }
	holds := divergence.OperandValues{Site: 1, Passing: []divergence.Seen{seen("true", 1, 2, 3)}, Failing: []divergence.Seen{seen("false", 4, 5, 6)}}
	log := divergence.OperandValues{Site: 2, Passing: []divergence.Seen{seen(`"10:00"`, 1), seen(`"10:01"`, 2), seen(`"10:02"`, 3)}}
	for name, c := range map[string]struct {
		different int
		failing   []divergence.Seen
		want      int
	}{
		"the text was empty in all failing runs":        {6, []divergence.Seen{seen(`""`, 4, 5, 6)}, 0},
		"it was different in them too":                  {6, []divergence.Seen{seen(`"10:03"`, 4), seen(`"10:04"`, 5), seen(`"10:05"`, 6)}, 1},
		"one failing run tells nothing":                 {6, []divergence.Seen{seen(`""`, 4)}, 1},
		"runs with the same reading may have one value": {2, []divergence.Seen{seen(`""`, 4, 5, 6)}, 1},
		"sums of many orders are few":                   {6, []divergence.Seen{seen(`0.1`, 4, 5, 6)}, 1},
	} {
		log := log
		log.Failing = c.failing
		list := []divergence.OperandValues{holds, log}
		f := new(finding.Failure)
		an.guessData(f, &divergence.Analysis{Operands: list, Variety: map[int]divergence.Variety{3: {Different: c.different, Runs: 6}}}, list)
		if len(f.Data) != c.want {
			t.Errorf("%s: %+v, want %d sources", name, f.Data, c.want)
		}
	}
}
