package report

import (
	"cmp"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/stats"
)

// An indexPage is the data of index.html.
type indexPage struct {
	shell
	Module   string
	Heading  string
	Said     []say.Sentence
	Groups   []indexGroup
	Kinds    []string // to filter by
	Packages []string
	Env      []fact
	Warnings []string
	Notes    template.HTML
}

type indexGroup struct {
	Title string
	Tests []indexTest
}

// An indexTest is a test in the index: what makes it fail, its kind, what it
// says and how often.
type indexTest struct {
	Name, Package, Badge, Href string
	Kind                       string // "concurrency · proved"
	Category                   string // what the filter knows it by, "" for none
	Rank                       int    // in the order in which they stand: what is proved first
	Share                      string // of runs that failed, in per cent, to sort by
	Rate, Cause                []say.Sentence
	Related                    []relatedView
	Error                      string // place and message, in a line
}

// index writes the page that lists the tests of a result.
func (v *viewer) index(w io.Writer) error {
	r := v.r
	p := indexPage{Module: v.clean.Line(r.Module, 300), Env: v.environment(), Notes: v.notes(r.Notes)}
	var all, list []indexTest // list has one of several subtests with one cause: the others are named there
	leaders := finding.Leaders(r.Tests)
	for _, t := range r.Tests {
		x := v.indexTest(t)
		all = append(all, x)
		if leaders[t] == t {
			list = append(list, x)
		}
	}
	p.Groups, p.Kinds = groupTests(list), distinct(list, func(x indexTest) string { return x.Category })
	p.Packages = distinct(list, func(x indexTest) string { return x.Package })
	groups := map[string]int{}
	for _, x := range all {
		groups[x.Badge]++
	}
	p.Heading = indexHeading(groups)
	p.Said = v.indexSays(len(all) > groups["passing"])
	for _, s := range r.Warnings {
		p.Warnings = append(p.Warnings, v.clean.Line(s, 500))
	}
	var err error
	if p.shell, err = newShell(p.Heading + " (fdebug)"); err != nil {
		return err
	}
	return render(w, "index.html", p)
}

func indexHeading(groups map[string]int) string {
	var parts []string
	for _, g := range []struct{ badge, what string }{{"flaky", "flaky test"}, {"provoked", "provoked test"},
		{"broken", "broken test"}, {"recorder-only", "recorder-only test"}} {
		if n := groups[g.badge]; n > 0 {
			parts = append(parts, plural(n, g.what))
		}
	}
	if len(parts) == 0 {
		return "No test failed"
	}
	return strings.Join(parts, ", ")
}

// indexSays returns the sentences about all tests.
func (v *viewer) indexSays(failed bool) (said []say.Sentence) {
	if n := v.r.Executions; n > 0 && !failed {
		said = append(said, say.NoneFailed.With(say.Count(n), say.Percent(stats.NoneBound(n))))
	}
	if v.r.Passing > 0 {
		said = append(said, say.PassedAlways.With(say.Count(v.r.Passing)))
	}
	if n := len(v.r.NeverRun); n > 0 {
		said = append(said, say.NeverRun.With(say.Count(n)))
	}
	return said
}

// indexTest returns the entry of a test. It needs no listings.
func (v *viewer) indexTest(t *finding.Test) indexTest {
	v.of(t)
	v.noLinks = true
	x := indexTest{Name: v.testName(), Package: v.clean.Line(t.Package, 300), Badge: badge(t), Rate: v.rate(),
		Related: v.related(t)}
	if name := v.names[t]; name != "" {
		x.Href = name + ".html"
	}
	f := &finding.Failure{}
	if len(t.Failures) > 0 {
		f = t.Failures[0]
	}
	v.f = f
	c := v.causeOf(0, f)
	x.Cause, x.Rank, x.Share = c.Said,
		slices.Index([]string{"proved", "reproduced", "likely", "unknown"}, c.Verdict), failingShare(count(t.Runs))
	x.Kind = strings.TrimPrefix(c.Kind+" · "+c.Verdict, " · ")
	x.Category = cmp.Or(c.Kind, "unknown")
	x.Error = v.errorLine(f)
	return x
}

// groupTests sorts tests into groups: flaky ones before those that always fail, in each
// what is proved first, and what fails most.
func groupTests(list []indexTest) (out []indexGroup) {
	slices.SortStableFunc(list, func(a, b indexTest) int { return cmp.Compare(a.Rank, b.Rank) })
	for i := range list {
		list[i].Rank = i
	}
	for _, g := range []struct{ badge, title string }{{"flaky", "Flaky"}, {"provoked", "Provoked"}, {"seen", "Seen"},
		{"broken", "Broken"}, {"recorder-only", "Only with the recorder"}, {"passing", "Passing"}} {
		var tests []indexTest
		for _, x := range list {
			if x.Badge == g.badge {
				tests = append(tests, x)
			}
		}
		if len(tests) > 0 {
			out = append(out, indexGroup{g.title, tests})
		}
	}
	return out
}

// failingShare is the share of runs that failed, in per cent, as a number to sort by.
func failingShare(c counts) string {
	if c.decided() == 0 || c.allProvoked() {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*float64(c.Failed)/float64(c.decided()))
}

// distinct returns the values that the index can be filtered by, if there is a choice.
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
