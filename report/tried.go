package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// tried says that experiments have shown nothing of a test, and whether they came to
// their end; "" if they have, or if none were to be made.
func (v *viewer) tried(t *finding.Test) string {
	x := t.Tried
	if x == nil {
		return ""
	}
	for _, o := range v.r.Tests { // they end when they have shown one of its subtests
		if o.Package == t.Package && trace.TopTest(o.Name) == trace.TopTest(t.Name) && len(o.Verdicts) > 0 {
			return ""
		}
	}
	made := fmt.Sprintf("%s in %s", plural(x.Runs, "run"), duration(x.Took))
	limit := limitWords(x)
	switch {
	case x.Beside != "":
		return fmt.Sprintf("Experiments did not show what makes it fail (%s), but what makes %s fail, which has no page of its own.", made, v.clean.line(x.Beside, 200))
	case x.Complete:
		return fmt.Sprintf("Experiments did not show what makes it fail (%s), and had come to their end.", made)
	case x.Interrupted && x.Runs == 0:
		return "No experiments were made with it: fdebug was interrupted before."
	case x.Interrupted:
		return fmt.Sprintf("Experiments had not shown what makes it fail (%s) when fdebug was interrupted.", made)
	case x.CutOff && x.Limit <= 0:
		return "No experiments were made: the time budget left no time for them (-budget sets it)."
	case x.CutOff && x.Runs == 0:
		return "No experiments were made with it before the end of " + limit + "."
	case x.CutOff:
		return fmt.Sprintf("Experiments had not shown what makes it fail (%s) when they were cut off by the end of %s.", made, limit)
	}
	return fmt.Sprintf("Experiments did not show what makes it fail (%s).", made)
}

// limitWords says what ended experiments that were cut off.
func limitWords(x *finding.Tried) string {
	if x.Budget {
		return fmt.Sprintf("the time budget, which had left %s for them (-budget sets it)", duration(x.Limit))
	}
	return fmt.Sprintf("their time, %s for all tests (-experiments sets it)", duration(x.Limit))
}

// madeWords says how many runs were made until a verdict, and how long they took; of those that an
// earlier session had made it is not known.
func madeWords(d *finding.Verdict) string {
	if d.Proof.Kept > 0 {
		return fmt.Sprintf("%s, of which an earlier session had made %d (the others took %s),", plural(d.Proof.Runs, "experiment run"), d.Proof.Kept, duration(d.Proof.Took))
	}
	made := fmt.Sprintf("%s in %s", plural(d.Proof.Runs, "experiment run"), duration(d.Proof.Took))
	if n := backOf(d).Runs; n > 0 {
		made += fmt.Sprintf(", and %d more in which package variables were put back,", n)
	}
	return made
}

// cost says how many runs it took until a verdict, and how many were made with the test in
// all: those after it may have provoked more that came to no verdict.
func (v *viewer) cost(d *finding.Verdict) string {
	made := madeWords(d)
	switch {
	case v.t == nil || v.t.Tried == nil: // as of hunt, which goes on without saying how long
		return made + " until this was shown."
	case v.t.Tried.Runs <= d.Proof.Runs-d.Proof.Kept:
		return strings.TrimSuffix(made, ",") + "."
	}
	x := v.t.Tried
	text := fmt.Sprintf("%s until this was shown; %s in %s were made with %s in all", made, plural(x.Runs, "run"), duration(x.Took), v.clean.line(x.Test, 200))
	if x.CutOff {
		text += ", and were cut off by the end of " + limitWords(x)
	}
	return text + "."
}
