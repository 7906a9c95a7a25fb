package suspect

import (
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
)

// near returns the names in the last common block of a divergence.
func (f *finder) near(d *divergence.Divergence) names {
	b, _ := d.LastCommon.Block()
	all, _ := f.src.names(b)
	return all
}

// looked returns the names in what is looked at where runs part: in the last
// common block, in the assignments of its function that its variables come from,
// and in the functions that are called in either, as far as they were run.
func (f *finder) looked(d *divergence.Divergence) names {
	b, ok := d.LastCommon.Block()
	if !ok {
		return names{}
	}
	return f.lookedAfter(b, d.Common)
}

// lookedAfter is looked for a block and what had been run before it.
func (f *finder) lookedAfter(b int, common []divergence.Count) names {
	fd, p := f.src.declaration(b)
	if fd == nil {
		return names{}
	}
	w := &flow{reader: f.src.readerOf(b), vars: names{}, called: names{}}
	w.take(fd.Body, func(n ast.Node) bool { return p.in(n.Pos(), f.Sites.Blocks[b]) })
	for range maxSteps {
		ast.Inspect(fd.Body, func(n ast.Node) bool {
			if n != nil && p.line(n.Pos()) <= f.Sites.Blocks[b].EndLine {
				for _, x := range w.sources(n) {
					w.take(x, func(ast.Node) bool { return true })
				}
			}
			return true
		})
	}
	for _, c := range common {
		name := f.Sites.Funcs[f.Sites.Blocks[c.Block].Func].Name
		if w.called[name[strings.LastIndexByte(name, '.')+1:]] {
			all, _ := f.src.names(c.Block)
			maps.Copy(w.all, all)
		}
	}
	return w.all
}

// maxSteps is how many assignments a value is followed back through.
const maxSteps = 3

// A flow follows what is looked at back to where it comes from.
type flow struct {
	*reader
	vars   names // variables of the function, as they are called there
	called names // functions and methods
}

// take takes in the nodes of a syntax tree of which within is true.
func (w *flow) take(root ast.Node, within func(ast.Node) bool) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil || !within(n) {
			return n != nil
		}
		w.node(n)
		switch n := n.(type) {
		case *ast.SelectorExpr:
			w.take(n.X, within) // the name of a field is no variable
			return false
		case *ast.Ident:
			w.vars[n.Name] = true
		case *ast.CallExpr:
			w.called[calledName(n)] = true
		}
		return true
	})
}

// sources returns what a statement sets one of the variables from.
func (w *flow) sources(n ast.Node) []ast.Expr {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if slices.ContainsFunc(n.Lhs, w.isVar) {
			return n.Rhs
		}
	case *ast.RangeStmt:
		if w.isVar(n.Key) || w.isVar(n.Value) {
			return []ast.Expr{n.X}
		}
	}
	return nil
}

func (w *flow) isVar(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name != "_" && w.vars[id.Name]
}
