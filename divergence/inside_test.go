package divergence

import (
	"slices"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// A position inside a statement that calls its own function is passed once the call has returned. It does not look like
// part of the call: the stack is what it is without.
func TestInside(t *testing.T) {
	block := func(kind trace.BlockKind, line, col int) trace.Block {
		return trace.Block{Kind: kind, StartLine: line, StartCol: col, EndLine: line, EndCol: col + 9}
	}
	// func f() { x.n = x.n + f()
	// return x.n }
	c := newCode(&trace.Sites{Funcs: make([]trace.Func, 1), Blocks: []trace.Block{{},
		block(trace.BlockEntry, 1, 12), block(trace.BlockCall, 2, 1), block(trace.BlockInside, 1, 12)}})
	follow := func(events ...trace.Event) []frame {
		n := &callStack{code: c}
		for i, e := range events {
			n.step(e, 0, int64(i))
		}
		return n.frames
	}
	// f calls f, which returns without a further call, and f goes on.
	got, want := follow(1, 1, 2, 3, 2), follow(1, 1, 2, 2)
	if !slices.Equal(got, want) || len(got) != 1 {
		t.Errorf("the stack is %v, want %v", got, want)
	}
}
