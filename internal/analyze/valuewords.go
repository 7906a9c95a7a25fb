package analyze

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
)

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
func (an *Analyzer) dataWords(d *divergence.DataDivergence) string {
	s, t := an.valueSites[d.Site], d.Table
	fails := fmt.Sprintf("in %d of %d failing runs", t.FailTaken, t.FailTaken+t.FailNot)
	passes := fmt.Sprintf("in %d of %d passing runs", t.PassTaken, t.PassTaken+t.PassNot)
	if !d.FailsIf { // what is said holds of passing runs
		fails = fmt.Sprintf("in %d of %d passing runs", t.PassNot, t.PassTaken+t.PassNot)
		passes = fmt.Sprintf("in %d of %d failing runs", t.FailNot, t.FailTaken+t.FailNot)
	}
	where := occurrence(s, d)
	limit := func(x float64) string { return limit(x, durations(d)) }
	switch d.Rule {
	case divergence.RuleEqual:
		return fmt.Sprintf("%s was %s %s and %s", where, d.Value, fails, passes)
	case divergence.RuleBelow:
		return fmt.Sprintf("%s was at most %s %s and %s; the next value seen was %s", where, limit(d.Least), fails, passes, limit(d.Most))
	case divergence.RuleAbove:
		return fmt.Sprintf("%s was at least %s %s and %s", where, limit(d.Limit), fails, passes)
	}
	var pairs []string
	for _, p := range d.Pairs {
		pairs = append(pairs, p.First+" before "+p.Second)
	}
	return fmt.Sprintf("%s came %s in all %d passing runs, and not so in %d of %d failing runs",
		where, strings.Join(pairs, " and "), t.PassTaken+t.PassNot, t.FailTaken, t.FailTaken+t.FailNot)
}

// limit returns a number with its unit, where it is a duration in seconds.
func limit(x float64, isDuration bool) string {
	if isDuration {
		return time.Duration(math.Round(x * float64(time.Second))).String()
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// durations reports whether the values that were compared are durations.
func durations(d *divergence.DataDivergence) bool {
	for _, s := range append(d.Passing[:len(d.Passing):len(d.Passing)], d.Failing...) {
		if _, err := strconv.ParseFloat(s.Text, 64); err == nil {
			return false
		} else if _, err := time.ParseDuration(s.Text); err == nil {
			return true
		}
	}
	return false
}

// occurrence says which of the values of a source went with the outcome: "in
// iteration 2 of the range at index.go:41 the key".
func occurrence(s divergence.ValueSite, d *divergence.DataDivergence) string {
	name := which(s, d)
	if s.Kind != divergence.ValueKey {
		if name == "" {
			return "its value"
		}
		return name
	}
	at := fmt.Sprintf("the range at %s:%d", path.Base(s.File), s.Line)
	switch {
	case d.Rule == divergence.RuleOrder && d.Nth > 0:
		return fmt.Sprintf("in pass %d over %s the keys", d.Nth+1, at)
	case d.Rule == divergence.RuleOrder:
		return fmt.Sprintf("in %s the keys", at)
	case d.Nth >= 0:
		return fmt.Sprintf("in iteration %d of %s the key", d.Nth+1, at)
	}
	return fmt.Sprintf("in %s %s", at, name)
}

// which names one of the values of a source, "" if there is just one.
func which(s divergence.ValueSite, d *divergence.DataDivergence) string {
	thing := map[divergence.ValueKind]string{divergence.ValueKey: "key", divergence.ValueReceived: "value received"}[s.Kind]
	if thing == "" {
		thing = "value"
	}
	switch {
	case d.Rule == divergence.RuleOrder && d.Nth > 0:
		return fmt.Sprintf("the order of the keys in pass %d", d.Nth+1)
	case d.Rule == divergence.RuleOrder:
		return "the order of the keys"
	case d.Nth < 0 && d.Rule == divergence.RuleAbove:
		return "the greatest " + thing + " in a run"
	case d.Nth < 0:
		return "the least " + thing + " in a run"
	case s.Kind == divergence.ValueKey:
		return fmt.Sprintf("the key in iteration %d", d.Nth+1)
	case s.Kind == divergence.ValueReceived && d.Nth == 0:
		return "the first value received"
	case s.Kind == divergence.ValueReceived:
		return fmt.Sprintf("value %d received", d.Nth+1)
	case d.Nth > 0:
		return fmt.Sprintf("the value of call %d", d.Nth+1)
	}
	return ""
}

// oneLine returns source as one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
