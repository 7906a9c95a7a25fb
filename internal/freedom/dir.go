package freedom

import (
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

const maxListed = 5 // entries that are compared with each other

// Dir is in which order the entries of a directory came. The run made some of them.
type dir struct{}

func (dir) Name() string  { return "dir" }
func (dir) Legal() string { return legal("dir") }

// Set is left to the search: an order can be asked for by its seed alone.
func (dir) Set(*fact.Fact) (fails, passes [][]perturb.Act) { return nil, nil }

// Observe tells which entry came first, by its number in the order of names, and which of two came before
// the other one. A directory with another number of entries than in most runs says nothing.
func (f dir) Observe(r *Runs) (list []fact.Observation) {
	for _, a := range r.answers(trace.ActDir) {
		orders, sizes := make([][]int, len(r.List)), make(map[int]int)
		for i, n := range a.notes {
			if n != nil {
				orders[i] = trace.Listing(n.Value)
				sizes[len(orders[i])]++
			}
		}
		n := most(sizes)
		of := func(value func(order []int) float64) func(int, *trace.Note) float64 {
			return func(i int, _ *trace.Note) float64 {
				if len(orders[i]) != n || n == 0 {
					return nan
				}
				return value(orders[i])
			}
		}
		list = append(list, a.observe(r, f, First, fact.Line, of(func(order []int) float64 { return float64(order[0]) })))
		for then := range min(n, maxListed) {
			for first := range then {
				list = append(list, a.observe(r, f, Listed, fact.Bit, of(func(order []int) float64 {
					return bit(slices.Index(order, first) < slices.Index(order, then))
				})))
			}
		}
	}
	return list
}
