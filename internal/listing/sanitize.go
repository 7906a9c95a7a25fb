package listing

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/secret"
)

// A Cleaner makes text from tests fit to be shown: bounded, without terminal
// escapes and control characters, valid UTF-8, with home directories
// shortened to "~", and without secrets of the environment.
type Cleaner struct {
	home    string // "" if unknown
	Secrets *secret.Hider
	escape  *regexp.Regexp // terminal escape sequences
	homes   *regexp.Regexp // paths that look like a home directory
}

// NewCleaner shortens that home directory, and hides the values of secrets among environ.
func NewCleaner(home string, environ []string) *Cleaner {
	return &Cleaner{
		Secrets: secret.NewHider(environ, quoted),
		home:    strings.TrimRight(home, `/\`),
		escape: regexp.MustCompile(
			"(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]" + // CSI: colours, cursor
				"|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?" + // OSC, DCS, ...: titles, links
				"|\x1b[ -/]*[0-~]"), // two-byte escapes
		homes: regexp.MustCompile(
			`(^|[^\w.~-])(?:/(?:home|Users)/[^/\s"':;,<>]+|/root|[A-Za-z]:\\Users\\[^\\\s"':;,<>]+)($|[/\\\s"':;,)\]])`),
	}
}

// quoted is how a text looks as a value that was recorded.
func quoted(s string) string { q := strconv.Quote(s); return q[1 : len(q)-1] }

// Text cleans s and keeps all of it.
func (c *Cleaner) Text(s string) string {
	s = strings.ToValidUTF8(c.Secrets.Hide(s), "\uFFFD")
	s = c.escape.ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	s = strings.ReplaceAll(s, "\r", "\n")
	return c.path(Visible(s))
}

// Code makes a piece of a source line visible, without shortening paths: source
// is shown as it is.
func (c *Cleaner) Code(s string) string { return Visible(strings.ToValidUTF8(s, "\uFFFD")) }

// Line cleans s and makes one line of it, of at most max runes.
func (c *Cleaner) Line(s string, max int) string {
	s = Clip(s, 8*max) // before the work is done, not only after
	s = strings.Join(strings.Fields(c.Text(s)), " ")
	return Shorten(s, max)
}

// Cut cleans s, keeping the first head and the last tail bytes of a long one.
// The end matters more than the beginning: there the test failed.
func (c *Cleaner) Cut(s string, head, tail int) string {
	s = c.Secrets.Hide(s) // before it is cut in two
	if len(s) <= head+tail {
		return c.Text(s)
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
	return c.Text(first) + fmt.Sprintf("\n[... %s left out here ...]\n\n", ByteSize(left)) + c.Text(last)
}

// path shortens home directories in s.
func (c *Cleaner) path(s string) string {
	if len(c.home) > 1 {
		s = replacePath(s, c.home, "~")
	}
	return c.homes.ReplaceAllString(s, "${1}~${2}")
}

// replacePath replaces directory old in s, but not in a longer name: one that begins with it, or a
// path or the name of a subtest that goes on with it.
func replacePath(s, old, new string) string {
	var b strings.Builder
	for done := 0; ; {
		n := strings.Index(s[done:], old)
		if n < 0 {
			b.WriteString(s[done:])
			return b.String()
		}
		from, to := done+n, done+n+len(old)
		before, _ := utf8.DecodeLastRuneInString(s[:from])
		after, _ := utf8.DecodeRuneInString(s[to:])
		b.WriteString(s[done:from])
		if inName(before) || before == '.' || before == '~' || inName(after) {
			b.WriteString(old)
		} else {
			b.WriteString(new)
		}
		done = to
	}
}

// inName reports whether a character is part of the name of a file.
func inName(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || r == '-' }

// Visible replaces characters that would hide or reorder text.
func Visible(s string) string {
	if strings.IndexFunc(s, Hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !Hidden(r):
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

// Hidden reports whether r is a control other than tab and newline, or a
// character that changes the direction of text or takes no space: with these,
// source can look other than it is.
func Hidden(r rune) bool {
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

// Clip returns the first n bytes of s, without a broken character at the end.
func Clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// Shorten returns s, or its first runes and an ellipsis if it has more than max.
func Shorten(s string, max int) string {
	if utf8.RuneCountInString(s) <= max {
		return s
	}
	r := []rune(s)
	return strings.TrimRightFunc(string(r[:max-1]), unicode.IsSpace) + "\u2026"
}

// ByteSize returns n bytes in words.
func ByteSize(n int) string {
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
