package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/finding"
)

// maxMarkdown is what GitHub takes as the text of an issue. It counts
// characters; counting bytes is on the safe side.
const maxMarkdown = 65536

// Markdown writes the report of one test as the text of an issue. It stands
// alone: it refers to no other file.
func Markdown(w io.Writer, r *finding.Result, t *finding.Test) error {
	v := newViewer(r)
	_, err := io.WriteString(w, v.markdown(v.test(t)))
	return err
}

// An mdWriter collects Markdown up to a limit.
type mdWriter struct {
	strings.Builder
	limit int
	cut   bool // something was left out
}

// part appends a part of the text if there is room for it.
func (b *mdWriter) part(s string) bool {
	if b.Len()+len(s) > b.limit {
		b.cut = true
		return false
	}
	b.WriteString(s)
	return true
}

// gap returns what is missing to a blank line before a heading.
func (b *mdWriter) gap() string {
	if s := b.String(); strings.HasSuffix(s, "\n\n") {
		return ""
	}
	return "\n"
}

// block appends a code block below a title, cut to the room there is. Cutting
// keeps the end: there the test failed.
func (b *mdWriter) block(before, lang, s, after string, max int) {
	max = min(max, b.limit-b.Len()-len(before)-len(after)-200)
	if max < 200 {
		b.cut = true
		return
	}
	if len(s) > max {
		tail := s[len(s)-max:]
		for tail != "" && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
		if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
			tail = tail[i+1:]
		}
		s = "[... " + byteSize(len(s)-len(tail)) + " left out here ...]\n" + tail
		b.cut = true
	}
	b.part(before + mdBlock(lang, s) + after)
}

// markdown renders a view. What matters comes first, so that what is cut is
// what matters least.
func (v *viewer) markdown(w *view) string {
	const notice = "\n*This text was cut to fit into an issue. The whole of it is in the HTML report.*\n"
	b := &mdWriter{limit: maxMarkdown - len(notice)}
	mdTop(b, w)
	for i, c := range w.Causes {
		mdCause(b, c, i)
	}
	for _, f := range w.Failures {
		v.mdFailure(b, f)
	}
	mdDetails(b, "Next steps", mdNext(w))
	mdDetails(b, "Runs", mdStrip(w))
	mdDetails(b, "Environment", mdEnvironment(w))
	mdNotes(b, w.Warnings)
	for _, f := range w.Failures {
		mdText(b, f.Dumped, f.Dump, 16<<10)
		mdText(b, "Output of a failing run", f.Output, 16<<10)
	}
	if p := w.Plain; p != nil {
		b.block(b.gap()+mdEscape(p.Said)+"\n\n", "", p.Message, "\n", 4<<10)
		mdText(b, p.Title, p.Output, 16<<10)
		mdText(b, p.Title+": goroutines", p.Dump, 16<<10)
	}
	if b.cut {
		b.WriteString(notice)
	}
	return b.String()
}

// mdStrip is the strip of runs as text.
func mdStrip(w *view) string {
	var b strings.Builder
	for i, s := range w.Strip {
		if i == 100 {
			b.WriteString("…")
			break
		}
		b.WriteString(s.Symbol)
	}
	var words []string
	for _, l := range w.Legend {
		words = append(words, l.Symbol+" "+l.Text)
	}
	s := "`" + b.String() + "` " + strings.Join(words, ", ") + "\n\n"
	if w.Earlier != nil {
		s += w.Earlier.Said.Markdown() + "\n\n"
	}
	return s
}

func (v *viewer) mdFailure(b *mdWriter, f *failureView) {
	how := &mdWriter{limit: b.limit - b.Len() - 1000}
	if f.Heading != "" && f.ID != "failure-1" { // that of the first stands at the top
		mdError(how, f, 8<<10, 100)
	}
	for _, p := range f.Happened {
		if len(p) > 0 {
			how.part(p.Markdown() + "\n")
		}
	}
	how.part("\n")
	if len(f.Look) > 0 {
		how.part("**Where to look:** " + f.Look.Markdown() + "\n\n")
	}
	for k, d := range f.Chain {
		v.mdDivergence(how, d, k, len(f.Chain))
	}
	mdWarnings(how, f.Warnings)
	of := ""
	if f.Heading != "" {
		of = ": " + f.Heading + ", " + f.Runs
	}
	b.cut = b.cut || how.cut
	mdDetails(b, "How it gets there"+of, how.String())
	why := &mdWriter{limit: b.limit - b.Len() - 1000}
	mdHang(why, f.Hang)
	mdWhy(why, f)
	for _, p := range slices.Concat(f.Others, f.Races) {
		why.part(p.Markdown() + "\n")
	}
	why.part(mdSuspects(why.gap(), f.Suspects))
	if f.Curve != nil {
		why.part(why.gap() + f.Curve.Sentence.Markdown() + "\n\n")
	}
	b.cut = b.cut || why.cut
	mdDetails(b, "Evidence"+of, why.String())
}

// mdSuspects is the places to look at first.
func mdSuspects(gap string, list []suspectView) string {
	if len(list) == 0 {
		return ""
	}
	s := gap + "### Look first at\n\n"
	for i, x := range list {
		s += fmt.Sprintf("%d. %s %s: %s\n", i+1, x.Place.Markdown(), mdCode(x.Code), mdEscape(x.Why))
	}
	return s + "\n"
}

// mdWhy is what predicts the outcome.
func mdWhy(b *mdWriter, f *failureView) {
	var lines []string
	for _, o := range f.Orders {
		for _, p := range o.Said {
			if len(p) > 0 {
				lines = append(lines, p.Markdown())
			}
		}
		if o.Lanes != nil {
			axis := mdEscape(o.Lanes.Axis) // of all pictures up to there
			lines = slices.DeleteFunc(lines, func(s string) bool { return s == axis })
			for _, s := range o.Lanes.Text {
				lines = append(lines, mdEscape(s))
			}
			lines = append(lines, axis)
		}
	}
	for _, p := range f.Data {
		lines = append(lines, p.Markdown())
	}
	if len(lines) > 0 {
		b.part(b.gap() + "### Why\n\n- " + strings.Join(lines, "\n- ") + "\n\n")
	}
	b.part(mdValues(f.ValuesCaption, f.Values))
}

func (v *viewer) mdDivergence(b *mdWriter, d *divergenceView, k, n int) {
	title := "### Where the runs diverge\n\n"
	if d.SamePath {
		title = "### " + d.Heading.Markdown() + "\n\n"
	}
	if n > 1 {
		title = fmt.Sprintf("### Divergence %d of %d: %s\n\n", k+1, n, lowerFirst(d.Heading.Markdown()))
	}
	b.part(b.gap() + title)
	if k > 0 {
		for _, p := range d.Happened {
			if len(p) > 0 {
				b.part(p.Markdown() + "\n")
			}
		}
		b.part("\n")
	}
	b.part("`=` common, `+` next in passing runs, `-` next in failing runs; elsewhere either may run the same lines too\n\n")
	for i := range d.Listings {
		l := &d.Listings[i]
		lead := ""
		if len(l.Lead) > 0 {
			lead = ", " + l.Lead.Markdown()
		}
		b.block(mdCode(l.Func)+" in "+mdCode(v.fileName(l.File))+lead+"\n\n", "diff", mdListing(l), "\n", 6<<10)
	}
	b.part(d.Facts.Markdown() + "\n\n")
	mdWarnings(b, d.Warnings)
}

// mdListing is a listing as text, in the form that GitHub colours as a diff. Of
// a long one it has the head and the lines that matter.
func mdListing(l *listing) string {
	const around, whole = 3, 30
	keep := make([]bool, len(l.Rows))
	for i, r := range l.Rows {
		if len(l.Rows) <= whole || i == 0 {
			keep[i] = true
		}
		if len(r.Callouts) == 0 && r.Class != "pass" && r.Class != "fail" && r.Class != "both" {
			continue
		}
		for j := max(0, i-around); j <= min(len(l.Rows)-1, i+around); j++ {
			keep[j] = true
		}
	}
	var b strings.Builder
	for i, r := range l.Rows {
		switch {
		case keep[i] && r.FoldEnd == 0:
			mdLine(&b, r)
		case i > 0 && keep[i-1] && l.Rows[i-1].FoldEnd == 0:
			b.WriteString("       ⋯\n")
		}
	}
	return b.String()
}

// mdLine is a line of a listing, with what the callouts say.
func mdLine(b *strings.Builder, r row) {
	mark := map[string]string{"=": "=", "+": "+", "-": "-", "+-": "!", "=+": "+", "=-": "-"}[r.Mark]
	switch {
	case r.Words == checkWords:
		mark = "=" // passing runs came there too; what failed is said beside it
	case mark == "":
		mark = " "
	}
	line := fmt.Sprintf("%s %4d  %s", mark, r.N, strings.ReplaceAll(shorten(r.text, 300), "\t", "    "))
	for _, c := range r.Callouts {
		line += "    <- " + c.Text
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

func mdNext(w *view) string {
	var lines []string
	for _, c := range w.Next {
		if c.Label == asIssue {
			continue // this is it
		}
		lines = append(lines, "# "+c.Label+"\n"+c.Line)
	}
	if len(lines) == 0 {
		return ""
	}
	s := mdBlock("sh", strings.Join(lines, "\n")) + "\n"
	if len(w.Fixed) > 0 {
		s += w.Fixed.Markdown() + "\n\n"
	}
	return s
}

func mdEnvironment(w *view) string {
	var b strings.Builder
	for _, f := range w.Env {
		b.WriteString("- " + f.Name + ": " + mdCode(f.Value) + "\n")
	}
	return b.String() + "\n"
}

func mdWarnings(b *mdWriter, warnings []string) {
	for _, s := range warnings {
		b.part("> Note: " + mdEscape(s) + "\n\n")
	}
}

// mdNotes is the warnings that do not stand open.
func mdNotes(b *mdWriter, warnings []string) {
	in := &mdWriter{limit: b.limit - b.Len() - 1000}
	mdWarnings(in, warnings[min(len(warnings), topWarnings):])
	mdDetails(b, "Notes", in.String())
}

// mdText is a long text, folded.
func mdText(b *mdWriter, title, s string, max int) {
	if strings.TrimSpace(s) != "" {
		b.block("<details><summary>"+title+"</summary>\n\n", "", s, "\n</details>\n\n", max)
	}
}

// lowerFirst returns s with its first letter in lower case.
func lowerFirst(s string) string {
	if s == "" {
		return ""
	}
	return strings.ToLower(s[:1]) + s[1:]
}
