package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/tracker/team/linked"
)

func TestMain(m *testing.M) {
	// A process with the race detector waits for a second when it ends, unless told otherwise.
	if os.Getenv("GORACE") == "" {
		os.Setenv("GORACE", "atexit_sleep_ms=10")
	}
	// Scripts mostly wait, for tests that sleep and for held goroutines. -parallel overrides
	// this.
	if err := flag.Set("test.parallel", fmt.Sprint(scriptsPerProc*runtime.GOMAXPROCS(0))); err != nil {
		panic(err)
	}
	testscript.Main(served{m}, map[string]func(){"fdebug": func() { start(linked.Parts()) }, "fdebug-plain": func() { start(nil) }})
}

// goEnv returns the values of go env variables, as NAME=value.
func goEnv(t *testing.T, names ...string) []string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	var env []string
	for i, v := range values {
		env = append(env, names[i]+"="+strings.TrimSuffix(v, "\r"))
	}
	return env
}

// TestRules compares docs/diagnosis.md with the output of fdebug help rules, which is made from
// the documentation of the rules. -update rewrites it.
func TestRules(t *testing.T) {
	var out bytes.Buffer
	if !new(app).printHelp(&out, "rules") {
		t.Fatal("there is no help on rules")
	}
	for _, r := range diagnose.Rules() {
		if !strings.Contains(out.String(), "\n"+r.Name+"\n\t"+strings.ReplaceAll(r.Doc, "\n", "\n\t")+"\n") {
			t.Errorf("the help does not have %s", r.Name)
		}
	}
	const name = "../../docs/diagnosis.md"
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- fdebug help rules -->\n```text\n", "```\n<!-- end -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no place for the rules", name)
	}
	golden.File(t, name, before+begin+out.String()+end+after)
}

// TestHelp checks that every command has a help text that begins with its usage, and that help
// texts are not wider than a terminal.
func TestHelp(t *testing.T) {
	for _, c := range commands() {
		text, err := helpTexts.ReadFile("help/" + c.name + ".txt")
		if err != nil {
			t.Errorf("%s: no help: %v", c.name, err)
			continue
		}
		if want := "Usage: fdebug " + c.name; !strings.HasPrefix(string(text), want) {
			t.Errorf("%s: help does not start with %q", c.name, want)
		}
	}
	files, err := filepath.Glob("help/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range strings.Split(string(text), "\n") {
			if n := len(strings.ReplaceAll(line, "\t", "        ")); n > 100 {
				t.Errorf("%s:%d: %d columns, want at most 100", f, i+1, n)
			}
		}
	}
}
