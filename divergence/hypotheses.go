package divergence

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// hypotheses tests the values of sources, and counts the tests, because some of many hypotheses hold by chance.
type hypotheses struct {
	a *analysis
	n int // tests
}

// test returns the divergences of a series by which its values predict the outcome, for each rule the best.
func (h *hypotheses) test(s *series) []*DataDivergence {
	var list []*DataDivergence
	add := func(d *DataDivergence, nth int) {
		if d == nil {
			return
		}
		d.Site, d.Nth, d.time, d.from = s.site, nth, s.when(h.a, nth), s
		list = append(list, d)
	}
	for nth := range maxNth {
		at := make([]string, len(s.values))
		some := false
		for run, values := range s.values {
			if i := slices.IndexFunc(values, func(v trace.Value) bool { return v.Nth == nth }); i >= 0 {
				at[run], some = values[i].Text, true
			}
		}
		if !some {
			break
		}
		add(h.equal(s, nth), nth)
		add(h.below(at, RuleBelow), nth)
	}
	least, most, several := extremes(s.values)
	if several {
		add(h.below(least, RuleBelow), -1)
		add(h.below(most, RuleAbove), -1)
	}
	return list
}

// table returns the table of the runs that have a value, by whether they are on the side that more of the failing
// runs are on. Whether a run has a value at all depends on earlier events.
func (h *hypotheses) table(have runSet, in func(run int) bool) (t Table, p float64) {
	t = h.a.cohort.tableAmong(have, in)
	p = h.a.cohort.fact.Fisher(t)
	if t.Excess() < 0 {
		return t.Inverse(), p
	}
	return t, p
}

// equal tests whether the nth value is a certain one. Values that only one run has say nothing.
func (h *hypotheses) equal(s *series, nth int) *DataDivergence {
	var best *DataDivergence
	var seen []Seen
	have := newRunSet(len(s.values))
	for run, values := range s.values {
		for _, v := range values {
			if v.Nth == nth {
				seen = see(seen, v, run)
				have.add(run)
			}
		}
	}
	for _, x := range seen {
		if len(x.Runs) < 2 || len(seen) < 2 {
			continue
		}
		h.n++
		t, p := h.table(have, func(run int) bool { return slices.Contains(x.Runs, run) })
		if best == nil || p < best.P {
			best = &DataDivergence{Rule: RuleEqual, Table: t, P: p}
		}
	}
	return best
}

// below tests whether values are below some limit.
func (h *hypotheses) below(texts []string, rule DataRule) *DataDivergence {
	values := make([]float64, len(texts))
	have := newRunSet(len(texts))
	var sorted []float64
	for i, t := range texts {
		if x, ok := numeric(t); ok {
			values[i] = x
			sorted = append(sorted, x)
			have.add(i)
		}
	}
	slices.Sort(sorted)
	sorted = slices.Compact(sorted)
	var best *DataDivergence
	for i := 1; i < len(sorted); i++ {
		h.n++
		limit := sorted[i]
		in := func(run int) bool { return values[run] < limit }
		if rule == RuleAbove {
			in = func(run int) bool { return values[run] >= limit }
		}
		t, p := h.table(have, in)
		if best == nil || p < best.P {
			best = &DataDivergence{Rule: rule, Table: t, P: p}
		}
	}
	return best
}

// extremes returns the smallest and the largest number of each run, and whether any run has several.
func extremes(values [][]trace.Value) (least, most []string, several bool) {
	least, most = make([]string, len(values)), make([]string, len(values))
	for run, list := range values {
		several = several || len(list) > 1
		lo, hi := math.Inf(1), math.Inf(-1)
		for _, v := range list {
			if x, ok := numeric(v.Text); ok {
				if x < lo {
					lo, least[run] = x, v.Text
				}
				if x > hi {
					hi, most[run] = x, v.Text
				}
			}
		}
	}
	return least, most, several
}

// numeric returns text as a number, durations in seconds.
func numeric(text string) (float64, bool) {
	if x, err := strconv.ParseFloat(text, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return x, true
	}
	if d, err := time.ParseDuration(text); err == nil {
		return d.Seconds(), true
	}
	return 0, false
}
