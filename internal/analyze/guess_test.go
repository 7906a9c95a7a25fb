package analyze

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestGuessData has a condition that by the source may be computed from a reading of the clock.
func TestGuessData(t *testing.T) {
	an := &Analyzer{Sites: &trace.Sites{Root: "/m"}, valueSites: []divergence.ValueSite{
		{}, {Kind: divergence.ValueOperand, Expr: "strings.Contains(log, want)", File: "x.go", From: []int{2}},
		{Kind: divergence.ValueCall, Expr: "time.Now()", File: "x.go", Source: "the clock"},
	}}
	list := []divergence.OperandValues{{Site: 1}}
	for v, want := range map[divergence.Variety]int{{Different: 6, Runs: 6}: 1, {Different: 1, Runs: 6}: 0, {Different: 1, Runs: 1}: 0} {
		f := new(finding.Failure)
		an.guessData(f, &divergence.Analysis{Variety: map[int]divergence.Variety{2: v}}, list)
		if len(f.Data) != want {
			t.Errorf("%d readings in %d runs: %+v, want %d sources", v.Different, v.Runs, f.Data, want)
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
