package trace

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/cover"
)

func TestCounts(t *testing.T) {
	s := sampleSites()
	g := NewGoroutine(1, "TestX", append(slices.Repeat([]Event{1, 2, 2}, 100), CheckEvent(CheckFail, 5), 3))
	g.Chunks[1].Kept = false // 128 of its 302 events
	counts, lost, err := s.Counts([]*Goroutine{g, NewGoroutine(2, "", []Event{4})})
	if err != nil || lost != 128 {
		t.Fatalf("lost %d, error %v", lost, err)
	}
	// Of the 300 events, those from 64 to 191 are lost: 42 times block 1.
	if want := []int64{0, 58, 114, 1, 1, 0}; !slices.Equal(counts, want) {
		t.Errorf("got %v, want %v", counts, want)
	}
	for _, e := range []Event{6, 1 << 30} {
		_, _, err := s.Counts([]*Goroutine{NewGoroutine(1, "", []Event{1, e})})
		if err == nil || !strings.Contains(err.Error(), "another build") {
			t.Errorf("event %d: got error %v", e, err)
		}
	}
}

func TestProfiles(t *testing.T) {
	s := sampleSites()
	tr := &Trace{Goroutines: []*Goroutine{
		NewGoroutine(1, "TestX", []Event{4, 1}),
		NewGoroutine(2, "TestX/sub", []Event{1, 2, 2}),
		NewGoroutine(3, "TestXY", []Event{1}),
	}}
	profiles, err := s.Profiles(tr.GoroutinesOf("TestX"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := WriteProfiles(&out, profiles); err != nil {
		t.Fatal(err)
	}
	// Package x.org/y was not run, so it is not there.
	const want = `mode: count
example.com/m/q/queue.go:38.30,40.19 2 2
example.com/m/q/queue.go:40.19,41.13 1 2
example.com/m/q/queue.go:41.13,43.1 1 0
example.com/m/q/queue_test.go:9.30,12.4 3 1
`
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", &out, want)
	}
	all, err := s.Profiles(tr.Goroutines)
	if err != nil || all[0].Blocks[0].Count != 3 {
		t.Errorf("all tests: %v, error %v", all, err)
	}
}

func TestWriteProfilesModes(t *testing.T) {
	err := WriteProfiles(new(bytes.Buffer), []*cover.Profile{{Mode: "count"}, {Mode: "set"}})
	if err == nil || !strings.Contains(err.Error(), "count and set") {
		t.Errorf("got error %v", err)
	}
}

func TestFlatten(t *testing.T) {
	// Positions are on one line; a block is start, end, statements, count.
	tests := []struct {
		name     string
		in, want [][4]int
	}{
		{"apart", [][4]int{{5, 9, 1, 1}, {1, 5, 2, 3}}, [][4]int{{1, 5, 2, 3}, {5, 9, 1, 1}}},
		{"around one", [][4]int{{1, 9, 2, 7}, {3, 5, 1, 1}}, [][4]int{{1, 3, 2, 7}, {3, 5, 1, 1}, {5, 9, 0, 7}}},
		{"same start", [][4]int{{1, 5, 1, 1}, {1, 9, 2, 7}}, [][4]int{{1, 5, 1, 1}, {5, 9, 2, 7}}},
		{"same end", [][4]int{{1, 9, 2, 7}, {5, 9, 1, 1}}, [][4]int{{1, 5, 2, 7}, {5, 9, 1, 1}}},
		{"same", [][4]int{{1, 9, 2, 7}, {1, 9, 2, 1}}, [][4]int{{1, 9, 2, 8}}},
		{"two levels", [][4]int{{1, 9, 1, 1}, {2, 8, 2, 2}, {3, 4, 3, 3}, {5, 6, 4, 4}},
			[][4]int{{1, 2, 1, 1}, {2, 3, 2, 2}, {3, 4, 3, 3}, {4, 5, 0, 2}, {5, 6, 4, 4}, {6, 8, 0, 2}, {8, 9, 0, 1}}},
		{"across", [][4]int{{1, 5, 1, 1}, {3, 8, 2, 2}}, [][4]int{{1, 3, 1, 1}, {3, 8, 2, 2}}},
		{"empty", [][4]int{{1, 1, 1, 1}, {3, 8, 2, 2}, {5, 5, 0, 0}}, [][4]int{{3, 8, 2, 2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got [][4]int
			for _, b := range flatten(onOneLine(tt.in)) {
				got = append(got, [4]int{b.StartCol, b.EndCol, b.NumStmt, b.Count})
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func onOneLine(in [][4]int) []cover.ProfileBlock {
	var blocks []cover.ProfileBlock
	for _, b := range in {
		blocks = append(blocks, cover.ProfileBlock{StartLine: 1, StartCol: b[0], EndLine: 1, EndCol: b[1], NumStmt: b[2], Count: b[3]})
	}
	return blocks
}

// Property: if blocks lie inside each other, flatten puts every position into one block, with the
// count of the innermost one before.
func TestFlattenProperty(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 2000 {
		in := nested(r, 1, 40, nil)
		r.Shuffle(len(in), func(i, j int) { in[i], in[j] = in[j], in[i] })
		out := flatten(onOneLine(in))
		for i := 1; i < len(out); i++ {
			if out[i].StartCol < out[i-1].EndCol {
				t.Fatalf("%v: %v overlap", in, out)
			}
		}
		for col := range 42 {
			if got, want := countAt(out, col), countAt(onOneLine(in), col); got != want {
				t.Fatalf("%v: at %d count %d, want %d", in, col, got, want)
			}
		}
	}
}

// nested returns blocks between two columns that lie apart or inside each other.
func nested(r *rand.Rand, from, to int, blocks [][4]int) [][4]int {
	for from+2 < to && r.IntN(5) > 0 {
		start := from + r.IntN(to-from-1)
		end := start + 1 + r.IntN(to-start)
		if len(blocks) > 0 && slices.ContainsFunc(blocks, func(b [4]int) bool { return b[0] == start && b[1] == end }) {
			break
		}
		blocks = append(blocks, [4]int{start, end, 1, 1 + r.IntN(1000)})
		blocks = nested(r, start+1, end, blocks)
		from = end
	}
	return blocks
}

// countAt returns the count of the smallest block at col, or -1 if there is none.
func countAt(blocks []cover.ProfileBlock, col int) int {
	var at []cover.ProfileBlock
	for _, b := range blocks {
		if b.StartCol <= col && col < b.EndCol {
			at = append(at, b)
		}
	}
	if len(at) == 0 {
		return -1
	}
	return slices.MinFunc(at, func(a, b cover.ProfileBlock) int { return cmp.Compare(a.EndCol-a.StartCol, b.EndCol-b.StartCol) }).Count
}

// Go's own cover tool opens the profile of a trace.
func TestCoverTool(t *testing.T) {
	if testing.Short() {
		t.Skip("runs go tool cover")
	}
	dir := t.TempDir()
	const source = `package p

func Twice(f func(int) int) func(int) int {
	g := func(n int) int {
		if n < 0 {
			return 0
		}
		return f(f(n))
	}; if f == nil { return nil }
	return g
}
`
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.24\n", "p.go": source}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	sites := &Sites{
		Module: "example.com/m", Root: dir,
		Files: []File{{"p.go", "example.com/m/p.go"}},
		Funcs: []Func{{0, "Twice", 3, 11}, {0, "Twice.func1", 4, 9}},
		Blocks: []Block{
			{},
			{0, BlockEntry, 3, 44, 9, 17, 2}, // goes on after the literal
			{1, BlockEntry, 4, 23, 5, 12, 1},
			{1, BlockThen, 5, 12, 7, 4, 1},
			{1, BlockNext, 8, 3, 8, 17, 1},
			{0, BlockThen, 9, 17, 9, 31, 1},
			{0, BlockNext, 10, 2, 10, 10, 1},
		},
	}
	tr := &Trace{Goroutines: []*Goroutine{NewGoroutine(1, "TestTwice", []Event{1, 6, 2, 4, 2, 4, 2, 3})}}
	profiles, err := sites.Profiles(tr.Goroutines)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := WriteProfiles(&text, profiles); err != nil {
		t.Fatal(err)
	}
	parsed, err := cover.ParseProfilesFromReader(bytes.NewReader(text.Bytes()))
	if err != nil || len(parsed) != 1 || !slices.Equal(parsed[0].Blocks, profiles[0].Blocks) {
		t.Errorf("parsed again: %v, error %v", parsed, err)
	}
	// Each block opens a span and closes it.
	if b := parsed[0].Boundaries([]byte(source)); len(b) != 2*len(profiles[0].Blocks) {
		t.Errorf("%d boundaries for %d blocks", len(b), len(profiles[0].Blocks))
	}
	profile := filepath.Join(dir, "cover.out")
	if err := os.WriteFile(profile, text.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	if out := goTool(t, dir, "-func="+profile); !strings.Contains(out, "p.go:3:\tTwice\t\t85.7%") {
		t.Errorf("-func printed %s", out)
	}
	html := filepath.Join(dir, "cover.html")
	goTool(t, dir, "-html="+profile, "-o", html)
	page, err := os.ReadFile(html)
	if err != nil {
		t.Fatal(err)
	}
	page = bytes.ReplaceAll(page, []byte("        "), []byte("\t"))
	for _, want := range []string{`title="3">{
		if n &lt; 0 </span>`, `title="1">{
			return 0
		}</span>`, `title="0">{ return nil }</span>`, `title="2">return f(f(n))</span>`} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("-html has no %s in\n%s", want, page[bytes.Index(page, []byte("<pre")):])
		}
	}
}

// goTool returns the output of go tool cover.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("go", append([]string{"tool", "cover"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("go tool cover %v: %v\n%s", args, err, out)
	}
	return string(out)
}
