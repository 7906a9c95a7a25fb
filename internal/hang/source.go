package hang

import (
	"go/ast"
	"slices"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A code answers questions about the source of blocks.
type code struct {
	*source.Index
	sites *trace.Sites
	locks map[int][]lockOp // the results of lockOps, by block
}

func newCode(sites *trace.Sites, x *source.Index) *code {
	return &code{Index: x, sites: sites, locks: make(map[int][]lockOp)}
}

// frame returns a line of the file of a block as a frame.
func (c *code) frame(block, line int) trace.Frame {
	return c.sites.Frame(c.sites.Blocks[block].Func, line)
}

// endOf returns the last line of a block.
func (c *code) endOf(block int) trace.Frame {
	span, ok := c.sites.Pos(block)
	if !ok {
		return trace.Frame{}
	}
	return c.frame(block, span.End)
}

// A lockOp is a call of Lock, RLock, Unlock or RUnlock.
type lockOp struct {
	source.Op        // on the lock
	name      string // "q.mu"
	lock      bool
}

// lockOps returns the lock operations of a block, except for deferred ones.
func (c *code) lockOps(block int) []lockOp {
	list, ok := c.locks[block]
	if ok {
		return list
	}
	for _, call := range c.Block(block, source.Call) {
		x := receiver(call)
		if x == nil || len(call.From) > 0 || call.Deferred || !call.Locks() && !call.Unlocks() {
			continue
		}
		op := lockOp{*call, c.Text(x), call.Locks()}
		op.Path = op.Path[:max(0, len(op.Path)-1)]
		list = append(list, op)
	}
	c.locks[block] = list
	return list
}

// receiver returns the receiver of a call of a method, nil if it is none.
func receiver(call *source.Op) ast.Expr {
	if n, ok := call.Node.(*ast.CallExpr); ok {
		if sel, ok := n.Fun.(*ast.SelectorExpr); ok {
			return sel.X
		}
	}
	return nil
}

// sameName reports whether two operations of one function are on the same lock: on
// the same variable, by the same words.
func (o *lockOp) sameName(p *lockOp) bool { return o.name == p.name && slices.Equal(o.Path, p.Path) }

// same reports whether an operation may be on the same lock as another one, of
// another goroutine: it has the same name, and nothing shows that it is another.
func (c *code) same(a *lockOp, b *source.Op) bool {
	x := receiver(b)
	if x == nil || lastName(a.name) != lastName(c.Text(x)) {
		return false
	}
	return a.Obj() == nil || b.Obj() == nil || c.Same(&a.Op, b)
}
