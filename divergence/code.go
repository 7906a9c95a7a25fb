package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A block is a basic block as far as following a stream needs it. It is small, because it is
// looked up for every event.
type block struct {
	fn    int32 // index in Sites.Funcs; -1 if the block is not in the table
	local int32 // rank among the blocks of its function, in source order
	prev  int32 // the previous block in source order; 0 for the first
	kind  trace.BlockKind
}

// A code is the sites table in a form for following streams.
type code struct {
	blocks []block
	sizes  []int32 // number of blocks of each function
}

// newCode indexes the blocks of s. Block 0, and blocks of no function, have the function -1.
func newCode(s *trace.Sites) *code {
	c := &code{blocks: make([]block, len(s.Blocks)), sizes: make([]int32, len(s.Funcs))}
	byFunc := make([][]int32, len(s.Funcs))
	for i, b := range s.Blocks {
		c.blocks[i].fn = -1
		if i == 0 || b.Func < 0 || b.Func >= len(s.Funcs) {
			continue
		}
		c.blocks[i].fn, c.blocks[i].kind = int32(b.Func), b.Kind
		if b.Kind == trace.BlockInside {
			continue // it is no block, and nothing follows it in the source
		}
		byFunc[b.Func] = append(byFunc[b.Func], int32(i))
	}
	for fn, list := range byFunc {
		slices.SortStableFunc(list, func(x, y int32) int {
			a, b := s.Blocks[x], s.Blocks[y]
			return cmp.Or(cmp.Compare(a.StartLine, b.StartLine), cmp.Compare(a.StartCol, b.StartCol))
		})
		for k, i := range list {
			c.blocks[i].local = int32(k)
			if k > 0 {
				c.blocks[i].prev = list[k-1]
			}
		}
		c.sizes[fn] = int32(len(list))
	}
	return c
}

// unknown stands for block events that are not in the table. They come from a trace of another
// build, and must not stop the comparison.
var unknown = block{fn: -1}

// at returns the block of a block event.
func (c *code) at(e trace.Event) *block {
	if int(e) < len(c.blocks) {
		return &c.blocks[e]
	}
	return &unknown
}

// isCheck reports whether e is a check event.
func isCheck(e trace.Event) bool {
	_, isBlock := e.Block()
	return !isBlock
}
