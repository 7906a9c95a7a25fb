package suspect

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// limitGiven takes in where a limit of time that was reached at block b is
// given: a helper that waits is handed it, and its caller chose it.
func (f *finder) limitGiven(d *divergence.Divergence, b int, why string) {
	k := len(d.Path) - 1
	for k >= 0 && !f.src.sameFunction(d.Path[k].Block, b) {
		k--
	}
	if k < 1 {
		return
	}
	param := f.src.limitParam(b)
	for ; param >= 0 && k >= 1; k-- {
		arg, p := f.src.argument(d.Path[k].Block, d.Path[k-1].Block, param)
		if arg == nil {
			return
		}
		if param = f.src.paramIn(d.Path[k-1].Block, arg); param < 0 {
			f.add(finding.Suspect{File: f.file(d.Path[k-1].Block), Start: p.line(arg.Pos()), End: p.line(arg.Pos()), Score: 0.86, Why: why})
		}
	}
}

// limitParam returns which parameter of the function around a block is the limit
// of time that it sets, -1 if none is.
func (s *source) limitParam(b int) int {
	fd, _ := s.declaration(b)
	if fd == nil {
		return -1
	}
	param := -1
	ast.Inspect(fd.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && setsLimit(call) {
			for _, x := range call.Args {
				param = max(param, s.paramIn(b, x))
			}
		}
		return param < 0
	})
	return param
}

// setsLimit reports whether a call is for something that ends after a time.
func setsLimit(call *ast.CallExpr) bool {
	name := calledName(call)
	return name == "NewTimer" || name == "After" || strings.HasPrefix(name, "WithTimeout") || strings.HasPrefix(name, "WithDeadline")
}

// calledName returns the name of the function or method that is called.
func calledName(call *ast.CallExpr) string {
	switch fun := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return fun.Name
	case *ast.SelectorExpr:
		return fun.Sel.Name
	}
	return ""
}

// declaration returns the function declaration around a block, nil if there is none.
func (s *source) declaration(b int) (*ast.FuncDecl, *parsed) {
	p := s.parse(b)
	if p == nil {
		return nil, nil
	}
	for _, d := range p.ast.Decls {
		if fd, ok := d.(*ast.FuncDecl); ok && fd.Body != nil && p.around(fd, s.sites.Blocks[b]) {
			return fd, p
		}
	}
	return nil, nil
}

// paramIn returns which parameter of the function around a block an expression
// is, -1 if it is none.
func (s *source) paramIn(b int, x ast.Expr) int {
	fd, _ := s.declaration(b)
	id, ok := ast.Unparen(x).(*ast.Ident)
	if fd == nil || !ok {
		return -1
	}
	return slices.Index(paramNames(fd), id.Name)
}

func paramNames(fd *ast.FuncDecl) (list []string) {
	for _, field := range fd.Type.Params.List {
		for _, name := range field.Names {
			list = append(list, name.Name)
		}
	}
	return list
}

// argument returns what is passed for a parameter of the function around block
// b where block from calls it, nil if that is not found.
func (s *source) argument(b, from, param int) (arg ast.Expr, p *parsed) {
	fd, _ := s.declaration(b)
	caller, p := s.declaration(from)
	if fd == nil || caller == nil {
		return nil, nil
	}
	ast.Inspect(caller.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if ok && calledName(call) == fd.Name.Name && param < len(call.Args) && p.in(call.Pos(), s.sites.Blocks[from]) {
			arg = call.Args[param]
		}
		return arg == nil
	})
	return arg, p
}
