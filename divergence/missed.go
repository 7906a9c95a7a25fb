package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// countMissing counts, for each missing block, in which runs it had run by then, as often as in the run where it was
// not missing. The number of the event is not enough: other runs may have come there by another way. A goroutine that
// has not run a block for the third time may still have run it.
func (a *analysis) countMissing(o *orderFinding) error {
	fast, err := nthOf(o.faster().Other, o.Missing)
	if err != nil {
		return err
	}
	for i := range o.Missing {
		o.Missing[i].Nth = fast[i]
	}
	for _, s := range o.at {
		at, known, err := visitsOf(s.other, s.never, o.Missing)
		if err != nil {
			return a.inRun(s.run, err)
		}
		for i, pos := range at {
			had := pos >= 0 && pos < s.sure
			if had || known && (pos < 0 || pos >= s.never) {
				o.Missing[i].Table.Add(a.in.Runs[s.run].Failed, had != o.Late)
			}
		}
	}
	return nil
}

// nthOf returns, for each missing block, which visit to it (1 = first) its First is.
func nthOf(g *trace.Goroutine, list []Missed) ([]int64, error) {
	nth := make([]int64, len(list))
	index, last := make(map[trace.Event]int, len(list)), int64(0)
	for i, m := range list {
		index[trace.Event(m.Block)] = i
		last = max(last, m.First)
	}
	err := eachChunk(g, 0, func(pos int64, events []trace.Event) bool {
		for i, e := range events {
			if k, ok := index[e]; ok && pos+int64(i) <= list[k].First {
				nth[k]++
			}
		}
		return pos+int64(len(events)) <= last
	})
	return nth, err
}

// visitsOf returns where a stream runs each block for the Nth time, or -1 if it does not before
// the position until; known is false if content was not kept.
func visitsOf(g *trace.Goroutine, until int64, list []Missed) (at []int64, known bool, err error) {
	at = slices.Repeat([]int64{-1}, len(list))
	if g == nil {
		return at, true, nil
	}
	index := make(map[trace.Event]int, len(list))
	for i, m := range list {
		index[trace.Event(m.Block)] = i
	}
	seen := make([]int64, len(list))
	err = eachChunk(g, 0, func(pos int64, events []trace.Event) bool {
		for i, e := range events {
			if k, ok := index[e]; ok {
				if seen[k]++; seen[k] == list[k].Nth {
					at[k] = pos + int64(i)
				}
			}
		}
		return pos+int64(len(events)) < until
	})
	known = !slices.ContainsFunc(g.Chunks, func(c trace.Chunk) bool { return !c.Kept })
	return at, known, err
}
