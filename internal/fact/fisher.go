package fact

import "github.com/fdebug/fdebug/internal/stats"

// A tester computes Fisher's exact test, two-sided as twice the smaller tail.
type tester struct {
	fact   stats.Factorials
	tables map[[2]int][]float64 // by runs and failing ones: p-values by failing ones and runs of a side, -1 if unknown
	even   map[[3]int][]float64 // by runs, failing ones and runs of a side: the distribution of failing ones
}

func newTester() *tester {
	return &tester{fact: stats.NewFactorials(MaxRuns), tables: make(map[[2]int][]float64),
		even: make(map[[3]int][]float64)}
}

// table returns the p-values of n runs with f failing ones, for [tester.p].
func (t *tester) table(n, f int) []float64 {
	key := [2]int{n, f}
	if t.tables[key] == nil {
		list := make([]float64, (f+1)*(n+1))
		for i := range list {
			list[i] = -1
		}
		t.tables[key] = list
	}
	return t.tables[key]
}

// p returns the p-value of a side of b runs, a of them failing.
func (t *tester) p(table []float64, a, b, f, n int) float64 {
	v := &table[a*(n+1)+b]
	if *v < 0 {
		*v = stats.Tails(t.spread(n, f, b), a)
	}
	return *v
}

// spread returns how probable each number of failing runs is among b of n runs if f of the n fail.
func (t *tester) spread(n, f, b int) []float64 {
	key := [3]int{n, f, b}
	if d, ok := t.even[key]; ok {
		return d
	}
	d := t.fact.Spread(n, f, b)
	t.even[key] = d
	return d
}

// stratified is the exact test of a side within strata: only runs of one stratum are compared
// with each other.
func (t *tester) stratified(side, fail *set, strata []set) float64 {
	total, sum := 0, []float64{1}
	for i := range strata {
		s := &strata[i]
		n, f, b := s.count(), fail.both(s), side.both(s)
		in := side.and(*fail)
		total += in.both(s)
		sum = convolve(sum, t.spread(n, f, b))
	}
	return stats.Tails(sum, total)
}

func convolve(a, b []float64) []float64 {
	out := make([]float64, len(a)+len(b)-1)
	for i, x := range a {
		for j, y := range b {
			out[i+j] += x * y
		}
	}
	return out
}
