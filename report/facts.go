package report

import (
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// This file makes the parts of a view that are facts rather than sentences:
// runs, commands, environment, values, scores.

// maxRows is how many runs the table has.
const maxRows = 2000

// A legend explains a symbol of the table, and counts its runs.
type legend struct {
	Class, Symbol, Text string
}

type runRow struct {
	N                     int
	Class, Symbol, Status string
	Elapsed               string
	Failure               int // number of the failure, from 1; 0 if there is none
}

// look returns class, symbol and word of a run's status.
func look(r finding.Run) (class, symbol, word string) {
	class, symbol, word = lookOf(r.Status)
	if r.ByChild {
		word = "only a subtest failed"
	}
	return class, symbol, word
}

// lookOf returns class, symbol and word of a status.
func lookOf(s finding.Status) (class, symbol, word string) {
	switch s {
	case finding.Passed:
		return "pass", "✓", "passed"
	case finding.Failed:
		return "fail", "✗", "failed"
	case finding.Timeout:
		return "fail", "T", "timed out"
	case finding.Crashed:
		return "fail", "!", "crashed"
	case finding.Skipped:
		return "none", "s", "skipped"
	}
	return "none", "·", "not run"
}

// A runsView is the runs of a test.
type runsView struct {
	Legend  []legend
	Rows    []runRow
	RunsCut say.Sentence
	Many    bool // ways to fail
}

// runs returns the runs of a test.
func (v *viewer) runs(t *finding.Test) (w runsView) {
	n := map[string]int{}
	for i, r := range t.Runs {
		class, symbol, word := look(r)
		n[word]++
		if i >= maxRows {
			continue
		}
		row := runRow{N: r.N, Class: class, Symbol: symbol, Status: word, Elapsed: took(r)}
		if r.Status.Failing() && r.Failure >= 0 && r.Failure < len(t.Failures) {
			row.Failure = r.Failure + 1
		}
		w.Rows = append(w.Rows, row)
	}
	for _, r := range []finding.Run{{Status: finding.Passed}, {Status: finding.Failed}, {Status: finding.Timeout},
		{Status: finding.Crashed}, {Status: finding.Skipped}, {Status: finding.NotRun},
		{Status: finding.NotRun, ByChild: true}} {
		if class, symbol, word := look(r); n[word] > 0 {
			w.Legend = append(w.Legend, legend{class, symbol, say.Thousands(int64(n[word])) + " " + word})
		}
	}
	if d := len(t.Runs) - maxRows; d > 0 {
		w.RunsCut = say.LeftOut.With(say.Count(d))
	}
	w.Many = len(t.Failures) > 1
	return w
}

// tookUnit is to what tests say how long they took. Of one that did not come to say it, as the
// process ended, no more is known: its time is that between lines of output, as they are read.
const tookUnit = 10 * time.Millisecond

// took says how long a test took in a run.
func took(r finding.Run) string {
	d := r.Elapsed.Round(tookUnit)
	switch {
	case r.Status == finding.NotRun && r.Elapsed <= 0:
		return ""
	case d <= 0:
		return "< 10ms"
	case d < time.Second:
		return "≈ " + duration(d)
	}
	return duration(d)
}

// duration returns d to three digits.
func duration(d time.Duration) string {
	switch {
	case d <= 0:
		return ""
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}

// environment returns the facts that somebody needs to repeat the run.
func (v *viewer) environment() []fact {
	var quoted []string
	for _, a := range v.r.Command {
		quoted = append(quoted, shellQuote(v.clean.Line(a, 500)))
	}
	out := []fact{
		{"Command", strings.Join(quoted, " ")},
		{"Module", v.clean.Line(v.r.Module, 300)},
		{"Go", v.clean.Line(v.r.Go, 100)},
		{"Platform", v.clean.Line(v.r.Platform, 300)},
		{"fdebug", v.clean.Line(v.r.Version, 100)},
	}
	if !v.r.Started.IsZero() {
		out = append(out, fact{"Started", v.r.Started.UTC().Format("2006-01-02 15:04:05 UTC")})
	}
	out = append(out, fact{"Took", duration(v.r.Elapsed)})
	kept := out[:0]
	for _, f := range out {
		if f.Value != "" {
			kept = append(kept, f)
		}
	}
	return kept
}
