package report

import (
	"fmt"
	"strings"
)

// What stands open in the Markdown fits on a screen of an issue: a test counts 40 lines.
// All else is folded.
const (
	topError    = 6 // lines of the message
	topCode     = 7 // lines of code around the cause
	topPlaces   = 3
	topWarnings = 2
)

// mdTop is what an issue begins with: title, rate, cause, error and places.
func mdTop(b *mdWriter, w *view) {
	title, said := "# "+mdCode(w.Name)+": ", []string{}
	if w.Rate != "" {
		title += w.Headline.Markdown() + " (" + w.Rate + ")"
	} else {
		title, said = title+mdEscape(w.Verdict), append(said, w.Headline.Markdown())
	}
	if w.Kind != "" {
		title += ", " + mdEscape(w.Kind)
	}
	b.part(title + "\n\n")
	for _, d := range w.Details {
		said = append(said, d.Markdown())
	}
	if len(said) > 0 {
		b.part(strings.Join(said, " ") + "\n\n")
	}
	mdWarnings(b, w.Warnings[:min(len(w.Warnings), topWarnings)])
	if len(w.Causes) > 0 {
		mdOpenCause(b, &w.Causes[0])
	}
	if len(w.Failures) == 0 {
		return
	}
	f := w.Failures[0]
	mdError(b, f, 1<<10, topError)
	if n := len(w.Failures); n > 1 {
		which := "none is more frequent than this"
		if f.Alone {
			which = "this is the most frequent"
		}
		b.part(fmt.Sprintf("It fails in %d ways, by what fails first; %s.\n\n", n, which))
	}
	for i, s := range f.Suspects[:min(len(f.Suspects), topPlaces)] {
		b.part(fmt.Sprintf("%d. %s %s: %s\n", i+1, s.Place.Markdown(), mdCode(s.Code), mdEscape(shorten(s.Why, 300))))
	}
	if len(f.Suspects) > 0 {
		b.part("\n")
	}
}

// mdOpenCause is the cause with its lines, the experiment and the commands.
func mdOpenCause(b *mdWriter, c *causeView) {
	b.part("**" + mdEscape(c.Title) + ".** " + c.Said.Markdown() + "\n\n")
	if c.Artefact != "" {
		b.part("A deadline artefact: " + mdEscape(c.Artefact) + "\n\n")
	}
	if code := mdExcerpt(c.Code, topCode); code != "" {
		b.part(mdBlock("diff", code) + "\n")
	}
	var bars []string
	for _, x := range c.Bars {
		bars = append(bars, x.Label+": **"+x.Text+"**")
	}
	if len(bars) > 0 {
		b.part(strings.Join(bars, " · ") + "\n\n")
	}
	if c.Replay != "" {
		title, edits := "# Make it fail; check a fix\n", ""
		if c.Edits != "" {
			title, edits = "# Make it fail; try edits; check a fix\n", c.Edits+"\n"
		}
		b.part(mdBlock("sh", title+c.Replay+"\n"+edits+c.Verify) + "\n")
	} else if c.Tried != "" {
		b.part(strings.TrimSpace(c.Looks.Markdown()+" "+mdEscape(c.Tried)) + "\n\n")
	}
}

// mdExcerpt is the marked lines of excerpts as text, at most so many.
func mdExcerpt(list []listing, most int) string {
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
			text := fmt.Sprintf("%s %s:%d  %s", mark, l.File, r.N, strings.TrimSpace(shorten(r.text, 200)))
			for _, c := range r.Callouts {
				text += "    <- " + c.Text
			}
			lines = append(lines, text)
		}
	}
	if n := len(lines); n > most { // what is said of a window stands at its end
		lines = append(append(lines[:2:2], fmt.Sprintf("  ⋯ %d lines", n-most+1)), lines[n-most+3:]...)
	}
	return strings.Join(lines, "\n")
}

// mdError is the message, cut to so many lines.
func mdError(b *mdWriter, f *failureView, max, lines int) {
	if f.Message == "" {
		return
	}
	where := ""
	if len(f.Where) > 0 {
		where = " at " + f.Where.Markdown()
	}
	list := strings.Split(strings.TrimRight(f.Message, "\n"), "\n")
	if n := len(list); n > lines {
		list = append(list[:lines-1:lines-1], fmt.Sprintf("[... %d more lines ...]", n-lines+1))
	}
	b.block(f.Failed+where+":\n\n", "", strings.Join(list, "\n"), "\n", max)
}

// mdCause is the rest of what is known of a cause, folded: how such flakes are fixed, and
// all of it if it is not the first.
func mdCause(b *mdWriter, c causeView, i int) {
	in := &mdWriter{limit: b.limit - b.Len() - 1000}
	if i > 0 {
		mdOpenCause(in, &c)
	}
	for _, p := range c.Fix {
		in.part("- " + p.Markdown() + "\n")
	}
	if c.Explain != "" {
		in.part(in.gap() + "More: " + mdCode(c.Explain) + "\n\n")
	}
	if c.Longer != "" {
		in.part(in.gap() + "To try for longer: " + mdCode(c.Longer) + "\n\n")
	}
	title := "Fix to try"
	switch {
	case i > 0:
		title = mdEscape(c.Title)
	case len(c.Fix) == 0 && c.Explain == "":
		title = "More experiments"
	}
	mdDetails(b, title, in.String())
}

// mdDetails is a folded part.
func mdDetails(b *mdWriter, title, text string) {
	if text = strings.Trim(text, "\n"); text != "" {
		b.part(b.gap() + "<details><summary>" + title + "</summary>\n\n" + text + "\n\n</details>\n\n")
	}
}

// ShortMarkdown returns what stands open in the Markdown of a test: up to the first part
// that is folded.
func ShortMarkdown(text string) string {
	fence := ""
	at := 0
	for line := range strings.Lines(text) {
		switch s := strings.TrimRight(line, "\n"); {
		case fence != "":
			if s == fence {
				fence = ""
			}
		case strings.HasPrefix(s, "```"):
			fence = s[:longestRun(s, '`')]
		case strings.HasPrefix(s, "<details>"):
			return strings.TrimRight(text[:at], "\n") + "\n"
		}
		at += len(line)
	}
	return text
}
