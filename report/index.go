package report

import (
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

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
	Passing  string   // how many tests passed in every run
	Kinds    []string // to filter by
	Packages []string
	Next     []command
	Env      []fact
	Warnings []string
	Notes    template.HTML
}

type indexGroup struct {
	Title string
	Tests []indexTest
}

// An indexTest is a test in the index: what makes it fail, of which kind that is, what it
// says and how often.
type indexTest struct {
	Name, Package, Verdict, Href string
	Kind                         string // "concurrency · proved"
	Category                     string // what the filter knows it by, "" for none
	Rank                         int    // in the order in which they stand: what is proved first
	Share                        string // of runs that failed, in per cent, to sort by
	Headline                     prose
	Rate                         string
	Cause                        prose  // "Cause: ...", "Most likely: ..."
	Error                        string // first line of the message
	Strip                        []square
	Blocks                       []runBlock
	StripText                    string
	Summaries                    []prose
}

// maxStrips is how many tests of the index have a strip of their runs.
const maxStrips = 150

// indexHTML writes the page that lists the tests of a result.
func indexHTML(w io.Writer, r *finding.Result) error {
	v := newViewer(r)
	p := indexPage{Module: v.clean.line(r.Module, 300), Env: v.environment(), Notes: v.notes(r.Notes)}
	var list []indexTest
	for i, t := range r.Tests {
		x := v.indexTest(t)
		if i >= maxStrips {
			x.Strip, x.Blocks = nil, nil
		}
		list = append(list, x)
	}
	p.Groups, p.Kinds, p.Packages = groupTests(list), kindsOf(list), packagesOf(list)
	if p.Passing = ""; r.Passing > 0 {
		p.Passing = passedWords(r.Passing, len(r.Tests) > 0)
	}
	groups := map[string]int{}
	for _, x := range list {
		groups[x.Verdict]++
	}
	p.Heading = indexHeading(groups["flaky"], groups["failing"], groups["provoked"])
	p.Said, p.Next = v.indexSays(groups["flaky"] + groups["failing"] + groups["provoked"])
	for _, s := range append(slices.Clone(r.Warnings), neverRun(r)...) {
		p.Warnings = append(p.Warnings, v.clean.line(s, 500))
	}
	var err error
	if p.shell, err = newShell(p.Heading + " (fdebug)"); err != nil {
		return err
	}
	return render(w, "index.html", p)
}

func indexHeading(flaky, failing, provoked int) string {
	var parts []string
	if flaky > 0 {
		parts = append(parts, plural(flaky, "flaky test"))
	}
	if provoked > 0 {
		parts = append(parts, plural(provoked, "test")+" made to fail")
	}
	switch {
	case failing > 0 && len(parts) == 0:
		return plural(failing, "test") + " failed in every run"
	case failing > 0:
		parts = append(parts, plural(failing, "test")+" that always failed")
	case len(parts) == 0:
		return "No test failed"
	}
	return strings.Join(parts, ", ")
}

// neverRun names the packages that there was no time to run.
func neverRun(r *finding.Result) []string {
	const most = 20
	list := r.NeverRun
	if len(list) == 0 {
		return nil
	}
	text := fmt.Sprintf("Never run: %s (%s", plural(len(list), "package"), strings.Join(list[:min(len(list), most)], ", "))
	if n := len(list) - most; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return []string{text + ")."}
}

// indexSays is what there is to say where nothing failed: what that is worth,
// and what to try next.
func (v *viewer) indexSays(bad int) ([]prose, []command) {
	if bad > 0 {
		return []prose{say("What is proved comes first. Open a test for its cause in the source, and for what to do.")}, nil
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
	r := count(rounds(t.Runs))
	x := indexTest{
		Name: v.testName(), Package: v.clean.line(t.Package, 300), Verdict: testVerdict(t), Headline: headline(r), Rate: r.rate(),
	}
	for _, p := range extraRuns(t.Runs) {
		x.Headline = x.Headline.text(". ").text(p.Plain())
	}
	if p := v.provoked(c); p != nil {
		x.Verdict, x.Headline, x.Rate = "provoked", p, ""
	}
	if plain := count(t.Plain); onlyPlainFailed(t) { // in which it failed all the same
		x.Verdict = testVerdict(t)
		if x.Rate != "" { // it is that of the other runs
			x.Headline, x.Rate = x.Headline.text(" ("+x.Rate+")"), ""
		}
		x.Headline = x.Headline.text("; without the recorder ").bold(fmt.Sprintf("%d of %s", plain.Failed, plural(plain.decided(), "control run"))).text(" failed")
	}
	if name := v.names[t]; name != "" {
		x.Href = name + ".html"
	}
	w := &view{}
	v.runs(w)
	x.Strip, x.Blocks = w.Strip[:min(len(w.Strip), manyRuns)], runBlocks(t.Runs)
	for i, l := range w.Legend {
		if i > 0 {
			x.StripText += ", "
		}
		x.StripText += l.Text
	}
	x.Kind, x.Cause, x.Error = v.kindLine(), v.indexCause(), v.indexError()
	x.Category, x.Rank, x.Share = v.indexCategory(), v.rank(), failingShare(c)
	x.Summaries = append(x.Summaries, v.related(t)...)
	if n := len(t.Failures); n > 1 {
		x.Summaries = append(x.Summaries, say(fmt.Sprintf("It fails in %d ways.", n)))
	}
	return x
}

// passedWords says how many tests, beside those that are listed if there are any, passed.
func passedWords(n int, listed bool) string {
	what, them := "test", "them"
	if listed {
		what = "other test"
	}
	if n == 1 {
		them = "it"
	}
	return plural(n, what) + " passed in every run that came to " + them + "."
}
