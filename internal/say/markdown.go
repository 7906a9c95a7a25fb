package say

import "strings"

// Escape makes text mean itself in Markdown: no markup, no HTML, no mention of a user, no
// reference to an issue.
func Escape(s string) string {
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

// MarkdownCode returns s as a code span.
func MarkdownCode(s string) string {
	s = strings.ReplaceAll(s, "\n", " ")
	if s == "" {
		return ""
	}
	fence := strings.Repeat("`", longestRun(s)+1)
	if len(fence) > 1 || strings.HasPrefix(s, " ") {
		return fence + " " + s + " " + fence
	}
	return fence + s + fence
}

// MarkdownCell returns s as a code span in a table, where a bar would end the cell.
func MarkdownCell(s string) string { return strings.ReplaceAll(MarkdownCode(s), "|", `\|`) }

// MarkdownBlock returns s as a fenced code block of the given language.
func MarkdownBlock(lang, s string) string {
	fence := strings.Repeat("`", max(3, longestRun(s)+1))
	return fence + lang + "\n" + strings.TrimRight(s, "\n") + "\n" + fence + "\n"
}

// longestRun returns the length of the longest run of backquotes in s.
func longestRun(s string) int {
	best, n := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			n = 0
			continue
		}
		n++
		best = max(best, n)
	}
	return best
}
