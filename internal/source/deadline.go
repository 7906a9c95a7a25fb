package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// deadlines are functions with an argument for how long, or until when, something waits, and its
// index.
var deadlines = map[string]int{
	"context.WithTimeout": 1, "context.WithTimeoutCause": 1, "context.WithDeadline": 1, "context.WithDeadlineCause": 1,
	"time.After": 0, "time.Tick": 0, "time.NewTimer": 0, "time.NewTicker": 0, "time.AfterFunc": 0,
}

// deadlineSteps is how many assignments and calls a deadline is followed back through.
const deadlineSteps = 8

// Deadline returns the argument of a call for how long, or until when, something waits; nil if
// the call sets no deadline.
func (x *Index) Deadline(call *Op) ast.Expr {
	i, ok := deadlines[call.How]
	if !ok && !(len(call.Path) > 1 && isDeadline(lastWord(call.How))) || i >= len(call.From) {
		return nil
	}
	return call.From[i]
}

// isDeadline reports whether a method has a name such as SetReadDeadline.
func isDeadline(name string) bool {
	return strings.HasPrefix(name, "Set") && strings.HasSuffix(name, "Deadline")
}

// Deadlines returns the constant limits of a wait in a block: of the contexts and timers that it
// receives from. If the wait is in a function of another module, these are the limits of the
// contexts passed to it, and those set at its receiver. Other durations do not limit a wait.
func (x *Index) Deadlines(block int) (list []*Op) {
	add := func(ops []*Op) {
		for _, o := range ops {
			if o.Kind == Limit && o.Value > 0 && !slices.Contains(list, o) {
				list = append(list, o)
			}
		}
	}
	contexts, times := x.waitsFor(block)
	for _, e := range times {
		if set := x.Flow(deadlineSteps, e); !slices.ContainsFunc(set, ticks) {
			add(set)
		}
	}
	for _, o := range x.Flow(deadlineSteps, contexts...) {
		switch {
		case o.Kind == Call && strings.HasPrefix(o.How, "context."):
			add(x.Flow(deadlineSteps, x.Deadline(o)))
		case o.Kind == Limit && ofTimeout(o):
			add([]*Op{o})
		}
	}
	return list
}

// ticks reports whether a call starts a ticker. That limits no wait for something else: it comes again.
func ticks(o *Op) bool { return o.Kind == Call && (o.How == "time.NewTicker" || o.How == "time.Tick") }

// ofTimeout reports whether a limit is for a field such as http.Client.Timeout, of a type of
// another module.
func ofTimeout(o *Op) bool {
	f := o.Obj()
	return f != nil && isField(f) && strings.HasSuffix(f.Name(), "Timeout") && f.Pkg() != nil &&
		!strings.Contains(f.Pkg().Path(), ".")
}

// waitsFor returns calls that return, or are passed, the contexts that end the wait of a block,
// and the channels of timers and the times that were set.
func (x *Index) waitsFor(block int) (contexts, times []ast.Expr) {
	var waits []ast.Expr
	if d := x.Decision(block); d != nil {
		waits = d.Looks
	}
	for _, o := range x.Block(block, Wait) {
		if e, ok := o.Node.(ast.Expr); ok {
			waits = append(waits, e)
		}
	}
	for _, e := range waits {
		u, ok := ast.Unparen(e).(*ast.UnaryExpr)
		if !ok || u.Op != token.ARROW {
			continue
		}
		f := x.fileOf(u)
		call, isCall := ast.Unparen(u.X).(*ast.CallExpr)
		switch {
		case f == nil:
		case isCall && isContext(f.Info.TypeOf(receiver(call))):
			contexts = append(contexts, call)
		case isTimes(typeOf(f, u.X)):
			times = append(times, u.X)
		}
	}
	for _, o := range x.Block(block, Call) {
		call, ok := o.Node.(*ast.CallExpr)
		if !ok || x.funcOf(o.Obj()) != nil || x.Deadline(o) != nil {
			continue
		}
		contexts = append(contexts, call)
		if n := len(o.Path); n > 1 {
			for _, w := range x.Of(o.Path[n-2], Write) {
				if isDeadline(lastWord(w.How)) {
					times = append(times, w.From...)
				}
			}
		}
	}
	return contexts, times
}

func isContext(t types.Type) bool { return t != nil && types.TypeString(t, nil) == "context.Context" }

// isTimes reports whether a type is that of the channel of a timer.
func isTimes(t types.Type) bool {
	c, ok := t.(*types.Chan)
	return ok && types.TypeString(c.Elem(), nil) == "time.Time"
}
