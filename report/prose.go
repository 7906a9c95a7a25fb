package report

import (
	"html/template"
	"strings"
)

// A prose is a sentence, or a few, made from data. Each output sets the parts
// that are code or places in its own way.
type prose []span

type spanKind int

const (
	spanText  spanKind = iota
	spanBold           // a number or word to catch the eye
	spanCode           // a piece of source
	spanPlace          // file:line
)

type span struct {
	kind spanKind
	text string
	href string // of a place whose line is on the page: "#id"
}

func say(text string) prose { return prose{{spanText, text, ""}} }

func (p prose) text(s string) prose { return append(p, span{spanText, s, ""}) }
func (p prose) bold(s string) prose { return append(p, span{spanBold, s, ""}) }
func (p prose) add(q prose) prose   { return append(p, q...) }

// capital returns p with a capital letter at its beginning, if that is text.
func (p prose) capital() prose {
	if len(p) > 0 && p[0].kind == spanText && p[0].text != "" {
		p[0].text = strings.ToUpper(p[0].text[:1]) + p[0].text[1:]
	}
	return p
}

// code appends source code, or nothing for "".
func (p prose) code(s string) prose {
	if s == "" {
		return p
	}
	return append(p, span{spanCode, s, ""})
}

// HTML renders p.
func (p prose) HTML() template.HTML {
	var b strings.Builder
	for _, s := range p {
		text := template.HTMLEscapeString(s.text)
		switch s.kind {
		case spanText:
			b.WriteString(text)
		case spanBold:
			b.WriteString("<strong>" + text + "</strong>")
		case spanCode:
			b.WriteString("<code>" + text + "</code>")
		case spanPlace:
			if s.href == "" {
				b.WriteString(`<span class="place">` + text + "</span>")
				continue
			}
			b.WriteString(`<a class="place" href="` + template.HTMLEscapeString(s.href) + `">` + text + "</a>")
		}
	}
	return template.HTML(b.String())
}

// Plain renders p as text.
func (p prose) Plain() string {
	var b strings.Builder
	for _, s := range p {
		b.WriteString(s.text)
	}
	return b.String()
}

// Markdown renders p for GitHub.
func (p prose) Markdown() string {
	var b strings.Builder
	for _, s := range p {
		switch s.kind {
		case spanText:
			b.WriteString(mdEscape(s.text))
		case spanBold:
			b.WriteString("**" + mdEscape(s.text) + "**")
		default:
			b.WriteString(mdCode(s.text))
		}
	}
	return b.String()
}

// mdEscape makes text mean itself in Markdown: no markup, no HTML, no mention
// of a user, no reference to an issue.
func mdEscape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '#', '|', '~', '$':
			b.WriteByte('\\')
			b.WriteRune(r)
		case '@':
			b.WriteString("@\u2060") // a word joiner: nobody is to be notified
		case '&':
			b.WriteString("&amp;")
		case '\n':
			b.WriteByte(' ')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mdCode returns s as a code span.
func mdCode(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if len(fence) > 1 || strings.HasPrefix(s, " ") {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// mdBlock returns s as a fenced code block of the given language.
func mdBlock(lang, s string) string {
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	return fence + lang + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

// longestRun returns the length of the longest run of c in s.
func longestRun(s string, c byte) int {
	best, n := 0, 0
	for i := range len(s) {
		if s[i] != c {
			n = 0
			continue
		}
		n++
		best = max(best, n)
	}
	return best
}
