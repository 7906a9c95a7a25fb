package divergence

import (
	"cmp"
	"hash/fnv"
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A DataDivergence is the point at which the data of failing runs diverged from that of passing
// runs: a value from outside that predicts the outcome.
type DataDivergence struct {
	Site int
	Rule DataRule
	// Nth is the occurrence of the site on its goroutine, from 0: the call. -1 means any of them.
	Nth int
	// Several says that some run has more than one value of the site on that goroutine.
	Several bool
	// Table counts the runs by whether they are on the side of failing runs.
	Table Table
	P     float64 // corrected for the number of hypotheses
	// Passing and Failing are the values that the rule used, one for each run, the most frequent
	// first.
	Passing, Failing []Seen

	time int64
	from *series
}

// A DataRule is a kind of hypothesis.
type DataRule string

const (
	RuleEqual DataRule = "equal" // the value is a certain one
	RuleBelow DataRule = "below" // the value, or the smallest of all (Nth -1), is below a limit
	RuleAbove DataRule = "above" // the largest of all values is at least a limit
)

const (
	maxNth       = 8   // occurrences of a site that are tested one by one
	minDataShift = 0.6 // minimal difference between the shares of runs on the failing side
)

// A series is the values of one site on one goroutine, by run.
type series struct {
	lane   *lane
	site   int
	values [][]trace.Value // by run, up to where the runs diverged; nil if the run has none
}

// dataDivergence returns the earliest source that predicts the outcome about as well as the best
// one does, or nil if none does.
func (a *analysis) dataDivergence() *DataDivergence {
	var list []*DataDivergence
	all := a.series()
	a.variety(all)
	h := &hypotheses{a: a}
	for i := range all {
		list = append(list, h.test(&all[i])...)
	}
	kept := list[:0]
	best := 0.0
	for _, d := range list {
		d.P = min(1, d.P*float64(h.n))
		if d.P <= stats.Strong && d.Table.Excess() >= minDataShift {
			kept = append(kept, d)
			best = min(best, math.Log(d.P))
		}
	}
	kept = slices.DeleteFunc(kept, func(d *DataDivergence) bool { return math.Log(d.P) > best/2 })
	if len(kept) == 0 {
		return nil
	}
	first := slices.MinFunc(kept, func(x, y *DataDivergence) int { return cmp.Compare(x.time, y.time) })
	// Of all that is known about that source, choose the divergence that separates the runs best.
	kept = slices.DeleteFunc(kept, func(d *DataDivergence) bool { return d.Site != first.Site })
	found := slices.MinFunc(kept, func(x, y *DataDivergence) int {
		return cmp.Or(cmp.Compare(y.Table.Excess(), x.Table.Excess()), cmp.Compare(x.P, y.P))
	})
	a.evidence(found)
	return found
}

// A Variety says how many different sequences of values a source had, in how many runs.
type Variety struct{ Different, Runs int }

// variety counts how much sources differed from run to run, on the goroutine on which they
// differed most.
func (a *analysis) variety(all []series) {
	a.out.Variety = map[int]Variety{}
	for _, s := range all {
		seen, runs := map[uint64]bool{}, 0
		for _, values := range s.values {
			if len(values) == 0 {
				continue
			}
			h := uint64(len(values))
			for _, v := range values {
				h = (h ^ v.Hash) * 0x100000001b3
			}
			seen[h] = true
			runs++
		}
		if len(seen) > a.out.Variety[s.site].Different {
			a.out.Variety[s.site] = Variety{len(seen), runs}
		}
	}
}

// series collects the values of sources, up to where runs diverged.
func (a *analysis) series() []series {
	var list []series
	for _, l := range a.lanes {
		bySite := map[int]int{}
		for run, g := range l.streams {
			if g == nil {
				continue
			}
			end := a.causeEnd(l, run)
			for _, v := range g.Values {
				if v.Pos > end || v.Site >= len(a.in.Values) || a.in.Values[v.Site].Source == "" {
					continue
				}
				i, ok := bySite[v.Site]
				if !ok {
					i = len(list)
					bySite[v.Site] = i
					list = append(list, series{l, v.Site, make([][]trace.Value, len(a.in.Runs))})
				}
				list[i].values[run] = append(list[i].values[run], v)
			}
		}
	}
	return list
}

// causeEnd returns the position on a lane up to which values can have caused the failure: the
// last divergence of the chain, or the failed check.
func (a *analysis) causeEnd(l *lane, run int) int64 {
	end := a.end(l, run)
	for _, f := range a.shown {
		if f.lane != l {
			continue
		}
		for _, p := range slices.Concat(f.fails, f.passes) {
			if p.run == run {
				end = min(end, p.pos)
			}
		}
	}
	if c := a.checks[run]; c.lane != nil && c.lane != l { // by the clock
		g := l.streams[run]
		for i := len(g.Values) - 1; i >= 0; i-- {
			if lo, _ := g.Between(g.Values[i].Pos); lo < c.hi {
				break
			}
			end = min(end, g.Values[i].Pos-1)
		}
	}
	return end
}

// when returns an estimate of when a series reached its nth value, in the failing run that reached it first.
func (s *series) when(a *analysis, nth int) int64 {
	t := int64(math.MaxInt64)
	for run, values := range s.values {
		if a.in.Runs[run].Failed && len(values) > 0 {
			v := values[min(max(nth, 0), len(values)-1)]
			t = min(t, estimate(s.lane.streams[run], v.Pos))
		}
	}
	return t
}

// evidence fills in the values that a data divergence is about, in passing and in failing runs:
// the value that its rule used, for each run that has one.
func (a *analysis) evidence(d *DataDivergence) {
	for run := range a.in.Runs {
		v, ok := d.looksAt(run)
		if !ok {
			continue
		}
		side := &d.Passing
		if a.in.Runs[run].Failed {
			side = &d.Failing
		}
		*side = see(*side, v, a.in.Runs[run].N)
	}
	d.Passing, d.Failing = byFrequency(d.Passing), byFrequency(d.Failing)
	d.Several = slices.ContainsFunc(d.from.values, func(values []trace.Value) bool { return len(values) > 1 })
	d.from = nil // all values of all runs, no longer needed
}

// looksAt returns the value of one run that the rule uses: the occurrence that it names, or
// the smallest or the largest of all.
func (d *DataDivergence) looksAt(run int) (trace.Value, bool) {
	values := d.from.values[run]
	switch {
	case d.Nth >= 0:
		i := slices.IndexFunc(values, func(v trace.Value) bool { return v.Nth == d.Nth })
		if i < 0 {
			return trace.Value{}, false
		}
		return values[i], true
	}
	least, most, _ := extremes([][]trace.Value{values})
	text := least[0]
	if d.Rule == RuleAbove {
		text = most[0]
	}
	return textValue(text), text != ""
}

func textValue(text string) trace.Value {
	h := fnv.New64a()
	h.Write([]byte(text))
	return trace.Value{Hash: h.Sum64(), Text: text}
}

// Number returns the value as a number, durations in seconds, or false if it is not a number.
func (s Seen) Number() (float64, bool) { return numeric(s.Text) }
