package remedy

import (
	"go/ast"
	"go/token"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// unsortable returns the type parameter that is the type of the keys of the map that is ranged
// over on a line, if it is only comparable. Such keys cannot be compared with <, and nothing
// there says what else could order them. It also returns "" if the function's own source does not
// show the type.
func (p *Proposer) unsortable(at trace.Frame) string {
	f, err := p.open(at.File)
	if err != nil {
		return ""
	}
	for _, d := range f.Tree.Decls {
		fun, ok := d.(*ast.FuncDecl)
		if !ok || fun.Body == nil || !f.covers(fun, at.Line) {
			continue
		}
		if over := rangedIn(fun.Body, func(n ast.Node) bool { return f.line(n) == at.Line }); over != "" {
			return comparableKey(fun, over)
		}
	}
	return ""
}

// rangedIn returns the operand of the only range statement that meant accepts, if it is a
// variable; "" if there is none, or more than one.
func rangedIn(body ast.Node, meant func(ast.Node) bool) string {
	var names []string
	for loop := range syntax.Nodes[*ast.RangeStmt](body) {
		if meant(loop) {
			name := ""
			if x, ok := ast.Unparen(loop.X).(*ast.Ident); ok {
				name = x.Name
			}
			names = append(names, name)
		}
	}
	if len(names) != 1 {
		return ""
	}
	return names[0]
}

// comparableKey returns the type parameter that is the type of a map's keys, by the name of the
// map's variable, if it is only comparable.
func comparableKey(fun *ast.FuncDecl, name string) string {
	types := declared(fun, name)
	if len(types) != 1 {
		return "" // which one is meant, or its type, is unknown
	}
	params := fun.Type.TypeParams
	t := types[0]
	if c := constraint(params, t); c != nil { // Map ~map[K]V
		if x, ok := c.(*ast.UnaryExpr); ok && x.Op == token.TILDE {
			c = x.X
		}
		t = c
	}
	m, ok := t.(*ast.MapType)
	if !ok {
		return ""
	}
	if c, ok := constraint(params, m.Key).(*ast.Ident); ok && c.Name == "comparable" {
		return m.Key.(*ast.Ident).Name
	}
	return ""
}

// constraint returns the constraint of a type parameter, or nil if t is not one of params.
func constraint(params *ast.FieldList, t ast.Expr) ast.Expr {
	id, ok := t.(*ast.Ident)
	if !ok || params == nil {
		return nil
	}
	for _, f := range params.List {
		for _, n := range f.Names {
			if n.Name == id.Name {
				return f.Type
			}
		}
	}
	return nil
}

// declared returns the types of all variables with a name in a function, including its
// parameters; nil stands for a type that is not written there.
func declared(fun *ast.FuncDecl, name string) (types []ast.Expr) {
	add := func(n ast.Expr, t ast.Expr) {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			types = append(types, t)
		}
	}
	for n := range ast.Preorder(fun) {
		switch n := n.(type) {
		case *ast.Field:
			for _, id := range n.Names {
				add(id, n.Type)
			}
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id, n.Type)
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key, nil)
				add(n.Value, nil)
			}
		case *ast.AssignStmt:
			for i, id := range n.Lhs {
				switch {
				case n.Tok != token.DEFINE:
				case len(n.Lhs) == len(n.Rhs):
					add(id, made(n.Rhs[i]))
				default:
					add(id, nil)
				}
			}
		}
	}
	return types
}

// made returns the type that make or a composite literal makes, or nil for anything else.
func made(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.CompositeLit:
		return x.Type
	case *ast.CallExpr:
		if f, ok := x.Fun.(*ast.Ident); ok && f.Name == "make" && len(x.Args) > 0 {
			return x.Args[0]
		}
	}
	return nil
}
