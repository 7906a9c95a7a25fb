package hang

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// asked calls ask for each line of a file with a comment "reason: answer".
func asked(t *testing.T, name string, ask func(line int, reason, want string)) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for i, line := range strings.Split(string(text), "\n") {
		_, comment, ok := strings.Cut(line, "// ")
		if reason, want, is := strings.Cut(comment, ":"); ok && is {
			ask(i+1, reason, strings.TrimSpace(want))
			n++
		}
	}
	if n == 0 {
		t.Fatalf("%s asks nothing", name)
	}
}

func sourceOf() *source {
	return newSource(&trace.Sites{}, func(path string) ([]byte, error) { return os.ReadFile("testdata/" + path) })
}

// What a line waits for is what its comment says, given the reason in it.
func TestOperands(t *testing.T) {
	s := sourceOf()
	asked(t, "operands.txt", func(line int, reason, want string) {
		if got := s.operand("operands.txt", line, line, reason); got != want {
			t.Errorf("line %d, %s: got %q, want %q", line, reason, got, want)
		}
	})
}

// So is what ends the wait of another.
func TestReleases(t *testing.T) {
	f := sourceOf().file("releases.txt")
	asked(t, "releases.txt", func(line int, reason, want string) {
		got := f.lastRelease(line, line, reason, false)
		if got.code != want || want != "" && got.line != line {
			t.Errorf("line %d, %s: got %+v, want %q", line, reason, got, want)
		}
	})
}

// A walk through blocks, one for each line of code below a function's head.
// "held" is what is held in the end, "leaked" what a function that came back kept.
func TestWalk(t *testing.T) {
	const src = `package p
func both(a, b *acc) {
	a.mu.Lock()
	b.mu.Lock()
	a.mu.Unlock()
	b.mu.Unlock()
}
func deferred(a *acc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	both(a, a)
}
func early(a *acc) {
	a.mu.Lock()
	if a.x { return }
	a.mu.Unlock()
}
func handsOn(a *acc) {
	a.mu.Lock()
}
func caller(a *acc) {
	early(a)
	handsOn(a)
	a.next()
}
func get(a *acc) int {
	a.mu.Lock()
	defer a.mu.Unlock(); return a.n
}
`
	f, block := program(src)
	for _, c := range []struct {
		lines        string // that were run, in order
		waits        bool   // the last one waits for its lock
		held, leaked string
	}{
		{"2 3", false, "a.mu", ""},
		{"2 3", true, "", ""},
		{"2 3 4", true, "a.mu", ""},
		{"2 3 4 5", false, "b.mu", ""},
		{"2 3 4 5 6", false, "", ""},
		{"8 9 10 11 2 3", true, "a.mu", ""}, // the caller's is held
		{"8 9 10 11 2 3", false, "a.mu a.mu", ""},
		{"21 22 13 14 15 23", false, "", "a.mu"}, // early came back with it
		{"21 22 13 14 15 16 23", false, "", ""},
		{"21 23 18 19 24", false, "", ""},     // a function without Unlock hands it on
		{"26 27 28 26 27", false, "a.mu", ""}, // called twice by code that is not recorded
		{"26 27 28 26 27", true, "", ""},
	} {
		var events []trace.Event
		for _, l := range strings.Fields(c.lines) {
			events = append(events, trace.Event(block[l]))
		}
		path, leaked := f.walk(events, c.waits)
		var held, left []string
		for _, call := range path {
			for _, h := range call.held {
				held = append(held, h.Lock)
			}
		}
		for _, h := range leaked {
			left = append(left, h.Lock)
		}
		if got := strings.Join(held, " "); got != c.held {
			t.Errorf("%s: holds %q, want %q", c.lines, got, c.held)
		}
		if got := strings.Join(left, " "); got != c.leaked {
			t.Errorf("%s: leaked %q, want %q", c.lines, got, c.leaked)
		}
	}
}

// program returns a finder for a source file that has a block for each of its
// lines, the head of a function being its entry, and the blocks by line.
func program(src string) (*finder, map[string]int) {
	sites := &trace.Sites{Module: "m", Root: "/m", Files: []trace.File{{Path: "p.go", Name: "m/p.go"}}, Blocks: make([]trace.Block, 1)}
	block := make(map[string]int)
	for i, line := range strings.Split(src, "\n") {
		b := trace.Block{Kind: trace.BlockCall, StartLine: i + 1, StartCol: 1, EndLine: i + 1, EndCol: len(line) + 1, Stmts: 1}
		if name, ok := strings.CutPrefix(line, "func "); ok {
			name, _, _ = strings.Cut(name, "(")
			sites.Funcs = append(sites.Funcs, trace.Func{Name: name, Line: i + 1})
			b.Kind = trace.BlockEntry
		}
		if len(sites.Funcs) == 0 {
			continue
		}
		b.Func = len(sites.Funcs) - 1
		sites.Funcs[b.Func].End = i + 1
		sites.Blocks = append(sites.Blocks, b)
		block[fmt.Sprint(i+1)] = len(sites.Blocks) - 1
	}
	read := func(string) ([]byte, error) { return []byte(src), nil }
	return &finder{Input: Input{Test: "TestX", Sites: sites}, src: newSource(sites, read), family: "TestX", visited: make(map[visitKey]visitList)}, block
}
