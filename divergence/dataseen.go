package divergence

import (
	"hash/fnv"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

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
	d.Several = slices.ContainsFunc(d.from.whole, func(values []trace.Value) bool { return len(values) > 1 })
	d.from = nil // all values of all runs, no longer needed
}

// looksAt returns the value of one run that the rule uses: the occurrence that it names, the
// smallest or the largest of all, or the keys in their order.
func (d *DataDivergence) looksAt(run int) (trace.Value, bool) {
	values := d.from.values[run]
	switch {
	case d.Rule == RuleOrder:
		keys := passOver(d.from.whole[run], d.Nth)
		return textValue(strings.Join(keys, " ")), len(keys) > 0
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
