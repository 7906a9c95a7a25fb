package listing

import (
	"cmp"
	"html"
	"html/template"
	"slices"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// This file is all that knows the highlighter.

// maxHighlight is the size of a piece of code up to which it is highlighted.
const maxHighlight = 512 << 10

// A token of a line: its text and its class in code.css, "" for plain text.
type codeToken struct{ class, text string }

// highlight returns the tokens of each line. Lines must start outside of
// strings and comments, as a function does.
func highlight(lines []string) [][]codeToken {
	text := strings.Join(lines, "\n")
	out := make([][]codeToken, len(lines))
	if len(text) <= maxHighlight {
		if it, err := lexers.Go.Tokenise(nil, text); err == nil && fill(out, it.Tokens()) && same(out, lines) {
			return out
		}
	}
	for i, l := range lines {
		out[i] = []codeToken{{"", l}}
	}
	return out
}

// fill distributes tokens over lines, and returns false if there are too many.
func fill(out [][]codeToken, tokens []chroma.Token) bool {
	for i, line := range chroma.SplitTokensIntoLines(tokens) {
		if i >= len(out) {
			return strings.TrimSpace(chroma.Stringify(line...)) == ""
		}
		for _, t := range line {
			if text := strings.TrimSuffix(t.Value, "\n"); text != "" {
				out[i] = append(out[i], codeToken{tokenClass(t.Type), text})
			}
		}
	}
	return true
}

// same reports whether the tokens are the lines: the source shown must be the
// source, whatever the highlighter makes of it.
func same(out [][]codeToken, lines []string) bool {
	for i, toks := range out {
		var b strings.Builder
		for _, t := range toks {
			b.WriteString(t.text)
		}
		if b.String() != lines[i] {
			return false
		}
	}
	return true
}

// tokenClass returns the class for a type of token. There are few: code that is
// marked in three colours has no room for twelve more.
func tokenClass(t chroma.TokenType) string {
	switch {
	case t.InCategory(chroma.Comment):
		return "c"
	case t.InSubCategory(chroma.LiteralString):
		return "s"
	case t.InSubCategory(chroma.LiteralNumber):
		return "m"
	case t == chroma.KeywordType, t == chroma.KeywordConstant:
		return "t"
	case t.InCategory(chroma.Keyword):
		return "k"
	case t == chroma.NameFunction, t == chroma.NameBuiltin:
		return "f"
	}
	return ""
}

// A markSpan is a part of a line, in bytes from 0, that one side alone ran.
type markSpan struct {
	from, to int
	side     string // "pass" or "fail"
}

// lineHTML renders the tokens of a line with its marks.
func lineHTML(tokens []codeToken, marks []markSpan, c *Cleaner) template.HTML {
	slices.SortStableFunc(marks, func(a, b markSpan) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	pos := 0
	open := "" // side of the mark that is open
	for _, t := range tokens {
		for text := t.text; text != ""; {
			side, n := segment(marks, pos, len(text))
			if side != open {
				closeMark(&b, open)
				openMark(&b, side)
				open = side
			}
			writeToken(&b, t.class, c.Code(text[:n]))
			text, pos = text[n:], pos+n
		}
	}
	closeMark(&b, open)
	return template.HTML(b.String())
}

// segment returns which side's mark, if any, covers position pos, and how many
// of the next max bytes are alike in that.
func segment(marks []markSpan, pos, max int) (side string, n int) {
	n = max
	for _, m := range marks {
		switch {
		case pos >= m.from && pos < m.to:
			return m.side, min(n, m.to-pos)
		case m.from > pos:
			n = min(n, m.from-pos)
		}
	}
	return "", n
}

func openMark(b *strings.Builder, side string) {
	if side != "" {
		b.WriteString(`<mark class="` + side + `">`)
	}
}

func closeMark(b *strings.Builder, side string) {
	if side != "" {
		b.WriteString(`</mark>`)
	}
}

func writeToken(b *strings.Builder, class, text string) {
	if class == "" {
		b.WriteString(html.EscapeString(text))
		return
	}
	b.WriteString(`<span class="` + class + `">` + html.EscapeString(text) + `</span>`)
}
