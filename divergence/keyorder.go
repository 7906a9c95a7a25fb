package divergence

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

const (
	maxKeys      = 12  // of a map whose order is tested
	permutations = 999 // of the outcomes, to see how good an order is by chance
)

// order looks for an order of the keys of a map that all passing runs have and some failing runs
// lack, nil if there is none. The order is found in the same runs on which it is tested, so its
// p-value is how often one that is at least as good is found after permuting the outcomes.
func (h *hypotheses) order(s *series, pass int) *DataDivergence {
	o := newKeyOrders(h.a, s, pass)
	if o == nil {
		return nil
	}
	h.orders++
	failed := make([]bool, len(h.a.in.Runs))
	for run, r := range h.a.in.Runs {
		failed[run] = r.Failed
	}
	pairs, broken := o.common(failed)
	if len(pairs) == 0 || broken == 0 {
		return nil
	}
	atLeast := 1
	r := rand.New(rand.NewPCG(1, uint64(s.site)))
	for range permutations {
		r.Shuffle(len(failed), func(i, j int) { failed[i], failed[j] = failed[j], failed[i] })
		if _, n := o.common(failed); n >= broken {
			atLeast++
		}
	}
	return &DataDivergence{Rule: RuleOrder, P: float64(atLeast) / (permutations + 1),
		Table: h.a.cohort.table(broken, 0)}
}

// keyOrders holds the place of each key of a map in each run.
type keyOrders struct {
	keys []string
	at   [][]int // by run: the place of each key; nil if the run has no such pass
}

// newKeyOrders returns the orders of one pass over a map, or nil if runs do not have the same keys there.
func newKeyOrders(a *analysis, s *series, pass int) *keyOrders {
	o := &keyOrders{at: make([][]int, len(s.whole))}
	for run, values := range s.whole {
		keys := passOver(values, pass)
		if len(keys) < 2 || len(keys) > maxKeys {
			continue
		}
		if o.keys == nil {
			o.keys = slices.Sorted(slices.Values(keys))
		}
		if len(keys) != len(o.keys) {
			continue
		}
		at := make([]int, len(keys))
		for i, k := range keys {
			j, ok := slices.BinarySearch(o.keys, k)
			if !ok {
				return nil
			}
			at[j] = i
		}
		o.at[run] = at
	}
	for run, r := range a.in.Runs {
		if !r.Failed && o.at[run] == nil {
			return nil
		}
	}
	return o
}

// passOver returns the keys of one pass over a map. A key that occurs again begins the next pass.
func passOver(values []trace.Value, pass int) []string {
	var keys []string
	for i, v := range values {
		if v.Nth != i {
			return nil // not all were kept
		}
		if slices.Contains(keys, v.Text) {
			if pass--; pass < 0 {
				break
			}
			keys = keys[:0:0]
		}
		keys = append(keys, v.Text)
	}
	if pass > 0 {
		return nil
	}
	return keys
}

// sameMap reports whether the runs may have walked the same map: some run has all the keys that
// any run has. If the loop ends early, other runs have fewer keys. But several runs with exactly
// the same keys must not end with different ones of them.
func sameMap(runs [][]trace.Value) bool {
	all, most := make(map[string]bool), 0
	walks := make(map[string][]string) // the last key of each walk, by its keys
	for _, values := range runs {
		keys := passOver(values, 0)
		for _, k := range keys {
			all[k] = true
		}
		most = max(most, len(keys))
		if len(keys) > 0 {
			set := fmt.Sprintf("%q", slices.Sorted(slices.Values(keys)))
			walks[set] = append(walks[set], keys[len(keys)-1])
		}
	}
	delete(walks, fmt.Sprintf("%q", slices.Sorted(maps.Keys(all))))
	for _, last := range walks {
		if slices.ContainsFunc(last, func(k string) bool { return k != last[0] }) {
			return false
		}
	}
	return most == len(all)
}

// common returns the pairs that are in the same order in all runs that did not fail, and how many
// failing runs break one of them.
func (o *keyOrders) common(failed []bool) (pairs [][2]int, broken int) {
	for x := range o.keys {
		for y := range o.keys {
			if x != y && o.all(failed, x, y) {
				pairs = append(pairs, [2]int{x, y})
			}
		}
	}
	return pairs, o.broken(pairs, failed)
}

// all reports whether key x comes before key y in all runs that did not fail.
func (o *keyOrders) all(failed []bool, x, y int) bool {
	for run, at := range o.at {
		if !failed[run] && (at == nil || at[x] > at[y]) {
			return false
		}
	}
	return true
}

// broken returns how many failing runs have the keys of any pair the other way round.
func (o *keyOrders) broken(pairs [][2]int, failed []bool) (n int) {
	for run, at := range o.at {
		if failed[run] && at != nil && slices.ContainsFunc(pairs, func(p [2]int) bool { return at[p[0]] > at[p[1]] }) {
			n++
		}
	}
	return n
}
