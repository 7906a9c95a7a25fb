package report

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
)

// maxMarkdown is the longest text of an issue that GitHub takes. It counts characters; counting
// bytes is on the safe side.
const maxMarkdown = 65536

// What stands open fits on a screen of an issue, with 40 lines. All else is folded.
const (
	topError    = 8  // lines of the message
	topCode     = 10 // lines of source around the cause
	topWarnings = 2
)

// Markdown writes the report of one test as the text of an issue. It stands alone: it refers
// to no other file.
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

// block appends a code block below a title, cut to the room there is. Cutting keeps the end:
// there the test failed.
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
		s = "[... " + listing.ByteSize(len(s)-len(tail)) + " left out here ...]\n" + tail
		b.cut = true
	}
	b.part(before + say.MarkdownBlock(lang, s) + after)
}

// details is a folded part.
func (b *mdWriter) details(title, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		b.part("<details><summary>" + title + "</summary>\n\n" + text + "\n\n</details>\n\n")
	}
}

// text is a long text, folded.
func (b *mdWriter) text(title, s string, max int) {
	if strings.TrimSpace(s) != "" {
		b.block("<details><summary>"+title+"</summary>\n\n", "", s, "\n</details>\n\n", max)
	}
}

// joined are sentences in a row.
func joined(list []say.Sentence) string {
	var parts []string
	for _, s := range list {
		if !s.None() {
			parts = append(parts, s.Markdown())
		}
	}
	return strings.Join(parts, " ")
}

// markdown renders a view, in the order of the page.
func (v *viewer) markdown(w *view) string {
	notice := "\n*" + say.CutPage.With().Markdown() + "*\n"
	b := &mdWriter{limit: maxMarkdown - len(notice)}
	title := "# " + say.MarkdownCode(w.Name) + ": " + w.Badge
	for _, s := range []string{w.Kind, w.Verdict} {
		if s != "" {
			title += " · " + say.Escape(s)
		}
	}
	b.part(title + "\n\n" + joined(w.Rate) + "\n\n")
	mdRelated(b, w.Related)
	for _, s := range w.Warnings[:min(len(w.Warnings), topWarnings)] {
		b.part("> " + say.Escape(listing.Shorten(s, 200)) + "\n\n")
	}
	for i, f := range w.Failures {
		if i == 0 {
			v.mdFailure(b, f)
			continue
		}
		in := &mdWriter{limit: b.limit - b.Len() - 1000}
		v.mdFailure(in, f)
		b.details(f.Title+", "+f.Runs, in.String())
	}
	v.mdFolded(b, w)
	if b.cut {
		b.WriteString(notice)
	}
	return b.String()
}

// mdFailure is error, cause, how it fails, values and other places.
func (v *viewer) mdFailure(b *mdWriter, f *failureView) {
	mdError(b, f)
	mdCause(b, f.Cause)
	if f.How != nil && len(f.How.Said) > 0 {
		b.part(joined(f.How.Said) + "\n\n")
	}
	if len(f.Others) > 0 {
		var s strings.Builder
		for _, o := range f.Others[:min(len(f.Others), 2)] {
			fmt.Fprintf(&s, "- %s: %s %s\n", o.Place.Markdown(), o.Why.Markdown(), o.Counts.Markdown())
		}
		b.part(s.String() + "\n")
	}
	if f.How == nil {
		return
	}
	in := &mdWriter{limit: b.limit - b.Len() - 1000}
	for i := range f.How.Listings {
		l := &f.How.Listings[i]
		lead := ""
		if !l.Lead.None() {
			lead = " ← " + l.Lead.Markdown()
		}
		in.block(say.MarkdownCode(l.Func)+" in "+say.MarkdownCode(v.fileName(l.File))+lead+"\n\n", "diff",
			mdListing(l), "\n", 6<<10)
	}
	in.part(mdValues(f.Values, f.ValuesOf))
	b.details("How it fails", in.String())
	b.cut = b.cut || in.cut
}

// mdError is the message, cut to a few lines.
func mdError(b *mdWriter, f *failureView) {
	if f.Message == "" {
		return
	}
	list := strings.Split(strings.TrimRight(f.Message, "\n"), "\n")
	if n := len(list); n > topError {
		list = append(list[:topError-1:topError-1], fmt.Sprintf("[... %d more lines ...]", n-topError+1))
	}
	where := ""
	if !f.Where.None() {
		where = f.Where.Markdown() + "\n\n"
	}
	b.block(where, "", strings.Join(list, "\n"), "\n", 2<<10)
}

func mdRelated(b *mdWriter, list []relatedView) {
	for _, x := range list {
		b.part(x.What.Markdown() + ": " + joined(x.Tests) + "\n\n")
	}
}

// mdCause is the cause with its lines, the runs, and what to do.
func mdCause(b *mdWriter, c *causeView) {
	mdRelated(b, c.Same)
	if c.Same != nil {
		return
	}
	b.part("**" + joined(c.Said) + "**\n\n")
	if c.Picture != nil {
		b.part(say.MarkdownBlock("", c.Picture.Text()) + "\n")
	}
	if code := mdExcerpt(c.Code, topCode); code != "" {
		b.part(say.MarkdownBlock("diff", code) + "\n")
	}
	var bars []string
	for _, x := range c.Bars {
		bars = append(bars, x.Label.Markdown()+": **"+x.Text+"**")
	}
	for _, n := range c.Notes {
		bars = append(bars, n.Markdown())
	}
	if len(bars) > 0 {
		b.part(strings.Join(bars, " · ") + "\n\n")
	}
	if c.Replay != "" {
		b.part(say.MarkdownBlock("sh", c.Replay+"\n"+c.Verify) + "\n")
	}
	for _, s := range c.Fix {
		b.part("- " + s.Markdown() + "\n")
	}
	if c.Explain != "" {
		b.part("- " + say.MarkdownCode(c.Explain) + "\n")
	}
	if len(c.Fix) > 0 || c.Explain != "" {
		b.part("\n")
	}
}

// mdFolded writes the part of the page under Details.
func (v *viewer) mdFolded(b *mdWriter, w *view) {
	b.details("Runs", mdStrip(w))
	for _, f := range w.Failures {
		b.text("Goroutines", f.Dump, 16<<10)
		b.text("Output", f.Output, 16<<10)
	}
	if p := w.Plain; p != nil {
		b.text("Without the recorder", p.Message+"\n"+p.Output, 16<<10)
	}
	var in strings.Builder
	for _, f := range w.Env {
		in.WriteString("- " + f.Name + ": " + say.MarkdownCode(f.Value) + "\n")
	}
	for _, s := range w.Warnings[min(len(w.Warnings), topWarnings):] {
		in.WriteString("- " + say.Escape(s) + "\n")
	}
	b.details("Environment", in.String())
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
	return "`" + b.String() + "` " + strings.Join(words, ", ")
}

// mdListing is a listing as text, in the form that GitHub colours as a diff. Of a long one it
// has the head and the lines that matter.
func mdListing(l *listing.Listing) string {
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
func mdLine(b *strings.Builder, r listing.Row) {
	mark := map[string]string{"=": "=", "+": "+", "-": "-", "+-": "!", "=+": "+", "=-": "-"}[r.Mark]
	switch {
	case r.Words == listing.CheckWords:
		mark = "=" // passing runs came there too; what failed is said beside it
	case mark == "":
		mark = " "
	}
	line := fmt.Sprintf("%s %4d  %s", mark, r.N, strings.ReplaceAll(listing.Shorten(r.Source, 300), "\t", "    "))
	for _, c := range r.Callouts {
		line += "    <- " + c.Text
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}

// mdExcerpt is the marked lines of excerpts as text, at most so many.
func mdExcerpt(list []listing.Listing, most int) string {
	var lines []string
	for _, l := range list {
		for _, r := range l.Rows {
			if r.Class == "" || r.FoldEnd != 0 {
				continue
			}
			mark := " "
			if r.Class == "held" {
				mark = "!"
			}
			text := fmt.Sprintf("%s %s:%d  %s", mark, l.File, r.N, strings.TrimSpace(listing.Shorten(r.Source, 200)))
			for _, c := range r.Callouts {
				text += "    <- " + c.Text
			}
			lines = append(lines, text)
		}
	}
	if n := len(lines); n > most {
		lines = append(append(lines[:2:2], fmt.Sprintf("  ⋯ %d lines", n-most+1)), lines[n-most+3:]...)
	}
	return strings.Join(lines, "\n")
}
