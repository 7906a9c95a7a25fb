package source

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// Callers returns the functions of a call path that had not returned at its end, and where each was called from. A
// trace does not show when a function returns: the path may also have functions that code outside the module called
// one after the other. initial says that the goroutine initialises packages.
func (x *Index) Callers(calls []divergence.Call, initial bool) []divergence.Step {
	c := callers{x, initial, make(map[[2]int][]grade)}
	var steps []divergence.Step
	for i, call := range calls {
		if call.Func < 0 || call.Func >= len(x.sites.Funcs) {
			continue
		}
		var from trace.Frame
		if i > 0 || initial {
			steps, from = c.caller(steps, call.Func)
		}
		steps = append(steps, divergence.Step{Call: call, From: from})
	}
	return steps
}

// A fit says how well a call fits a function.
type fit int

const (
	no       fit = iota
	callback     // it is made outside the module, and may call back
	dynamic      // it calls a function value, or gets the function as an argument
	named        // it calls the function
)

// A grade is how well the calls in a line fit.
type grade struct {
	line int
	fit  fit
}

// callers finds who called the functions of one path.
type callers struct {
	*Index
	initial bool
	graded  map[[2]int][]grade // by block and function
}

// maxBack is how many functions back a caller is looked for.
const maxBack = 256

// caller returns the steps up to the one that calls a function, and where: the innermost that names it comes before
// one that calls a function value. A zero Frame means that it is not known, and all steps stay.
func (c *callers) caller(steps []divergence.Step, fn int) ([]divergence.Step, trace.Frame) {
	if i, at := c.innermost(steps, fn, named); at.File != "" {
		return steps[:i+1], at
	}
	if c.initial {
		if strings.HasPrefix(c.sites.Funcs[fn].Name, "init.") {
			return nil, trace.Frame{}
		}
		if at := c.initialiser(fn); at.File != "" {
			return nil, at
		}
	}
	if i, at := c.innermost(steps, fn, dynamic); at.File != "" {
		return steps[:i+1], at
	}
	// Code outside the module calls back. It must be that call if there is only one on the whole path.
	if i, at := c.innermost(steps, fn, callback); at.File != "" {
		if _, other := c.innermost(steps[:i], fn, callback); other.File == "" {
			return steps[:i+1], at
		}
	}
	return steps, trace.Frame{}
}

// innermost returns the last step with a call that fits at least so well, and its place. Line 0 is any of several.
func (c *callers) innermost(steps []divergence.Step, fn int, least fit) (int, trace.Frame) {
	for i, s := range slices.Backward(steps[max(0, len(steps)-maxBack):]) {
		at := trace.Frame{}
		for _, g := range c.grades(s.Call, fn) {
			switch {
			case g.fit < least:
			case at.File == "":
				at = trace.Frame{File: c.sites.Files[c.sites.FileOf(s.Block)].Path, Line: g.line}
			default:
				at.Line = 0
			}
		}
		if at.File != "" {
			return max(0, len(steps)-maxBack) + i, at
		}
	}
	return -1, trace.Frame{}
}

// grades returns the lines of a block, of the heads of the loops around it, and of deferred calls if they may be next,
// that may call a function.
func (c *callers) grades(s divergence.Call, fn int) []grade {
	key := [2]int{s.Block, fn}
	list, known := c.graded[key]
	f, at := c.place(s.Block)
	if known || f == nil || c.sites.Blocks[s.Block].Func != s.Func {
		return list
	}
	calls := c.Block(s.Block, Call)
	path := c.path(f, at.from)
	for _, n := range path {
		if loop, ok := n.(*ast.ForStmt); ok && loop.Body.Lbrace < at.from {
			calls = append(calls, c.within(loop.Cond, Call)...)
			calls = append(calls, c.within(loop.Post, Call)...)
		}
	}
	list = c.gradesOf(calls, fn)
	ends := len(c.Block(s.Block, Return)) > 0 || !slices.ContainsFunc(f.spans, func(o span) bool {
		return o.from >= at.to && c.sites.Blocks[o.block].Func == s.Func
	})
	if ends || !slices.ContainsFunc(list, func(g grade) bool { return g.fit == named }) {
		for _, o := range c.within(path[len(path)-1], Defer) {
			if c.sites.Has(o.Block) && c.sites.Blocks[o.Block].Func == s.Func {
				calls = append(calls, o)
			}
		}
		list = c.gradesOf(calls, fn)
	}
	c.graded[key] = list
	return list
}

// within is In for a part that may not be there.
func (x *Index) within(n ast.Node, kind Kind) []*Op {
	switch n := n.(type) {
	case ast.Expr, ast.Stmt, *ast.FuncDecl:
		if n.Pos().IsValid() {
			return x.In(n, kind)
		}
	}
	return nil
}

func (c *callers) gradesOf(calls []*Op, fn int) (list []grade) {
	for _, o := range calls {
		call, ok := o.Node.(*ast.CallExpr)
		if !ok {
			continue
		}
		g := grade{c.Fset.PositionFor(calledAt(call), false).Line, c.fits(o, call, fn)}
		if i := slices.IndexFunc(list, func(o grade) bool { return o.line == g.line }); i >= 0 {
			list[i].fit = max(list[i].fit, g.fit)
		} else if g.fit != no {
			list = append(list, g)
		}
	}
	return list
}

// fits grades a call.
func (c *callers) fits(o *Op, call *ast.CallExpr, fn int) fit {
	least, callee := no, o.Obj()
	if slices.ContainsFunc(call.Args, func(a ast.Expr) bool { return c.isFunc(o.file, a, fn) }) {
		least = dynamic
	}
	_, isLit := ast.Unparen(call.Fun).(*ast.FuncLit)
	_, isFunc := callee.(*types.Func)
	switch {
	case c.isFunc(o.file, call.Fun, fn) || callee != nil && c.isMethod(callee, fn):
		return named
	case isLit || callee != nil && c.funcOf(callee) != nil:
		return least
	case !isFunc && !c.isUnknown(callee):
		return dynamic
	}
	return max(callback, least)
}

// isFunc reports whether an expression is a function: its literal, or its name.
func (c *callers) isFunc(f *File, e ast.Expr, fn int) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.FuncLit:
		return c.FuncIndex(e.Body) == fn
	case *ast.Ident:
		return c.declares(f.Info.Uses[e], fn)
	case *ast.SelectorExpr:
		return c.declares(f.Info.Uses[e.Sel], fn)
	}
	return false
}

// isMethod reports whether a method is one of an interface that a function implements, or of an unknown type and has
// its name.
func (c *callers) isMethod(called types.Object, fn int) bool {
	if c.isUnknown(called) {
		return strings.HasSuffix(c.sites.Funcs[fn].Name, ")."+called.Name())
	}
	return slices.ContainsFunc(c.standsFor(c.canon(called)), func(m types.Object) bool { return c.declares(m, fn) })
}

func (c *callers) isUnknown(obj types.Object) bool { return obj != nil && c.byName[obj.Name()] == obj }

func (c *callers) declares(obj types.Object, fn int) bool {
	d := c.funcOf(obj)
	return d != nil && d.Body != nil && c.FuncIndex(d.Body) == fn
}

// initialiser returns the place of the only call of a function in the initialisers of package variables.
func (c *callers) initialiser(fn int) trace.Frame {
	var found trace.Frame
	for _, o := range c.outside {
		call, ok := o.Node.(*ast.CallExpr)
		if !ok || o.Kind != Call || c.fits(o, call, fn) != named {
			continue
		}
		at := trace.Frame{File: o.file.Path, Line: c.Fset.PositionFor(calledAt(call), false).Line}
		if found.File != "" && found != at {
			return trace.Frame{}
		}
		found = at
	}
	return found
}

// calledAt returns the position of the name that a call has: in a chain over several lines each has its own.
func calledAt(c *ast.CallExpr) token.Pos {
	fun := ast.Unparen(c.Fun)
	if i, ok := fun.(*ast.IndexExpr); ok {
		fun = i.X
	}
	if s, ok := fun.(*ast.SelectorExpr); ok {
		return s.Sel.Pos()
	}
	return c.Pos()
}
