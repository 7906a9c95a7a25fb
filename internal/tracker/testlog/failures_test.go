package testlog

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/runner"
)

// showFailures shows the failures in a log: a line for each, and how many frames its stacks have.
func showFailures(log string) string {
	var b strings.Builder
	list, err := Failures(strings.NewReader(log))
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	for _, s := range list {
		o := s.Outcome
		first, _, _ := strings.Cut(o.Message, "\n")
		fmt.Fprintf(&b, "%s %s %q [%s] %s\n", o.Status, s.Package, o.Test, o.Signature, first)
		if n := len(s.Frames()); n > 0 {
			fmt.Fprintf(&b, "  %d frames, the first in %s\n", n, s.Frames()[0].Func)
		}
	}
	return b.String()
}

// TestFailures reads the logs in testdata/failures: each file of an archive has the same failures.
func TestFailures(t *testing.T) {
	files, _ := filepath.Glob("testdata/failures/*.txtar")
	if len(files) < 8 {
		t.Fatal("logs are missing")
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := a.Files[len(a.Files)-1].Name
			for _, f := range a.Files[:len(a.Files)-1] {
				golden.Section(t, file, want, showFailures(string(f.Data)))
			}
		})
	}
}

// FuzzFailures reads what nobody has written on purpose: each failure is one, and there are no more than lines.
func FuzzFailures(f *testing.F) {
	files, _ := filepath.Glob("testdata/failures/*.txtar")
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, log := range a.Files[:len(a.Files)-1] {
			f.Add(string(log.Data))
		}
	}
	f.Fuzz(func(t *testing.T, log string) {
		list, err := Failures(strings.NewReader(log))
		if err != nil {
			t.Fatal(err)
		}
		if most := 2 + 2*strings.Count(log, "\n") + strings.Count(log, "<"); len(list) > most {
			t.Errorf("%d failures in %d lines", len(list), most)
		}
		for _, s := range list {
			if !s.Outcome.Status.Failing() || s.Outcome.ByChild {
				t.Errorf("%+v", s.Outcome)
			}
			here := s.Here(runner.Target{ImportPath: s.Package}, nil, "")
			if !here.Is(here.Outcome.Signature, here.Outcome.Message) && here.Outcome.Signature.Message != "" {
				t.Errorf("not itself: %+v", here.Outcome)
			}
			here.Frames()
		}
	})
}
