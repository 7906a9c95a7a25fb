package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// root is the repository, seen from this package.
var root = filepath.Join("..", "..", "..")

func truth(t *testing.T) []*program {
	t.Helper()
	list, err := parseTruth(truthText)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Every line of the cause is in the source, exactly once.
func TestTruthIsInTheSource(t *testing.T) {
	for _, p := range truth(t) {
		if err := p.locate(root); err != nil {
			t.Error(err)
		}
		if p.why == "" {
			t.Errorf("%s: no reason is given", p.name)
		}
		if len(p.cause) > 0 && len(p.categories) == 0 {
			t.Errorf("%s: no category is given", p.name)
		}
		for _, c := range p.categories { // as fdebug help kinds has them
			if _, err := os.Stat(filepath.Join(root, "templates", "advice", c+".md")); err != nil {
				t.Errorf("%s: %v", p.name, err)
			}
		}
		if len(p.cause) > 4 {
			t.Errorf("%s: a cause of %d lines is a whole function", p.name, len(p.cause))
		}
	}
}

// truth.txt describes every program.
func TestNoProgramIsLeftOut(t *testing.T) {
	known := make(map[string]bool)
	for _, p := range truth(t) {
		known[p.name] = true
	}
	for dir, prefix := range map[string]string{filepath.Join("testdata", "flaky"): "", filepath.Join(root, "examples"): "examples/"} {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.IsDir() && e.Name() != "internal" && !strings.HasPrefix(e.Name(), ".") && !known[prefix+e.Name()] {
				t.Errorf("truth.txt does not know %s%s", prefix, e.Name())
			}
		}
	}
}

func TestParseTruth(t *testing.T) {
	list, err := parseTruth("# a comment\n\nprogram a TestA -shuffle=on -p 2\ncause x.go#2: f(\"a: b\")\nwhy because\nprogram b/c TestB\n")
	if err != nil {
		t.Fatal(err)
	}
	a := list[0]
	if len(list) != 2 || a.name != "a" || a.test != "TestA" || strings.Join(a.flags, " ") != "-shuffle=on -p 2" || a.why != "because" {
		t.Errorf("got %+v", a)
	}
	if want := (place{file: "x.go", nth: 2, text: `f("a: b")`}); len(a.cause) != 1 || a.cause[0] != want {
		t.Errorf("cause = %+v, want %+v", a.cause, want)
	}
	for _, bad := range []string{"why x", "program a", "program a T\ncause x.go", "program a T\ncause x.go#0: y", "program a T\nwhat x"} {
		if _, err := parseTruth(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

func TestFind(t *testing.T) {
	const source = "a()\n\tb()\n\ta()\nxa()\n"
	for _, test := range []struct {
		place place
		line  int // 0: an error
	}{
		{place{text: "b("}, 2},
		{place{text: "a("}, 0}, // two of them
		{place{text: "a(", nth: 2}, 3},
		{place{text: "a(", nth: 3}, 0},
		{place{text: "c("}, 0},
	} {
		line, err := test.place.find(source)
		if line != test.line || (err == nil) != (test.line > 0) {
			t.Errorf("%+v: line %d, %v, want %d", test.place, line, err, test.line)
		}
	}
}

func TestChoose(t *testing.T) {
	list := []*program{{name: "examples/a"}, {name: "examples/b"}, {name: "c"}}
	for only, want := range map[string]int{"": 3, "examples": 2, "c,examples/b": 2, "c,c": -1, "examp": -1} {
		got, err := choose(list, only)
		if (err != nil) != (want < 0) || err == nil && len(got) != want {
			t.Errorf("choose(%q): %d programs, %v, want %d", only, len(got), err, want)
		}
	}
}
