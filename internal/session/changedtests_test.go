package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestChangedTests edits one line of the test files of a package at a time: the line with the
// mark, or for a removed line, the one before it.
func TestChangedTests(t *testing.T) {
	t.Parallel()
	const src = `package p

import "testing"

var limit = 3 // var

type suite struct{}

func (s *suite) TestMethod() { // method
	_ = limit
}

func TestSuite(t *testing.T) { run(t, new(suite)) }

func TestPlain(t *testing.T) {
	t.Log("plain") // plain
	// after
}

func helper(t *testing.T) { // helper
	t.Helper()
}

func through(t *testing.T) { helper(t) }

func TestThrough(t *testing.T) {
	t.Run("case", func(t *testing.T) { through(t) })
}

func ExampleX() {} // example

func TestMain(m *testing.M) { m.Run() } // main

func BenchmarkX(b *testing.B) {} // benchmark
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p_test.go"), []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ mark, want string }{
		{"// var", "TestSuite"},
		{"// method", "TestSuite"},
		{"// plain", "TestPlain"},
		{"-// after", "TestPlain"},
		{"// helper", "TestThrough"},
		{"// example", "ExampleX"},
		{"// main", "ExampleX TestPlain TestSuite TestThrough"},
		{"// benchmark", ""},
		{"import", ""},
	} {
		mark, removed := strings.CutPrefix(c.mark, "-")
		line := 1 + strings.Count(src[:strings.Index(src, mark)], "\n")
		l := lines{line, line}
		if removed {
			l = lines{line, line - 1}
		}
		diff := &change{root: dir, lines: map[string][]lines{"p_test.go": {l}}}
		if got := strings.Join(diff.tests(dir), " "); got != c.want {
			t.Errorf("%s: got %q, want %q", c.mark, got, c.want)
		}
	}
}
