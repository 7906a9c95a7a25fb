package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// This file makes the parts of a view that are facts rather than sentences:
// runs, commands, environment, values, scores.

const (
	maxSquares = 500  // of the strip of runs
	maxRows    = 2000 // of the table of runs
	maxScores  = 25   // of the spectrum
)

// A square stands for a run in the strip.
type square struct {
	N                   int
	Class, Symbol, Word string
}

// A legend explains a symbol of the strip.
type legend struct {
	Class, Symbol, Text string
}

type runRow struct {
	N                     int
	Class, Symbol, Status string
	Elapsed, Events       string
	Failure               int // number of the failure, from 1; 0 if there is none
	Record                int // number of what it printed and where it went, from 1; 0 if that is not known
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

// runs fills in the strip and the table of runs.
func (v *viewer) runs(w *view) {
	n := map[string]int{}
	for i, r := range v.t.Runs {
		class, symbol, word := look(r)
		n[word]++
		if i < maxSquares {
			w.Strip = append(w.Strip, square{r.N, class, symbol, word})
		}
		if i < maxRows {
			row := runRow{N: r.N, Class: class, Symbol: symbol, Status: word, Elapsed: took(r)}
			if r.Events > 0 {
				row.Events = thousands(r.Events)
			}
			if r.Status.Failing() && r.Failure >= 0 && r.Failure < len(v.t.Failures) {
				row.Failure = r.Failure + 1
			}
			row.Record = r.Record
			w.Runs = append(w.Runs, row)
		}
	}
	for _, r := range []finding.Run{{Status: finding.Passed}, {Status: finding.Failed}, {Status: finding.Timeout}, {Status: finding.Crashed}, {Status: finding.Skipped}, {Status: finding.NotRun}, {Status: finding.NotRun, ByChild: true}} {
		if class, symbol, word := look(r); n[word] > 0 {
			w.Legend = append(w.Legend, legend{class, symbol, thousands(int64(n[word])) + " " + word})
		}
	}
	if d := len(v.t.Runs) - maxSquares; d > 0 {
		w.StripCut = "and " + plural(d, "more run")
	}
	if d := len(v.t.Runs) - maxRows; d > 0 {
		w.RunsCut = plural(d, "more run") + " left out; result.json has the counts."
	}
}

// runList returns "3, 7, 12" and, for a long list, how many more there are.
func (v *viewer) runList(runs []int) string {
	var parts []string
	for i, n := range runs {
		if i == 30 {
			parts = append(parts, fmt.Sprintf("and %d more", len(runs)-i))
			break
		}
		parts = append(parts, strconv.Itoa(n))
	}
	return strings.Join(parts, ", ")
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

// environment returns what somebody needs to repeat the run.
func (v *viewer) environment() []fact {
	var quoted []string
	for _, a := range v.r.Command {
		quoted = append(quoted, shellQuote(v.clean.line(a, 500)))
	}
	out := []fact{
		{"Command", strings.Join(quoted, " ")},
		{"Module", v.clean.line(v.r.Module, 300)},
		{"Go", v.clean.line(v.r.Go, 100)},
		{"Platform", v.clean.line(v.r.Platform, 300)},
		{"fdebug", v.clean.line(v.r.Version, 100)},
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

// summary is one sentence for the index: where the first failing runs part.
func (v *viewer) summary(f *finding.Failure) prose {
	if f.Analysis == nil || len(f.Analysis.Chain) == 0 {
		p := say("Failed")
		if at, ok := v.src.frame(f.Frame); ok {
			p = v.place(p.text(" at "), at)
		}
		return p.text(": ").code(v.clean.line(f.Message, 120))
	}
	return v.oneLine(f.Analysis.Chain[0])
}

// OneLine says in one line of plain text where the runs of a failure first part
// from passing ones. The failure must have been compared.
func OneLine(r *finding.Result, f *finding.Failure) string {
	v := newViewer(r)
	v.t, v.f = &finding.Test{}, f
	return v.oneLine(f.Analysis.Chain[0]).Plain()
}

func (v *viewer) oneLine(d *divergence.Divergence) prose {
	last, pass, fail := v.ends(d)
	switch {
	case last == nil && d.CommonPrefix > 0:
		return v.unkept(d)
	case last == nil:
		return say("The runs diverge at their first line.")
	}
	switch {
	case d.SamePath:
		p := v.goroutine(d).text(" no branch between statements tells all failing runs from the passing ones ").capital()
		if !v.othersDiffer(d) && d.Followed == d.Table.FailTaken {
			p = say("Same path, different data, ")
		}
		return v.upTo(p, fail).text(".")
	case d.Loop != nil:
		return v.loopCount(d).capital()
	}
	passing, one := passingWho(d)
	p := v.placeEnd(say("Diverges at "), *last)
	if p = p.text(": "); d.InLoop && !d.Left {
		p = p.text("in the iteration in which they part ")
	}
	p = v.nextEvent(p.text(passing+" "), d.PassNext, pass, last, one)
	if p = p.text(", " + failingWho(d) + " "); d.Left {
		return v.later(p.text(neverDo(d)), d.FailNext, fail, last).text(".")
	}
	return v.nextEvent(p, d.FailNext, fail, last, false).text(".")
}

// A scoreRow is a line of the spectrum.
type scoreRow struct {
	Place            prose
	Code             string
	Score            string
	Failing, Passing int
}

// maxSpectrumP is the p-value above which a line is not called suspicious: that failing runs run it more often
// may be chance.
const maxSpectrumP = 0.05

// spectrum returns the lines that failing runs are more likely to run than passing ones.
func (v *viewer) spectrum(a *divergence.Analysis) []scoreRow {
	var out []scoreRow
	fails, passes := len(a.Failing), len(a.Passing)
	for _, s := range a.Spectrum {
		t := divergence.Table{FailTaken: s.Failing, FailNot: max(0, fails-s.Failing), PassTaken: s.Passing, PassNot: max(0, passes-s.Passing)}
		if passes > 0 && (s.Failing*passes <= s.Passing*fails || t.Fisher() > maxSpectrumP) {
			continue
		}
		p, ok := v.src.block(s.Block)
		if !ok {
			continue
		}
		if len(out) == maxScores {
			break
		}
		out = append(out, scoreRow{v.place(nil, p), v.quoted(p, false), fmt.Sprintf("%.2f", s.Ochiai), s.Failing, s.Passing})
	}
	return out
}
