package values

import (
	"go/ast"
	"go/types"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// check adds the arguments of the call in user code in which a check failed:
// an assertion helper fails without a branch in that code.
func (c *chooser) check(d *divergence.Divergence, stacks map[uint32][]trace.Frame, frame trace.Frame) {
	_, hash, ok := d.FailNext.Check()
	if !ok {
		return
	}
	frames := append([]trace.Frame{}, stacks[hash]...)
	for _, fr := range append(frames, frame) {
		rel, ok := c.in.Sites.Rel(fr.File)
		if !ok || c.prog.files[rel] == nil {
			continue
		}
		f := c.prog.files[rel]
		if fn, call := callAt(f, fr.Line); call != nil {
			c.arguments(f, fn, call, d.LastCommon)
			c.conditionsAround(f, fn, call, d.LastCommon)
		}
		return
	}
}

// panicked adds what a statement that panicked got hold of something through, and
// the indexes that it used: pointers, slices and maps, in its line.
func (c *chooser) panicked(d *divergence.Divergence, frame trace.Frame) {
	rel, ok := c.in.Sites.Rel(frame.File)
	if !ok || c.prog.files[rel] == nil {
		return
	}
	f := c.prog.files[rel]
	var fn ast.Node
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n == nil || f.line(n.Pos()) > frame.Line || f.line(n.End()) < frame.Line {
			return false
		}
		if x, ok := n.(ast.Expr); ok && constant(f, x) {
			return false // len(p.array)
		}
		if bodyOf(n) != nil {
			fn = n
		}
		var through ast.Expr
		switch n := n.(type) {
		case *ast.SelectorExpr:
			through = n.X
		case *ast.StarExpr:
			through = n.X
		case *ast.IndexExpr:
			through = n.X
			c.operandIn(f, fn, n.Index, frame.Line, d.LastCommon)
		}
		if through != nil && refers(f.info.TypeOf(through)) {
			c.operandIn(f, fn, through, frame.Line, d.LastCommon)
		}
		return true
	})
}

// operandIn adds an operand that begins in a line of a function.
func (c *chooser) operandIn(f *file, fn ast.Node, x ast.Expr, line int, decides trace.Event) {
	if fn != nil && f.line(x.Pos()) == line && !isTesting(f.info.TypeOf(x)) {
		c.decides(f, fn, x, divergence.ValueOperand, decides, true)
	}
}

// refers reports whether a value of a type can be nil or too short: what it refers to
// can be assigned to through a copy of it.
func refers(t types.Type) bool {
	if t == nil {
		return false
	}
	switch t.Underlying().(type) {
	case *types.Pointer, *types.Slice, *types.Map:
		return true
	}
	return false
}

// callAt returns the outermost call that begins in a line, and its function.
func callAt(f *file, line int) (fn ast.Node, call *ast.CallExpr) {
	var inner ast.Node
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if n == nil || f.line(n.Pos()) > line || f.line(n.End()) < line {
			return n == nil || f.line(n.Pos()) <= line && f.line(n.End()) >= line
		}
		if bodyOf(n) != nil {
			inner = n
			if call != nil && f.line(call.Pos()) != line {
				call = nil
			}
		}
		if x, ok := n.(*ast.CallExpr); ok && (call == nil || bodyOf(inner) != nil && call.Pos() < inner.Pos()) && !f.isConversion(x) {
			fn, call = inner, x
		}
		return true
	})
	return fn, call
}

func (f *file) isConversion(call *ast.CallExpr) bool {
	v, ok := f.info.Types[call.Fun]
	return ok && (v.IsType() || v.IsBuiltin())
}

// conditionsAround adds the operands of the condition under which a call of
// testing's own methods is made: if got != want { t.Errorf(...) }.
func (c *chooser) conditionsAround(f *file, fn ast.Node, call *ast.CallExpr, decides trace.Event) {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); !ok || !isTesting(f.info.TypeOf(sel.X)) {
		return
	}
	var around *ast.IfStmt
	ast.Inspect(fn, func(n ast.Node) bool {
		if s, ok := n.(*ast.IfStmt); ok && s.Body.Pos() <= call.Pos() && call.End() <= s.Body.End() {
			around = s
		}
		return true
	})
	if around == nil {
		return
	}
	for _, x := range present(around.Init, around.Cond) {
		c.operands(f, fn, x, decides)
	}
}

// describe returns what a call brings in from outside, "" if nothing.
func describe(fn *types.Func) string {
	if fn == nil || fn.Pkg() == nil {
		return ""
	}
	pkg, name := fn.Pkg().Path(), fn.Name()
	recv := fn.Signature().Recv() != nil
	switch pkg {
	case "math/rand", "math/rand/v2":
		if !strings.HasPrefix(name, "New") && name != "Seed" && fn.Signature().Results().Len() == 1 {
			return pkg
		}
	case "crypto/rand":
		if name == "Text" || name == "Int" || name == "Prime" {
			return pkg
		}
	case "time":
		if !recv && (name == "Now" || name == "Since" || name == "Until") {
			return "the clock"
		}
	case "os":
		return osSources[name]
	case "runtime":
		if name == "NumGoroutine" || name == "GOMAXPROCS" || name == "NumCPU" {
			return "the Go scheduler"
		}
		if name == "Stack" {
			return "the list of goroutines"
		}
	case "net":
		if name == "Addr" || name == "LocalAddr" || name == "RemoteAddr" {
			return "a network address"
		}
	case "maps":
		if name == "Keys" || name == "Values" || name == "All" {
			return "map order"
		}
	}
	return ""
}

var osSources = map[string]string{
	"Getenv": "the environment", "Environ": "the environment", "ExpandEnv": "the environment",
	"ReadDir": "a directory", "Size": "a file's size", "ModTime": "a file's time", "Getpid": "the process id",
	"Hostname": "the host name", "TempDir": "the environment", "Getwd": "the working directory",
}
