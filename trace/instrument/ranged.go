package instrument

import (
	"go/ast"
	"go/token"
)

// A range statement can range over a function, which calls the body, and types are not known
// here. So most range statements are not known to be call-free.

// isNoIterator reports whether x, the operand of a range statement, is certainly not a function.
func (r *rewriter) isNoIterator(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		from, ok := r.ranged[x.Name]
		return ok && from <= x.Pos()
	case *ast.BasicLit, *ast.CompositeLit, *ast.SliceExpr, *ast.BinaryExpr:
		return true
	case *ast.UnaryExpr:
		return x.Op != token.ARROW
	case *ast.CallExpr:
		return r.makesNoIterator(x)
	}
	return false
}

// makesNoIterator reports whether a call certainly returns neither a function nor
// a channel.
func (r *rewriter) makesNoIterator(c *ast.CallExpr) bool {
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		return r.isBuiltin(fun) && (fun.Name != "make" || len(c.Args) > 0 && r.isNoIteratorType(c.Args[0]))
	case *ast.ArrayType, *ast.MapType:
		return true
	}
	return false
}

// isNoIteratorType reports whether t is certainly the type of neither functions
// nor channels.
func (r *rewriter) isNoIteratorType(t ast.Expr) bool {
	switch t := ast.Unparen(t).(type) {
	case *ast.ArrayType, *ast.MapType, *ast.Ellipsis:
		return true
	case *ast.StarExpr:
		_, ok := ast.Unparen(t.X).(*ast.ArrayType)
		return ok
	case *ast.Ident:
		return r.isBuiltin(t)
	}
	return false
}

// rangedIn returns the parameters and variables of a function that are certainly not iterators,
// with the position from which on the name means them. They are declared for the whole body, or
// the rest of it, by a name that nothing else in it has.
func (r *rewriter) rangedIn(d *ast.FuncDecl) map[string]token.Pos {
	from := make(map[string]token.Pos)
	for _, list := range []*ast.FieldList{d.Type.Params, d.Type.Results} {
		if list == nil {
			continue
		}
		for _, f := range list.List {
			r.rangedAs(f.Names, f.Type, d.Body, from)
		}
	}
	for _, s := range d.Body.List {
		r.rangedBy(s, from)
	}
	times := make(map[string]int)
	eachDeclared(d, func(id *ast.Ident) { times[id.Name]++ })
	for name := range from {
		if times[name] > 1 {
			delete(from, name)
		}
	}
	return from
}

// rangedAs enters names whose type is certainly neither a function nor a channel, valid from the position at
// which scope begins.
func (r *rewriter) rangedAs(names []*ast.Ident, typ ast.Expr, scope ast.Node, from map[string]token.Pos) {
	for _, id := range names {
		if typ != nil && r.isNoIteratorType(typ) {
			from[id.Name] = scope.Pos()
		}
	}
}

// rangedBy adds the variables that a statement of the body declares.
func (r *rewriter) rangedBy(s ast.Stmt, from map[string]token.Pos) {
	switch s := s.(type) {
	case *ast.AssignStmt:
		for i, x := range s.Lhs {
			id, ok := x.(*ast.Ident)
			if ok && s.Tok == token.DEFINE && len(s.Lhs) == len(s.Rhs) && r.isNoIterator(s.Rhs[i]) {
				from[id.Name] = s.End()
			}
		}
	case *ast.DeclStmt:
		for _, spec := range s.Decl.(*ast.GenDecl).Specs {
			if v, ok := spec.(*ast.ValueSpec); ok {
				r.rangedAs(v.Names, v.Type, &ast.BadExpr{From: s.End()}, from)
			}
		}
	}
}

// eachDeclared calls f with each name that is declared in n, at any depth.
func eachDeclared(n ast.Node, f func(*ast.Ident)) {
	add := func(x ast.Node) {
		if id, ok := x.(*ast.Ident); ok {
			f(id)
		}
	}
	fields := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, id := range field.Names {
				add(id)
			}
		}
	}
	for n := range ast.Preorder(n) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			fields(n.Recv)
		case *ast.FuncType:
			fields(n.TypeParams)
			fields(n.Params)
			fields(n.Results)
		case *ast.TypeSpec:
			add(n.Name)
			fields(n.TypeParams)
		case *ast.ValueSpec:
			for _, id := range n.Names {
				add(id)
			}
		case *ast.AssignStmt:
			for _, x := range n.Lhs {
				if n.Tok == token.DEFINE {
					add(x)
				}
			}
		case *ast.RangeStmt:
			if n.Tok == token.DEFINE {
				add(n.Key)
				add(n.Value)
			}
		}
	}
}
