package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
)

// sortedKeys has the range statement at a line go through sorted keys. It is left alone
// if what it goes through is not just a name, or may be changed by the body: a loop over
// the keys of before would see what the loop over the map does not.
func (p *Proposer) sortedKeys(at Site) (*Remedy, error) {
	f, err := p.open(at.File)
	if err != nil {
		return nil, err
	}
	loop := f.rangeAt(at.Line)
	if loop == nil || !plainName(loop.X) || loop.Tok != token.DEFINE || changes(loop.Body, f.text(loop.X), f) {
		return nil, errNone
	}
	maps, ok1 := f.imported("maps")
	sorted, ok2 := f.imported("slices")
	if !ok1 || !ok2 {
		return nil, errNone
	}
	over := f.text(loop.X)
	key := f.text(loop.Key)
	if key == "_" {
		key = f.fresh("key", "k")
	}
	head := fmt.Sprintf("for _, %s := range %s.Sorted(%s.Keys(%s)) {", key, sorted, maps, over)
	if v, ok := loop.Value.(*ast.Ident); ok && v.Name != "_" {
		head += fmt.Sprintf("\n%s := %s[%s]", v.Name, over, key)
	}
	f.edits = append(f.edits, edit{f.offset(loop.For), f.offset(loop.Body.Lbrace) + 1, head})
	text, err := f.edited("maps", "slices")
	if err != nil {
		return nil, err
	}
	return &Remedy{
		name: "sorted-keys", Words: fmt.Sprintf("go through %s at %s in the order of its keys", over, at),
		Files: map[string][]byte{at.File: text},
	}, nil
}

// rangeAt returns the range statement with a key whose head is at a line.
func (f *file) rangeAt(line int) *ast.RangeStmt {
	var found *ast.RangeStmt
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if r, ok := n.(*ast.RangeStmt); ok && r.Key != nil && f.line(r) <= line && line <= f.fset.Position(r.Body.Lbrace).Line {
			found = r
		}
		return true
	})
	return found
}

// plainName reports whether an expression is a name, or a field of one: to evaluate it
// again does nothing.
func plainName(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plainName(x.X)
	}
	return false
}

// changes reports whether a body assigns to a map, or to one of its elements, deletes
// from it or clears it.
func changes(body *ast.BlockStmt, name string, f *file) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if x, ok := l.(*ast.IndexExpr); ok {
					l = x.X
				}
				found = found || f.text(l) == name
			}
		case *ast.CallExpr:
			fun, ok := n.Fun.(*ast.Ident)
			found = found || ok && (fun.Name == "delete" || fun.Name == "clear") && len(n.Args) > 0 && f.text(n.Args[0]) == name
		}
		return !found
	})
	return found
}
