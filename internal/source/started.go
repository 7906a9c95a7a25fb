package source

import "go/ast"

// Started returns the user's function, a declaration or a literal, that a go statement in a line
// of a file runs; nil if there is none, or if there are several.
func (x *Index) Started(path string, line int) (start *Op, fn ast.Node) {
	starts := x.Lines(path, line, line, Go)
	if len(starts) != 1 {
		return nil, nil
	}
	return starts[0], x.runs(starts[0])
}

// runs returns the user's function that a go statement runs.
func (x *Index) runs(start *Op) ast.Node {
	if d := x.funcOf(start.Obj()); d != nil {
		return d
	}
	if call, ok := start.Node.(*ast.CallExpr); ok {
		if lit, ok := ast.Unparen(call.Fun).(*ast.FuncLit); ok {
			return lit
		}
	}
	return nil
}
