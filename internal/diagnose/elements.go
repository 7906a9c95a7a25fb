package diagnose

import (
	"slices"
	"strings"
)

// contentOf returns a recorded value without the order in which the lists in it have their elements; ok is false if
// something of it was left out, or if it has no list.
func contentOf(text string) (content string, ok bool) {
	if strings.Contains(text, "…") || strings.Contains(text, "(len ") || !strings.Contains(text, "[") {
		return "", false
	}
	r := &elements{text: text}
	content = strings.Join(r.until(0), " ")
	return content, r.at == len(text) && r.lists > 0
}

// An elements goes through a value as it is recorded: [1 2], {A:1 B:"x"}, &{...}.
type elements struct {
	text  string
	at    int
	lists int
}

// until returns the elements up to a bracket that closes, or to the end.
func (r *elements) until(end byte) (list []string) {
	from := r.at
	var b strings.Builder
	flush := func() {
		if r.at > from {
			list = append(list, b.String())
		}
		b.Reset()
	}
	for r.at < len(r.text) {
		switch c := r.text[r.at]; c {
		case end:
			flush()
			r.at++
			return list
		case ' ':
			flush()
			r.at++
			from = r.at
		case '[', '{', '(':
			r.at++
			b.WriteString(r.bracket(c))
		case '"':
			b.WriteString(r.quoted())
		default:
			b.WriteByte(c)
			r.at++
		}
	}
	flush()
	if end != 0 {
		r.at++ // it does not close: see contentOf
	}
	return list
}

// bracket returns what stands in brackets: the elements of a list in one order.
func (r *elements) bracket(open byte) string {
	list := r.until(map[byte]byte{'[': ']', '{': '}', '(': ')'}[open])
	if open == '[' {
		r.lists++
		slices.Sort(list)
	}
	return string(open) + strings.Join(list, " ") + "."
}

// quoted returns a string with its quotes.
func (r *elements) quoted() string {
	from := r.at
	for r.at++; r.at < len(r.text) && r.text[r.at] != '"'; r.at++ {
		if r.text[r.at] == '\\' {
			r.at++
		}
	}
	r.at = min(r.at+1, len(r.text))
	return r.text[from:r.at]
}
