package values

import (
	"go/ast"
	"go/token"
	"go/types"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace/instrument"
)

// sources adds the expressions of a file by which values enter from outside the program: the clock,
// random numbers, files.
func (c *chooser) sources(f *file) {
	for _, d := range f.Tree.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			continue
		}
		c.sourcesIn(f, fd, untouchable(fd))
	}
}

// untouchable returns the calls of go and defer statements, which run later and must not be changed.
func untouchable(fd *ast.FuncDecl) map[ast.Node]bool {
	skip := make(map[ast.Node]bool)
	for n := range ast.Preorder(fd) {
		switch n := n.(type) {
		case *ast.GoStmt:
			skip[n.Call] = true
		case *ast.DeferStmt:
			skip[n.Call] = true
		}
	}
	return skip
}

// sourcesIn adds the sources in a function declaration, and in the literals in it that ran.
func (c *chooser) sourcesIn(f *file, fn ast.Node, skip map[ast.Node]bool) {
	was := c.wasRun(fn)
	ast.Inspect(source.BodyOf(fn), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			c.sourcesIn(f, n, skip)
			return false
		case *ast.RangeStmt:
			if was && !c.orderless(f, n) {
				c.rangeKeys(f, n)
			}
		case *ast.CallExpr:
			if lit := f.mapRange(n); lit != nil && c.wasRun(lit) {
				c.callbackKeys(f, n, lit)
			}
			if origin := c.origin(n); was && origin != "" && origin != "a pool" && !skip[n] {
				c.wrap(f, n, divergence.ValueSite{Kind: divergence.ValueCall, Source: origin})
			}
		}
		return true
	})
}

// origin says what a call brings in from outside, or "" for nothing.
func (c *chooser) origin(call *ast.CallExpr) string {
	for _, o := range c.prog.In(call, source.Draw) {
		if o.Node == ast.Node(call) {
			return o.Origin
		}
	}
	return ""
}

// orderless reports whether everything that a range over a map collects is sorted afterwards, so
// that the order of its keys does not matter.
func (c *chooser) orderless(f *file, r *ast.RangeStmt) bool {
	if t := f.Info.TypeOf(r.X); t == nil {
		return false
	} else if _, isMap := t.Underlying().(*types.Map); !isMap {
		return false
	}
	gathers, rest := false, false
	counters := make(map[*types.Var]bool)
	ast.Inspect(r.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			v := f.appended(n)
			if v == nil {
				v = f.filled(n, counters)
			}
			if v != nil && c.prog.Sorted(v) {
				gathers = true
			} else if n.Tok != token.DEFINE {
				rest = true
			}
		case *ast.IncDecStmt:
			id, _ := n.X.(*ast.Ident)
			rest = rest || id == nil || !counters[f.variable(id)]
		case *ast.ReturnStmt, *ast.BranchStmt, *ast.SendStmt, *ast.ExprStmt:
			rest = true
		}
		return true
	})
	return gathers && !rest
}

// variable returns the variable that an identifier stands for, or nil.
func (f *file) variable(id *ast.Ident) *types.Var {
	v, _ := f.Info.Uses[id].(*types.Var)
	return v
}

// filled returns the variable in v[i] = ..., or nil for other statements, and adds i to the
// counters.
func (f *file) filled(n *ast.AssignStmt, counters map[*types.Var]bool) *types.Var {
	if len(n.Lhs) != 1 || n.Tok != token.ASSIGN {
		return nil
	}
	x, ok := n.Lhs[0].(*ast.IndexExpr)
	if !ok {
		return nil
	}
	id, named := x.X.(*ast.Ident)
	i, counted := x.Index.(*ast.Ident)
	if !named || !counted {
		return nil
	}
	counters[f.variable(i)] = true
	return f.variable(id)
}

// appended returns the variable in v = append(v, ...), or nil for other statements.
func (f *file) appended(n *ast.AssignStmt) *types.Var {
	if len(n.Lhs) != 1 || len(n.Rhs) != 1 {
		return nil
	}
	call, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
	if !ok {
		return nil
	}
	id, ok := ast.Unparen(n.Lhs[0]).(*ast.Ident)
	if fun, isIdent := call.Fun.(*ast.Ident); !ok || !isIdent || fun.Name != "append" {
		return nil
	}
	return f.variable(id)
}

// wasRun reports whether to look for sources in a function.
func (c *chooser) wasRun(fn ast.Node) bool { return c.run[c.prog.FuncIndex(source.BodyOf(fn))] }

// rangeKeys adds the keys of a range over a map, or the values of one over a channel. A key
// without a name gets one: "_" becomes "_fdebugkey", and "range" becomes "_fdebugkey := range".
func (c *chooser) rangeKeys(f *file, s *ast.RangeStmt) {
	kind, source := c.rangeKind(f, s.X)
	if kind == "" {
		return
	}
	var probe instrument.ValueProbe
	body := f.offset(s.Body.Lbrace) + 1
	switch key := s.Key.(type) {
	case nil:
		at := f.offset(s.Range)
		probe = instrument.ValueProbe{Start: at, End: at, Body: body, Declare: nameless + " := ", Key: nameless}
	case *ast.Ident:
		if key.Name == "_" && s.Tok != token.DEFINE {
			return
		}
		probe = keyProbe(f, key, body)
	default:
		return
	}
	c.add(f, s, probe, divergence.ValueSite{Kind: kind, Expr: f.text(s.X), Source: source})
}

func (c *chooser) rangeKind(f *file, x ast.Expr) (kind divergence.ValueKind, source string) {
	if call, ok := ast.Unparen(x).(*ast.CallExpr); ok && c.origin(call) == "map order" {
		return divergence.ValueKey, "map order"
	}
	if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && f.isMapRange(sel) {
		return divergence.ValueKey, "map order"
	}
	t := f.Info.TypeOf(x)
	if t == nil {
		return "", ""
	}
	switch t.Underlying().(type) {
	case *types.Map:
		return divergence.ValueKey, "map order"
	case *types.Chan:
		return divergence.ValueReceived, "a channel"
	}
	return "", ""
}
