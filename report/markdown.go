package report

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/template"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/templates"
)

// maxMarkdown is the longest text of an issue that GitHub takes. It counts characters; counting
// bytes is on the safe side.
const maxMarkdown = 65536

// topCode is how many lines of source around the cause stand open.
const topCode = 10

// Markdown writes the report of one test as the text of an issue. It stands alone: it refers
// to no other file.
func Markdown(w io.Writer, r *finding.Result, t *finding.Test) error {
	v := newViewer(r)
	s, err := v.markdown(v.test(t))
	if err == nil {
		_, err = io.WriteString(w, s)
	}
	return err
}

// A mdWriter is what issue.tmpl asks for.
type mdWriter struct {
	t    *template.Template
	room int  // bytes that a block may have
	cut  bool // something was left out
}

// markdown renders a view by the template beside that of the page, with as much room for each block as lets all of
// them fit.
func (v *viewer) markdown(w *view) (string, error) {
	notice := "\n*" + say.CutPage.With().Markdown() + "*\n"
	m := &mdWriter{room: 16 << 10}
	if err := m.parse(v); err != nil {
		return "", err
	}
	for ; ; m.room /= 2 {
		m.cut = false
		s, err := m.render("issue.tmpl", w)
		if s = strings.TrimRight(s, "\n") + "\n"; m.cut {
			s += notice
		}
		if len(s) <= maxMarkdown || m.room == 0 || err != nil {
			return listing.Clip(s, maxMarkdown), err
		}
	}
}

func (m *mdWriter) parse(v *viewer) (err error) {
	m.t, err = template.New("").Funcs(template.FuncMap{
		"md": say.Sentence.Markdown, "said": joined, "esc": say.Escape, "code": say.MarkdownCode,
		"cell": say.MarkdownCell, "file": v.fileName, "first": first, "after": after, "top": top,
		"listing": mdListing, "excerpt": mdExcerpt, "fence": m.block, "details": m.details, "render": m.render,
	}).ParseFS(templates.FS, "issue.tmpl")
	return err
}

// render executes a part of the template.
func (m *mdWriter) render(name string, data any) (string, error) {
	var b strings.Builder
	err := m.t.ExecuteTemplate(&b, name, data)
	return b.String(), err
}

// details is a folded part, nothing if it is empty.
func (m *mdWriter) details(title, text string) string {
	if text = strings.Trim(text, "\n"); text == "" {
		return ""
	}
	if m.room == 0 {
		m.cut = true
		return ""
	}
	return "<details><summary>" + title + "</summary>\n\n" + text + "\n\n</details>\n\n"
}

// block is a code block of at most so many bytes. Cutting keeps the end: there the test failed.
func (m *mdWriter) block(lang string, most int, s string) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	if most = min(most, m.room); len(s) > most {
		m.cut = true
		tail := s[len(s)-most:]
		for tail != "" && !utf8.RuneStart(tail[0]) {
			tail = tail[1:]
		}
		if i := strings.IndexByte(tail, '\n'); i >= 0 && i < len(tail)/2 {
			tail = tail[i+1:]
		}
		s = "[... " + listing.ByteSize(len(s)-len(tail)) + " left out here ...]\n" + tail
	}
	return say.MarkdownBlock(lang, s)
}

// first and after are a list up to and from the n-th element.
func first(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(0, min(n, v.Len())).Interface()
}

func after(n int, list any) any {
	v := reflect.ValueOf(list)
	return v.Slice(min(n, v.Len()), v.Len()).Interface()
}

// top is the first lines of a text.
func top(n int, s string) string {
	list := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(list) > n {
		list = append(list[:n-1:n-1], fmt.Sprintf("[... %d more lines ...]", len(list)-n+1))
	}
	return strings.Join(list, "\n")
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

// mdListing is a listing as text, in the form that GitHub colours as a diff. Of a long one it
// has the head and the lines that matter.
func mdListing(l listing.Listing) string {
	const around, whole = 3, 30
	keep := make([]bool, len(l.Rows))
	for i, r := range l.Rows {
		keep[i] = keep[i] || len(l.Rows) <= whole || i == 0
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
			b.WriteString(mdLine(r, fmt.Sprintf("%4d", r.N), strings.ReplaceAll(r.Source, "\t", "    ")) + "\n")
		case i > 0 && keep[i-1] && l.Rows[i-1].FoldEnd == 0:
			b.WriteString("       ⋯\n")
		}
	}
	return b.String()
}

// mdExcerpt is the marked lines of excerpts as text.
func mdExcerpt(list []listing.Listing) string {
	var lines []string
	for _, l := range list {
		for _, r := range l.Rows {
			if r.Class != "" && r.FoldEnd == 0 {
				lines = append(lines, mdLine(r, fmt.Sprintf("%s:%d", l.File, r.N), strings.TrimSpace(r.Source)))
			}
		}
	}
	if n := len(lines); n > topCode {
		lines = append(append(lines[:2:2], fmt.Sprintf("  ⋯ %d lines", n-topCode+1)), lines[n-topCode+3:]...)
	}
	return strings.Join(lines, "\n")
}

// mdLine is a line of source with its mark, where it is, and what the callouts say.
func mdLine(r listing.Row, where, source string) string {
	mark := map[string]string{"=": "=", "+": "+", "-": "-", "+-": "!", "=+": "+", "=-": "-", "▐": "!"}[r.Mark]
	switch {
	case r.Words == listing.CheckWords:
		mark = "=" // passing runs came there too; what failed is said beside it
	case mark == "":
		mark = " "
	}
	line := mark + " " + where + "  " + listing.Shorten(source, 300)
	for _, c := range r.Callouts {
		line += "    <- " + c.Text
	}
	return strings.TrimRight(line, " ")
}
