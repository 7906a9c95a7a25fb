package tracker

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// A quarantine is what not to run in a package for now.
type quarantine struct {
	Package string            `json:"package"`
	Skip    string            `json:"skip"` // expression of go test -skip
	Tests   []quarantinedTest `json:"tests"`
}

type quarantinedTest struct {
	Test  string    `json:"test"`
	Rate  float64   `json:"rate"`
	Low   float64   `json:"low"`
	High  float64   `json:"high"`
	Until time.Time `json:"until"`
}

// leastSkipped is the rate from which a flaky test is skipped.
const leastSkipped = 0.01

// quarantines returns the tests that are flaky above that, by package. A test stays in it
// for some time after its last failure in imported results. While CI skips it, it does not fail
// there, so the quarantine ends by itself, whatever the test does elsewhere.
func (j *History) quarantines() []quarantine {
	list := []quarantine{}
	for i := range j.list {
		r := &j.list[i]
		until := history.FromMinute(r.LastImported()).Add(j.For)
		if r.State != history.Flaky || r.Name == "" || r.Score.Rate < leastSkipped || !until.After(j.Now) {
			continue
		}
		at := slices.IndexFunc(list, func(q quarantine) bool { return q.Package == r.Package })
		if at < 0 {
			at = len(list)
			list = append(list, quarantine{Package: r.Package})
		}
		list[at].Tests = append(list[at].Tests, quarantinedTest{r.Name, r.Score.Rate, r.Score.Low, r.Score.High, until})
	}
	for i := range list {
		list[i].finish()
	}
	slices.SortFunc(list, func(a, b quarantine) int { return strings.Compare(a.Package, b.Package) })
	return list
}

// finish puts the tests in order, and makes an expression for exactly those, and all below them.
func (q *quarantine) finish() {
	slices.SortFunc(q.Tests, func(a, b quarantinedTest) int { return strings.Compare(a.Test, b.Test) })
	var parts []string
	for _, t := range q.Tests {
		parts = append(parts, finding.RunPattern(t.Test))
	}
	q.Skip = strings.Join(parts, "|")
}

// printSkip prints a line for each package, with words as a shell and xargs read them.
func (j *History) printSkip() error {
	list := j.quarantines()
	if j.JSON {
		return j.printIndented(list)
	}
	for _, q := range list {
		for _, t := range q.Tests {
			fmt.Fprintf(j.Stdout, "# %s: fails in %s of runs, skipped until %s\n",
				history.OneLine(t.Test), history.Percent(t.Rate), t.Until.Format(time.DateOnly))
		}
		fmt.Fprintf(j.Stdout, "-skip=%s %s\n", text.ShellQuote(q.Skip), text.ShellQuote(q.Package))
	}
	return nil
}
