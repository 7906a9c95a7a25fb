package covercheck

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/cover"

	"github.com/fdebug/fdebug/trace"
)

const source = `package p

func f(g func()) int {
	g()
	x := 1
	if x > 0 {
		return x
	}
	return 0
}

//go:nosplit
func bare() int {
	return 1
}
`

// TestFile matches statements of a function with probes, where a call ends a block of ours but
// not of cover's, and of one without.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	block := func(startLine, startCol, endLine, endCol int) trace.Block {
		return trace.Block{StartLine: startLine, StartCol: startCol, EndLine: endLine, EndCol: endCol}
	}
	sites := &trace.Sites{
		Root:  dir,
		Files: []trace.File{{Path: "p.go", Name: "m/p/p.go"}},
		Funcs: []trace.Func{{Name: "f", Line: 3, End: 10}},
		Blocks: []trace.Block{{}, block(4, 2, 4, 5), block(5, 2, 6, 11),
			block(7, 3, 7, 11), block(9, 2, 9, 10)},
	}
	prof := &cover.Profile{FileName: "m/p/p.go", Blocks: []cover.ProfileBlock{
		{StartLine: 3, StartCol: 22, EndLine: 6, EndCol: 11},
		{StartLine: 6, StartCol: 11, EndLine: 8, EndCol: 3},
		{StartLine: 9, StartCol: 2, EndLine: 9, EndCol: 10},
		{StartLine: 13, StartCol: 17, EndLine: 15, EndCol: 2},
	}}
	got, err := NewMatcher(sites).File(prof)
	if err != nil {
		t.Fatal(err)
	}
	want := []Statement{
		{Block: 1, Cover: 0, First: true, Func: "f"},
		{Block: 2, Cover: 0, Func: "f"},
		{Block: 2, Cover: 0, Func: "f"},
		{Block: 4, Cover: 2, First: true, Func: "f"},
		{Block: 3, Cover: 1, First: true, Func: "f"},
		{Block: 0, Cover: 3, First: true},
	}
	if len(got) != len(want) {
		t.Fatalf("%d statements, want %d: %+v", len(got), len(want), got)
	}
	for i, s := range got {
		line := s.Pos.Line
		if s.Pos = want[i].Pos; s != want[i] {
			t.Errorf("line %d: %+v, want %+v", line, s, want[i])
		}
	}
}

func TestDecides(t *testing.T) {
	for _, tt := range []struct{ first, covered, want bool }{
		{true, true, true}, {true, false, true}, {false, false, true}, {false, true, false},
	} {
		if got := (Statement{First: tt.first}).Decides(tt.covered); got != tt.want {
			t.Errorf("first %v, covered %v: %v", tt.first, tt.covered, got)
		}
	}
}

func TestUnknownFile(t *testing.T) {
	got, err := NewMatcher(new(trace.Sites)).File(&cover.Profile{FileName: "m/q/q.go"})
	if len(got) > 0 || err != nil {
		t.Errorf("got %v, %v for a file without probes", got, err)
	}
}
