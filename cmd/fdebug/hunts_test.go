package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
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
	c, err := p.Next()
	if err != nil {
		t.Fatal(err)
	}
	a := &app{args: []string{"fdebug", "hunt"}, Console: &session.Console{Stdout: t.Output(), Stderr: t.Output(),
		Getenv: func(string) string { return "" }, Machine: c.Stands()}}
	a.main([]string{"hunt", "./...", "-budget", "10m"})
	if err := p.Missing(); !errors.Is(err, recorded.ErrMissing) {
		t.Errorf("got %v", err)
	}
}

// do runs a command of fdebug in the directory of a script, or several beside each other, with an & between. Its last
// argument may be <FILE: standard input.
func (p *player) do(ts *testscript.TestScript, neg bool, args []string) {
	defer p.inScript(ts)()
	if file, is := strings.CutPrefix(args[len(args)-1], "<"); is {
		in, err := os.Open(ts.MkAbs(file))
		ts.Check(err)
		defer in.Close()
		defer func(was *os.File) { os.Stdin = was }(os.Stdin)
		os.Stdin, args = in, args[:len(args)-1]
	}
	var beside sync.WaitGroup
	for args != nil {
		one, rest := args, []string(nil)
		if i := slices.Index(args, "&"); i >= 0 {
			one, rest = args[:i], args[i+1:]
		}
		c, err := p.Next()
		ts.Check(err)
		var out, said bytes.Buffer
		a := &app{args: append([]string{"fdebug"}, one...), Console: &session.Console{
			Stdout: &out, Stderr: &said, Getenv: ts.Getenv, Machine: c.Stands()}}
		code := 0
		beside.Go(func() { code = a.main(one) })
		defer func() {
			ts.Stdout().Write(out.Bytes())
			ts.Stderr().Write(said.Bytes())
			if (code != exit.OK) != neg {
				ts.Logf("%s%s", &out, &said)
				ts.Fatalf("fdebug %s: exit code %d", strings.Join(one, " "), code)
			}
		}()
		args = rest
	}
	beside.Wait()
	if err := p.Missing(); err != nil {
		ts.Fatalf("%v\nIt is recorded anew by %s", err, p.anew)
	}
}

// inScript has the directory of a script, and what it sets for tests that are recorded. It returns what undoes that.
func (p *player) inScript(ts *testscript.TestScript) (undo func()) {
	dir, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	was := make(map[string]string)
	for _, name := range []string{"COUNTER", "GOGC", "TZ", "HOME"} {
		if value := ts.Getenv(name); p.Record && value != "" && value != "/no-home" {
			was[name] = os.Getenv(name)
			os.Setenv(name, value)
		}
	}
	return func() {
		for name, value := range was {
			os.Setenv(name, value)
		}
		ts.Check(os.Chdir(dir))
	}
}
