package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
)

// A CoverageDiff is what coverage profiles of passing and failing runs tell:
// which lines which runs came to, without any order. It is the poor relation of
// a [Result], for when profiles from a CI are all there is.
type CoverageDiff struct {
	Diff    *divergence.CoverDiff
	Command []string
	Version string
	Module  string // path of the main module, "" if unknown
	// Source returns the content of a file by its name in the profiles. It may
	// be nil, and may fail: the lines are then listed without their text.
	Source   func(name string) ([]byte, error)
	Home     string   // as in Result
	Environ  []string // as in Result
	Warnings []string
}

// A diffPage is the data of diff.html.
type diffPage struct {
	shell
	Heading  string
	Said     []say.Sentence
	Top      []diffRow
	Files    []diffFile
	Same     []string
	Warnings []string
	LeftOut  []say.Sentence
	Env      []fact
}

type diffRow struct {
	Place      say.Sentence
	Pass, Fail int
	Score      string
}

type diffFile struct {
	Path     string
	Listings []listing.Listing
}

// maxTop is how many lines are listed at the top of a comparison.
const maxTop = 25

// A differ renders one CoverageDiff.
type differ struct {
	*viewer
	d *divergence.CoverDiff
}

// DiffHTML writes the page of a comparison of coverage profiles: each line in
// common, only in passing or only in failing runs, and the lines that go best
// with failure.
func DiffHTML(w io.Writer, d *CoverageDiff) error {
	x := newDiffer(d)
	p := diffPage{Heading: "Coverage of passing against failing runs"}
	for _, f := range d.Diff.Files {
		x.file(&p, f)
	}
	p.Said = []say.Sentence{say.DiffPage.With(say.Count(d.Diff.Pass), say.Count(d.Diff.Fail))}
	p.Top = x.top()
	for _, s := range d.Warnings {
		p.Warnings = append(p.Warnings, x.clean.Line(s, 500))
	}
	if x.LeftIn || x.Room < 0 {
		p.LeftOut = append(p.LeftOut, say.CutPage.With())
	}
	p.Env = x.environment()
	var err error
	if p.shell, err = newShell(p.Heading + " (fdebug)"); err != nil {
		return err
	}
	p.Ordered = false
	return render(w, "diff.html", p)
}

func newDiffer(d *CoverageDiff) *differ {
	v := newViewer(&finding.Result{Command: d.Command, Version: d.Version, Module: d.Module, Home: d.Home,
		Environ: d.Environ, Source: d.Source})
	v.Coder = listing.NewCoder(v.src, v.clean, v.fileName, nil)
	return &differ{viewer: v, d: d.Diff}
}

// file adds a file to the page: whole if it is short, else what differs.
func (x *differ) file(p *diffPage, f divergence.FileDiff) {
	name := x.clean.Line(x.short(f.Name), 200)
	m, differs := x.mark(f)
	switch {
	case !differs:
		p.Same = append(p.Same, name)
		return
	case x.Room < listing.Room/10:
		x.LeftIn = true
		return
	}
	l := listing.Listing{File: name, Func: name}
	if lines := x.src.Lines(f.Name); lines == nil {
		l.Note = say.NoSource.With()
		x.Bare(&l, f.Name, m.Files[f.Name], 1, 1<<30)
	} else {
		x.Coder.Rows(&l, f.Name, m.Files[f.Name], 1, len(lines))
	}
	p.Files = append(p.Files, diffFile{name, []listing.Listing{l}})
}

// short returns the name of a file without the path of the module.
func (x *differ) short(name string) string {
	if rest, ok := strings.CutPrefix(name, x.r.Module+"/"); ok && x.r.Module != "" {
		return rest
	}
	return name
}

// mark marks the lines of a file, and reports whether any differs. Neighbours that the same runs
// ran share one callout, below the last of them.
func (x *differ) mark(f divergence.FileDiff) (m *listing.Marker, differs bool) {
	m = listing.NewMarker(x.src)
	lines := x.withCode(f)
	for i, l := range lines {
		if l.Kind() == divergence.LineCommon {
			m.At(f.Name, l.Line).Common = true
			continue
		}
		side, text := "pass", say.NextPassing.With(say.Count(l.Pass), say.Count(x.d.Pass))
		if differs = true; l.Kind() == divergence.LineFailOnly {
			side, text = "fail", say.NextFailing.With(say.Count(l.Fail), say.Count(x.d.Fail))
		}
		at := m.At(f.Name, l.Line)
		at.Pass, at.Fail, at.Focus, at.Unordered = side == "pass", side == "fail", true, true
		p := listing.Place{Span: listing.LineOf(f.Name, l.Line), Lines: []int{l.Line}, Func: -1}
		at.Spans = append(at.Spans, m.Span(p, l.Line, side))
		if i+1 == len(lines) || lines[i+1].Line > l.Line+2 || lines[i+1].Pass != l.Pass || lines[i+1].Fail != l.Fail {
			m.Callout(p, side, text)
		}
	}
	return m, differs
}

// withCode returns the lines of f that hold more than braces: a profile's block
// begins and ends with one.
func (x *differ) withCode(f divergence.FileDiff) []divergence.LineDiff {
	var out []divergence.LineDiff
	for _, l := range f.Lines {
		text := strings.TrimSpace(x.src.Line(f.Name, l.Line))
		if x.src.Lines(f.Name) != nil &&
			(strings.Trim(text, "{}()") == "" || strings.HasPrefix(text, "//") || text == "} else {") {
			continue
		}
		out = append(out, l)
	}
	return out
}

// top returns the lines that go best with failure, but not those that all runs ran.
func (x *differ) top() []diffRow {
	var out []diffRow
	for _, f := range x.d.Suspects(50 * maxTop) {
		l := f.Lines[0]
		if len(out) == maxTop || l.Fail == x.d.Fail && l.Pass == x.d.Pass {
			continue
		}
		if len(x.withCode(f)) == 0 {
			continue
		}
		p := listing.Place{Span: listing.LineOf(f.Name, l.Line), Lines: []int{l.Line}, Func: -1}
		at := x.code(p)
		at.Place = x.clean.Line(x.short(f.Name), 120) + fmt.Sprintf(":%d", l.Line)
		row := diffRow{say.Of(at), l.Pass, l.Fail, fmt.Sprintf("%.2f", l.Ochiai)}
		out = append(out, row)
	}
	return out
}
