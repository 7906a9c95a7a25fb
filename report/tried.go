package report

import (
	"fmt"

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
	limit := fmt.Sprintf("their time, %s for all tests (-experiments sets it)", duration(x.Limit))
	if x.Budget {
		limit = fmt.Sprintf("the time budget, which had left %s for them (-budget sets it)", duration(x.Limit))
	}
	switch {
	case x.Beside != "":
		return fmt.Sprintf("Experiments did not show what makes it fail (%s), but what makes %s fail, which has no page of its own.", made, v.clean.line(x.Beside, 200))
	case x.Complete:
		return fmt.Sprintf("Experiments did not show what makes it fail (%s), and had come to their end.", made)
	case x.CutOff && x.Limit <= 0:
		return "No experiments were made: the time budget left no time for them (-budget sets it)."
	case x.CutOff && x.Runs == 0:
		return "No experiments were made with it before the end of " + limit + "."
	case x.CutOff:
		return fmt.Sprintf("Experiments had not shown what makes it fail (%s) when they were cut off by the end of %s.", made, limit)
	}
	return fmt.Sprintf("Experiments did not show what makes it fail (%s).", made)
}
