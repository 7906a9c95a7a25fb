package divergence

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// Earlier says that the outcome depends on which tests ran before in the same process: they leave
// something behind that the test can't bear, or needs.
type Earlier struct {
	// Tests are the tests of the package that each decide alone, the most telling first, and those that came before
	// in exactly the same runs, because the two can't be told apart. If there are too many, there is no Earlier.
	Tests []string
	// FailsIf says whether failing runs have one of them before. Otherwise passing runs do, and
	// failing runs have none.
	FailsIf bool
	Table   Table   // failing/passing runs x on the side of failing runs or not
	P       float64 // corrected for the number of sets of tests
}

const maxEarlier = 3 // tests that are named together

// earlier looks for tests that decide by having run before. If tests run in a fixed order, there
// are none: every run has the same tests before.
func (a *analysis) earlier() *Earlier {
	before := a.testsBefore()
	names := varying(before)
	var best *Earlier
	for _, failsIf := range []bool{true, false} {
		if e := a.earlierOf(names, before, failsIf); e != nil && (best == nil || e.P < best.P) {
			best = e
		}
	}
	if best == nil || best.P > stats.Strong || best.Table.Excess() < minDataShift {
		return nil
	}
	for _, name := range best.Tests { // tests that came before in the same runs can't be told apart
		best.Tests = append(best.Tests, twins(name, names, best.Tests, before)...)
	}
	if len(best.Tests) > maxEarlier {
		return nil
	}
	return best
}

// twins returns the names of other tests that came before in exactly the runs in which name did,
// except those in known.
func twins(name string, names, known []string, before []map[string]bool) (list []string) {
	for _, other := range names {
		alike := !slices.ContainsFunc(before, func(had map[string]bool) bool { return had[other] != had[name] })
		if alike && !slices.Contains(known, other) {
			list = append(list, other)
		}
	}
	return list
}

// blocksBefore returns the blocks of each test that ran before this one in some runs and not in others, from the
// first run that has it before, in the order of their last visits.
func (a *analysis) blocksBefore() map[string][]int {
	before, ran := a.testsBefore(), make(map[string][]int)
	for _, name := range varying(before) {
		run := slices.IndexFunc(before, func(had map[string]bool) bool { return had[name] })
		ran[name] = a.lastVisits(a.in.Runs[run].Trace.GoroutinesOf(name))
	}
	return ran
}

// lastVisits returns the blocks that goroutines ran, in the order of their last visits as far as
// known: a variable keeps the value stored last.
func (a *analysis) lastVisits(list []*trace.Goroutine) []int {
	type visit struct {
		block     int
		time, pos int64 // the earliest possible time
	}
	var all []visit
	known := make(map[int]bool)
	for _, g := range list {
		last := make(map[int]int64)
		eachChunk(g, 0, func(pos int64, events []trace.Event) bool {
			for i, e := range events {
				b, ok := e.Block()
				if ok && a.in.Sites.Has(b) && (known[b] || len(known) < maxBlocksIn) {
					known[b], last[b] = true, pos+int64(i)
				}
			}
			return true
		})
		for b, pos := range last {
			earliest, _ := g.Between(pos)
			all = append(all, visit{b, earliest, pos})
		}
	}
	slices.SortFunc(all, func(a, b visit) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.pos, b.pos), cmp.Compare(a.block, b.block))
	})
	blocks := make([]int, 0, len(known))
	for _, v := range slices.Backward(all) { // of several goroutines the last one counts
		if known[v.block] {
			blocks = append(blocks, v.block)
			known[v.block] = false
		}
	}
	slices.Reverse(blocks)
	return blocks
}

// earlierOf gathers tests one by one, the most telling first. It stops when another test no
// longer reduces the p-value by more than the choice of one more test increases it.
func (a *analysis) earlierOf(names []string, before []map[string]bool, failsIf bool) *Earlier {
	var best *Earlier
	sets := 1.0 // from which the best was chosen
	for len(names) > 0 && (best == nil || len(best.Tests) < maxEarlier) {
		sets *= 2 * float64(len(names))
		var next *Earlier
		for _, name := range names {
			var chosen []string
			if best != nil {
				chosen = best.Tests
			}
			if slices.Contains(chosen, name) {
				continue
			}
			e := a.earlierTable(append(slices.Clone(chosen), name), before, failsIf)
			if next == nil || cmp.Or(cmp.Compare(e.P, next.P), cmp.Compare(next.Table.Excess(), e.Table.Excess())) < 0 {
				next = e
			}
		}
		if next == nil {
			break
		}
		next.P = min(1, next.P*sets)
		if next.Table.Excess() <= 0 || best != nil && next.P >= best.P {
			break
		}
		best = next
	}
	return best
}

// earlierTable returns how well the outcome is predicted by any of the tests having run before.
func (a *analysis) earlierTable(tests []string, before []map[string]bool, failsIf bool) *Earlier {
	t := a.cohort.tableWhere(func(run int) bool {
		had := before[run]
		return had != nil && failsIf == slices.ContainsFunc(tests, func(name string) bool { return had[name] })
	})
	return &Earlier{Tests: tests, FailsIf: failsIf, Table: t, P: a.cohort.fact.Fisher(t)}
}

// testsBefore returns, for each run, which other top-level tests of the process had begun before the
// test under analysis, or nil if unknown.
func (a *analysis) testsBefore() []map[string]bool {
	list := make([]map[string]bool, len(a.in.Runs))
	for run, r := range a.in.Runs {
		i := slices.IndexFunc(r.Trace.Tests, func(t trace.TestRun) bool { return t.Name == trace.TopTest(a.in.Test) })
		if i < 0 {
			continue
		}
		list[run] = make(map[string]bool)
		for _, t := range r.Trace.Tests[:i] {
			if !strings.Contains(t.Name, "/") {
				list[run][t.Name] = true
			}
		}
	}
	return list
}

// varying returns, sorted, the tests that came before in some runs and not in others. It returns
// none if that is unknown for a run.
func varying(before []map[string]bool) []string {
	count := make(map[string]int)
	for _, had := range before {
		if had == nil {
			return nil
		}
		for name := range had {
			count[name]++
		}
	}
	maps.DeleteFunc(count, func(_ string, n int) bool { return n == len(before) })
	return slices.Sorted(maps.Keys(count))
}
