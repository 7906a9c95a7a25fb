package report

import (
	"html/template"
	"path"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A view is a test as it is shown, in HTML and in Markdown. Everything in it is clean; only
// escaping is left to the output.
type view struct {
	Name     string // of the test
	Package  string
	Badge    string // "flaky", "provoked", "broken" or "passing"
	Kind     string // "concurrency", of the first failure; "" if that is not known
	Verdict  string // "proved", of the same failure
	Rate     []say.Sentence
	Failures []*failureView
	Related  []relatedView
	Notes    template.HTML // the user's own
	runsView
	Tried    []say.Sentence // what experiments came to
	Plain    *plainView
	Next     []command
	Clean    say.Sentence // how many clean runs mean that it is fixed
	Warnings []string
	LeftOut  []say.Sentence
	Env      []fact
}

// A plainView is the first control run that failed.
type plainView struct {
	Run                   int
	Message, Output, Dump string
}

type fact struct{ Name, Value string }

// A viewer makes views of the tests of one result.
type viewer struct {
	r     *finding.Result
	src   *listing.Sources
	clean *listing.Cleaner
	names map[*finding.Test]string // base name of the test's files

	// of the test being viewed
	t    *finding.Test
	f    *finding.Failure
	dir  string // of its package, relative to the module root, "" for the root
	text int    // bytes of output and dumps that the page still has room for
	// noLinks is set where no source is shown that a place could link to.
	noLinks bool
	listing.Coder
}

func newViewer(r *finding.Result) *viewer {
	return &viewer{r: r, src: listing.NewSources(r), clean: listing.NewCleaner(r.Home, r.Environ), names: FileNames(r)}
}

// of begins to view a test, without listings.
func (v *viewer) of(t *finding.Test) {
	v.t, v.f, v.dir, v.text, v.noLinks = t, nil, v.packageDir(t), textRoom, false
	v.Coder = listing.NewCoder(v.src, v.clean, v.fileName)
}

// test returns the view of t.
func (v *viewer) test(t *finding.Test) *view {
	v.of(t)
	w := &view{Name: v.testName(), Package: v.clean.Line(t.Package, 300),
		Badge: badge(t), Rate: v.rate()}
	for i, f := range t.Failures[:min(len(t.Failures), maxFailures)] {
		w.Failures = append(w.Failures, v.failure(i, f))
	}
	if len(w.Failures) > 0 {
		c := w.Failures[0].Cause
		w.Kind, w.Verdict = c.Kind, c.Verdict
	}
	if n := len(t.Failures) - maxFailures; n > 0 {
		w.LeftOut = append(w.LeftOut, say.MoreFailures.With(say.Count(n)))
	}
	w.Plain = v.plain(t)
	w.runsView = v.runs(t)
	w.Related, w.Tried = v.related(t), v.tried(t)
	w.Next, w.Env = v.next(), v.environment()
	if c := count(t.Runs); c.flaky() && !c.allProvoked() {
		lo, _ := stats.Wilson(c.Failed, c.decided())
		w.Clean = say.CleanRuns.With(say.Count(runsToTrust(lo)))
	}
	for _, s := range append(append([]string{}, t.Warnings...), v.r.Warnings...) {
		w.Warnings = append(w.Warnings, v.clean.Line(s, 500))
	}
	w.Notes = v.notes(v.r.Notes)
	if v.Room < 0 {
		w.LeftOut = append(w.LeftOut, say.CutPage.With())
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
		Run:     f.Run,
		Message: v.clean.Cut(strings.TrimRight(f.Message, "\n"), 4<<10, 2<<10),
		Output:  v.long(f.Output, 16<<10, 48<<10),
		Dump:    v.long(f.Dump, dumpHead, dumpTail),
	}
}

// testName returns the name of the test as it is shown.
func (v *viewer) testName() string {
	if v.t.Name == "" {
		return "TestMain or initialization"
	}
	return v.clean.Line(v.t.Name, 300)
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
	s = v.clean.Cut(s, head, tail)
	v.text -= len(s)
	return s
}

// slim leaves out of w what can be missed most easily.
func (w *view) slim() {
	for _, f := range w.Failures {
		f.Output, f.Dump = "", ""
	}
	w.Rows = nil
	w.LeftOut = append(w.LeftOut, say.CutPage.With())
}

// ends returns the places where the common part ends and where either side went then; nil
// for what is not in the source, and for what both did after a check that failed.
func (v *viewer) ends(d *divergence.Divergence) (last, pass, fail *listing.Place) {
	last, pass, fail = v.event(d.LastCommon), v.event(d.PassNext), v.event(d.FailNext)
	if d.SamePath {
		pass = nil
	}
	if kind, _, ok := d.FailNext.Check(); ok && kind == trace.CheckPanic && last != nil && fail != nil {
		last.EndAt(*fail)
	}
	return last, pass, fail
}

// event returns the place of an event, nil if there is none.
func (v *viewer) event(e trace.Event) *listing.Place {
	if e == 0 {
		return nil
	}
	if b, ok := e.Block(); ok {
		if p, ok := v.src.Block(b); ok {
			return &p
		}
		return nil
	}
	if v.f == nil {
		return nil
	}
	_, stack, _ := e.Check()
	for _, f := range append(append([]trace.Frame{}, v.f.Stacks[stack]...), v.f.Frame) {
		if p, ok := v.src.Frame(f); ok {
			return &p
		}
	}
	return nil
}

// at is a place without its code.
func (v *viewer) at(p listing.Place) say.Code {
	c := say.Code{Place: v.placeName(p)}
	for _, n := range []int{p.Start, p.End} {
		if id := v.IDs[p.File+":"+strconv.Itoa(n)]; id != "" && !v.noLinks {
			c.Href = "#" + id
			break
		}
	}
	return c
}

// code is the first line of a place with its position; last, its last line.
func (v *viewer) code(p listing.Place) say.Code {
	c := v.at(p)
	c.Text = v.quoted(p, false)
	return c
}

func (v *viewer) last(p listing.Place) say.Code {
	if len(p.Lines) > 0 {
		p.Start = p.Lines[len(p.Lines)-1]
	}
	c := v.at(p)
	c.Text = v.quoted(p, true)
	return c
}

// Code, Line, Named and Name, with Drawn and Ranged, make the viewer a [finding.Coder].
func (v *viewer) Code(s finding.Span) say.Code { return v.code(spanLines(s)) }

func (v *viewer) Line(f trace.Frame) say.Code { return v.code(v.framePlace(f)) }

func (v *viewer) Named(text string, at finding.Span) say.Code {
	c := v.at(spanLines(at))
	c.Text = v.clean.Line(text, 200)
	return c
}

func (v *viewer) Name(s string) say.Name { return say.Name(v.clean.Line(s, 200)) }

// quoted returns a line of code of p, short enough for a sentence.
func (v *viewer) quoted(p listing.Place, last bool) string {
	text := strings.TrimSuffix(strings.ReplaceAll(v.src.Quote(p, last), "\t", " "), " {")
	return say.Clip(v.clean.Code(text))
}

// placeName returns "queue.go:41", relative to the test's package.
func (v *viewer) placeName(at listing.Place) string {
	if at.File == "" {
		return ""
	}
	return v.fileName(at.File) + ":" + strconv.Itoa(at.Start)
}

func (v *viewer) fileName(file string) string {
	if v.dir != "" && strings.HasPrefix(file, v.dir+"/") {
		file = file[len(v.dir)+1:]
	}
	if path.IsAbs(file) || strings.Count(file, "/") > 4 { // not the module's: its base says enough
		file = path.Base(path.Dir(file)) + "/" + path.Base(file)
	}
	return v.clean.Line(file, 120)
}

func (v *viewer) framePlace(f trace.Frame) listing.Place {
	p, _ := v.src.Frame(f)
	return p
}

// spanLines returns the lines of a span as a place.
func spanLines(s finding.Span) listing.Place {
	p := listing.Place{Span: s, Func: -1}
	p.End = max(s.Start, s.End)
	for n := p.Start; n <= min(p.End, p.Start+1000); n++ {
		p.Lines = append(p.Lines, n)
	}
	return p
}

// funcName shortens "example.com/m/p.(*T).Method" to "p.(*T).Method".
func (v *viewer) funcName(s string) string {
	s = withoutTypeArguments(s)
	return v.clean.Line(s[strings.LastIndexByte(s, '/')+1:], 80)
}

// withoutTypeArguments writes "[...]" for the type arguments in the name of a function,
// as the runtime does in stacks: they are long, and have slashes and dots of their own.
func withoutTypeArguments(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		if r == '[' {
			if depth++; depth == 1 {
				b.WriteString("[...]")
			}
		}
		if depth == 0 {
			b.WriteRune(r)
		}
		if r == ']' {
			depth = max(0, depth-1)
		}
	}
	return b.String()
}
