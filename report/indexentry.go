package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// groupTests sorts tests into groups: flaky ones before those that always fail, in each
// what is proved first, and what fails most.
func groupTests(list []indexTest) (out []indexGroup) {
	slices.SortStableFunc(list, func(a, b indexTest) int { return cmp.Compare(a.Rank, b.Rank) })
	for i := range list {
		list[i].Rank = i
	}
	for _, g := range []struct{ verdict, title string }{
		{"flaky", "Flaky"}, {"provoked", "Made to fail by fdebug"}, {"failing", "Failed in every run"}, {"passing", "Did not fail"},
	} {
		var tests []indexTest
		for _, x := range list {
			if x.Verdict == g.verdict {
				tests = append(tests, x)
			}
		}
		if len(tests) > 0 {
			out = append(out, indexGroup{g.title, tests})
		}
	}
	return out
}

// rank is the better the more is known of the cause.
func (v *viewer) rank() int {
	switch {
	case len(v.t.Verdicts) > 0:
		return int(finding.Proved - v.t.Verdicts[0].Class)
	case len(v.t.Suspects()) > 0:
		return int(finding.Proved) + int(finding.Proved-v.t.Suspects()[0].Class)
	}
	return 3 * int(finding.Proved)
}

// failingShare is the share of runs that failed, in per cent, as a number to sort by.
func failingShare(c counts) string {
	if c.decided() == 0 || c.allProvoked() {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*float64(c.Failed)/float64(c.decided()))
}

// indexCategory is the category that a test is proved to be of or looks like.
func (v *viewer) indexCategory() string {
	if len(v.t.Verdicts) > 0 && v.t.Verdicts[0].Category != "" {
		return v.categoryName(v.t.Verdicts[0].Category)
	}
	return v.categoryName(cmp.Or(v.t.Looks.Category, "unknown"))
}

// indexCause says in one sentence what makes a test fail, or what is likely to.
func (v *viewer) indexCause() prose {
	if len(v.t.Verdicts) > 0 {
		d := v.verdictView(&v.t.Verdicts[0])
		return prose{}.bold(d.Title).text(": ").add(d.Said)
	}
	list := v.t.Suspects()
	if len(list) == 0 || count(v.t.Runs).Passed == 0 {
		return nil
	}
	s := &list[0]
	if p := v.surfaced(s); p != nil {
		return prose{}.bold("Not proved").text(". ").add(p)
	}
	p := v.spanPlace(prose{}.bold("Not proved. "+likely(s)).text(": "), finding.Span{File: s.File, Start: s.Start, End: s.End})
	return p.text(": " + v.clean.line(Why(s), 400) + ".")
}

// indexError is the first line of the message of the most frequent failure.
func (v *viewer) indexError() string {
	for _, f := range v.t.Failures {
		first, _, _ := strings.Cut(strings.TrimSpace(f.Message), "\n")
		if s := v.clean.line(first, 160); s != "" {
			return s
		}
	}
	return ""
}

// kindsOf and packagesOf are what the index can be filtered by, if there is a choice.
func kindsOf(list []indexTest) []string {
	return distinct(list, func(x indexTest) string { return x.Category })
}

func packagesOf(list []indexTest) []string {
	return distinct(list, func(x indexTest) string { return x.Package })
}

func distinct(list []indexTest, of func(indexTest) string) []string {
	var out []string
	for _, x := range list {
		if s := of(x); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) < 2 {
		return nil
	}
	slices.Sort(out)
	return out
}
