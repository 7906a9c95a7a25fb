package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/internal/session"
)

// TestBrief has the commands of recorded hunts say what they say in brief: a line of JSON, and nothing else.
func TestBrief(t *testing.T) {
	for script, commands := range map[string][]string{
		"queue":     {"hunt ./... -budget 10m -brief", "issue -brief"},
		"run_race":  {"run . -n 30 -plain 0 -values=false -kinds race -brief"},
		"run_hunt":  {"run ./... -n 3 -plain 1 -experiments 10m -cpu 2 -brief", "replay TestDrain -n 5 -brief"},
		"hunt_once": {"hunt -kinds stall -shuffle off -brief"},
	} {
		t.Run(script, func(t *testing.T) { briefly(t, script, commands) })
	}
}

// runID matches the name of the directory of a run.
var runID = regexp.MustCompile(`\d{8}-\d{6}(-\d+)?`)

// briefly runs commands that are recorded with a script, and compares what they write with a section of the golden file.
func briefly(t *testing.T, script string, commands []string) {
	p := &player{Machine: &recorded.Machine{Dir: t.TempDir(), Root: recorded.Place(), Opener: &opener}}
	defer os.RemoveAll(p.Root)
	p.open(t, filepath.Join("testdata", "hunts", script+".tar.zst"))
	file := filepath.Join("testdata", "hunts", script+".txtar")
	text, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	goldens, err := filepath.Abs("testdata/brief.txtar")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(p.Root, "script-"+script)
	for _, f := range text.Files {
		name := filepath.Join(module, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(module)
	for _, line := range commands {
		args := strings.Fields(line)
		c, err := p.Next()
		if err != nil {
			t.Fatal(err)
		}
		var out, said bytes.Buffer
		a := &app{args: append([]string{"fdebug"}, args...), Console: &session.Console{Stdout: &out, Stderr: &said,
			Getenv: func(string) string { return "" }, Machine: c.Stands()}}
		a.main(slices.Clone(args))
		if said.Len() > 0 || bytes.Count(out.Bytes(), []byte("\n")) != 1 || out.Len() > 4096 {
			t.Fatalf("%s wrote\n%sand said %q", line, &out, &said)
		}
		var pretty bytes.Buffer
		if err := json.Indent(&pretty, out.Bytes(), "", " "); err != nil {
			t.Fatal(err)
		}
		golden.Section(t, goldens, script+" "+args[0], runID.ReplaceAllString(pretty.String(), "ID"))
	}
	if err := p.Missing(); err != nil {
		t.Error(err)
	}
}
