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

// TestDrawnUnvalued has a condition on bytes that a call draws, which has no value to record, and on a file, which may
// be the same in all runs.
func TestDrawnUnvalued(t *testing.T) {
	an := &Analyzer{Sites: &trace.Sites{Root: "/m"}, valueSites: []divergence.ValueSite{
		{}, {Kind: divergence.ValueOperand, Expr: "len(dirs)", File: "x.go"}},
		unvalued: map[int][]unvalued{1: {{"a file", "f.Read(b)", trace.Frame{File: "/m/x.go", Line: 3}},
			{"crypto/rand", "rand.Read(b[:])", trace.Frame{File: "/m/x.go", Line: 4}}}}}
	list := []divergence.OperandValues{{Site: 1}}
	f := new(finding.Failure)
	an.guessData(f, &divergence.Analysis{Operands: list}, list)
	if len(f.Data) != 1 || f.Data[0].At.Line != 4 || f.Data[0].Expr != "rand.Read(b[:])" || f.Data[0].Operand != "len(dirs)" {
		t.Errorf("%+v", f.Data)
	}
}

// What initialization has run is part of what makes a test's input; what another test has run is not.
func TestAddBlocks(t *testing.T) {
	sites := &trace.Sites{Blocks: make([]trace.Block, 4), Funcs: make([]trace.Func, 1), Files: make([]trace.File, 1)}
	tr := &trace.Trace{}
	for i, test := range []string{"", "TestX", "TestY"} {
		g := trace.NewGoroutine(trace.GoroutineID(i+1), test, []trace.Event{trace.Event(i + 1)})
		g.Root = test != ""
		tr.Goroutines = append(tr.Goroutines, g)
	}
	ran := make(map[int]bool)
	addBlocks(ran, sites, tr, "TestX/sub")
	if !ran[1] || !ran[2] || ran[3] {
		t.Errorf("ran %v, want 1 and 2", ran)
	}
}
