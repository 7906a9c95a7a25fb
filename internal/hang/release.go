package hang

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A release is a statement that ends the waits of others.
type release struct {
	at       trace.Frame // Line 0: none was found
	code     string
	deferred bool
}

// releases are the methods that end a wait, by the reason of the wait. Those whose
// type is not named may be of any.
var releases = map[string][]string{
	"sync.Mutex.Lock":     {"Unlock", "Cond.Wait"}, // Cond.Wait unlocks
	"sync.RWMutex.Lock":   {"Unlock", "RUnlock", "Cond.Wait"},
	"sync.RWMutex.RLock":  {"Unlock", "Cond.Wait"},
	"sync.Cond.Wait":      {"Signal", "Broadcast"},
	"sync.WaitGroup.Wait": {"WaitGroup.Done", "WaitGroup.Add"},
	"semacquire":          {"WaitGroup.Done", "WaitGroup.Add", "Unlock", "RUnlock"},
}

// release returns the statement of a block that ended a wait: the last one that
// can, or else a deferred one of its function, or of the one that the goroutine
// was started with (-1: none).
func (c *code) release(block int, reason string, entry int) release {
	if !c.sites.Has(block) {
		return release{}
	}
	for _, op := range slices.Backward(c.Block(block, source.Call, source.Release)) {
		if !op.Deferred && releasing(op, reason) {
			return release{c.frame(block, c.Line(op.Node)), c.Text(op.Node), false}
		}
	}
	for _, fn := range []int{c.sites.Blocks[block].Func, entry} {
		if fn < 0 {
			break
		}
		if r := c.deferred(fn, reason); r.at.Line > 0 {
			return r
		}
	}
	return release{}
}

// deferred returns the last deferred call of a function that releases, or calls
// something that does.
func (c *code) deferred(fn int, reason string) release {
	var r release
	end := token.NoPos // of the deferred call before
	for _, op := range c.inFunc(fn, source.Defer, source.Release) {
		if op.Kind != source.Defer && !op.Deferred || op.Node.Pos() < end {
			continue
		}
		end = op.Node.End()
		in := c.In(op.Node, source.Call, source.Defer, source.Release)
		if slices.ContainsFunc(in, func(o *source.Op) bool { return releasing(o, reason) }) {
			r = release{c.sites.Frame(fn, c.Line(op.Node)), "defer " + c.Text(op.Node), true}
		}
	}
	return r
}

// releasing reports whether an operation can end a wait for the given reason. The
// end of a select, or of a wait in a library, is not known: it may be a call that says so.
func releasing(op *source.Op, reason string) bool {
	channel := strings.HasPrefix(reason, "chan ") || strings.HasPrefix(reason, "select")
	name := lastName(op.How)
	switch {
	case op.How == "chan receive":
		_, loop := op.Node.(*ast.RangeStmt)
		return channel && !loop && !strings.HasPrefix(reason, "chan receive")
	case op.How == "chan send", op.How == "close":
		return channel
	case channel:
		return strings.HasPrefix(strings.ToLower(name), "cancel") ||
			receiver(op) != nil && (name == "Stop" || name == "Close")
	}
	return slices.ContainsFunc(releases[reason], func(r string) bool {
		return op.How == lastName(r) || strings.HasSuffix("."+op.How, "."+r)
	})
}
