package runner

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// Which key of a map a test comes to first is drawn: its failures are one, whichever key they name. The keys of cases
// that the source lists are not, nor what is no key.
func TestDrawn(t *testing.T) {
	const source = `package m

func TestSpread(t *testing.T) {
	count := make(map[string]int)
	for i := range 900 {
		count[server(i)]++
	}
	for server, n := range count {
		t.Errorf("100%% of it: %q has %3d of 900 keys at %v", server, n, start) // filled
	}
	for i, n := range list {
		t.Errorf("%d: %v", i, n) // list
	}
	for name, want := range map[string]int{"a": 1, "b": 2} {
		t.Errorf("%s: %d", name, want) // cases
	}
	for server := range count {
		t.Errorf("%s: %*d", server, 3, 4) // star
		t.Errorf("%v is wrong", count) // whole
		t.Error(server, "is wrong") // plain
	}
}
`
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "m_test.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	s := &sources{dir: dir}
	for _, c := range []struct{ line, message, want string }{
		{"filled", `100% of it: "red" has 227 of 900 keys at 3` + "\nmore", `100% of it: <key> has <key> of 900 keys at 3` + "\nmore"},
		{"filled", "something else", "something else"},
		{"list", "1: x", "1: x"},
		{"cases", "a: 1", "a: 1"},
		{"star", "red:   4", "red:   4"},
		{"whole", "map[a:1] is wrong", "map[a:1] is wrong"},
		{"plain", "red is wrong", "red is wrong"},
	} {
		line := 1 + strings.Count(source[:strings.Index(source, "// "+c.line)], "\n")
		if got := undrawn(s.drawn(trace.Frame{File: "m_test.go", Line: line}), c.message); got != c.want {
			t.Errorf("%s: %q, want %q", c.line, got, c.want)
		}
	}
}
