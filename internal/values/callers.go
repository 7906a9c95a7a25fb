package values

import (
	"go/ast"
	"go/types"
)

// maxCallers is how many calls of one function are followed.
const maxCallers = 8

// A callSite is a call of a function of the module.
type callSite struct {
	file *file
	fn   *ast.FuncDecl // in which it stands
	call *ast.CallExpr
}

// callersOf returns the calls of a declared function, by types.Func.FullName.
func (c *chooser) callersOf(name string) []callSite {
	if c.callers == nil {
		c.callers = make(map[string][]callSite)
		for _, rel := range c.order() {
			f := c.prog.files[rel]
			for _, d := range f.ast.Decls {
				if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil {
					c.callsIn(f, fd)
				}
			}
		}
	}
	return c.callers[name]
}

func (c *chooser) callsIn(f *file, fd *ast.FuncDecl) {
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if callee := f.callee(call); callee != nil {
			name := callee.Origin().FullName()
			if c.prog.funcs[name] != nil && len(c.callers[name]) < maxCallers && c.wasRun(f, fd) {
				c.callers[name] = append(c.callers[name], callSite{f, fd, call})
			}
		}
		return true
	})
}

// passed follows a parameter to what callers that were run pass for it.
func (s *originSearch) passed(f *file, fn ast.Node, v *types.Var, depth int) {
	fd, ok := fn.(*ast.FuncDecl)
	if !ok || s.wide {
		return
	}
	i := paramIndex(f, fd, v)
	decl, known := f.info.Defs[fd.Name].(*types.Func)
	if i < 0 || !known {
		return
	}
	for _, at := range s.c.callersOf(decl.FullName()) {
		if i < len(at.call.Args) {
			s.expr(at.file, at.fn, at.call.Args[i], depth)
		}
	}
}

// paramIndex returns which parameter of a function v is, -1 if it is none.
func paramIndex(f *file, fd *ast.FuncDecl, v *types.Var) int {
	i := 0
	for _, field := range fd.Type.Params.List {
		for _, name := range field.Names {
			if f.info.Defs[name] == v {
				return i
			}
			i++
		}
	}
	return -1
}
