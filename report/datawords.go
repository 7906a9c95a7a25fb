package report

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// dataWhy says, to follow its place, what is known of a place where chance enters.
func dataWhy(d *finding.DataDivergence) string {
	switch d.Kind {
	case finding.DataValue:
		if d.OneOfSeveral {
			return dataWords(d) + " (of the runs that recorded values, and of the failing ones those that failed in this way)"
		}
		return dataWords(d) + " (of the runs that recorded values)"
	case finding.DataVaries:
		return fmt.Sprintf("%s %s, and by the source %s may be computed from it", what(d.Values), variety(d.Values, d.Variety), d.Operand)
	case finding.DataPermuted:
		return fmt.Sprintf("%s has the same content from run to run, but in different orders: it may be written here", d.Operand)
	case finding.DataTest:
		return earlierWords(d.Earlier)
	}
	return ""
}

func what(k divergence.ValueKind) string {
	switch k {
	case divergence.ValueKey:
		return "the keys"
	case divergence.ValueReceived:
		return "what was received"
	}
	return "its value"
}

// variety says how different a source was from run to run.
func variety(k divergence.ValueKind, v divergence.Variety) string {
	verb := "was"
	if k == divergence.ValueKey {
		verb = "came in the first pass in an order that was"
	}
	if v.Different == v.Runs {
		return fmt.Sprintf("%s different in each of %d runs", verb, v.Runs)
	}
	return fmt.Sprintf("%s different from run to run (%d ways in %d runs)", verb, v.Different, v.Runs)
}

// dataWords says how a source predicts the outcome.
func dataWords(x *finding.DataDivergence) string {
	d, t := x.Found, x.Found.Table
	fails := fmt.Sprintf("in %d of %d failing runs", t.FailTaken, t.FailTaken+t.FailNot)
	passes := fmt.Sprintf("in %d of %d passing runs", t.PassTaken, t.PassTaken+t.PassNot)
	if !d.FailsIf { // what is said holds of passing runs
		fails = fmt.Sprintf("in %d of %d passing runs", t.PassNot, t.PassTaken+t.PassNot)
		passes = fmt.Sprintf("in %d of %d failing runs", t.FailNot, t.FailTaken+t.FailNot)
	}
	where := occurrence(x)
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
func occurrence(x *finding.DataDivergence) string {
	name, d := which(x), x.Found
	if x.Values != divergence.ValueKey {
		if name == "" {
			return "its value"
		}
		return name
	}
	at := fmt.Sprintf("the range at %s:%d", path.Base(filepath.ToSlash(x.At.File)), x.At.Line)
	switch {
	case d.Rule == divergence.RuleOrder && d.Nth > 0:
		return fmt.Sprintf("in pass %d over %s the keys", d.Nth+1, at)
	case d.Rule == divergence.RuleOrder:
		return fmt.Sprintf("in %s the keys", at)
	case d.Nth >= 0:
		return fmt.Sprintf("the %s key that %s gave in all of this test", ordinal(int64(d.Nth+1)), at)
	}
	return fmt.Sprintf("in %s %s", at, name)
}

// which names one of the values of a source, "" if there is just one.
func which(x *finding.DataDivergence) string {
	d := x.Found
	if d == nil {
		return ""
	}
	thing := map[divergence.ValueKind]string{divergence.ValueKey: "key", divergence.ValueReceived: "value received"}[x.Values]
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
	case x.Values == divergence.ValueKey:
		return fmt.Sprintf("key %d of this test", d.Nth+1)
	case x.Values == divergence.ValueReceived && d.Nth == 0:
		return "the first value received"
	case x.Values == divergence.ValueReceived:
		return fmt.Sprintf("value %d received", d.Nth+1)
	case d.Nth > 0 || d.Several:
		return fmt.Sprintf("the value of call %d", d.Nth+1)
	}
	return ""
}

// earlierWords says how having run tests before predicts the outcome.
func earlierWords(e *divergence.Earlier) string {
	who, verb := "it", "leaves something behind that fails this test"
	if len(e.Tests) > 1 {
		who = fmt.Sprintf("at least one of %s and %s", strings.Join(e.Tests[:len(e.Tests)-1], ", "), e.Tests[len(e.Tests)-1])
	}
	t := e.Table
	fail, pass := t.FailTaken, t.PassTaken
	if !e.FailsIf { // the table counts runs that have none of them before
		fail, pass, verb = t.FailNot, t.PassNot, "sets something up that this test needs"
	}
	return fmt.Sprintf("%s had run before in %d of %d failing runs and in %d of %d passing runs, so it seems that it %s",
		who, fail, t.FailTaken+t.FailNot, pass, t.PassTaken+t.PassNot, verb)
}
