package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/report"
)

var record = flag.Bool("record", false, "record the runs of testdata/recorded anew")

// recordedOf returns the result.json of recorded runs of a module whose files a test has as text,
// and the directory of the result and the pages. With -record it makes the runs, in a directory
// that has the same name on all machines.
func recordedOf(t *testing.T, name string, files map[string]string, flags ...string) (data []byte, dir string) {
	t.Helper()
	file := filepath.Join("testdata", "recorded", name+".tar.zst")
	if *record {
		recordRuns(t, file, filepath.Join(os.TempDir(), "flaky", name), files, flags)
	}
	dir = t.TempDir()
	data = recordedPages(t, file, dir)
	for name, text := range files {
		if was, err := os.ReadFile(filepath.Join(recorded.Module(dir), name)); err != nil || string(was) != text {
			t.Fatalf("%s was changed since %s was recorded: -record records it anew", name, file)
		}
	}
	return data, dir
}

// recordedPages writes the reports of recorded runs into dir, and returns the result.json.
func recordedPages(t *testing.T, file, dir string) []byte {
	t.Helper()
	if _, err := report.WriteDir(t.Context(), dir, openRecorded(t, file, dir).Result); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func recordRuns(t *testing.T, file, module string, files map[string]string, flags []string) {
	t.Helper()
	if err := os.MkdirAll(module, 0o777); err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(module)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(module, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{"-C", module, "run", ".", "-plain", "0"}, flags...)
	a := &app{Console: &session.Console{Stdout: io.Discard, Stderr: io.Discard, Getenv: os.Getenv}, args: append([]string{"fdebug"}, args...)}
	if code := a.main(args); code != exit.Flaky {
		t.Fatalf("exit code %d, want %d", code, exit.Flaky)
	}
	run, err := filepath.EvalSymlinks(filepath.Join(module, ".fdebug", "latest"))
	if err == nil {
		err = recorded.KeepModule(module, "...", run)
	}
	if err == nil {
		err = recorded.PackFile(file, run)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// opener opens all recordings of this package's tests.
var opener recorded.Opener

func openRecorded(t testing.TB, file, dir string) *recorded.Recording {
	t.Helper()
	r, err := opener.Open(file, dir, func(format string, args ...any) { t.Errorf("warning: "+format, args...) })
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// recordedFile is the file with the recorded runs of a program.
func recordedFile(name string) string {
	return filepath.Join("..", "..", "internal", "lab", "accuracy", "testdata", "recorded", name+".tar.zst")
}

// recordedIn returns the result.json of the recorded runs of a program: see internal/lab/accuracy.
// The result is the same each time.
func recordedIn(t *testing.T, name string) []byte {
	t.Helper()
	r := openRecorded(t, recordedFile(name), t.TempDir())
	var b bytes.Buffer
	if err := report.JSON(&b, r.Result); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestResultExample compares the example in docs/report.md with the result of recorded runs of
// that program, and that with the program.
func TestResultExample(t *testing.T) {
	text, err := os.ReadFile("../../docs/report.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(text), "```json\n")
	example, _, _ = strings.Cut(example, "```\n")
	var want, doc any
	if err := json.Unmarshal([]byte(example), &want); err != nil {
		t.Fatal(err)
	}
	data := recordedIn(t, "examples-testorder")
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	test := doc.(map[string]any)["tests"].([]any)[0]
	got := test.(map[string]any)["suspects"].([]any)[0]
	if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-6, 0)); d != "" {
		t.Errorf("docs/report.md has another suspect (-), recorded runs (+):\n%s", d)
	}
	checkEarlier(t, data)
}
