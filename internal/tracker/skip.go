package tracker

import (
	"encoding/json"
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

// quarantines returns the tests that are flaky above the limit, by package. A test stays in it
// for some time after its last failure in imported results. While CI skips it, it does not fail
// there, so the quarantine ends by itself, whatever the test does elsewhere.
func (j *History) quarantines() []quarantine {
	byPackage := make(map[string]*quarantine)
	var names []string
	for i := range j.list {
		r := &j.list[i]
		until := history.FromMinute(r.LastImported()).Add(j.For)
		if r.State != history.Flaky || r.Name == "" || 100*r.Score.Rate < j.Limit || !until.After(j.Now) {
			continue
		}
		q := byPackage[r.Package]
		if q == nil {
			q = &quarantine{Package: r.Package}
			byPackage[r.Package] = q
			names = append(names, r.Package)
		}
		q.Tests = append(q.Tests, quarantinedTest{r.Name, r.Score.Rate, r.Score.Low, r.Score.High, until})
	}
	slices.Sort(names)
	list := []quarantine{}
	for _, name := range names {
		q := byPackage[name]
		slices.SortFunc(q.Tests, func(a, b quarantinedTest) int { return strings.Compare(a.Test, b.Test) })
		q.Skip = skipPattern(q.Tests)
		list = append(list, *q)
	}
	return list
}

// skipPattern returns an expression for exactly those tests, and all below them.
func skipPattern(tests []quarantinedTest) string {
	var parts []string
	for _, t := range tests {
		parts = append(parts, finding.RunPattern(t.Test))
	}
	return strings.Join(parts, "|")
}

// printSkip prints a line for each package, with words as a shell and xargs read them.
func (j *History) printSkip() error {
	list := j.quarantines()
	if j.JSON {
		enc := json.NewEncoder(j.Stdout)
		enc.SetIndent("", "  ")
		return enc.Encode(list)
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
