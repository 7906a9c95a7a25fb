package ciout

import (
	"bytes"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/runner"
)

// outputs are the formats, each with its file in testdata.
var outputs = []struct {
	file string
	fill func(io.Writer) error
}{
	{"junit.xml", func(w io.Writer) error { return fixture().JUnit(w) }},
	{"ctrf.json", func(w io.Writer) error { return fixture().CTRF(w) }},
	{"annotations.txt", func(w io.Writer) error { _, err := fixture().Annotations(w); return err }},
	{"codequality.json", func(w io.Writer) error { return fixture().CodeQuality(w) }},
	{"summary.md", func(w io.Writer) error { return fixture().Summary(w, MaxComment) }},
	{"events.jsonl", events},
}

// events writes those of the fixture: of the second control run, and of runs 1 and 6.
func events(w io.Writer) error {
	e := NewEvents(w, "/home/gopher", fixture().Environ)
	for _, run := range []*runner.Run{execution(1, false), execution(2, true), execution(6, false)} {
		e.Event(runner.Event{Kind: runner.RunDone, Package: queue, Run: run})
	}
	e.Event(runner.Event{Kind: runner.PackageDone, Package: queue})
	e.Event(runner.Event{Kind: runner.PackageDone, Package: "example.com/m/broken",
		Err: &runner.BuildError{Package: "example.com/m/broken", Output: "# example.com/m/broken\nbroken.go:3:1: syntax error\n"}})
	e.Event(runner.Event{Kind: runner.PackageDone, Package: "example.com/m/empty"})
	return e.End(fixture())
}

func TestGolden(t *testing.T) {
	for _, g := range outputs {
		t.Run(g.file, func(t *testing.T) {
			name := filepath.Join("testdata", g.file)
			got := written(t, g.fill)
			if g.file == "summary.md" { // below it is what package report has golden files of
				got, _, _ = bytes.Cut(got, []byte("<details>"))
			}
			golden.File(t, name, string(got))
		})
	}
}

func written(t *testing.T, fill func(io.Writer) error) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := fill(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestHostile looks for what no output may have in it, as bytes or escaped.
func TestHostile(t *testing.T) {
	for _, g := range outputs {
		text := string(written(t, g.fill))
		for _, bad := range []string{token, "s3cr3t", "/home/gopher", "\x1b", `\u001b`, "&#x1B;", "\x00", "\xff"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s has %q in it", g.file, bad)
			}
		}
	}
}

func TestJUnitSchema(t *testing.T) {
	s := readSchema(t, "testdata/junit.xsd")
	if err := s.validate(written(t, fixture().JUnit)); err != nil {
		t.Error(err)
	}
	if err := s.validate(written(t, new(Report).withResult().JUnit)); err != nil {
		t.Errorf("of no tests: %v", err)
	}
}

func TestCTRFSchema(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile("testdata/ctrf.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{
		"the fixture": written(t, fixture().CTRF), "no tests": written(t, new(Report).withResult().CTRF),
	} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, change := range [][2]string{
		{`"CTRF"`, `"JUnit"`}, {`"failed"`, `"flaky"`}, {`"stop"`, `"end"`}, {`"retries": 6`, `"retries": -1`}, {`"name": "TestDrain",`, ``},
	} {
		bad := strings.Replace(string(written(t, fixture().CTRF)), change[0], change[1], 1)
		doc, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatalf("%q: %v", change, err)
		}
		if s.Validate(doc) == nil {
			t.Errorf("%q is taken", change)
		}
	}
}

// TestEvents reads the events as a program does that knows go test -json and counts:
// each test that starts ends, inside of its package.
func TestEvents(t *testing.T) {
	type key struct{ pkg, test string }
	running, count := make(map[key]bool), make(map[string]int)
	for line := range bytes.Lines(written(t, events)) {
		var x struct{ Action, Package, ImportPath, Test, Output string }
		if err := json.Unmarshal(line, &x); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		k := key{x.Package, x.Test}
		switch x.Action {
		case "start", "run":
			if running[k] {
				t.Errorf("%v starts twice", k)
			}
			running[k] = true
		case "pass", "fail", "skip":
			if !running[k] {
				t.Errorf("%v ends before it starts", k)
			}
			delete(running, k)
			if x.Test != "" {
				count[x.Test+" "+x.Action]++
			}
		case "output":
			if !running[key{x.Package, ""}] {
				t.Errorf("output after the end of %s: %s", x.Package, x.Output)
			}
		}
	}
	if len(running) > 0 {
		t.Errorf("no end: %v", running)
	}
	want := map[string]int{
		"TestSteady pass": 3, "TestDrain pass": 1, "TestDrain fail": 2, "TestDrain/at_b fail": 1, "TestDrain/at_c fail": 1,
		"TestSkipped skip": 3, "TestAlways fail": 2, `TestAlways/<a>&"b"|::add-mask::x,y% ##[error]@all fail`: 2, "TestPlain pass": 3,
	}
	if d := cmp.Diff(want, count); d != "" {
		t.Errorf("outcomes (-want +got):\n%s", d)
	}
}
