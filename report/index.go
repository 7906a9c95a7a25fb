package report

import (
	"fmt"
	"html/template"
	"io"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// An indexPage is the data of index.html.
type indexPage struct {
	shell
	Module   string
	Heading  string
	Said     []prose
	Groups   []indexGroup
	Next     []command
	Env      []fact
	Warnings []string
	Notes    template.HTML
}

type indexGroup struct {
	Title string
	Tests []indexTest
}

type indexTest struct {
	Name, Package, Verdict, Href string
	Headline                     prose
	Rate                         string
	Strip                        []square
	StripText                    string
	Summaries                    []prose
}

// maxStrips is how many tests of the index have a strip of their runs.
const maxStrips = 150

// IndexHTML writes the page that lists the tests of a result.
func IndexHTML(w io.Writer, r *finding.Result) error {
	v := newViewer(r)
	p := indexPage{Module: v.clean.line(r.Module, 300), Env: v.environment(), Notes: v.notes(r.Notes)}
	groups := map[string][]indexTest{}
	for i, t := range r.Tests {
		x := v.indexTest(t)
		if i >= maxStrips {
			x.Strip = nil
		}
		groups[x.Verdict] = append(groups[x.Verdict], x)
	}
	for _, g := range []struct{ verdict, title string }{{"flaky", "Flaky"}, {"failing", "Failed in every run"}, {"passing", "Did not fail"}} {
		if len(groups[g.verdict]) > 0 {
			p.Groups = append(p.Groups, indexGroup{g.title, groups[g.verdict]})
		}
	}
	p.Heading = indexHeading(len(groups["flaky"]), len(groups["failing"]))
	p.Said, p.Next = v.indexSays(len(groups["flaky"]) + len(groups["failing"]))
	for _, s := range r.Warnings {
		p.Warnings = append(p.Warnings, v.clean.line(s, 500))
	}
	var err error
	if p.shell, err = newShell(p.Heading + " (fdebug)"); err != nil {
		return err
	}
	return render(w, "index.html", p)
}

func indexHeading(flaky, failing int) string {
	switch {
	case flaky > 0 && failing > 0:
		return plural(flaky, "flaky test") + ", " + plural(failing, "test") + " that always failed"
	case failing > 0:
		return plural(failing, "test") + " failed in every run"
	case flaky > 0:
		return plural(flaky, "flaky test")
	}
	return "No test failed"
}

// indexSays is what there is to say where nothing failed: what that is worth,
// and what to try next.
func (v *viewer) indexSays(bad int) ([]prose, []command) {
	if bad > 0 {
		return []prose{say("Open a test to see where its failing runs diverge from the passing ones.")}, nil
	}
	n := v.r.Executions
	if n == 0 {
		return []prose{say("None of the tests failed in any run.")}, nil
	}
	said := say("0 of ").bold(plural(n, "run")).text(fmt.Sprintf(" failed. With 95 %% confidence each test fails in less than %s of runs like these. A rarer flake needs more runs, or less friendly ones.", percent(divergence.NoneBound(n))))
	return []prose{said}, v.further(4 * n)
}

// indexTest returns the entry of a test. It needs no listings.
func (v *viewer) indexTest(t *finding.Test) indexTest {
	v.t, v.dir = t, v.packageDir(t)
	v.coder = coder{}
	c := count(t.Runs)
	x := indexTest{
		Name: v.testName(), Package: v.clean.line(t.Package, 300), Verdict: verdict(c), Headline: headline(c), Rate: c.rate(),
	}
	if name := v.names[t]; name != "" {
		x.Href = name + ".html"
	}
	w := &view{}
	v.runs(w)
	x.Strip = w.Strip[:min(len(w.Strip), 200)]
	for i, l := range w.Legend {
		if i > 0 {
			x.StripText += ", "
		}
		x.StripText += l.Text
	}
	for _, c := range v.verdicts() {
		p := say(c.Title + ": ")
		if c.Kind != "" {
			p = p.bold(c.Kind).text(". ")
		}
		x.Summaries = append(x.Summaries, p.add(c.Said))
	}
	if p := v.alike(t); p != nil {
		x.Summaries = append(x.Summaries, p)
	}
	for i, f := range t.Failures {
		if i == 3 {
			x.Summaries = append(x.Summaries, say(fmt.Sprintf("And %s.", plural(len(t.Failures)-i, "more way")+" to fail")))
			break
		}
		v.f = f
		x.Summaries = append(x.Summaries, v.summary(f))
	}
	return x
}
