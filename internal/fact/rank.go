package fact

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
)

// A Fact is a division of the runs by an observation that predicts the outcome.
type Fact struct {
	*Observation
	// In is the side that most failing runs are on, or with Outside the values that it does not have.
	In      Range
	Outside bool
	Table   stats.Table // by whether runs are on that side
	P       float64     // of Fisher's test, within blocks of neighbouring runs if that is more
	// Corrected is P, corrected for all that was looked at.
	Corrected float64
	// Behind says that it adds nothing to facts before it.
	Behind bool

	side, known set // of the failing side; what is known
}

// Stands reports whether a fact can be told as what is likely to decide.
func (f *Fact) Stands() bool { return f.Corrected <= stats.Strong }

// A ranker holds what was looked at.
type ranker struct {
	n      int
	failed set
	test   *tester
	kinds  []*kind
	null   []set // permuted outcomes
	blocks []set
}

// A kind is the divisions by observations of one kind.
type kind struct {
	name  string
	masks []mask
	index map[mask]int
	found [][]split
	worth float64 // in independent tests
}

// A mask is a division, by the side that the first run which is known is not on.
type mask struct{ side, known set }

// Rank returns the facts that predict the outcome of runs, the best first: of each observation its
// best division, and of observations that no run tells apart the one that is preferred. It has
// what is as good as p = 0.2, before it is corrected. Runs are in the order in which they were
// made. The same input gives the same result.
func Rank(failed []bool, list []Observation) []Fact {
	r := newRanker(failed, list)
	for _, k := range r.kinds {
		k.worth = r.worth(k)
	}
	return r.explain(r.ordered(r.facts()))
}

func newRanker(failed []bool, list []Observation) *ranker {
	r := &ranker{n: min(len(failed), MaxRuns), test: newTester()}
	for i, f := range failed[:r.n] {
		if f {
			r.failed.add(i)
		}
	}
	r.blocks = r.neighbours()
	byName := make(map[string]*kind)
	for i := range list {
		o := &list[i]
		known, ok := r.known(o)
		if !ok {
			continue
		}
		k := byName[o.Kind]
		if k == nil {
			k = &kind{name: o.Kind, index: make(map[mask]int)}
			byName[o.Kind] = k
			r.kinds = append(r.kinds, k)
		}
		o.splits(&known, func(s split) { k.add(s, known) })
	}
	r.null = r.permuted()
	return r
}

// neighbours returns blocks of neighbouring runs.
func (r *ranker) neighbours() []set {
	n := max(r.n/blockLen, 1)
	list := make([]set, n)
	for i := range r.n {
		list[i*n/r.n].add(i)
	}
	return list
}

// known returns the runs in which an observation is known, false if it says nothing: it
// is known too seldom in one outcome, or always the same.
func (r *ranker) known(o *Observation) (known set, ok bool) {
	var of, have [2]int
	varies, first := false, math.NaN()
	for i := range r.n {
		out := 0
		if r.failed.has(i) {
			out = 1
		}
		of[out]++
		if i >= len(o.Values) || math.IsNaN(o.Values[i]) {
			continue
		}
		have[out]++
		known.add(i)
		varies = varies || !math.IsNaN(first) && o.Values[i] != first
		first = o.Values[i]
	}
	for out := range of {
		ok := have[out] > 0 && float64(have[out]) >= leastKnown*float64(of[out])
		if !ok {
			return known, false
		}
	}
	return known, varies
}

func (k *kind) add(s split, known set) {
	m := mask{s.side, known}
	n := s.side.count()
	if n < leastSide || known.count()-n < leastSide {
		return
	}
	if m.side.has(known.first()) {
		m.side = known.minus(s.side)
	}
	i, ok := k.index[m]
	if !ok {
		i = len(k.masks)
		k.index[m] = i
		k.masks, k.found = append(k.masks, m), append(k.found, nil)
	}
	k.found[i] = append(k.found[i], s)
}

// permuted returns outcomes that follow nothing.
func (r *ranker) permuted() (list []set) {
	rng := rand.New(rand.NewPCG(1, uint64(r.n)))
	for range permutations {
		var s set
		for i, j := range rng.Perm(r.n) {
			if r.failed.has(j) {
				s.add(i)
			}
		}
		list = append(list, s)
	}
	return list
}

// each calls visit with each division of a kind, how many of the b runs of a side fail, of f failing
// runs of n in all, and the p-value.
func (r *ranker) each(k *kind, failed *set, visit func(i int, a, b, f, n int, p float64)) {
	type size struct {
		f, n  int
		table []float64
	}
	sizes := make(map[set]*size)
	var last *set
	var z *size
	for i := range k.masks {
		m := &k.masks[i]
		if last == nil || *last != m.known {
			last = &m.known
			if z = sizes[m.known]; z == nil {
				z = &size{f: failed.both(&m.known), n: m.known.count()}
				z.table = r.test.table(z.n, z.f)
				sizes[m.known] = z
			}
		}
		a, b := failed.both(&m.side), m.side.count()
		visit(i, a, b, z.f, z.n, r.test.p(z.table, a, b, z.f, z.n))
	}
}

// least returns the least p-value of a kind.
func (r *ranker) least(k *kind, failed *set) float64 {
	best := 1.0
	r.each(k, failed, func(_, _, _, _, _ int, p float64) { best = min(best, p) })
	return best
}

// worth returns how many independent tests a kind is worth: its least p-value is below the
// lower quartile q of what chance brings with a probability of 1/4, which is that of
// log(4/3)/q tests.
func (r *ranker) worth(k *kind) float64 {
	var list []float64
	for i := range r.null {
		list = append(list, r.least(k, &r.null[i]))
	}
	slices.Sort(list)
	q := max(list[len(list)/4], 1e-12)
	return min(max(1, math.Log(4.0/3)/q), float64(len(k.masks)))
}

// corrected corrects the p-value of a fact of a kind.
func (r *ranker) corrected(k *kind, p float64) float64 {
	return min(1, p*k.worth*float64(len(r.kinds)))
}

// worst is the p-value beyond which a division is no fact.
const worst = 0.2

// perKind is how many divisions by observations of one kind are facts at most.
const perKind = 500

// A candidate is a division that may be a fact.
type candidate struct {
	i, a, b, f, n int
	p             float64
}

// facts returns the divisions that predict the outcome best.
func (r *ranker) facts() (list []*ranked) {
	for _, k := range r.kinds {
		var best []candidate
		r.each(k, &r.failed, func(i, a, b, f, n int, p float64) {
			if p <= worst {
				best = append(best, candidate{i, a, b, f, n, p})
			}
		})
		slices.SortStableFunc(best, func(x, y candidate) int { return cmp.Compare(x.p, y.p) })
		for _, c := range best[:min(len(best), perKind)] {
			if x := r.fact(k, &c); x != nil {
				list = append(list, x)
			}
		}
	}
	return list
}

// A ranked fact is one with the kind that it is of.
type ranked struct {
	Fact
	kind *kind
}

func (r *ranker) fact(k *kind, c *candidate) *ranked {
	m, splits := &k.masks[c.i], k.found[c.i]
	x := &ranked{kind: k}
	x.side, x.known = m.side, m.known
	x.Table = stats.Table{FailTaken: c.a, FailNot: c.f - c.a, PassTaken: c.b - c.a, PassNot: c.n - c.f - (c.b - c.a)}
	if x.Table.Excess() < 0 {
		x.side, x.Table = x.known.minus(x.side), x.Table.Inverse()
	}
	slices.SortStableFunc(splits, func(s, t split) int { return slices.Compare(s.of.Prefer, t.of.Prefer) })
	best := splits[0]
	out := x.known.minus(x.side)
	if !best.of.met(&x.side, &out) {
		return nil
	}
	x.Observation, x.In, x.Outside = best.of, best.in, best.side != x.side
	x.P = c.p
	if x.Corrected = r.corrected(k, c.p); x.Corrected <= worst { // else it does not matter
		x.P = max(c.p, r.test.stratified(&x.side, &r.failed, r.within(x.known, r.blocks)))
		x.Corrected = r.corrected(k, x.P)
	}
	return x
}

// within returns strata without the runs that are not known.
func (r *ranker) within(known set, strata []set) []set {
	list := make([]set, 0, len(strata))
	for _, s := range strata {
		list = append(list, s.and(known))
	}
	return list
}

// ordered sorts facts and leaves one for each observation.
func (r *ranker) ordered(list []*ranked) []*ranked {
	size := func(p float64) int { return int(math.Round(2 * math.Log10(max(p, 1e-300)))) }
	slices.SortStableFunc(list, func(a, b *ranked) int {
		if x, y := a.first(), b.first(); x != y {
			if x {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(size(a.Corrected), size(b.Corrected)), cmp.Compare(a.Rank, b.Rank),
			cmp.Compare(a.Corrected, b.Corrected), slices.Compare(a.Prefer, b.Prefer))
	})
	seen := make(map[*Observation]bool)
	return slices.DeleteFunc(list, func(x *ranked) bool {
		was := seen[x.Observation]
		seen[x.Observation] = true
		return was
	})
}

// first reports whether a fact comes before all that it may have caused.
func (x *ranked) first() bool { return x.Exogenous && x.Stands() }

// explain finds the facts that explain the failures together. Each adds something to those
// before it; what adds nothing comes behind them.
func (r *ranker) explain(list []*ranked) []Fact {
	strata := []set{r.all()}
	var front, rest []Fact
	for _, x := range list {
		if !x.Stands() || len(front) == maxSet {
			rest = append(rest, x.Fact)
			continue
		}
		if len(front) > 0 {
			p := r.test.stratified(&x.side, &r.failed, r.within(x.known, strata))
			if r.corrected(x.kind, p) > stats.Chance {
				x.Behind = true
				rest = append(rest, x.Fact)
				continue
			}
		}
		front = append(front, x.Fact)
		strata = cut(strata, x.side, x.known)
	}
	return append(front, rest...)
}

// maxSet is how many facts explain failures together at most.
const maxSet = 4

func (r *ranker) all() (s set) {
	for i := range r.n {
		s.add(i)
	}
	return s
}

// cut divides strata by the sides of a fact. Runs in which it is not known are strata of
// their own.
func cut(strata []set, side, known set) (list []set) {
	for _, s := range strata {
		for _, part := range []set{s.and(side), s.and(known).minus(side), s.minus(known)} {
			if part.count() > 0 {
				list = append(list, part)
			}
		}
	}
	return list
}
