package report

import (
	"fmt"
	"html/template"
	"path"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// A view is a test as it is shown, in HTML and in Markdown. Everything in it
// is clean; only escaping is left to the output.
type view struct {
	Name     string // of the test
	Local    bool   // a copy that stays on this machine
	Package  string
	Module   string
	Verdict  string // "flaky", "failing", "passing"
	Headline prose  // "12 of 50 runs failed"
	Rate     string // "24 %, 95 % CI 14–37 %"
	Details  []prose
	Strip    []square
	StripCut string
	Legend   []legend
	Failures []*failureView
	Verdicts []verdictView // what experiments have shown, the best first
	Causes   []causeView   // the answers that the page begins with
	Kind     string        // "concurrency · proved", "" if that is not known
	Next     []command
	Fixed    prose // how to know that it is fixed
	Runs     []runRow
	RunsCut  string
	Earlier  *earlierView // before this run, nil if nothing is known
	Blocks   []runBlock   // the runs as bars, where they are many
	Records  []recordView // what runs printed, and where they went
	// RecordsOf says of which runs Records are; Comparable, that failing and passing ones are among them.
	RecordsOf  string
	Comparable bool
	Env        []fact
	Warnings   []string
	Notes      template.HTML
	LeftOut    string // what was left out for the page's size
	Plain      *plainView
}

// A plainView is the first control run that failed.
type plainView struct {
	Said    string // "1 of 10 control runs failed too, first run 3:"
	Title   string // of its output
	Message string
	Output  string
	Dump    string
}

type fact struct{ Name, Value string }

// A viewer makes views of the tests of one result.
type viewer struct {
	r     *finding.Result
	src   *sources
	clean *cleaner
	names map[*finding.Test]string // base name of the test's files

	// of the test being viewed
	t    *finding.Test
	f    *finding.Failure
	dir  string // of its package, relative to the module root, "" for the root
	text int    // bytes of output and dumps that the page still has room for
	coder
}

func newViewer(r *finding.Result) *viewer {
	return &viewer{r: r, src: newSources(r), clean: newCleaner(r.Home, r.Environ), names: fileNames(r)}
}

// test returns the view of t.
func (v *viewer) test(t *finding.Test) *view {
	v.t, v.dir = t, v.packageDir(t)
	v.coder = coder{src: v.src, clean: v.clean, ids: map[string]string{}, used: map[string]bool{}, room: codeRoom, edit: v.r.Edit}
	v.text = textRoom
	c := count(t.Runs)
	w := &view{
		Name:    v.testName(),
		Local:   v.r.Edit != nil,
		Package: v.clean.line(t.Package, 300),
		Module:  v.clean.line(v.r.Module, 300),
		Verdict: testVerdict(t),
	}
	r := count(rounds(t.Runs))
	w.Headline, w.Rate = headline(r), r.rate()
	if p := v.provoked(c); p != nil {
		w.Verdict, w.Headline, w.Rate = "provoked", p, ""
	}
	w.Details = append(extraRuns(t.Runs), v.details(c)...)
	for i, f := range t.Failures[:min(len(t.Failures), maxFailures)] {
		w.Failures = append(w.Failures, v.failure(i, f))
	}
	if n := len(t.Failures) - maxFailures; n > 0 {
		w.Warnings = append(w.Warnings, plural(n, "more way")+" to fail left out, the rarest; result.json has them.")
	}
	w.Plain = v.plain(t)
	v.runs(w)
	w.Earlier = v.earlier(c)
	w.Blocks, w.Records = runBlocks(t.Runs), v.records(t.Runs)
	w.RecordsOf, w.Comparable = recordsOf(t.Runs)
	w.Verdicts, w.Causes, w.Kind = v.verdicts(), v.causes(), v.kindLine()
	w.Next = v.next(w, c)
	w.Fixed = v.fixed(c)
	w.Env = v.environment()
	if said := SaidUnrecorded(t); said != "" {
		w.Warnings = append(w.Warnings, v.clean.line(said, 500))
	}
	for _, s := range append(append([]string{}, t.Warnings...), v.r.Warnings...) {
		w.Warnings = append(w.Warnings, v.clean.line(s, 500))
	}
	w.Notes = v.notes(v.r.Notes)
	if v.leftIn || v.room < 0 {
		w.LeftOut = "This test's code is larger than a page should be: some functions and lines that both sides ran were left out."
	}
	return w
}

// plain returns the view of the first control run that failed, nil if none did.
func (v *viewer) plain(t *finding.Test) *plainView {
	f := t.PlainFailure
	if f == nil {
		return nil
	}
	return &plainView{
		Said:    fmt.Sprintf("%d of %s failed, without the recorder. The first was control run %d:", f.Of, plural(count(t.Plain).decided(), "control run"), f.Run),
		Title:   fmt.Sprintf("Output of control run %d", f.Run),
		Message: v.clean.cut(strings.TrimRight(f.Message, "\n"), 4<<10, 2<<10),
		Output:  v.long(f.Output, 16<<10, 48<<10),
		Dump:    v.long(f.Dump, dumpHead, dumpTail),
	}
}

// testName returns the name of the test as it is shown.
func (v *viewer) testName() string {
	if v.t.Name == "" {
		return "TestMain or initialisation"
	}
	return v.clean.line(v.t.Name, 300)
}

// packageDir returns the directory of the test's package, relative to the module root.
func (v *viewer) packageDir(t *finding.Test) string {
	if v.r.Module == "std" {
		return t.Package // std's packages do not begin with its name
	}
	dir, ok := strings.CutPrefix(t.Package, v.r.Module)
	if !ok {
		return ""
	}
	return strings.TrimPrefix(dir, "/")
}

const (
	maxFailures = 20      // ways to fail that are shown
	textRoom    = 1 << 20 // bytes of output and dumps on a page
)

// long returns output or a dump, cut to size and to the room left on the page.
func (v *viewer) long(s string, head, tail int) string {
	if left := max(v.text, 4<<10); head+tail > left {
		head, tail = left/2, left/2
	}
	s = v.clean.cut(s, head, tail)
	v.text -= len(s)
	return s
}

// slim leaves out of w what can be missed most easily.
func (w *view) slim() {
	for _, f := range w.Failures {
		f.Output, f.Dump, f.Spectrum = "", "", nil
		for _, d := range f.Chain {
			d.Rest, d.RestNote = nil, ""
		}
	}
	w.Records = nil
	w.Runs, w.RunsCut = nil, "The table of runs was left out."
	w.LeftOut = "This report was larger than a page should be: output, other functions and the table of runs were left out."
}

// ends returns the places where the common part ends and where either side
// went then; nil for what is not in the source, and for what both did after a check that
// failed.
func (v *viewer) ends(d *divergence.Divergence) (last, pass, fail *place) {
	last, pass, fail = v.event(d.LastCommon), v.event(d.PassNext), v.event(d.FailNext)
	if d.Resumed {
		pass = nil
	}
	if kind, _, ok := d.FailNext.Check(); ok && kind == trace.CheckPanic && last != nil && fail != nil {
		last.endAt(*fail)
	}
	return last, pass, fail
}

// event returns the place of an event, nil if there is none.
func (v *viewer) event(e trace.Event) *place {
	if e == 0 {
		return nil
	}
	if b, ok := e.Block(); ok {
		if p, ok := v.src.block(b); ok {
			return &p
		}
		return nil
	}
	_, stack, _ := e.Check()
	for _, f := range v.f.Stacks[stack] {
		if p, ok := v.src.frame(f); ok {
			return &p
		}
	}
	if p, ok := v.src.frame(v.f.Frame); ok {
		return &p
	}
	return nil
}

// place appends a place to p, linked if its line is on the page.
func (v *viewer) place(p prose, at place) prose {
	s := span{kind: spanPlace, text: v.placeName(at)}
	for _, n := range []int{at.Start, at.End} {
		if id := v.ids[at.File+":"+strconv.Itoa(n)]; id != "" {
			s.href = "#" + id
			break
		}
	}
	return append(p, s)
}

// placeName returns "queue.go:41", relative to the test's package.
func (v *viewer) placeName(at place) string {
	return v.fileName(at.File) + ":" + strconv.Itoa(at.Start)
}

func (v *viewer) fileName(file string) string {
	if v.dir != "" && strings.HasPrefix(file, v.dir+"/") {
		file = file[len(v.dir)+1:]
	}
	if path.IsAbs(file) || strings.Count(file, "/") > 4 { // not the module's: its base says enough
		file = path.Base(path.Dir(file)) + "/" + path.Base(file)
	}
	return v.clean.line(file, 120)
}
