package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/session"
)

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

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
	a := &app{Console: &session.Console{Stdout: &b, Getenv: env("TERM", "xterm-kitty", "FORCE_HYPERLINK", "1")}}
	if got := a.result(""); got != &b {
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
		if got := linksShown(env(c.env...)); got != c.want {
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
		a := &app{Console: &session.Console{Getenv: env(editorEnv, form)}}
		if err := a.checkOpen(); err != nil {
			t.Errorf("%s: %v", form, err)
		} else if got := a.editor()("/home/g/a b.go", 7); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
	}
	for _, form := range []string{"vim", "javascript:alert('{file}')", "JavaScript:{file}", "data:text/html,{file}", "my://open", "{file}"} {
		a := &app{Console: &session.Console{Getenv: env(editorEnv, form)}}
		if a.checkOpen() == nil || a.editor() != nil {
			t.Errorf("%s is accepted", form)
		}
	}
	if (&app{Console: &session.Console{Getenv: env()}}).editor() != nil {
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
		got, err := (&app{Console: &session.Console{Getenv: env(c.env...)}}).browser(c.goos, "u")
		if strings.Join(got, " ") != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s, %v: %q, %v, want %q", c.goos, c.env, got, err, c.want)
		}
	}
}

// TestOpen opens the page of a run, with and without links to an editor. The files in the run's
// directory have no such links, because people attach them to issues.
func TestOpen(t *testing.T) {
	module := filepath.Join(t.TempDir(), "home", "me", "m")
	d := sampleRunDir(t)
	d.sites = bytes.ReplaceAll(d.sites, []byte("/home/gopher/proj/m"), []byte(filepath.ToSlash(module)))
	dir := filepath.Join(module, ".fdebug", "runs", "20261122-120000")
	for _, err := range []error{os.MkdirAll(filepath.Dir(dir), 0o777), os.Rename(d.write(t), dir), os.WriteFile(filepath.Join(module, "m_test.go"), d.source, 0o666)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	report := func(editor string, args ...string) (opened, page, stderr string) {
		t.Helper()
		var out, errs bytes.Buffer
		a := &app{Console: &session.Console{Stdout: &out, Stderr: &errs, Getenv: env(editorEnv, editor)}, open: func(file string) error {
			opened = file
			return os.ErrNotExist
		}}
		if code := a.main(append([]string{"-C", module, "report"}, args...)); code != exitFlaky {
			t.Fatalf("exit code %d: %s", code, errs.String())
		}
		data, err := os.ReadFile(filepath.Join(dir, "m.TestX.html"))
		if err != nil {
			t.Fatal(err)
		}
		return opened, string(data), errs.String()
	}
	if opened, _, _ := report("vscode"); opened != "" {
		t.Errorf("opened %s without being asked to", opened)
	}
	opened, page, stderr := report("", "-open")
	if opened != filepath.Join(dir, "m.TestX.html") {
		t.Errorf("opened %s", opened)
	}
	if !strings.Contains(stderr, "warning: -open: file does not exist; the report is ") {
		t.Errorf("the warning about what can't be opened is %q", stderr)
	}
	opened, with, _ := report("vscode", "-open")
	if with != page {
		t.Error("the editor changes the page of the run")
	}
	if opened != filepath.Join(module, ".fdebug", "local", "m.TestX.html") {
		t.Errorf("opened %s", opened)
	}
	local, err := os.ReadFile(opened)
	if err != nil {
		t.Fatal(err)
	}
	link := `href="vscode://file` + filepath.ToSlash(module) + `/m_test.go:`
	if !strings.Contains(string(local), "A copy for this machine") || strings.Contains(page, "A copy for this machine") {
		t.Error("the copy does not say that it is one, or the page does")
	}
	if !strings.Contains(string(local), link) || strings.Contains(page, "vscode:") || strings.Contains(page, module) {
		t.Errorf("%s is not in the copy, or is in the page of the run", link)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil && bytes.Contains(data, []byte("vscode:")) {
			t.Errorf("%s has links to an editor", file)
		}
	}
}
