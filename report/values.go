package report

import (
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

const (
	maxCells = 8 // values of one outcome that are shown one by one
	fewCells = 3 // the same, if no two runs have the same value

	fewNumbers = 5 // numbers of one outcome that are shown one by one
)

// A valueView is one row of the table of values: what an operand was in passing
// runs, above what it was in failing ones. Operands that had the same values in
// the same runs share one.
type valueView struct {
	Names []valueName
	Sides [2]valueSide // passing, failing
}

type valueName struct {
	Expr   string
	Which  string // "the key in iteration 1", "" for the value itself
	Place  say.Sentence
	Source string
}

// A valueSide is the values of the runs of one outcome as counted cells.
type valueSide struct {
	Class, Symbol, Word string // "pass", "✓", "passing"
	Runs                string // "17 of 20", "" for all
	n                   int
	Cells               []seenView
}

type seenView struct {
	Text string
	N    string // "×5", "" if Text is words that say it
}

// valueInput has the parts of a valueView.
type valueInput struct {
	name             valueName
	passing, failing []finding.Seen
}

// values returns the table of values, passing against failing: where the data
// diverged first.
func (v *viewer) values(f *finding.Failure) []valueView {
	var list []valueInput
	for _, d := range f.Data {
		if len(d.Passing) > 0 && len(d.Failing) > 0 {
			name := valueName{Expr: v.clean.Line(d.Expr, 200), Which: v.clean.Line(which(&d), 100),
				Place: say.Of(v.at(v.framePlace(d.At))), Source: v.clean.Line(d.Source, 200)}
			list = append(list, valueInput{name, d.Passing, d.Failing})
		}
	}
	for _, x := range f.Values {
		name := valueName{Expr: v.clean.Line(x.Expr, 200), Which: v.whichTime(&x),
			Place: say.Of(v.at(v.framePlace(x.At))), Source: v.clean.Line(x.Source, 200)}
		list = append(list, valueInput{name, x.Passing, x.Failing})
	}
	var out []valueView
	var keys []string
	for _, in := range list {
		key := fmt.Sprint(runsByValue(in.passing), runsByValue(in.failing))
		if i := slices.Index(keys, key); i >= 0 {
			out[i].Names = addName(out[i].Names, in.name)
			continue
		}
		keys = append(keys, key)
		out = append(out, v.value(in))
	}
	for i := range out {
		out[i].of(f.ForValues)
	}
	return out
}

// of says of how many runs each side is, if some are not in it: they did not come to the
// value, or not at a time at which it can be compared.
func (w *valueView) of(all finding.Outcomes) {
	for i, n := range []int{all.Passed, all.Failed} {
		if s := &w.Sides[i]; s.n < n {
			s.Runs = fmt.Sprintf("%d of %d", s.n, n)
		}
	}
}

// whichTime says which of the values of an operand was compared, "" if that is the first and no
// other is seen to be possible.
func (v *viewer) whichTime(x *finding.Value) string {
	at := v.framePlace(x.At)
	switch {
	case x.Unlike:
		return "last visit"
	case x.Nth > 0, x.Nth == 0 && v.src.InLoop(at.File, at.Start):
		return fmt.Sprintf("visit %d", x.Nth+1)
	}
	return ""
}

// addName adds the name of an operand, unless it is there: what the values first differ
// at may be an operand of what decided.
func addName(names []valueName, n valueName) []valueName {
	for i, x := range names {
		if x.Expr == n.Expr && x.Which == n.Which && x.Place.String() == n.Place.String() {
			if x.Source == "" {
				names[i].Source = n.Source
			}
			return names
		}
	}
	return append(names, n)
}

// runsByValue returns values and which runs had them, to tell whether two operands
// were the same.
func runsByValue(list []finding.Seen) []string {
	var out []string
	for _, s := range list {
		out = append(out, fmt.Sprintf("%q %d", s.Text, s.Runs))
	}
	slices.Sort(out)
	return out
}

// value draws the values of one operand.
func (v *viewer) value(in valueInput) valueView {
	w := valueView{Names: []valueName{in.name}, Sides: [2]valueSide{
		{Class: "pass", Symbol: "✓", Word: "passing", n: runsOf(in.passing)},
		{Class: "fail", Symbol: "✗", Word: "failing", n: runsOf(in.failing)},
	}}
	twins := v.twins(in)
	w.Sides[0].Cells, w.Sides[1].Cells = v.cells(in.passing, twins), v.cells(in.failing, twins)
	return w
}

// seenText returns a value as a page shows it.
func (v *viewer) seenText(s finding.Seen) string { return v.clean.Line(s.Text, 200) }

// twins returns the values that look the same, by how they look: long ones may differ behind what
// is kept or shown of them.
func (v *viewer) twins(in valueInput) map[string][]uint64 {
	out := map[string][]uint64{}
	for _, s := range slices.Concat(in.passing, in.failing) {
		if text := v.seenText(s); s.Hash != 0 && !slices.Contains(out[text], s.Hash) {
			out[text] = append(out[text], s.Hash)
		}
	}
	return out
}

func runsOf(list []finding.Seen) (n int) {
	for _, s := range list {
		n += len(s.Runs)
	}
	return n
}

// cells counts values, and tells apart those that only look the same. Of many numbers it has the range.
func (v *viewer) cells(values []finding.Seen, twins map[string][]uint64) []seenView {
	if least, most, ok := rangeOf(values); ok && len(values) > fewNumbers {
		return []seenView{{v.clean.Line(fmt.Sprintf("%s to %s in %s", least, most, plural(runsOf(values), "run")), 200), ""}}
	}
	limit := maxCells
	if len(values) > maxCells && len(values[0].Runs) == 1 { // no two are alike: some will do
		limit = fewCells
	}
	var out []seenView
	for i, s := range values {
		if i == limit {
			return append(out, seenView{fmt.Sprintf("%s in %s", plural(len(values)-i, "more value"),
				plural(runsOf(values[i:]), "run")), ""})
		}
		c := seenView{v.seenText(s), fmt.Sprintf("×%d", len(s.Runs))}
		if same := twins[c.Text]; len(same) > 1 {
			c.N += fmt.Sprintf(" (value %d of %d that differ further on)", 1+slices.Index(same, s.Hash), len(same))
		}
		out = append(out, c)
	}
	return out
}

// rangeOf returns the least and the greatest of values that are all numbers.
func rangeOf(values []finding.Seen) (least, most string, ok bool) {
	var lo, hi float64
	for i, s := range values {
		x, ok := divergence.Seen{Text: s.Text}.Number()
		if !ok {
			return "", "", false
		}
		if i == 0 || x < lo {
			lo, least = x, s.Text
		}
		if i == 0 || x > hi {
			hi, most = x, s.Text
		}
	}
	return least, most, len(values) > 0
}

// which names one of the values of a source, "" if there is just one.
func which(x *finding.DataDivergence) string {
	d := x.Found
	if d == nil {
		return ""
	}
	switch {
	case d.Nth < 0 && d.Rule == divergence.RuleAbove:
		return "the greatest value in a run"
	case d.Nth < 0:
		return "the least value in a run"
	case x.Source == "a channel":
		return fmt.Sprintf("value %d received", d.Nth+1)
	case d.Nth > 0 || d.Several:
		return fmt.Sprintf("the value of call %d", d.Nth+1)
	}
	return ""
}
