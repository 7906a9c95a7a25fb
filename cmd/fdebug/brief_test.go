package main

import (
	"bytes"
	"encoding/json"
	"fmt"
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
		"agents": {"run -brief ./queue -n 50", "hunt -brief TestDrain", "hunt -brief -like ci.log", "issue -brief TestDrain",
			"cp queue/longer_test", "verify -brief TestDrain", "cp queue/mended_test", "verify -brief TestDrain"},
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
	for i, line := range commands {
		args := strings.Fields(line)
		if args[0] == "cp" {
			data, err := os.ReadFile(args[1])
			if err == nil {
				err = os.WriteFile("queue/queue_test.go", data, 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			continue
		}
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
		golden.Section(t, goldens, fmt.Sprintf("%s %d: %s", script, i+1, line), runID.ReplaceAllString(pretty.String(), "ID"))
	}
	if err := p.Missing(); err != nil {
		t.Error(err)
	}
}

// TestSkill compares the skill for agents with fdebug help agents, and checks what finds it. Its commands are those of
// a script, in their order.
func TestSkill(t *testing.T) {
	help, err := helpTexts.ReadFile("help/agents.txt")
	if err != nil {
		t.Fatal(err)
	}
	const file = "../../.agents/skills/fdebug/SKILL.md"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	front, body, _ := strings.Cut(strings.TrimPrefix(string(text), "---\n"), "\n---\n\n")
	golden.File(t, file, "---\n"+front+"\n---\n\n"+string(help))
	name, description, _ := strings.Cut(front, "\n")
	if name != "name: "+filepath.Base(filepath.Dir(file)) || strings.Count(front, "\n") != 1 || len(description) > 1024 {
		t.Errorf("the front is\n%s", front)
	}
	for _, word := range []string{"description: ", "flaky", "fails sometimes", "go test", "CI"} {
		if !strings.Contains(description, word) {
			t.Errorf("the description has no %q", word)
		}
	}
	if n := strings.Count(body, "\n"); n > 120 {
		t.Errorf("%d lines", n)
	}
	script, err := os.ReadFile("testdata/hunts/agents.txtar")
	if err != nil {
		t.Fatal(err)
	}
	rest := strings.ReplaceAll(string(script), "! do ", "do ")
	for _, m := range regexp.MustCompile(`(?m)^\tfdebug (.*)$`).FindAllStringSubmatch(body, -1) {
		_, after, found := strings.Cut(rest, "\ndo "+m[1]+"\n")
		if !found {
			t.Fatalf("the script does not go on with fdebug %s", m[1])
		}
		rest = "\n" + after
	}
}
