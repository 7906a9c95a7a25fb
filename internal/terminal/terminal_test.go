package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/session"
)

func TestTerminalWriter(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"q.go", "page one.html", "q.html"} {
		if err := os.WriteFile(filepath.Join(root, name), nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(root)
	link := func(to, text string) string { return "\x1b]8;;" + to + "\x1b\\" + text + "\x1b]8;;\x1b\\" }
	url := fileURL("", filepath.Join(root, "q.go"))
	for name, c := range map[string]struct {
		t        terminalWriter
		in, want string
	}{
		"plain":    {terminalWriter{}, "FLAKY  m.TestX  1 of 2 failed\n  q.go:1  bad\n", "FLAKY  m.TestX  1 of 2 failed\n  q.go:1  bad\n"},
		"headline": {terminalWriter{color: true}, "FLAKY  m.TestX/a  1 of 2 failed\nall reports\n", "\x1b[1;33mFLAKY\x1b[0m  \x1b[1mm.TestX/a\x1b[0m  1 of 2 failed\nall reports\n"},
		"label": {terminalWriter{color: true}, "  reproduce  fdebug replay x\n  report     y\n",
			"  \x1b[1mreproduce  \x1b[0mfdebug replay x\n  \x1b[1mreport  \x1b[0m   y\n"},
		"links":     {terminalWriter{links: true, root: root}, "at q.go:7, none.go:7 and q.html\n", "at " + link(url, "q.go:7") + ", none.go:7 and " + link(strings.TrimSuffix(url, "go")+"html", "q.html") + "\n"},
		"host":      {terminalWriter{links: true, root: root, host: "far"}, "q.go:7\n", link(strings.Replace(url, "file://", "file://far", 1), "q.go:7") + "\n"},
		"editor":    {terminalWriter{links: true, root: root, edit: func(file string, line int) string { return "e:" + filepath.Base(file) }}, "q.go:7\n", link("e:q.go", "q.go:7") + "\n"},
		"wrapped":   {terminalWriter{width: 30}, "    one two three four five six seven\nshort\n", "    one two three four five\n        six seven\nshort\n"},
		"long word": {terminalWriter{width: 30}, "    " + strings.Repeat("x", 40) + " y\n", "    " + strings.Repeat("x", 40) + "\n        y\n"},
		"exact":     {terminalWriter{width: 10}, "1234567 90\n", "1234567 90\n"},
		"hostile":   {terminalWriter{color: true, links: true, root: root}, "a\x1b[31mb\x1b]8;;http://x\x1b\\c\x1b]0;title\x07d\re\x1b\x9bf\x07\n", "abcde\ufffdf\n"},
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
	a := &Screen{Console: &session.Console{Stdout: &b, Getenv: envOf("TERM", "xterm-kitty", "FORCE_HYPERLINK", "1")}}
	if got := a.Result(""); got != &b {
		t.Errorf("got a %T where stdout is no terminal", got)
	}
}

func TestLinksShown(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want bool
	}{
		{nil, false},
		{[]string{"TERM", "xterm-256color"}, false},
		{[]string{"TERM", "xterm-kitty"}, true},
		{[]string{"TERM", "xterm-kitty", "FORCE_HYPERLINK", "0"}, false},
		{[]string{"FORCE_HYPERLINK", "1"}, true},
		{[]string{"VTE_VERSION", "4801"}, false},
		{[]string{"VTE_VERSION", "7600"}, true},
		{[]string{"TERM_PROGRAM", "vscode"}, true},
		{[]string{"TERM_PROGRAM", "Apple_Terminal"}, false},
	} {
		if got := linksShown(envOf(c.env...)); got != c.want {
			t.Errorf("%v: %v, want %v", c.env, got, c.want)
		}
	}
}

func TestEditor(t *testing.T) {
	for form, want := range map[string]string{
		"vscode":                      "vscode://file/home/g/a%20b.go:7",
		"goland":                      "goland://open?file=/home/g/a%20b.go&line=7",
		"my://open?f={file}&l={line}": "my://open?f=/home/g/a%20b.go&l=7",
		"my://{file}":                 "my:///home/g/a%20b.go",
	} {
		a := &Screen{Console: &session.Console{Getenv: envOf(EditorEnv, form)}}
		if err := a.CheckOpen(); err != nil {
			t.Errorf("%s: %v", form, err)
		} else if got := a.editor()("/home/g/a b.go", 7); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
	for _, form := range []string{"vim", "javascript:alert('{file}')", "JavaScript:{file}", "data:text/html,{file}", "my://open", "{file}"} {
		a := &Screen{Console: &session.Console{Getenv: envOf(EditorEnv, form)}}
		if a.CheckOpen() == nil || a.editor() != nil {
			t.Errorf("%s is accepted", form)
		}
	}
	if (&Screen{Console: &session.Console{Getenv: envOf()}}).editor() != nil {
		t.Error("an editor without being asked for")
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
