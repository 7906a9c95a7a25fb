package hang

import (
	"go/ast"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A callPath is the functions that a goroutine is in, the outermost first, as far
// as they are recorded.
type callPath []call

// came leaves out the calls that have come back, though nothing was recorded of the
// function that they came back to: those whose last block calls no more than it has
// entered. They are returned too.
func (f *finder) came(path callPath, waits func(call) bool) (callPath, []call) {
	n := len(path)
	for n > 0 && !waits(path[n-1]) && f.src.callsIn(path[n-1].block) <= path[n-1].entered {
		n--
	}
	return path[:n], path[n:]
}

// blocking returns the path up to the call that waits for the reason. A select, say,
// whose cases call functions is in none of those.
func (f *finder) blocking(path callPath, reason string) callPath {
	path, _ = f.came(path, func(c call) bool {
		op, _ := f.src.operandIn(c.block, reason)
		return op != ""
	})
	return path
}

// waitBlock returns the block whose statement a goroutine waits in.
func (f *finder) waitBlock(s *state) int {
	events, ok := eventsOf(s.g)
	if !ok || s.pos > int64(len(events)) {
		return s.block
	}
	path, _ := f.walk(events[:s.pos], lockWait(s.reason))
	if path = f.blocking(path, s.reason); len(path) > 0 {
		return path[len(path)-1].block
	}
	return s.block
}

// lockMethods run no code of a user's, so that they enter no function.
var lockMethods = []string{"Lock", "RLock", "Unlock", "RUnlock"}

// callsIn returns how many calls a block makes that may enter a function. Deferred
// ones come later.
func (s *source) callsIn(block int) int {
	if n, ok := s.calls[block]; ok {
		return n
	}
	n := s.countCalls(block)
	if s.calls == nil {
		s.calls = make(map[int]int)
	}
	s.calls[block] = n
	return n
}

func (s *source) countCalls(block int) int {
	span, _, ok := s.span(block)
	if !ok {
		return 0
	}
	f := s.file(span.File)
	if f == nil {
		return 1 // perhaps
	}
	n := 0
	later := make(map[*ast.CallExpr]bool)
	ast.Inspect(f.tree, func(node ast.Node) bool {
		if node == nil || f.line(node.End()) < span.Start || f.line(node.Pos()) > span.End {
			return false
		}
		switch x := node.(type) {
		case *ast.DeferStmt:
			later[x.Call] = true
		case *ast.GoStmt:
			later[x.Call] = true
		case *ast.CallExpr:
			at := f.fset.PositionFor(x.Pos(), false)
			if !later[x] && enters(x) && s.within(block, at.Line, at.Column) {
				n++
			}
		}
		return true
	})
	return n
}

// enters reports whether a call may enter a function.
func enters(call *ast.CallExpr) bool {
	switch fun := call.Fun.(type) {
	case *ast.SelectorExpr:
		return !slices.Contains(lockMethods, fun.Sel.Name)
	case *ast.Ident:
		return !slices.Contains(builtins, fun.Name)
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.InterfaceType:
		return false
	}
	return true
}

var builtins = []string{"append", "cap", "clear", "close", "copy", "delete", "len", "make", "max", "min", "new", "print", "println"}

// polled returns how many times before a timer had ended a wait in the same block of
// the goroutine: one that comes again and again is in a loop that polls, and its
// last wait is like all others.
func (f *finder) polled(s *state) int {
	list, _ := f.visits(s.g, s.block, s.end)
	n := 0
	for _, v := range list {
		if v.pos < s.pos && v.until != 0 && v.resume.Waker == trace.WakerTimer {
			n++
		}
	}
	return n
}
