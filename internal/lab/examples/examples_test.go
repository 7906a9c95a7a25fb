package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

var root = filepath.Join("..", "..", "..")

// TestPage reads the tables of examples/README.md: each package is there, with its test, and the lines of the cause
// are in its source.
func TestPage(t *testing.T) {
	list, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := filepath.Glob(filepath.Join(root, "examples", "*", "*_test.go"))
	if err != nil || len(packages) != len(list) {
		t.Errorf("%d examples, %d packages, %v", len(list), len(packages), err)
	}
	shuffled := 0
	for _, e := range list {
		tests, _ := filepath.Glob(filepath.Join(root, "examples", e.name, "*_test.go"))
		if len(tests) != 1 {
			t.Fatalf("%s has %d files of tests", e.name, len(tests))
		}
		if text, _ := os.ReadFile(tests[0]); !strings.Contains(string(text), "func "+e.test+"(") {
			t.Errorf("%s has no %s", e.name, e.test)
		}
		for _, s := range e.cause {
			text, err := os.ReadFile(filepath.Join(root, "examples", filepath.FromSlash(s.File)))
			if lines := strings.Split(string(text), "\n"); err != nil || s.End > len(lines) || strings.TrimSpace(lines[s.Start-1]) == "" {
				t.Errorf("%s:%d-%d is no cause: %v", s.File, s.Start, s.End, err)
			}
		}
		if e.kind == "" {
			t.Errorf("%s has no kind", e.name)
		}
		if e.shuffled {
			shuffled++
		}
	}
	if shuffled != 1 {
		t.Errorf("%d examples fail only with -shuffle, want testorder alone", shuffled)
	}
}

const page = "| package | what it is | category | flaky test |\n" +
	"|---|---|---|---|\n" +
	"| `a` | a thing | async wait (sleep) | `TestA` |\n" +
	"| `b` | another | IO, only with `-shuffle` | `TestB` |\n" +
	"\n" +
	"| package | cause | what happens |\n" +
	"|---|---|---|\n" +
	"| `a` | `x.go:7-9` and `:20`, `Do` | Before `y_test.go:3`. |\n" +
	"| `b` | `z.go:1` | See `a`. |\n"

func TestParsePage(t *testing.T) {
	list, err := parsePage(page)
	if err != nil {
		t.Fatal(err)
	}
	want := []*example{
		{name: "a", test: "TestA", kind: "async wait", cause: []trace.Span{
			{File: "a/x.go", Start: 7, End: 9}, {File: "a/x.go", Start: 20, End: 20}, {File: "a/y_test.go", Start: 3, End: 3}}},
		{name: "b", test: "TestB", kind: "io", shuffled: true, cause: []trace.Span{{File: "b/z.go", Start: 1, End: 1}}},
	}
	if d := cmp.Diff(want, list, cmp.AllowUnexported(example{}), cmp.Comparer(func(a, b *regexp.Regexp) bool { return a == b })); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for name, bad := range map[string]string{
		"no cause":        strings.Split(page, "| `b` | `z.go")[0],
		"unknown example": strings.Replace(page, "| `b` | `z.go", "| `c` | `z.go", 1),
		"no place":        strings.Replace(page, "`z.go:1`", "`z.go`", 1),
	} {
		if _, err := parsePage(bad); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAddTruth(t *testing.T) {
	const good = "# comment\nexample a\nheadline x\nadvice ^y z\nexcuse because of c\n\nexample b\nheadline .\nadvice .\n"
	list, _ := parsePage(page)
	if err := addTruth(list, good); err != nil {
		t.Fatal(err)
	}
	if a := list[0]; a.advice.String() != "^y z" || a.excuse != "because of c" {
		t.Errorf("got %+v", a)
	}
	for _, bad := range []string{"headline x", "example c", "example a\nheadline (", "example a\nwhat x", "example a\nheadline x\nadvice y"} {
		list, _ := parsePage(page)
		if err := addTruth(list, bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// TestTable judges one example in several reports.
func TestTable(t *testing.T) {
	e := &example{name: "a", test: "TestA", kind: "io", cause: []trace.Span{{File: "a/x.go", Start: 7, End: 9}},
		headline: regexp.MustCompile(`x\.go:[78]\b`), advice: regexp.MustCompile("^Wait")}
	excused := *e
	excused.excuse = "it varies"
	good := report.Cause{Said: "Fails here.", Kind: "io", Verdict: "proved", File: "a/x.go", Line: 8, Fix: []string{"Wait for it."}}
	said := func(test string, start int, c report.Cause) row {
		r := judge([]*example{e}, []*report.Document{{Tests: []report.DocumentTest{{Test: "TestA"}, {
			Test: test, Flaky: true, Cause: &c, Experiments: report.Proofs{{Took: 2 * time.Second}, &proof.Proof{Took: time.Second}},
			Suspects: []report.DocumentSuspect{{Suspect: finding.Suspect{Span: finding.Span{File: "a/x.go", Start: start, End: start}}}}}}}})
		return r[0]
	}
	rows := []row{said("TestA", 10, good), said("TestA", 11, good), said("TestB", 8, good)}
	other := good
	other.Kind, other.Fix, other.Said, other.Line = "", []string{"Wait for it.", "Sort it."}, "Fails at `f()` (x.go:9).", 9
	rows = append(rows, said("TestA", 8, other))
	for _, r := range []row{said("TestA", 6, good), said("TestA", 5, good)} {
		r.example = &excused
		rows = append(rows, r)
	}
	var b bytes.Buffer
	printTable(&b, rows)
	want, err := os.ReadFile("testdata/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), b.String()); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if n := len(wrong(rows)); n != 3 {
		t.Errorf("%d wrong, want 3", n)
	}
}

// TestRecorded judges what is said of recorded runs of the examples, as the command does of live ones. Read what -update
// changes in testdata/recorded.txt.
func TestRecorded(t *testing.T) {
	list, err := read(root)
	if err != nil {
		t.Fatal(err)
	}
	opener := new(recorded.Opener)
	docs := make([]*report.Document, len(list))
	t.Run("read", func(t *testing.T) {
		for i, e := range list {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(root, "internal", "lab", "accuracy", "testdata", "recorded", "examples-"+e.name+".tar.zst")
				r, err := opener.Open(file, t.TempDir(), t.Logf)
				if err != nil {
					t.Fatal(err)
				}
				var data bytes.Buffer
				if err := report.JSON(&data, r.Result); err != nil {
					t.Fatal(err)
				}
				if docs[i], err = report.ReadJSON(&data); err != nil {
					t.Fatal(err)
				}
			})
		}
	})
	if t.Failed() {
		return
	}
	var table bytes.Buffer
	printTable(&table, judge(list, docs))
	golden.File(t, "testdata/recorded.txt", table.String())
}
