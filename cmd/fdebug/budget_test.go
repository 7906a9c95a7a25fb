package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/trace"
)

// TestBudget divides 150 seconds.
func TestBudget(t *testing.T) {
	b := session.Budget{Whole: 150 * time.Second, Began: time.Now()}
	if got := b.Runs().Sub(b.Began); got != 100*time.Second {
		t.Errorf("runs end after %v", got)
	}
	if got := b.Late().Sub(b.Began); got != 135*time.Second {
		t.Errorf("runs with values end after %v", got)
	}
	ctx, cancel := b.Begin(t.Context())
	defer cancel()
	if end, ok := ctx.Deadline(); !ok || end.Sub(b.Began) != b.Whole {
		t.Errorf("everything ends at %v, %v", end, ok)
	}
	if b := (session.Budget{}); !b.Runs().IsZero() || !b.Late().IsZero() {
		t.Error("there is an end without -budget")
	}
}

// TestComparingEnds checks what ends comparing: a signal, and the end of the budget, but not one that came before.
func TestComparingEnds(t *testing.T) {
	for _, ended := range []error{nil, exit.ErrSpent, &exit.InterruptError{At: time.Now()}} {
		within, end := context.WithCancelCause(t.Context())
		defer end(nil)
		if ended != nil {
			end(ended)
		}
		ctx, cancel := session.Comparing(within)
		defer cancel()
		if ctx.Err() != nil {
			t.Errorf("after %v nothing is compared", ended)
		}
		if ended != nil {
			continue
		}
		end(&exit.InterruptError{At: time.Now()})
		if <-ctx.Done(); analyze.WhyEnded(ctx) != "fdebug was interrupted" {
			t.Error(analyze.WhyEnded(ctx))
		}
	}
}

// TestLeftOut has no time left to compare anything.
func TestLeftOut(t *testing.T) {
	dir := sampleRunDir(t).write(t)
	ctx, cancel := context.WithDeadlineCause(t.Context(), time.Now().Add(-time.Second), exit.ErrSpent)
	defer cancel()
	results, err := runner.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
	if err != nil {
		t.Fatal(err)
	}
	an := &analyze.Analyzer{Dir: dir, Sites: sites, Warnf: func(format string, args ...any) { t.Errorf("warning: "+format, args...) }}
	result, err := an.Result(ctx, results)
	if err == nil {
		err = an.AddValues(ctx, result)
	}
	if err != nil {
		t.Fatal(err)
	}
	an.Conclude(ctx, result)
	var out bytes.Buffer
	a := &app{Console: &session.Console{Stdout: &out, Stderr: &out}}
	files, err := a.screen().Write(t.Context(), an, result)
	if err != nil {
		t.Fatal(err)
	}
	s := terminal.Summary{Screen: a.screen(), Result: result, Results: results, Files: files, Dir: dir}
	if code, err := s.Print(); code != exit.Flaky || err != nil {
		t.Errorf("exit code %d, error %v", code, err)
	}
	if want := "\ncut off: comparing (TestX)\n    fdebug report compares all runs, however long it takes\n"; !strings.Contains(out.String(), want) {
		t.Errorf("the summary does not say so:\n%s", &out)
	}
	for name, want := range map[string]string{
		"m.TestX.md":   "These runs are not compared yet. Use fdebug report.",
		"m.TestX.html": "These runs are not compared yet. Use fdebug report.",
		"result.json":  `"left_out": "the time budget is spent"`,
	} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s does not say so, %v:\n%s", name, err, data)
		}
	}
	if code, err := reportOn(dir); code != exit.Flaky || err != nil {
		t.Errorf("later: exit code %d, error %v", code, err)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "result.json")); strings.Contains(string(data), "left_out") {
		t.Error("fdebug report leaves it out as well")
	}
}
