package fact_test

import (
	"fmt"

	"github.com/fdebug/fdebug/internal/fact"
)

// Of 20 runs 6 failed: those in which the select took its second case. That a goroutine waited for long
// goes with it, and is a consequence.
func Example() {
	var failed []bool
	second := fact.Observation{Kind: "select", Exogenous: true, Shape: fact.Bit, What: "second case first"}
	wait := fact.Observation{Kind: "stall", Shape: fact.Line, What: "time of the wait"}
	order := fact.Observation{Kind: "order", Shape: fact.Bit, What: "a before b"}
	for i := range 20 {
		is := i%3 == 1 && i < 18
		failed = append(failed, is)
		n := map[bool]float64{true: 1}[is]
		second.Values = append(second.Values, n)
		wait.Values = append(wait.Values, 5+40*n)
		order.Values = append(order.Values, float64(i%2))
	}
	for _, f := range fact.Rank(failed, []fact.Observation{wait, order, second}) {
		fmt.Printf("%s: %d of %d failing, %d of %d passing; stands %v, behind %v\n", f.What,
			f.Table.FailTaken, f.Table.FailTaken+f.Table.FailNot, f.Table.PassTaken, f.Table.PassTaken+f.Table.PassNot, f.Stands(), f.Behind)
	}
	// Output:
	// second case first: 6 of 6 failing, 0 of 14 passing; stands true, behind false
	// time of the wait: 6 of 6 failing, 0 of 14 passing; stands true, behind true
}
