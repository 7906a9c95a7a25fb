package divergence_test

import (
	"fmt"
	"log"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// Three passing and three failing runs of a test with one goroutine: all run block 1,
// passing runs go on with block 2, and failing runs with block 3.
func ExampleAnalyze() {
	sites := &trace.Sites{
		Module: "example.com/m",
		Files:  []trace.File{{Path: "coin_test.go", Name: "example.com/m/coin_test.go"}},
		Funcs:  []trace.Func{{Name: "TestCoin", Line: 5, End: 10}},
		Blocks: []trace.Block{{},
			{Kind: trace.BlockEntry, StartLine: 6, StartCol: 2, EndLine: 6, EndCol: 20},
			{Kind: trace.BlockThen, StartLine: 7, StartCol: 3, EndLine: 7, EndCol: 9},
			{Kind: trace.BlockNext, StartLine: 9, StartCol: 2, EndLine: 9, EndCol: 22},
		},
	}
	run := func(n int, failed bool, events ...trace.Event) divergence.Run {
		g := trace.NewGoroutine(1, "TestCoin", events)
		g.Root = true
		return divergence.Run{N: n, Failed: failed, Trace: &trace.Trace{Goroutines: []*trace.Goroutine{g}}}
	}
	var runs []divergence.Run
	for n := range 3 {
		runs = append(runs, run(2*n+1, false, 1, 2), run(2*n+2, true, 1, 3))
	}
	a, err := divergence.Analyze(divergence.Input{Test: "TestCoin", Runs: runs, Sites: sites})
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range a.Chain {
		last, _ := d.LastCommon.Block()
		pass, _ := d.PassNext.Block()
		fail, _ := d.FailNext.Block()
		fmt.Printf("after line %d passing runs go on in line %d, failing runs in line %d\n",
			sites.Blocks[last].StartLine, sites.Blocks[pass].StartLine, sites.Blocks[fail].StartLine)
		fmt.Printf("%d of %d failing and %d of %d passing runs went that way\n",
			d.Table.FailTaken, d.Table.FailTaken+d.Table.FailNot, d.Table.PassTaken, d.Table.PassTaken+d.Table.PassNot)
	}
	// Output:
	// after line 6 passing runs go on in line 7, failing runs in line 9
	// 3 of 3 failing and 0 of 3 passing runs went that way
}
