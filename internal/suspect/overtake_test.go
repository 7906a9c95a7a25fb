package suspect

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// One goroutine that line 3 starts had not run line 11, and another one had run
// line 12: they overtook each other. Two origins, or a share of passing runs in
// which the second had run too, are no such thing.
func TestOvertaken(t *testing.T) {
	orders := func(spawn int, passEarly int) []divergence.Order {
		table := divergence.Table{FailTaken: 5, PassNot: 10}
		class := func(line int) []trace.Frame { return []trace.Frame{{File: "/m/p/a.go", Line: line}} }
		late := divergence.Order{Late: true, Block: 6, Class: class(3), Table: table, Fail: input().Analysis.Orders[0].Fail}
		early := divergence.Order{Block: 7, Class: class(spawn), Table: divergence.Table{FailTaken: 5, PassTaken: passEarly, PassNot: 10 - passEarly}}
		return []divergence.Order{early, late}
	}
	for _, c := range []struct {
		spawn, passEarly int
		want             bool
	}{{3, 0, true}, {4, 0, false}, {3, 5, false}} {
		in := input()
		in.Analysis.Orders = orders(c.spawn, c.passEarly)
		found := false
		for _, s := range Find(in) {
			found = found || s.Start == 3 && strings.Contains(s.Why, "one overtook another: the first had not yet run a.go:11 when the runs parted, in 5 of 5 failing runs")
		}
		if found != c.want {
			t.Errorf("%+v: got %t", c, found)
		}
	}
}
