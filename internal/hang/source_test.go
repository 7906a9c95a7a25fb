package hang

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// asked calls ask for each line of a file with a comment "reason: answer".
func asked(t *testing.T, name string, ask func(line int, reason, want string)) {
	t.Helper()
	n := 0
	for i, line := range strings.Split(read(t, name), "\n") {
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

// read returns a file of testdata.
func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// What a line waits for is what its comment says, given the reason in it, and so is
// what a block does that ends there.
func TestOperands(t *testing.T) {
	f, block := program(read(t, "operands.txt"))
	asked(t, "operands.txt", func(line int, reason, want string) {
		if got := f.code.operandIn(block[fmt.Sprint(line)], reason).text; got != want {
			t.Errorf("line %d, %s: got %q, want %q", line, reason, got, want)
		}
		if got := f.code.operandAt("p.go", line, reason).text; got != want && want != "<-c" { // which waits in the next line
			t.Errorf("in line %d, %s: got %q, want %q", line, reason, got, want)
		}
	})
}

// TestLocksOf has what a goroutine holds that waits in the last of some lines, by the function in which it waits.
func TestLocksOf(t *testing.T) {
	f, block := program(`package p
func both(a, b *acc) {
	a.mu.Lock()
	b.mu.Lock()
	a.mu.Unlock()
	b.mu.Unlock(); <-b.c
}
func deferred(a, b *acc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	b.mu.Lock(); b.x++; b.mu.Unlock()
}
func get(a *acc) chan int {
	a.mu.Lock()
	defer a.mu.Unlock(); return a.c
}
func wait(a, b *acc) {
	b.mu.Lock()
	<-get(a)
	b.cond.Wait()
}
`)
	for _, c := range []struct{ lines, dump, want string }{
		{"2 3", "3 sync.Mutex.Lock", ""},
		{"2 3 4", "4 sync.Mutex.Lock", "a.mu"},
		{"2 3 4 5 6", "6 chan receive", ""},
		{"2 3 2 3 4", "4 sync.Mutex.Lock", "a.mu"}, // called twice
		{"8 9 10 11", "11 sync.Mutex.Lock", "a.mu"},
		{"8 9 10 2 3", "3 sync.Mutex.Lock", ""}, // what the caller holds is not looked for
		{"17 18 19 13 14 15", "19 chan receive", "b.mu"},
		{"17 18 19 13 14", "14 sync.Mutex.Lock", ""},
		{"17 18 19 13 14 15 20", "20 sync.Cond.Wait", ""},
		{"17 18 19 13 14 15", "30 chan receive", ""}, // in code that the trace does not have
		{"2 3 4", " sync.Mutex.Lock", "a.mu"},        // without a dump
	} {
		var events []trace.Event
		for _, l := range strings.Fields(c.lines) {
			events = append(events, trace.Event(block[l]))
		}
		g := trace.NewGoroutine(1, "TestX", events)
		line, reason, _ := strings.Cut(c.dump, " ")
		s := &state{g: g, pos: g.Len(), block: blockAt(g, g.Len()-1), reason: reason}
		f.shown = &moment{Run: new(Run)}
		if at, err := strconv.Atoi(line); err == nil {
			f.shown.Dump = dumpOf(g, at)
		}
		var held []string
		for _, h := range f.locksOf(s) {
			held = append(held, h.Lock)
		}
		if got := strings.Join(held, " "); got != c.want {
			t.Errorf("%s: holds %q, want %q", c.lines, got, c.want)
		}
	}
}

// dumpOf returns a dump that has a goroutine in a line of p.go.
func dumpOf(g *trace.Goroutine, line int) []runner.Dumped {
	g.Number = 20
	return []runner.Dumped{{Number: 20, Frames: []trace.Frame{{Func: "m/p.f", File: "/m/p.go", Line: line}}}}
}

// program returns a finder for source files, p.go and q.go, that has a block for each of
// their lines, the head of a function being its entry, and the blocks by line: "3" of
// p.go, "q3" of q.go.
func program(files ...string) (*finder, map[string]int) {
	sites := &trace.Sites{Module: "m", Root: "/m", Blocks: make([]trace.Block, 1)}
	block := make(map[string]int)
	text := make(map[string]string)
	for i, src := range files {
		name := []string{"p.go", "q.go"}[i]
		sites.Files = append(sites.Files, trace.File{Path: name, Name: "m/" + name})
		text[name] = src
		blocksOf(sites, src, i, func(line, b int) { block[[]string{"", "q"}[i]+fmt.Sprint(line)] = b })
	}
	index := func([]string) *source.Index {
		return source.Load(context.Background(), source.Config{Dir: sites.Root, Sites: sites, Read: func(path string) ([]byte, error) { return []byte(text[filepath.Base(path)]), nil }})
	}
	in := Input{Test: "TestX", Sites: sites, Index: index}
	return &finder{Input: in, code: newCode(sites, index(nil)), family: "TestX", visited: make(map[visitKey]visitList)}, block
}

// blocksOf adds the blocks of a source file.
func blocksOf(sites *trace.Sites, src string, file int, add func(line, block int)) {
	first := len(sites.Funcs)
	for i, line := range strings.Split(src, "\n") {
		b := trace.Block{Kind: trace.BlockCall, StartLine: i + 1, StartCol: 1, EndLine: i + 1, EndCol: len(line) + 1, Stmts: 1}
		if name, ok := strings.CutPrefix(line, "func "); ok {
			name, _, _ = strings.Cut(name, "(")
			sites.Funcs = append(sites.Funcs, trace.Func{Name: name, File: file, Line: i + 1})
			b.Kind = trace.BlockEntry
		}
		if len(sites.Funcs) == first {
			continue
		}
		b.Func = len(sites.Funcs) - 1
		sites.Funcs[b.Func].End = i + 1
		sites.Blocks = append(sites.Blocks, b)
		add(i+1, len(sites.Blocks)-1)
	}
}
