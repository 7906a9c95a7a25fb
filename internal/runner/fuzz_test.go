package runner

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fdebug/fdebug/internal/lab/alloc"
	"github.com/fdebug/fdebug/trace"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/tools/txtar"
)

// maxAlloc limits what reading n bytes of output, or of a file of runs, may allocate in total.
func maxAlloc(n int) uint64 { return 32<<20 + 3000*uint64(n) }

// bounded fails the test if f allocates out of proportion to an input of n bytes.
func bounded(t *testing.T, n int, f func()) {
	t.Helper()
	alloc.Check(t, n, maxAlloc(n), f)
}

// seeds calls add with what test binaries have printed, from testdata/parse.
func seeds(f *testing.F, add func(output string)) {
	files, err := filepath.Glob("testdata/parse/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no test data: %v", err)
	}
	for _, file := range files {
		ar, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, s := range ar.Files {
			if s.Name == "output" {
				add(strings.ReplaceAll(string(s.Data), "^V", "\x16"))
			}
		}
	}
}

// FuzzParse checks what must hold for any output: how it is cut into pieces does not matter,
// every test has one outcome, and the memory kept is bounded.
func FuzzParse(f *testing.F) {
	seeds(f, func(output string) { f.Add([]byte(output), 2, 7) })
	f.Add([]byte("\x16=== RUN   T\npanic: x\n\x16--- FAIL: T (0.00s)\ngoroutine 1 [running]:\n"), -1, 1)
	f.Fuzz(func(t *testing.T, output []byte, code, size int) {
		bounded(t, len(output), func() { parseTwice(t, string(output), Exit{Code: code, TimedOut: code == 77}, size) })
	})
}

func parseTwice(t *testing.T, output string, exit Exit, size int) {
	whole := parse(output, 1<<20, exit, "")
	if diff := cmp.Diff(renderLong(whole), renderLong(parse(output, max(size, 1), exit, ""))); diff != "" {
		t.Errorf("pieces of %d bytes:\n%s", size, diff)
	}
	if exit.ok() == false && !whole.Failed() {
		t.Error("a process that failed left no failure")
	}
	for _, o := range whole.Outcomes {
		if !o.Status.known() || len(o.Output) > 4*maxOutput || len(o.Signature.Message) > maxMessage {
			t.Errorf("bad outcome %+v", o)
		}
		if o.Status.Failing() == (o.Signature == Signature{}) {
			t.Errorf("%s has status %s and signature %q", o.Test, o.Status, o.Signature)
		}
	}
}

// FuzzDump explains a failure by a text that the process died with or that a test printed:
// goroutine dumps, race reports, assertions of testify.
func FuzzDump(f *testing.F) {
	seeds(f, func(output string) { f.Add(output, true); f.Add(output, false) })
	f.Add("panic: boom\n\ngoroutine 7 [running]:\nm.F(0x1)\n\t/src/a.go:12 +0x1d\ncreated by m.TestX in goroutine 1\n\t/src/a_test.go:9 +0x5\n\n", true)
	f.Add("fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 6 gp=0xc0 m=nil [chan receive, 2 minutes]:\nm.TestX(0x0)\n\t/src/a_test.go:5 +0x1\n", true)
	f.Add("race detected during execution of test\nWARNING: DATA RACE\nRead at 0x00c0 by goroutine 7:\n  m.F()\n      /src/a.go:5 +0x3\n\nPrevious write at 0x00c0 by main goroutine:\n  m.G()\n      /src/a.go:9 +0x3\n\n==================\n", false)
	f.Add("    a_test.go:9: \n        \tError Trace:\t/src/a_test.go:9\n        \tError:      \tNot equal: \n        \tMessages:   \tm\n", false)
	f.Fuzz(func(t *testing.T, text string, died bool) {
		bounded(t, len(text), func() { explainText(t, text, died) })
	})
}

func explainText(t *testing.T, text string, died bool) {
	e := newExplainer(Target{ImportPath: "m"}, []string{"m"}, "/src")
	races := []string{raceReport(text)}
	for _, status := range []Status{Failed, Crashed, Timeout} {
		o := &Outcome{Test: "TestX", Status: status, Output: text}
		if died {
			o = &Outcome{Test: "TestX", Status: status, Dump: text}
		}
		e.explain(o, &Run{Exit: Exit{Code: 2}, Races: races})
		m := o.Signature.Message
		if len(m) > maxMessage || !utf8.ValidString(m) || strings.ContainsAny(m, "\n\r\t") {
			t.Errorf("%s: signature %q", status, m)
		}
		if len(o.Message) > 2*len(text)+200 {
			t.Errorf("%s: a message of %d bytes for a text of %d", status, len(o.Message), len(text))
		}
		if o.Signature.Frame.Line < 0 {
			t.Errorf("%s: at line %d", status, o.Signature.Frame.Line)
		}
	}
	for _, g := range ParseDump(text) {
		if strings.Contains(g.State, "\n") || slices.ContainsFunc(g.Frames, func(f trace.Frame) bool { return f.Line < 0 }) {
			t.Errorf("goroutine %+v", g)
		}
	}
}

// sampleRuns is a file of runs with one record of each kind.
func sampleRuns() []byte {
	start := time.Date(2024, 5, 6, 7, 8, 9, 1, time.UTC)
	at := trace.Frame{Func: "m.TestX", File: "/src/m_test.go", Line: 9}
	failed := &Outcome{Test: "TestX/a", Status: Failed, Output: "    m_test.go:9: odd\n", Message: "odd", Signature: Signature{Test: "TestX/a", Frame: at, Message: "odd"}}
	r := &Results{
		Started: start, Elapsed: 3 * time.Second, N: 2, Controls: 1, Parallel: 1, OverBudget: true, Warnings: []string{"w"},
		Packages: []*Package{{
			Target: Target{ImportPath: "m", Dir: "/src"}, Warnings: []string{"late"},
			Unfinished: &Run{Package: "m", N: 3, Started: start, Exit: Exit{Code: -1, Signal: "killed", TimedOut: true}},
			Runs: []*Run{
				{Package: "m", N: 1, Started: start, Wall: 1, Outcomes: []*Outcome{{Test: "TestX", Status: Passed}, {Test: "TestX/a", Status: Passed, Nth: 1}}, Traces: []string{"traces/001-m/0001.trace"}},
				{Package: "m", N: 2, Started: start, Wall: 2, Exit: Exit{Code: 1}, Outcomes: []*Outcome{{Test: "TestX", Status: Failed, ByChild: true}, failed}, Shuffle: "5"},
			},
			Controls: []*Run{{Package: "m", N: 1, Control: true, Started: start}},
		}, {Target: Target{ImportPath: "m/broken"}, Err: &BuildError{Package: "m/broken", Output: "m/broken/x.go:1: no", Traced: true}}},
	}
	return runsFile(r)
}

// A closer is a file in memory.
type closer struct{ bytes.Buffer }

func (*closer) Close() error { return nil }

// runsFile writes results as a session does.
func runsFile(r *Results) []byte {
	var file closer
	s := &Store{file: &file}
	s.begin(r)
	for _, p := range r.Packages {
		s.AddPackage(p)
		for _, run := range append(slices.Clone(p.Runs), p.Controls...) {
			s.addRun(run)
		}
		s.AddPackage(p)
	}
	s.End(r)
	return file.Bytes()
}

// FuzzLoad reads files of runs. All of what was read can be used, and it stays the same when it
// is written and read again.
func FuzzLoad(f *testing.F) {
	whole := sampleRuns()
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(append(slices.Clone(whole), `{"kind":"signature","signature":{"package":"m","n":2,"test":"TestX/a","message":"m","signature":{"test":"TestX/a","message":"even"}}}`+"\n"...))
	f.Add([]byte(`{"kind":"begin","begin":{"version":1,"started":"2024-05-06T07:08:09Z"}}` + "\n" + `{"kind":"run","run":{"outcomes":[null]}}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		bounded(t, len(data), func() { loadAgain(t, data) })
	})
}

func loadAgain(t *testing.T, data []byte) {
	r, err := load(bytes.NewReader(data))
	if err != nil {
		return
	}
	for _, u := range r.Units() {
		if u.Passed+u.Failed > len(u.Runs) || len(u.Runs) != len(u.Package.Runs) {
			t.Fatalf("%s: %d+%d of %d runs", u.Test, u.Passed, u.Failed, len(u.Runs))
		}
	}
	again, err := load(bytes.NewReader(runsFile(r)))
	if err != nil {
		t.Fatalf("written again: %v", err)
	}
	opts := cmp.Options{cmpopts.IgnoreUnexported(Run{}), cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0), cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })}
	if diff := cmp.Diff(r, again, opts); diff != "" {
		t.Fatalf("written again, it differs:\n%s", diff)
	}
}

// TestLoadDamaged has files that fdebug does not write.
func TestLoadDamaged(t *testing.T) {
	const begin = `{"kind":"begin","begin":{"version":1,"started":"2024-05-06T07:08:09Z"}}` + "\n" + `{"kind":"package","package":{"ImportPath":"m"}}` + "\n"
	for _, c := range []struct{ line, want string }{
		{`{"kind":"run","run":{"package":"m","outcomes":[null]}}`, "an outcome of run 0 makes no sense"},
		{`{"kind":"run","run":{"package":"m","outcomes":[{"status":"maybe"}]}}`, "an outcome of run 0 makes no sense"},
		{`{"kind":"run","run":{"package":"m","n":-1}}`, "run -1"},
		{`{"kind":"run","run":{"package":"m","traces":["../../other/0001.trace"]}}`, "not in the run directory"},
		{`{"kind":"run","run":{"package":"other"}}`, "not in the file"},
		{`{"kind":"package","package":{"unfinished":{"outcomes":[null]}}}`, "makes no sense"},
		{`{"kind":"begin","begin":{"version":1}}`, "not a file of runs"},
		{`{"kind":"run","run":` + strings.Repeat(`[`, 900), "unexpected end"},
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, storeName), begin+c.line+"\n")
		if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), storeName+":3: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.line, err, c.want)
		}
	}
	if _, err := Load(t.TempDir()); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a directory without runs was loaded")
	}
}

// TestSmallHostileOutputs has outputs of about 1 kB, and one of 64 kB, that are meant to be
// expensive.
func TestSmallHostileOutputs(t *testing.T) {
	runs := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "\x16=== RUN   T%d\n", i)
		}
		return b.String()
	}
	for name, output := range map[string]string{
		"many tests die":  runs(60) + "panic: x\n\ngoroutine 1 [running]:\n",
		"nested subtests": "\x16=== RUN   " + strings.Repeat("a/", 500) + "\n",
		"goroutines":      "panic: x\n\n" + strings.Repeat("goroutine 1 [x]:\n", 60),
		"races":           strings.Repeat("WARNING: DATA RACE\n", 50),
		"64 kB die":       runs(2000) + "panic: x\n\n" + strings.Repeat("goroutine 1 [running]:\nm.F(1)\n\t/a.go:1\n\n", 700),
	} {
		n := alloc.Bytes(func() { parseTwice(t, output, Exit{Code: 2}, 1<<20) })
		t.Logf("%s: %d kB for %d bytes", name, n>>10, len(output))
		if n > maxAlloc(len(output)) {
			t.Errorf("%s: %d bytes allocated for %d", name, n, len(output))
		}
	}
}
