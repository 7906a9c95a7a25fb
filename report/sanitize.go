package report

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/secret"
)

// A cleaner makes text from tests fit to be shown: bounded, without terminal
// escapes and control characters, valid UTF-8, with home directories
// shortened to "~", and without secrets of the environment.
type cleaner struct {
	home    string // "" if unknown
	secrets *secret.Hider
	escape  *regexp.Regexp // terminal escape sequences
	homes   *regexp.Regexp // paths that look like a home directory
}

func newCleaner(home string, environ []string) *cleaner {
	return &cleaner{
		secrets: secret.NewHider(environ, quoted),
		home:    strings.TrimRight(home, `/\`),
		escape: regexp.MustCompile(
			"(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" + // CSI: colours, cursor
				"|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?" + // OSC, DCS, ...: titles, links
				"|\x1b[ -/]*[0-~]"), // two-byte escapes
		homes: regexp.MustCompile(`(^|[^\w.~-])(?:/(?:home|Users)/[^/\s"':;,<>]+|/root|[A-Za-z]:\\Users\\[^\\\s"':;,<>]+)($|[/\\\s"':;,)\]])`),
	}
}

// quoted is how a text looks as a value that was recorded.
func quoted(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }

// text cleans s and keeps all of it.
func (c *cleaner) text(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToValidUTF8(c.secrets.Hide(s), "\uFFFD")
	s = c.escape.ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return c.path(visible(s))
}

// line cleans s and makes one line of it, of at most max runes.
func (c *cleaner) line(s string, max int) string {
	s = clip(s, 8*max) // before the work is done, not only after
	s = strings.Join(strings.Fields(c.text(s)), " ")
	return shorten(s, max)
}

// cut cleans s, keeping the first head and the last tail bytes of a long one.
// The end matters more than the beginning: there the test failed.
func (c *cleaner) cut(s string, head, tail int) string {
	s = c.secrets.Hide(s) // before it is cut in two
	if len(s) <= head+tail {
		return c.text(s)
	}
	first := strings.ToValidUTF8(s[:head], "\uFFFD")
	last := strings.ToValidUTF8(s[len(s)-tail:], "")
	if i := strings.LastIndexByte(first, '\n'); i > 0 {
		first = first[:i+1]
	}
	if i := strings.IndexByte(last, '\n'); i >= 0 && i < len(last)-1 {
		last = last[i+1:]
	}
	left := len(s) - len(first) - len(last)
	return c.text(first) + fmt.Sprintf("\n[... %s left out here ...]\n\n", byteSize(left)) + c.text(last)
}

// path shortens home directories in s.
func (c *cleaner) path(s string) string {
	if len(c.home) > 1 {
		s = replacePath(s, c.home, "~")
	}
	return c.homes.ReplaceAllString(s, "${1}~${2}")
}

// replacePath replaces directory old in s, but not a longer name that merely
// begins with it.
func replacePath(s, old, new string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, old)
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		rest := s[i+len(old):]
		b.WriteString(s[:i])
		r, _ := utf8.DecodeRuneInString(rest)
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' {
			b.WriteString(old)
		} else {
			b.WriteString(new)
		}
		s = rest
	}
}

// visible replaces characters that would hide or reorder text.
func visible(s string) string {
	if strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r) // the picture of the control character
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			fmt.Fprintf(&b, "\u2039U+%04X\u203a", r)
		}
	}
	return b.String()
}

// hidden reports whether r is a control other than tab and newline, or a
// character that changes the direction of text or takes no space: with these,
// source can look other than it is.
func hidden(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20, r >= 0x7f && r < 0xa0:
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return true
	}
	return false
}

// clip returns the first n bytes of s, without a broken character at the end.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// shorten returns s, or its first runes and an ellipsis if it has more than max.
func shorten(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	r := []rune(s)
	return strings.TrimRightFunc(string(r[:max-1]), unicode.IsSpace) + "\u2026"
}

// byteSize returns n bytes in words.
func byteSize(n int) string {
	switch {
	case n >= 10<<20:
		return fmt.Sprintf("%d MB", n>>20)
	case n >= 10<<10:
		return fmt.Sprintf("%d kB", n>>10)
	case n == 1:
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}
