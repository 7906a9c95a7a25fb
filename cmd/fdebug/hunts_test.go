package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

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

func huntScript(t *testing.T, file string) {
	pack := strings.TrimSuffix(file, ".txtar") + ".tar.zst"
	m := &recorded.Machine{Dir: t.TempDir(), Root: recorded.Place(), Record: *record, Opener: &opener}
	again := "\n	go test ./cmd/fdebug -run '" + t.Name() + "$' -record\nrecords it again"
	if !*record {
		f, err := os.Open(pack)
		if err != nil {
			t.Fatalf("%v%s", err, again)
		}
		defer f.Close()
		if err := recorded.Unpack(f, m.Dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(m.Root, 0o777); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(m.Root)
	testscript.RunT(serial{t}, testscript.Params{
		Files: []string{file}, WorkdirRoot: m.Root,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"do": func(ts *testscript.TestScript, neg bool, args []string) {
				ts.Check(m.Next())
				code := do(ts, m, args)
				if err := m.Missing(); err != nil {
					ts.Fatalf("%v%s", err, again)
				}
				if (code != 0) != neg {
					ts.Fatalf("fdebug %s: exit code %d", strings.Join(args, " "), code)
				}
			},
		},
	})
	if *record && !t.Failed() {
		if err := recorded.PackFile(pack, m.Dir); err != nil {
			t.Fatal(err)
		}
	}
}

// do runs a command of fdebug in the directory of a script.
func do(ts *testscript.TestScript, m *recorded.Machine, args []string) int {
	was, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(was)
	a := &app{args: append([]string{"fdebug"}, args...), Console: &session.Console{
		Stdout: ts.Stdout(), Stderr: ts.Stderr(), Getenv: ts.Getenv, Machine: m.Stands()}}
	return a.main(args)
}
