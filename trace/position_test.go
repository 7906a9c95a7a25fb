package trace

import "testing"

// "g.once.Do(func() { g.err = err })": that the line was run says nothing of the literal in it.
func TestSharesLine(t *testing.T) {
	s := &Sites{
		Files: []File{{Path: "a.go"}, {Path: "b.go"}}, Funcs: []Func{{Name: "f"}, {Name: "f.func1"}, {Name: "g", File: 1}},
		Blocks: []Block{{Func: -1},
			{Func: 0, StartLine: 23, StartCol: 4, EndLine: 23, EndCol: 40},
			{Func: 1, StartLine: 23, StartCol: 23, EndLine: 23, EndCol: 34},
			{Func: 1, StartLine: 24, StartCol: 3, EndLine: 25, EndCol: 2},
			{Func: 2, StartLine: 23, StartCol: 30, EndLine: 23, EndCol: 31},
		},
	}
	for b, want := range []bool{false, false, true, false, false} {
		if got := s.SharesLine(b); got != want {
			t.Errorf("block %d: %v", b, got)
		}
	}
}
