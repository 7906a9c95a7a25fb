//go:build unix

package runner

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// newRunner returns a Runner for the tests of prog that match run, with an "instrumented" binary
// whose tests write their trace themselves. The binaries of the test programs exist already,
// except for programs that don't build.
func newRunner(t *testing.T, run string) *Runner {
	t.Helper()
	r := newBuilder(t, run)
	for _, name := range []string{"prog", "main"} {
		plain := progs.get(t, name)
		r.Plain.Built = append(r.Plain.Built, plain)
		r.Traced.Built = append(r.Traced.Built, plain) // the overlay is empty
	}
	return r
}

// newBuilder returns a Runner like that of newRunner that builds the binaries.
func newBuilder(t *testing.T, run string) *Runner {
	t.Helper()
	dir := t.TempDir()
	overlay := writeJSON(t, filepath.Join(dir, "overlay.json"), nil)
	return &Runner{
		Packages: []Target{progTarget(t, "prog")},
		Plain:    &Build{GoCmd: "go", Dir: ".", Out: progs.out, Flags: []string{noDWARF}},
		Traced:   &Build{GoCmd: "go", Dir: ".", Out: progs.out, Flags: []string{noDWARF}, Overlay: overlay},
		Select:   Selection{Run: run},
		Dir:      filepath.Join(dir, "run"),
		Compact:  func(raw, dst string) error { return copyFile(raw, dst) },
		Exec: Exec{
			Modules: []string{modulePath},
			Env:     append(os.Environ(), "PROG_COUNTER="+filepath.Join(dir, "counter"), "PROG_SLEEP=1h"),
		},
	}
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}

// TestRunner executes a test that fails every third time.
func TestRunner(t *testing.T) {
	r := newBuilder(t, "TestFlaky|TestPass")
	r.N, r.Controls, r.Exec.TraceBudget = 9, 3, 4096
	var events []Event
	r.Report = func(e Event) { events = append(events, e) }
	results, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p := results.Packages[0]
	units := results.Units()
	if len(units) != 1 || units[0].Test != "TestFlaky/inner" || units[0].Passed == 0 {
		t.Fatalf("got units %+v", units)
	}
	u := units[0]
	failed := 0
	for _, r := range u.Control {
		if r.Status.Failing() {
			failed++
		}
	}
	if u.Failed+failed != 4 || u.Passed+u.Failed != 9 || len(p.Controls) != 3 {
		t.Errorf("got %d passed, %d failed, and %d of %d controls failed", u.Passed, u.Failed, failed, len(p.Controls))
	}
	if len(u.Groups) != 1 || u.Groups[0].Signature.Message != "third time: N" {
		t.Errorf("got groups %+v", u.Groups)
	}
	if last := events[len(events)-2]; last.Kind != RunDone || last.Done != 9 || last.Of != 9 || last.Rounds != 9 || last.Failed != u.Failed+failed || last.Left != 0 {
		t.Errorf("got last event %+v", last)
	}
	if b := events[1]; b.Kind != Built || b.Progress.Built != 1 || b.Begun != 0 || events[2].Kind != RunDone {
		t.Errorf("got %+v, want to be told of the binary before its first run is done", b)
	}
	checkTraces(t, r, p)
	checkLoad(t, r.Dir, results)
}

func checkTraces(t *testing.T, r *Runner, p *Package) {
	t.Helper()
	for i, run := range p.Runs {
		want := []string{fmt.Sprintf("traces/001-prog/%04d.trace", i+1), fmt.Sprintf("traces/001-prog/%04d-1.trace", i+1)}
		if run.N != i+1 || !slices.Equal(run.Traces, want) {
			t.Errorf("run %d has traces %q", run.N, run.Traces)
		}
		for j, content := range []string{"raw", "child"} {
			got, err := os.ReadFile(filepath.Join(r.Dir, run.Traces[j]))
			if err != nil || string(got) != content {
				t.Errorf("%s: got %q, %v", run.Traces[j], got, err)
			}
		}
	}
	for _, run := range p.Controls {
		if len(run.Traces) != 0 {
			t.Errorf("control run %d has traces %q", run.N, run.Traces)
		}
	}
	if _, err := os.Stat(filepath.Join(r.Dir, rawDir)); err == nil {
		t.Error("raw traces were left behind")
	}
}

// checkLoad reads the results back, whole and cut off.
func checkLoad(t *testing.T, dir string, want *Results) {
	t.Helper()
	got, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	opts := cmp.Options{cmpopts.IgnoreUnexported(Run{}), cmpopts.IgnoreFields(Package{}, "Plain", "Traced"), cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0)}
	if diff := cmp.Diff(want, got, opts); diff != "" {
		t.Errorf("loaded results differ (-want +got):\n%s", diff)
	}
	name := filepath.Join(dir, storeName)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	for n := range lines {
		cut := bytes.Join(lines[:n], nil)
		if n < len(lines) {
			cut = append(cut, lines[n][:len(lines[n])/2]...)
		}
		write(t, name, string(cut))
		part, err := Load(dir)
		if n == 0 {
			if err == nil {
				t.Error("an empty file was loaded")
			}
			continue
		}
		if err != nil || part.Interrupted != (n < len(lines)-1) {
			t.Errorf("cut after %d lines: %v", n, err)
		}
	}
	write(t, name, "{}\n")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), storeName+":1: not a file of runs") {
		t.Errorf("got error %v for a foreign file", err)
	}
}

// TestSideBySide runs several processes at once, and packages that have nothing to run.
func TestSideBySide(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	r := newRunner(t, "TestPass")
	r.Packages = append(r.Packages, progTarget(t, "nofiles"), progTarget(t, "broken"), progTarget(t, "main"))
	r.Traced, r.N, r.Slots = nil, 8, &Slots{Most: 4, Each: 4}
	results, err := r.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range results.Packages {
		var fault *BuildError
		runs := []int{8, 0, 0, 8}[i]
		if len(p.Runs) != runs || p.NoTestFiles != (i == 1) || errors.As(p.Err, &fault) != (i == 2) {
			t.Errorf("%s: %d runs, error %v", p.ImportPath, len(p.Runs), p.Err)
		}
		for n, run := range p.Runs {
			if run.N != n+1 || run.Failed() {
				t.Errorf("%s: run %d is at place %d: %s", p.ImportPath, run.N, n, render(run))
			}
		}
	}
	if len(results.Units()) != 0 {
		t.Errorf("got units %+v", results.Units())
	}
	loaded, err := Load(r.Dir)
	var fault *BuildError
	if err != nil || !errors.As(loaded.Packages[2].Err, &fault) || fault.Output == "" {
		t.Errorf("loaded results don't have the build error: %v", err)
	}
}

func TestNothingToRun(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	r := newRunner(t, "NoSuchTest")
	r.N = 5
	results, err := r.Run(t.Context())
	if !errors.Is(err, ErrNoTests) || !strings.Contains(err.Error(), `"NoSuchTest"`) || !results.Packages[0].NoTests {
		t.Errorf("got error %v", err)
	}
	if n := len(results.Packages[0].Runs); n != 1 {
		t.Errorf("the binary was run %d times", n)
	}
	r = newRunner(t, "")
	r.Packages = []Target{progTarget(t, "broken")}
	r.N = 1
	var fault *BuildError
	if _, err := r.Run(t.Context()); !errors.As(err, &fault) || fault.Traced {
		t.Errorf("got error %v", err)
	}
	r.N = 0
	if _, err := r.Run(t.Context()); err == nil {
		t.Error("no error for 0 runs")
	}
}

// TestProbesDontBuild falls back to the plain binary.
func TestProbesDontBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	r := newRunner(t, "")
	r.Packages = []Target{progTarget(t, "main")}
	r.Traced.Built = nil
	r.Traced.Overlay = writeOverlay(t, func(s string) string { return s + "\nvar _ = probe\n" })
	r.N, r.Controls = 2, 2
	results, err := r.Run(t.Context())
	var fault *BuildError
	p := results.Packages[0]
	if err != nil || !errors.As(p.TracedErr, &fault) || !fault.Traced || len(p.Runs) != 2 || len(p.Controls) != 0 {
		t.Errorf("got error %v, %v, %d runs, %d controls", err, p.TracedErr, len(p.Runs), len(p.Controls))
	}
}

// TestInterrupt cancels in the middle of the second run.
func TestInterrupt(t *testing.T) {
	t.Parallel()
	r := newRunner(t, "TestFlaky|TestSlow")
	r.Traced, r.N = nil, 50
	ctx, cancel := context.WithCancel(t.Context())
	var starts atomic.Int64
	r.Exec.start = func(c command) (process, error) {
		if starts.Add(1) == 1 {
			c.Env = append(c.Env, "PROG_SLEEP=1ms") // the later ones sleep for an hour
		} else {
			time.AfterFunc(300*time.Millisecond, cancel)
		}
		return startProcess(c)
	}
	results, err := r.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := results.Packages[0]
	if !results.Interrupted || len(p.Runs) != 1 || starts.Load() != 2 || len(p.Warnings) != 1 {
		t.Errorf("got %d runs, %d starts, warnings %q", len(p.Runs), starts.Load(), p.Warnings)
	}
}

// TestSignalAfterwards has a signal that comes after all runs. They do not count as interrupted.
func TestSignalAfterwards(t *testing.T) {
	t.Parallel()
	r := newRunner(t, "TestFlaky")
	r.Traced, r.N = nil, 2
	s, err := newSession(r)
	if err != nil {
		t.Fatal(err)
	}
	s.run(t.Context())
	s.finish(context.Canceled)
	if p := s.results.Packages[0]; s.results.Interrupted || len(p.Runs) != 2 {
		t.Errorf("interrupted %v after %d runs", s.results.Interrupted, len(p.Runs))
	}
}

// endsAfterLook is a context that ends the first time it is asked, after start.
type endsAfterLook struct {
	context.Context
	started *atomic.Int64
	cancel  func()
}

func (c endsAfterLook) Err() error {
	err := c.Context.Err()
	if c.started.Load() > 0 {
		c.cancel()
	}
	return err
}

// TestInterruptBetween cancels after the second run was taken from the schedule and before its
// process starts. Then there is no run to be cut off.
func TestInterruptBetween(t *testing.T) {
	t.Parallel()
	r := newRunner(t, "TestPass")
	r.Traced, r.N = nil, 50
	ctx, cancel := context.WithCancel(t.Context())
	var starts atomic.Int64
	r.Exec.start = func(c command) (process, error) {
		starts.Add(1)
		return startProcess(c)
	}
	results, err := r.Run(endsAfterLook{ctx, &starts, cancel})
	if err != nil {
		t.Fatal(err)
	}
	p := results.Packages[0]
	if len(p.Runs) != 1 || starts.Load() != 1 || p.Unfinished != nil || len(p.Warnings) > 0 {
		t.Errorf("got %d runs, %d starts, unfinished %v, warnings %q", len(p.Runs), starts.Load(), p.Unfinished, p.Warnings)
	}
}

// TestInterruptBuild cancels while packages are being built. It is not their fault that they were
// not built.
func TestInterruptBuild(t *testing.T) {
	t.Parallel()
	r := newBuilder(t, "TestPass")
	r.N, r.Packages = 2, append(r.Packages, progTarget(t, "main"))
	ctx, cancel := context.WithCancel(t.Context())
	r.Report = func(e Event) {
		cancel()
		if e.Kind == PackageDone {
			t.Errorf("%s is reported as done", e.Package)
		}
	}
	results, err := r.Run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range results.Packages {
		if !results.Interrupted || p.Err != nil || p.TracedErr != nil || !p.NeverRun() || len(p.Warnings) > 0 {
			t.Errorf("got %+v", p)
		}
	}
}

// TestBudget spends the time in a hanging test.
func TestBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	r := newRunner(t, "TestSlow")
	r.Traced, r.N, r.Deadline = nil, 50, time.Now().Add(2*time.Second)
	results, err := r.Run(t.Context())
	p := results.Packages[0]
	if !results.OverBudget || results.Interrupted || len(p.Runs) != 0 || p.Unfinished == nil {
		t.Errorf("got %+v", p)
	}
	if !errors.Is(err, ErrBudget) || !regexp.MustCompile(`was cut off after [0-9.]+s in TestSlow$`).MatchString(err.Error()) {
		t.Errorf("got error %v", err)
	}
}

// TestBudgetCutsLast spends the time in the very last run.
func TestBudgetCutsLast(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	r := newRunner(t, "TestSlow")
	r.Traced, r.N = nil, 2
	r.Deadline, r.First = time.Now().Add(2*time.Second), time.Now().Add(time.Hour)
	var starts atomic.Int64
	r.Exec.start = func(c command) (process, error) {
		if starts.Add(1) == 1 {
			c.Env = append(c.Env, "PROG_SLEEP=1ms")
		}
		return startProcess(c)
	}
	results, err := r.Run(t.Context())
	if err != nil || len(results.Packages[0].Runs) != 1 || !results.OverBudget {
		t.Errorf("got %d runs, over budget: %v, %v", len(results.Packages[0].Runs), results.OverBudget, err)
	}
}

// TestHang has a fifth run that goes on for an hour. It counts as hung when it takes many times as long as
// the others, and time is up or there is no limit. If it has taken no unusual time by then, it is
// left out. The others take 10 ms by their own clock, however busy the machine is.
func TestHang(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	for _, c := range []struct {
		name     string
		deadline time.Duration // from the start of the fifth run; 0 for none
		cancel   bool          // the user ends it then
		patience time.Duration
		timeout  time.Duration // -timeout
		failed   int
		warnings []string
	}{
		{name: "no end", patience: 2 * time.Second, failed: 1},
		{name: "at the end", deadline: 2 * time.Second, patience: 12 * time.Second, failed: 1},
		{name: "at the end with -timeout", deadline: 2 * time.Second, patience: 12 * time.Second, timeout: time.Hour, failed: 1},
		{name: "interrupted", deadline: 2 * time.Second, cancel: true, patience: 12 * time.Second, failed: 1},
		{name: "too early", deadline: 2 * time.Second, patience: time.Hour,
			warnings: []string{
				"left out: 1 run under way then was cut off after N in TestSlow; others took N (median of 4)",
			}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := newRunner(t, "TestSlow")
			r.Traced, r.N, r.Select.Timeout, r.Exec.patience = nil, 6, c.timeout, c.patience
			ctx, cancel := context.WithCancelCause(t.Context())
			var starts atomic.Int64
			begin := time.Now()
			r.Exec.now = func() time.Time {
				if n := starts.Load(); n < 5 {
					return begin.Add(time.Duration(n) * 10 * time.Millisecond)
				}
				return time.Now()
			}
			r.Exec.start = func(cmd command) (process, error) {
				switch n := starts.Add(1); {
				case n != 5:
					cmd.Env = append(cmd.Env, "PROG_SLEEP=1ms")
				case c.cancel:
					time.AfterFunc(c.deadline, func() { cancel(context.Canceled) })
				case c.deadline > 0:
					time.AfterFunc(c.deadline, func() { cancel(ErrBudget) })
				}
				return startProcess(cmd)
			}
			s, err := newSession(r)
			if err != nil {
				t.Fatal(err)
			}
			s.run(ctx)
			s.finish(context.Cause(ctx))
			checkHang(t, s.results, c.failed, c.warnings)
			if loaded, err := Load(r.Dir); err != nil {
				t.Error(err)
			} else {
				checkHang(t, loaded, c.failed, c.warnings)
			}
		})
	}
}

func checkHang(t *testing.T, results *Results, failed int, warnings []string) {
	t.Helper()
	p := results.Packages[0]
	var got []string
	for _, w := range p.Warnings {
		got = append(got, regexp.MustCompile(`(after|took) [0-9.]+m?s`).ReplaceAllString(w, "$1 N"))
	}
	if !slices.Equal(got, warnings) {
		t.Errorf("got warnings %q", got)
	}
	units := results.Units()
	if len(units) != failed {
		t.Fatalf("got units %+v", units)
	}
	for _, u := range units {
		o := u.Groups[0].Runs[0].Outcome
		says := regexp.MustCompile(`^timed out, blocked in sleep: stopped after [0-9.]+s, when other runs took [0-9.]+m?s \(median of 4\)$`)
		if u.Test != "TestSlow" || u.Failed != 1 || u.Passed < 4 || !strings.Contains(o.Dump, "prog.TestSlow") || !says.MatchString(o.Message) {
			t.Errorf("%s failed %d times of %d with %q", u.Test, u.Failed, u.Passed+u.Failed, o.Message)
		}
		if want := "timed out, blocked in sleep"; o.Signature.Message != want {
			t.Errorf("its signature is %q, want %q", o.Signature.Message, want)
		}
	}
}

// TestNoStart has a binary that can't be started.
func TestNoStart(t *testing.T) {
	t.Parallel()
	r := newRunner(t, "TestPass")
	r.N, r.Traced = 3, nil
	r.Exec.start = func(c command) (process, error) { return nil, os.ErrPermission }
	if _, err := r.Run(t.Context()); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got error %v", err)
	}
}

// TestFullDisk goes on when runs can't be stored.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	r := newRunner(t, "TestPass")
	r.N = 2
	r.Compact = func(raw, dst string) error { return errors.New("no space left on device") }
	s, err := newSession(r)
	if err != nil {
		t.Fatal(err)
	}
	s.store.file.Close()
	s.run(t.Context())
	s.finish(nil)
	if len(s.results.Packages[0].Runs) != 2 || len(s.results.Warnings) != 1 {
		t.Errorf("got %d runs, warnings %q", len(s.results.Packages[0].Runs), s.results.Warnings)
	}
}

// TestFlood prints 100 MB, and a line of 10 MB.
func TestFlood(t *testing.T) {
	for _, name := range []string{"TestFlood", "TestLongLine"} {
		run := mustRun(t, newExec(t, "prog", name))
		o := run.Outcome(name)
		if len(o.Output) > maxOutput+100 || !strings.Contains(o.Output, "bytes left out") {
			t.Errorf("%s: %d bytes of output were kept", name, len(o.Output))
		}
		if !strings.Contains(o.Signature.Message, map[string]string{"TestFlood": "last words", "TestLongLine": "after the long line"}[name]) {
			t.Errorf("%s: got signature %s", name, o.Signature)
		}
	}
}

// TestEnvironment checks what a test sees.
func TestEnvironment(t *testing.T) {
	t.Setenv("FDEBUG_TRACE", "not ours")
	x := newExec(t, "prog", "TestEnvironment")
	x.Trace, x.TraceBudget, x.Select.Short = "/some/where", 77, true
	o := mustRun(t, x).Outcome("TestEnvironment")
	if want := "PWD=true TRACE=/some/where BUDGET=77 short=true"; o.Message != want {
		t.Errorf("got %q, want %q", o.Message, want)
	}
	x.Trace = ""
	x.Select.Exec = []string{"env", "PWD=elsewhere"}
	o = mustRun(t, x).Outcome("TestEnvironment")
	if want := "PWD=false TRACE= BUDGET= short=true"; o.Message != want {
		t.Errorf("got %q, want %q", o.Message, want)
	}
}
