package main

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

const (
	maxOperands = 5 // shown for a failure
	manyValues  = 6 // from so many different numbers on only their range is shown
)

// describeValues adds to a failure what the analysis of runs with values shows.
func (an *analyst) describeValues(f *report.Failure, a *divergence.Analysis) {
	list := slices.Clone(a.Operands)
	rank := func(v divergence.OperandValues) float64 {
		if an.valueSites[v.Site].Kind == divergence.ValueArgument {
			return v.Apart - 1 // what an operand is computed from comes after all operands
		}
		return v.Apart
	}
	slices.SortStableFunc(list, func(x, y divergence.OperandValues) int { return cmp.Compare(rank(y), rank(x)) })
	// What is different in nearly all runs of either outcome explains the most;
	// what hardly differs explains nothing next to it.
	list = slices.DeleteFunc(list, func(v divergence.OperandValues) bool { return v.Apart < 0.3 || v.Apart < list[0].Apart/2 })
	list = list[:min(len(list), maxOperands)]
	for _, v := range list {
		s := an.valueSites[v.Site]
		f.Values = append(f.Values, report.Value{
			Expr: oneLine(s.Expr), At: an.place(s), Source: an.sourceOf(v.Site, a),
			Passing: an.seen(v.Passing), Failing: an.seen(v.Failing),
		})
	}
	if d := a.Data; d != nil {
		s := an.valueSites[d.Site]
		f.Data = append(f.Data, report.DataDivergence{
			Expr: subject(s), At: an.place(s), Source: s.Source, Why: an.dataWords(d), Sure: true,
		})
		return
	}
	an.guessData(f, a, list)
}

// guessData names the sources that what decided is computed from, if no value
// of theirs alone goes with the outcome: a sum depends on the order of all its
// terms.
func (an *analyst) guessData(f *report.Failure, a *divergence.Analysis, list []divergence.OperandValues) {
	for _, v := range list {
		for _, from := range an.valueSites[v.Site].From {
			n, of := a.Variety[from].Different, a.Variety[from].Runs
			if of < 2 || n < 2 {
				continue
			}
			s := an.valueSites[from]
			f.Data = append(f.Data, report.DataDivergence{
				Expr: subject(s), At: an.place(s), Source: s.Source,
				Why: fmt.Sprintf("%s %s, and %s is computed from it", what(s), variety(s, n, of), oneLine(an.valueSites[v.Site].Expr)),
			})
			return
		}
	}
}

// place returns the place of a site.
func (an *analyst) place(s divergence.ValueSite) trace.Frame {
	return trace.Frame{File: filepath.Join(an.sites.Root, filepath.FromSlash(s.File)), Line: s.Line}
}

// sourceOf says what an operand is computed from, if that was not the same in
// all runs.
func (an *analyst) sourceOf(site int, a *divergence.Analysis) string {
	if s := an.valueSites[site]; s.Source != "" {
		return s.Source
	}
	var list []string
	for _, from := range an.valueSites[site].From {
		if a.Variety[from].Different < 2 {
			continue
		}
		s := an.valueSites[from]
		text := fmt.Sprintf("%s at %s:%d", s.Source, path.Base(s.File), s.Line)
		if !slices.Contains(list, text) && len(list) < 2 {
			list = append(list, text)
		}
	}
	return strings.Join(list, " and ")
}

// seen turns values into those of a report: many different numbers into their
// range.
func (an *analyst) seen(list []divergence.Seen) []report.Seen {
	if len(list) >= manyValues {
		if s, ok := numbers(list); ok {
			return []report.Seen{s}
		}
	}
	if len(list) >= manyValues && len(list[0].Runs) == 1 { // no two are alike: some will do
		s := report.Seen{Text: fmt.Sprintf("%d different values", len(list)-2)}
		for _, v := range list[2:] {
			s.Runs = append(s.Runs, v.Runs...)
		}
		return []report.Seen{{Text: list[0].Text, Runs: list[0].Runs}, {Text: list[1].Text, Runs: list[1].Runs}, s}
	}
	var out []report.Seen
	for _, s := range list {
		out = append(out, report.Seen{Text: s.Text, Runs: s.Runs})
	}
	return out
}

// numbers returns the range of values that are all numbers.
func numbers(list []divergence.Seen) (report.Seen, bool) {
	var lo, hi float64
	var least, most string
	var s report.Seen
	for i, v := range list {
		x, err := strconv.ParseFloat(v.Text, 64)
		if err != nil {
			return s, false
		}
		if i == 0 || x < lo {
			lo, least = x, v.Text
		}
		if i == 0 || x > hi {
			hi, most = x, v.Text
		}
		s.Runs = append(s.Runs, v.Runs...)
	}
	slices.Sort(s.Runs)
	s.Text = fmt.Sprintf("%s … %s (%d different)", least, most, len(list))
	return s, true
}

// subject names what a site records: an expression, or the range over one.
func subject(s divergence.ValueSite) string {
	if s.Kind == divergence.ValueKey {
		return "range " + oneLine(s.Expr)
	}
	return oneLine(s.Expr)
}

func what(s divergence.ValueSite) string {
	switch s.Kind {
	case divergence.ValueKey:
		return "the keys"
	case divergence.ValueReceived:
		return "what was received"
	}
	return "its value"
}

// variety says how different a source was from run to run.
func variety(s divergence.ValueSite, n, of int) string {
	verb := "was"
	if s.Kind == divergence.ValueKey {
		verb = "came in an order that was"
	}
	if n == of {
		return fmt.Sprintf("%s different in each of %d runs", verb, of)
	}
	return fmt.Sprintf("%s different from run to run (%d ways in %d runs)", verb, n, of)
}

// dataWords says how a source goes with the outcome.
func (an *analyst) dataWords(d *divergence.DataDivergence) string {
	s, t := an.valueSites[d.Site], d.Table
	fails := fmt.Sprintf("in %d of %d failing runs", t.FailTaken, t.FailTaken+t.FailNot)
	passes := fmt.Sprintf("in %d of %d passing runs", t.PassTaken, t.PassTaken+t.PassNot)
	if !d.FailsIf { // what is said holds of passing runs
		fails = fmt.Sprintf("in %d of %d passing runs", t.PassNot, t.PassTaken+t.PassNot)
		passes = fmt.Sprintf("in %d of %d failing runs", t.FailNot, t.FailTaken+t.FailNot)
	}
	which := occurrence(s, d.Nth)
	switch d.Rule {
	case divergence.RuleEqual:
		return fmt.Sprintf("%s was %s %s and %s", which, d.Value, fails, passes)
	case divergence.RuleBelow:
		return fmt.Sprintf("%s was at most %s %s and %s; the next value seen was %s", which, limit(d.Least), fails, passes, limit(d.Most))
	case divergence.RuleAbove:
		return fmt.Sprintf("%s was at least %s %s and %s", which, limit(d.Limit), fails, passes)
	}
	var pairs []string
	for _, p := range d.Pairs {
		pairs = append(pairs, p.First+" before "+p.Second)
	}
	return fmt.Sprintf("%s came %s in all %d passing runs, and not so in %d of %d failing runs",
		"the keys", strings.Join(pairs, " and "), t.PassTaken+t.PassNot, t.FailTaken, t.FailTaken+t.FailNot)
}

func limit(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// occurrence names one of the values of a site: the key in iteration 2.
func occurrence(s divergence.ValueSite, nth int) string {
	name := map[divergence.ValueKind]string{
		divergence.ValueKey: "the key", divergence.ValueReceived: "the value received",
	}[s.Kind]
	switch {
	case s.Kind == divergence.ValueKey && nth >= 0:
		return fmt.Sprintf("the key in iteration %d", nth+1)
	case nth < 0 && name == "":
		return "one of the values"
	case nth < 0:
		return name + " in one of the iterations"
	case nth == 0 && name == "":
		return "its value"
	case name == "":
		return fmt.Sprintf("the value of call %d", nth+1)
	}
	if nth == 0 {
		return "the first value received"
	}
	return fmt.Sprintf("value %d received", nth+1)
}

// oneLine returns source as one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
