package report

import (
	"fmt"
	"html/template"
	"path"
	"slices"
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
	Env      []fact
	Warnings []string
	Notes    template.HTML
	LeftOut  string // what was left out for the page's size
	Plain    *plainView
}

// A plainView is the first control run that failed.
type plainView struct {
	Said    string // "1 of 10 control runs failed too, first run 3:"
	Title   string // of its output
	Message string
	Output  string
	Dump    string
}

// A failureView is one way in which the test fails.
type failureView struct {
	ID       string
	Heading  string // "Failure 1 of 2", "" if there is just one
	Runs     string // "12 runs: 3, 7, ..."
	Summary  prose
	Happened []prose
	Message  string
	Failed   string // what the message is: "It failed"
	Where    prose
	Look     prose // where to look for the cause, if there are no suspects
	Suspects []suspectView
	Chain    []*divergenceView
	Others   []prose // goroutines found on one side only
	Hang     *hangView
	Orders   []orderView
	Values   []valueView
	// ValuesCaption says of which runs the values are.
	ValuesCaption string
	Data          []prose // where the values first differ
	Curve         *curveView
	Spectrum      []scoreRow
	Evidence      []evidencePart
	GotWant       *gotWant
	Wordings      []wordingView // what other runs said at the same place
	Output        string
	Dump          string
	Dumped        string // what that shows, as a title
	Warnings      []string
}

// A divergenceView is one divergence of the chain.
type divergenceView struct {
	ID       string
	Heading  prose
	Happened []prose
	Facts    prose
	Listings []listing
	Rest     []listing // other functions that the common part reached
	RestNote string
	Warnings []string
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
	return &viewer{r: r, src: newSources(r), clean: newCleaner(r.Home), names: fileNames(r)}
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
		Verdict: verdict(c),
		Rate:    c.rate(),
	}
	w.Headline = headline(c)
	if p := v.provoked(c); p != nil {
		w.Verdict, w.Headline, w.Rate = "provoked", p, ""
	}
	w.Details = v.details(c)
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
	w.Verdicts, w.Causes, w.Kind = v.verdicts(), v.causes(), v.kindLine()
	w.Next = v.next(w, c)
	w.Fixed = v.fixed(c)
	w.Env = v.environment()
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

// failure returns the view of the i-th failure of the test. Listings come
// first, since sentences link to their lines.
func (v *viewer) failure(i int, f *finding.Failure) *failureView {
	v.f = f
	w := &failureView{
		ID:      "failure-" + thousands(int64(i+1)),
		Message: v.clean.cut(strings.TrimRight(f.Message, "\n"), 4<<10, 2<<10),
		Output:  v.long(f.Output, 16<<10, 48<<10),
		Dump:    v.long(f.Dump, dumpHead, dumpTail),
		Dumped:  dumped(f).title,
		Runs:    plural(len(f.Runs), "run") + ": " + v.runList(f.Runs),
	}
	if len(v.t.Failures) > 1 {
		w.Heading = "Failure " + thousands(int64(i+1)) + " of " + thousands(int64(len(v.t.Failures)))
	}
	if why := f.ValuesLeftOut; why != "" {
		w.Warnings = append(w.Warnings, "Values were recorded, but not compared: "+v.clean.line(why, 300)+". fdebug report compares them, however long it takes.")
	}
	if a := f.Analysis; a != nil {
		for k, d := range a.Chain {
			w.Chain = append(w.Chain, v.listings(i, k, d))
		}
		for _, err := range a.Warnings {
			w.Warnings = append(w.Warnings, v.warning(f, err))
		}
		said := slices.Clone(w.Warnings)
		for k, d := range a.Chain {
			said = v.words(w.Chain[k], d, said)
		}
		w.Others = append(v.goroutines(a.OnlyFailing, true), v.goroutines(a.OnlyPassing, false)...)
		w.Spectrum = v.spectrum(a)
	}
	if p, ok := v.src.frame(f.Frame); ok || p.File != "" {
		w.Where = v.place(nil, p)
	}
	w.Failed = "It failed"
	if len(f.Runs) > 1 { // others may have another text
		w.Failed = fmt.Sprintf("In run %d it failed", f.Runs[0])
	}
	if raced(f) { // where an access was, and nothing failed
		w.Failed = "The race detector reported a race, which has an access"
		if strings.Count(f.Output, "WARNING: DATA RACE") > 1 {
			w.Failed = "The race detector reported several races; the first one has an access"
		}
	}
	w.Happened = v.happened(f)
	w.Suspects = v.suspects(f.Suspects)
	if len(f.Suspects) == 0 { // which are more precise
		w.Look = v.hint(f)
	}
	w.Summary = v.summary(f)
	w.Hang = v.hang(f.Hang)
	w.Orders = v.orders(f)
	for k := range w.Orders {
		if l := w.Orders[k].Lanes; l != nil {
			l.ID = fmt.Sprintf("%s-arrow-%d", w.ID, k+1)
		}
	}
	w.Values, w.ValuesCaption = v.values(f), v.valuesCaption(f)
	w.Data = v.data(f.Data)
	w.once()
	w.Curve = v.curve(f)
	w.GotWant = parseGotWant(w.Message)
	w.Wordings = v.wordings(f)
	w.Evidence = w.evidence(len(v.t.Verdicts) > 0 && v.t.Verdicts[0].Held(), v.boxed())
	return w
}

// once leaves out paragraphs that were there before. What is said under the
// heading of a divergence is of that one, and stays.
func (w *failureView) once() {
	said := map[string]bool{}
	keep := func(list []prose) []prose {
		return slices.DeleteFunc(list, func(p prose) bool {
			text := p.Plain()
			before := text != "" && said[text]
			said[text] = true
			return before
		})
	}
	w.Happened, w.Others = keep(w.Happened), keep(w.Others)
	if w.Hang != nil {
		w.Hang.Said = keep(w.Hang.Said)
	}
	for i := range w.Orders {
		w.Orders[i].Said = keep(w.Orders[i].Said)
	}
	w.Data = keep(w.Data)
}

// ends returns the places where the common part ends and where either side
// went then; nil for what is not in the source, and for what both did after a check that
// failed.
func (v *viewer) ends(d *divergence.Divergence) (last, pass, fail *place) {
	if d.Resumed {
		return v.event(d.LastCommon), nil, v.event(d.FailNext)
	}
	return v.event(d.LastCommon), v.event(d.PassNext), v.event(d.FailNext)
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
