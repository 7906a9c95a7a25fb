package freedom

import (
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var dirFreedom = Freedom{
	Name:     "dir",
	Varies:   "The order of the entries that File.ReadDir, Readdir and Readdirnames return.",
	Legal:    `"Readdirnames reads the contents of the directory associated with file and returns a slice of up to n names of files in the directory, in directory order": file systems have no order that is promised.`,
	Source:   "https://pkg.go.dev/os#File.Readdirnames; readdir(3): \"unlikely that the names will be sorted\"",
	Sites:    "calls that read",
	Category: "io",
	Where:    ByAnswers,
	Verbs:    settingVerbs,
	Prior:    0.005, // 4 of the 35 tests of the corpus
	observe:  observeDir,
	Asked:    true,
	Tries:    orders,
	Propose:  []*Proposer{{Guesses: (*Freedom).atAskers}},
	aspects: []aspect{
		{what: DirOrder, name: "order", tells: func(Measure, bool) bool { return true },
			says: say.Setting{Cause: say.Decides(say.Dir), With: say.BarFirst, Cure: say.BarOther, Mark: say.MarkLists,
				Fix: []say.Template{say.FixDir}}, opposites: func(a Step, b Bench) []Step { return orders(a.At.Block, b) }},
	},
}

// DirOrder determines the order of directory entries that Block reads, from Value.
const DirOrder Aspect = trace.DirOrder

// Entries gives an order to the directory entries that a block reads.
func Entries(block uint32, seed int64) Step {
	return Step{Kind: trace.ActDir, What: DirOrder, At: Position{Block: block}, Value: seed}
}

// orders are some of one directory.
func orders(block uint32, b Bench) (list []Step) {
	for i := range 4 {
		list = append(list, Entries(block, int64(b.Seed("dir", i)>>1)))
	}
	return list
}

const maxListed = 5 // entries that are compared with each other

// observeDir tells which entry came first, by its number in the order of names, and which of two came before
// the other one. The run made some of them. A directory with another number of entries than in most runs says nothing.
func observeDir(r *Runs) (list []fact.Observation) {
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
		list = append(list, a.observe(r, First, fact.Line, of(func(order []int) float64 { return float64(order[0]) })))
		for then := range min(n, maxListed) {
			for first := range then {
				list = append(list, a.observe(r, Listed, fact.Bit, of(func(order []int) float64 {
					return bit(slices.Index(order, first) < slices.Index(order, then))
				})))
			}
		}
	}
	return list
}

// most returns the commonest, the greatest of several.
func most(count map[int]int) (best int) {
	for v, n := range count {
		if n > count[best] || n == count[best] && v > best {
			best = v
		}
	}
	return best
}
