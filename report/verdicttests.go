package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// testsSaid is verdictSaid for other tests: the test fails after them, or needs them.
func (v *viewer) testsSaid(d *finding.Verdict) prose {
	run := "just " + v.clean.line(strings.Join(d.Tests(), ", "), 300)
	switch {
	case len(d.Tests()) == 1:
		run += " runs"
	default:
		run += " run"
	}
	if d.Needs() {
		return say(fmt.Sprintf("The test fails if it runs alone: in %s; if %s before it in the same process, in %s.", inRuns(d.Proof.Confirmed.With), run, shareOf(d.Proof.Confirmed.Cure)))
	}
	if len(d.Settings()) > 0 {
		run = v.clean.line(SaidSettings(d.Settings()), 400) + " and " + run
	}
	said := fmt.Sprintf("The test fails if %s before it in the same process: in %s; alone in %s", run, inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain))
	if len(d.Settings()) > 0 && d.Proof.Confirmed.Cure.Of > 0 {
		said += fmt.Sprintf("; set otherwise, after the same, in %s", shareOf(d.Proof.Confirmed.Cure))
	}
	if d.Proof.Confirmed.Sham.Failed > 0 { // it is not only these that do it
		said += fmt.Sprintf(", but with another test before it instead in %s", shareOf(d.Proof.Confirmed.Sham))
	}
	if d.FailedElse > 0 {
		said += fmt.Sprintf(". In %d of the %s that failed so with nothing changed, %s run before: %s not the only cause", d.FailedElse, plural(d.FailedOf, "run"), v.hadNot(d.Tests()), itIs(d.Tests()))
	}
	return v.pollutionSaid(say(said+"."), d)
}

// hadNot begins to say of tests that they had not run.
func (v *viewer) hadNot(tests []string) string {
	if len(tests) == 1 {
		return v.clean.line(tests[0], 200) + " had not"
	}
	return "not all of these had"
}

func itIs(tests []string) string {
	if len(tests) == 1 {
		return "it is"
	}
	return "they are"
}

// pollutionSaid adds what the tests of a verdict leave in package variables, if it was tried what putting these back
// does.
func (v *viewer) pollutionSaid(p prose, d *finding.Verdict) prose {
	x := d.Pollution
	if x == nil {
		return p
	}
	if len(x.Vars) == 0 {
		return p.text(fmt.Sprintf(" With %s of the module put back before it, it failed in %s all the same: what decides is left elsewhere, such as in files, in the environment, or in variables of other modules.", plural(x.Of, "package variable"), shareOf(x.Back)))
	}
	p = p.text(" What decides is left in ")
	for i, y := range x.Vars {
		if i > 0 {
			p = p.text(" and ")
		}
		p = v.place(p.code(v.clean.line(y.Name, 200)).text(" ("), spanLines(y.At)).text(")")
	}
	p = p.text(fmt.Sprintf(": put back before the test, to what it was, in %s", shareOf(x.Back)))
	if x.Without.Of > 0 {
		p = p.text(fmt.Sprintf("; with the %s put back instead, in %s", plural(x.Others(), "other package variable"), shareOf(x.Without)))
	}
	return p.text(".")
}
