package main

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/internal/session"
)

// TestHunts runs the scripts in testdata/hunts in this process. Their command "do" is fdebug, on a machine that answers
// each build and each run from the recording beside the script: a hunt without a process. With -record it makes these
// runs, and records them.
func TestHunts(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the paths in traces are those of Linux")
	}
	for _, file := range scripts(t, "testdata/hunts") {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { huntScript(t, file) })
	}
}

// A serial is a test whose scripts do not run in parallel: the working directory is one.
type serial struct{ *testing.T }

func (serial) Parallel()                            {}
func (s serial) Verbose() bool                      { return testing.Verbose() }
func (s serial) Run(_ string, f func(testscript.T)) { f(s) }

// A player runs the commands of one script.
type player struct {
	*recorded.Machine
	anew string // how to record it
}

func huntScript(t *testing.T, file string) {
	pack := strings.TrimSuffix(file, ".txtar") + ".tar.zst"
	p := &player{&recorded.Machine{Dir: t.TempDir(), Root: recorded.Place(), Record: *record, Opener: &opener},
		"go test ./cmd/fdebug -run '" + t.Name() + "$' -record"}
	if !*record {
		p.open(t, pack)
	}
	if err := os.Mkdir(p.Root, 0o777); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(p.Root)
	testscript.RunT(serial{t}, testscript.Params{
		Files: []string{file}, WorkdirRoot: p.Root,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"do": p.do},
		Condition: func(cond string) (bool, error) {
			return cond != "record" || *record, nil // what a recording needs was there when it was made
		},
	})
	if *record && !t.Failed() {
		if err := recorded.PackFile(pack, p.Dir); err != nil {
			t.Fatal(err)
		}
	}
}

// open unpacks a recording.
func (p *player) open(t *testing.T, pack string) {
	t.Helper()
	f, err := os.Open(pack)
	if err != nil {
		t.Fatalf("%v\nIt is recorded by %s", err, p.anew)
	}
	defer f.Close()
	if err := recorded.Unpack(f, p.Dir); err != nil {
		t.Fatal(err)
	}
}

// TestHuntsMissing has a recording without the last of its runs. The hunt makes none in its place, and it is told that
// one is missing.
func TestHuntsMissing(t *testing.T) {
	p := &player{Machine: &recorded.Machine{Dir: t.TempDir(), Root: t.TempDir(), Opener: &opener}}
	p.open(t, "testdata/hunts/queue.tar.zst")
	script, err := txtar.ParseFile("testdata/hunts/queue.txtar")
	if err != nil {
		t.Fatal(err)
	}
	module := filepath.Join(p.Root, "script-queue")
	if err := os.Mkdir(module, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, f := range script.Files {
		if err := os.WriteFile(filepath.Join(module, f.Name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	runs := filepath.Join(p.Dir, "1", "runs.jsonl")
	data, err := os.ReadFile(runs)
	if err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(string(data)))
	if err := os.WriteFile(runs, []byte(strings.Join(lines[:len(lines)-20], "")), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(module)
	if err := p.Next(); err != nil {
		t.Fatal(err)
	}
	a := &app{args: []string{"fdebug", "hunt"}, Console: &session.Console{Stdout: t.Output(), Stderr: t.Output(),
		Getenv: func(string) string { return "" }, Machine: p.Stands()}}
	a.main([]string{"hunt", "./...", "-budget", "10m"})
	if err := p.Missing(); !errors.Is(err, recorded.ErrMissing) {
		t.Errorf("got %v", err)
	}
}

// do runs a command of fdebug in the directory of a script. Its last argument may be <FILE: standard input.
func (p *player) do(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(p.Next())
	was, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	for _, name := range []string{"COUNTER", "GOGC", "TZ", "HOME"} {
		if own, set := os.LookupEnv(name); p.Record && ts.Getenv(name) != "" && ts.Getenv(name) != "/no-home" {
			os.Setenv(name, ts.Getenv(name))
			defer func() {
				if os.Setenv(name, own); !set {
					os.Unsetenv(name)
				}
			}()
		}
	}
	if file, is := strings.CutPrefix(args[len(args)-1], "<"); is {
		in, err := os.Open(ts.MkAbs(file))
		ts.Check(err)
		defer in.Close()
		defer func(was *os.File) { os.Stdin = was }(os.Stdin)
		os.Stdin, args = in, args[:len(args)-1]
	}
	a := &app{args: append([]string{"fdebug"}, args...), Console: &session.Console{
		Stdout: ts.Stdout(), Stderr: ts.Stderr(), Getenv: ts.Getenv, Machine: p.Stands()}}
	code := a.main(args)
	ts.Check(os.Chdir(was))
	if err := p.Missing(); err != nil {
		ts.Fatalf("%v\nIt is recorded anew by %s", err, p.anew)
	}
	if (code != exit.OK) != neg {
		ts.Fatalf("fdebug %s: exit code %d", strings.Join(args, " "), code)
	}
}
