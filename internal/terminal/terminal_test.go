package terminal

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/session"
)

func TestTerminalWriter(t *testing.T) {
	for name, c := range map[string]struct {
		t        terminalWriter
		in, want string
	}{
		"plain":    {terminalWriter{}, "FLAKY  m.TestX  1 of 2 failed\n  q.go:1  bad\n", "FLAKY  m.TestX  1 of 2 failed\n  q.go:1  bad\n"},
		"headline": {terminalWriter{color: true}, "FLAKY  m.TestX/a  1 of 2 failed\nall reports\n", "\x1b[1;33mFLAKY\x1b[0m  \x1b[1mm.TestX/a\x1b[0m  1 of 2 failed\nall reports\n"},
		"label": {terminalWriter{color: true}, "  reproduce  fdebug replay x\n  report     y\n",
			"  \x1b[1mreproduce  \x1b[0mfdebug replay x\n  \x1b[1mreport  \x1b[0m   y\n"},
		"wrapped":   {terminalWriter{width: 30}, "    one two three four five six seven\nshort\n", "    one two three four five\n        six seven\nshort\n"},
		"long word": {terminalWriter{width: 30}, "    " + strings.Repeat("x", 40) + " y\n", "    " + strings.Repeat("x", 40) + "\n        y\n"},
		"exact":     {terminalWriter{width: 10}, "1234567 90\n", "1234567 90\n"},
		"hostile":   {terminalWriter{color: true}, "a\x1b[31mb\x1b]8;;http://x\x1b\\c\x1b]0;title\x07d\re\x1b\x9bf\x07\n", "abcde\ufffdf\n"},
	} {
		var b bytes.Buffer
		c.t.w = &b
		for i := range c.in { // in pieces, as they come
			c.t.Write([]byte{c.in[i]})
		}
		if got := b.String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestResultWithoutTerminal(t *testing.T) {
	var b bytes.Buffer
	a := &Screen{Console: &session.Console{Stdout: &b, Getenv: envOf("TERM", "xterm-kitty")}}
	if got := a.Result(); got != &b {
		t.Errorf("got a %T where stdout is no terminal", got)
	}
}

func TestBrowserCommand(t *testing.T) {
	for _, c := range []struct {
		goos string
		env  []string
		want string
	}{
		{"linux", []string{"DISPLAY", ":0"}, "xdg-open u"},
		{"freebsd", []string{"WAYLAND_DISPLAY", "w"}, "xdg-open u"},
		{"linux", nil, ""},
		{"linux", []string{"BROWSER", "firefox"}, "firefox u"},
		{"darwin", nil, "open u"},
		{"windows", nil, "rundll32 url.dll,FileProtocolHandler u"},
	} {
		got, err := (&Screen{Console: &session.Console{Getenv: envOf(c.env...)}}).browser(c.goos, "u")
		if strings.Join(got, " ") != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s, %v: %q, %v, want %q", c.goos, c.env, got, err, c.want)
		}
	}
}

// envOf is an environment of these names and values.
func envOf(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}
