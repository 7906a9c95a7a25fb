package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// A Terminal is how a test is shown on a terminal.
type Terminal struct {
	Page    string // of the report, as shown; "" for none
	Verbose bool   // how it fails, too
	Badge   string // what it is, "" for that of its runs
	Repeat  string // how to repeat it, "" for the usual command
}

// columns of the terminal block.
const (
	headColumns  = 76
	placeColumns = 18
	errorColumns = 100
)

// Lines are the seven lines of a test: what it is, error, cause, where, in how many runs, how
// to repeat it, and its page.
func (o Terminal) Lines(r *finding.Result, t *finding.Test) []string {
	v := newViewer(r)
	v.of(t)
	f := &finding.Failure{}
	if len(t.Failures) > 0 {
		f = t.Failures[0]
	} else if p := t.PlainFailure; p != nil {
		f.Message = p.Message
	}
	v.f = f
	c := v.causeOf(0, f)
	lines := []string{o.head(v, t, c), v.errorLine(f)}
	lines = append(lines, texts(c.Said)...)
	if onlyPlainFailed(t) {
		lines = append(lines[:2], say.OnlyRecorded.With().String())
	}
	lines = append(lines, v.placeLine(c), barLine(c))
	if o.Verbose {
		lines = append(lines, v.verbose(f, c)...)
	}
	if do := cmp.Or(o.Repeat, c.Replay, v.repeat()); do != "" {
		lines = append(lines, "reproduce  "+do)
	}
	if o.Page != "" {
		lines = append(lines, "report     "+o.Page)
	}
	out := lines[:1]
	for _, l := range lines[1:] {
		if l != "" {
			out = append(out, "  "+l)
		}
	}
	return out
}

// head names the test with its rate, kind and verdict.
func (o Terminal) head(v *viewer, t *finding.Test, c *causeView) string {
	runs := count(rounds(t.Runs))
	rate := fmt.Sprintf("%d of %d failed (%s)", runs.Failed, runs.decided(),
		say.Share.With(say.Percent(share(runs.Failed, runs.decided()))))
	if none := runs.none(); none > 0 {
		rate += fmt.Sprintf(", %d without outcome", none)
	}
	if d := v.verdictFor(0, v.f); d != nil && count(t.Runs).allProvoked() {
		w := d.Proof.Confirmed.With
		if rate = fmt.Sprintf("%d of %d failed", w.Failed, w.Of); d.Proof.Always { // that is its rate
			rate += fmt.Sprintf(" (%s)", say.Share.With(say.Percent(share(w.Failed, w.Of))))
		}
	}
	if t.State() == finding.OnlySeen {
		x := t.Seen()
		rate = fmt.Sprintf("%d of %d failed", x.All().Failed, x.All().Of)
	}
	if p := count(t.Plain); onlyPlainFailed(t) {
		rate = fmt.Sprintf("%d of %d failed", p.Failed, p.decided())
	}
	if p := count(t.Plain); recorderActs(v.r, t) > 0 {
		rate = fmt.Sprintf("%d of %d failed, %d of %d with the recorder", p.Failed, p.decided(), runs.Failed, runs.decided())
	}
	if runs.decided() == 0 && !onlyPlainFailed(t) {
		rate = ""
	}
	left := fmt.Sprintf("%s  %s.%s  %s", cmp.Or(o.Badge, strings.ToUpper(badge(t))),
		v.clean.Line(packageName(v.r, t.Package), 200), cmp.Or(v.clean.Line(t.Name, 200), "(package)"), rate)
	right := strings.TrimPrefix(c.Kind+" · "+c.Verdict, " · ")
	return left + strings.Repeat(" ", max(2, headColumns-len([]rune(left))-len([]rune(right)))) + right
}

// errorLine is the place and the first line of the message, with what follows if that is but a title.
func (v *viewer) errorLine(f *finding.Failure) string {
	message := strings.TrimSpace(v.message(f))
	first, rest, _ := strings.Cut(message, "\n")
	if title := strings.TrimSpace(first); strings.HasSuffix(title, ":") || title == "Expected" { // so begins gomega
		first += " " + rest
	}
	at := ""
	if p, ok := v.src.Frame(f.Frame); ok || p.File != "" {
		at = v.placeName(p)
	}
	return strings.TrimLeft(at+"  "+text.Line(first, errorColumns), " ")
}

// placeLine is the place of the cause with its code.
func (v *viewer) placeLine(c *causeView) string {
	l, r := c.first()
	if r.N == 0 {
		return ""
	}
	return fmt.Sprintf("%-*s %s", placeColumns, fmt.Sprintf("%s:%d", l.File, r.N), text.Line(r.Source, 80))
}

// first is the first line that a cause shows as its place; zero if it shows none.
func (c *causeView) first() (listing.Listing, listing.Row) {
	if p := c.Picture; p != nil && len(p.first.Rows) > 0 {
		return p.first, p.first.Rows[0]
	}
	for _, l := range c.Code {
		for _, r := range l.Rows {
			if r.Class == "held" && r.FoldEnd == 0 {
				return l, r
			}
		}
	}
	return listing.Listing{}, listing.Row{}
}

// barLine is the counts in a row.
func barLine(c *causeView) string {
	var parts []string
	for _, b := range c.Bars {
		parts = append(parts, b.Label.String()+" "+b.Text)
	}
	return strings.Join(parts, ", ")
}

// verbose says how it fails, and what to try.
func (v *viewer) verbose(f *finding.Failure, c *causeView) (lines []string) {
	if f.Analysis != nil {
		for _, d := range f.Analysis.Chain[:min(len(f.Analysis.Chain), 1)] {
			lines = append(lines, texts(v.diverges(d))...)
		}
	}
	return append(lines, texts(c.Fix)...)
}

// repeat is the command that runs the test again as it failed; "" for one that failed only where something was perturbed.
func (v *viewer) repeat() string {
	x := v.t.Seen()
	if v.t.Package == "" || x.Perturbed.Failed > 0 && !x.ByItself() {
		return ""
	}
	return v.command(v.again(), "run", 50)
}

// A Cause is the answer of a page in plain text, for programs and outputs of CI.
type Cause struct {
	Said    string   `json:"said"`
	Kind    string   `json:"kind,omitempty"`
	Verdict string   `json:"verdict"`        // "proved", "reproduced", "likely" or "unknown"
	File    string   `json:"file,omitempty"` // of the place shown, relative to the module root; "" for none
	Line    int      `json:"line,omitempty"`
	Places  []Place  `json:"places,omitempty"` // at most three
	Fix     []string `json:"fix,omitempty"`    // what to try
}

// A Place is a line to look at.
type Place struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Source string `json:"source,omitempty"`
	Is     string `json:"is"` // "step", of what a failing run does in this order; "cause"; or "suspect"
}

// maxPlaces is how many lines to look at are named.
const maxPlaces = 3

// CauseOf returns the cause of a test's most frequent failure, as far as it is known.
func CauseOf(r *finding.Result, t *finding.Test) Cause {
	v := newViewer(r)
	v.of(t)
	return v.cause()
}

// cause returns the cause of the test at hand.
func (v *viewer) cause() Cause {
	f := &finding.Failure{}
	if len(v.t.Failures) > 0 {
		f = v.t.Failures[0]
	}
	v.f = f
	c := v.causeOf(0, f)
	if onlyPlainFailed(v.t) {
		c.Said = []say.Sentence{say.OnlyRecorded.With()}
	}
	x := Cause{Said: strings.Join(texts(c.Said), " "), Kind: c.Kind, Verdict: c.Verdict, Fix: texts(c.Fix)}
	if d := v.verdictFor(0, f); d != nil && d.Proof.Orders() {
		if a := d.Proof.Law.After; a != nil {
			v.place(&x, a.Shown, "step")
		}
		v.place(&x, d.Proof.Where()[0], "step")
		v.place(&x, d.Proof.Where()[1], "step")
	}
	if l, r := c.first(); r.N > 0 {
		v.place(&x, trace.LineOf(l.Path, r.N), "cause")
		x.File, x.Line = l.Path, r.N
	}
	for _, at := range c.named {
		v.place(&x, at, "cause")
	}
	for i := range f.Suspects {
		v.place(&x, f.Suspects[i].Span, "suspect")
	}
	if len(x.Places) > 0 && x.File == "" {
		x.File, x.Line = x.Places[0].File, x.Places[0].Line
	}
	return x
}

// place adds a line to a cause, unless it has it, or enough.
func (v *viewer) place(c *Cause, at finding.Span, is string) {
	if at.File != "" && len(c.Places) < maxPlaces && !slices.ContainsFunc(c.Places, func(p Place) bool {
		return p.File == at.File && p.Line == at.Start
	}) {
		c.Places = append(c.Places, Place{at.File, at.Start, text.Line(v.src.Line(at.File, at.Start), 100), is})
	}
}

// texts are sentences in plain text.
func texts(list []say.Sentence) (out []string) {
	for _, s := range list {
		out = append(out, s.String())
	}
	return out
}

// HowItFails says where runs of a failure diverge, "" if that is not known.
func HowItFails(r *finding.Result, t *finding.Test, f *finding.Failure) string {
	if f.Analysis == nil || len(f.Analysis.Chain) == 0 {
		return ""
	}
	v := newViewer(r)
	v.of(t)
	v.f = f
	return strings.Join(texts(v.diverges(f.Analysis.Chain[0])), " ")
}
