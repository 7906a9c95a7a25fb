// Package terminal shows results to people: on a terminal, in a browser, and in files of reports. A
// [Screen] is where they are shown, and a [Summary] what a run prints.
package terminal

import (
	"bytes"
	"cmp"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/session"

	"golang.org/x/term"
)

// A terminalWriter shows a result on a terminal: with the subject in bold and colour, and long lines
// broken with a hanging indent. It removes control codes from the text, which may come from a test.
type terminalWriter struct {
	w     io.Writer
	width int    // columns; 0 for unbroken lines
	color bool   // and bold
	rest  []byte // of an incomplete line
}

// Result returns the writer for a result for people: stdout, formatted for a terminal if it is one.
func (s *Screen) Result() io.Writer {
	width, ok := s.terminal(s.Stdout)
	if !ok || s.Getenv("TERM") == "dumb" {
		return s.Stdout
	}
	t := &terminalWriter{w: s.Stdout, color: s.Getenv("NO_COLOR") == ""}
	if width >= 40 { // with less there is no room for an indent
		t.width = width
	}
	return t
}

// terminal reports whether w is a terminal, and how many columns it has, or 0 if unknown.
func (s *Screen) terminal(w io.Writer) (width int, ok bool) {
	if !session.IsTerminal(w) {
		return 0, false
	}
	width, _, _ = term.GetSize(int(w.(*os.File).Fd()))
	return width, true
}

// Write shows the complete lines.
func (t *terminalWriter) Write(p []byte) (int, error) {
	t.rest = append(t.rest, p...)
	end := bytes.LastIndexByte(t.rest, '\n') + 1
	var b strings.Builder
	for line := range strings.Lines(string(t.rest[:end])) {
		t.line(&b, strings.TrimSuffix(line, "\n"))
	}
	t.rest = t.rest[end:]
	if _, err := io.WriteString(t.w, b.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// TerminalCodes are sequences that terminals act on.
var TerminalCodes = regexp.MustCompile(
	"\x1b\\[[0-?]*[ -/]*[@-~]|\x1b[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]?")

// line writes one line of the result.
func (t *terminalWriter) line(b *strings.Builder, s string) {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, TerminalCodes.ReplaceAllString(s, ""))
	for i, part := range t.wrap(s) {
		if t.color {
			part = styled(part, i == 0)
		}
		b.WriteString(part + "\n")
	}
}

// wrap breaks a line between words. Continuation lines are indented by four more columns.
func (t *terminalWriter) wrap(s string) []string {
	text := strings.TrimLeft(s, " ")
	indent := len(s) - len(text)
	if t.width == 0 || utf8.RuneCountInString(s) <= t.width || indent+20 > t.width {
		return []string{s}
	}
	text = wide.ReplaceAllString(text, "  ")
	var lines []string
	line, used := s[:indent], indent
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > t.width:
			lines = append(lines, line)
			line, used = strings.Repeat(" ", indent+4), indent+4
		default:
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	return append(lines, line)
}

// The beginning of a finding, and the beginning of its lines.
var (
	headline = regexp.MustCompile(`^(FLAKY|BROKEN|PROVOKED|RACE|RECORDER-ONLY)  (\S+)  (.+)$`)
	wide     = regexp.MustCompile(` {3,}`) // between columns
	label    = regexp.MustCompile(`^  (reproduce|report|also)  `)
)

const (
	boldOn  = "\x1b[1m"
	plainOn = "\x1b[0m"
)

// colors are the colours of the beginning of a finding.
var colors = map[string]string{"FLAKY": "\x1b[1;33m", "BROKEN": "\x1b[1;31m", "RACE": "\x1b[1;31m",
	"PROVOKED": "\x1b[1;35m"}

// styled colours the beginning of a finding, and makes the beginning of its lines bold.
func styled(s string, first bool) string {
	if m := headline.FindStringSubmatch(s); first && m != nil {
		return cmp.Or(colors[m[1]], boldOn) + m[1] + plainOn + "  " + boldOn + m[2] + plainOn + "  " + m[3]
	}
	if m := label.FindString(s); first && m != "" {
		return "  " + boldOn + m[2:] + plainOn + s[len(m):]
	}
	return s
}
