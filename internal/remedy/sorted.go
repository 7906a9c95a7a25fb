package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// sortedKeys makes the range statement at a line iterate over sorted keys. It leaves the
// statement alone if the body may change the map: a loop over the earlier keys would see what the
// loop over the map does not. An operand that is not just a name, such as a call that returns a
// map, is evaluated once, as before.
func (p *Proposer) sortedKeys(at trace.Frame) (*Remedy, error) {
	f, err := p.open(at.File)
	if err != nil {
		return nil, err
	}
	loop, labelled := f.rangeAt(at.Line)
	if loop == nil || loop.Tok != token.DEFINE || changes(loop.Body, f.Text(loop.X), f) ||
		!p.hasSortedKeys(at.File) {
		return nil, errNone
	}
	maps, ok1 := f.imported("maps")
	sorted, ok2 := f.imported("slices")
	if !ok1 || !ok2 {
		return nil, errNone
	}
	of := loop.X
	keys := maps + ".Keys("
	if c := f.callOf(of, maps+".Keys", maps+".All"); c != nil {
		of = c.Args[0]
	}
	over, key := f.Text(of), f.Text(loop.Key)
	if key == "_" {
		key = f.fresh("key", "k")
	}
	value, ok := loop.Value.(*ast.Ident)
	hasValue := ok && value.Name != "_"
	words := fmt.Sprintf("go through %s at %s in the order of its keys", over, at.At())
	if hasValue && !plainName(of) {
		if labelled {
			return nil, errNone // a label belongs to the statement after it
		}
		name := f.fresh("entries", "all")
		f.insert(loop.Pos(), fmt.Sprintf("%s := %s\n", name, over))
		over = name
	}
	head := fmt.Sprintf("for _, %s := range %s.Sorted(%s%s))", key, sorted, keys, over)
	was := string(f.Src[f.offset(loop.For):f.offset(loop.X.End())])
	now := head
	if head += " {"; hasValue {
		head += fmt.Sprintf("\n%s := %s[%s]", value.Name, over, key)
	}
	f.edits = append(f.edits, edit{f.offset(loop.For), f.offset(loop.Body.Lbrace) + 1, head})
	text, err := f.edited("maps", "slices")
	if err != nil {
		return nil, err
	}
	return &Remedy{name: "sorted-keys", Words: words, Files: map[string][]byte{at.File: text}, Was: was, Now: now}, nil
}

// loopsOver returns the lines of range statements over the result of the function that has a
// return statement at a line. The order is drawn after the function's last statement and before
// any other of its caller.
func (p *Proposer) loopsOver(at trace.Frame, files []string) (list []trace.Frame) {
	f, err := p.open(at.File)
	if err != nil {
		return nil
	}
	name := f.returning(at.Line)
	for _, in := range files {
		f, err := p.open(in)
		if name == "" || err != nil {
			continue
		}
		for r := range syntax.Nodes[*ast.RangeStmt](f.Tree) {
			if c, ok := r.X.(*ast.CallExpr); ok && plainName(c.Fun) && lastName(c.Fun) == name {
				list = append(list, trace.Frame{File: in, Line: f.line(r)})
			}
		}
	}
	return list
}

// returning returns the name of the function that has a return statement at a line, outside
// function literals.
func (f *file) returning(line int) (name string) {
	for _, d := range f.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Body == nil {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && f.line(r) == line {
				name = fn.Name.Name
			}
			_, literal := n.(*ast.FuncLit)
			return !literal
		})
	}
	return name
}

// callOf returns x if it is a call, with one argument, of a function that has one of the names,
// else nil.
func (f *file) callOf(x ast.Expr, names ...string) *ast.CallExpr {
	c, ok := x.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 || !slices.Contains(names, f.Text(c.Fun)) {
		return nil
	}
	return c
}

// rangeAt returns the range statement with a key whose head is at a line, and whether it has a
// label.
func (f *file) rangeAt(line int) (found *ast.RangeStmt, labelled bool) {
	var label ast.Stmt
	for n := range ast.Preorder(f.Tree) {
		if l, ok := n.(*ast.LabeledStmt); ok {
			label = l.Stmt
		}
		if r, ok := n.(*ast.RangeStmt); ok && r.Key != nil && f.line(r) <= line &&
			line <= f.Set.Position(r.Body.Lbrace).Line {
			found, labelled = r, label == ast.Stmt(r)
		}
	}
	return found, labelled
}

// lastName is the last part of a plain name.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	}
	return ""
}

// plainName reports whether an expression is a name, or a field of one, so that evaluating it
// again has no effect.
func plainName(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return plainName(x.X)
	}
	return false
}

// changes reports whether a body assigns to a map, or to one of its elements, deletes from it or
// clears it.
func changes(body *ast.BlockStmt, name string, f *file) bool {
	for a := range syntax.Nodes[*ast.AssignStmt](body) {
		for _, l := range a.Lhs {
			if x, ok := l.(*ast.IndexExpr); ok {
				l = x.X
			}
			if f.Text(l) == name {
				return true
			}
		}
	}
	for c := range syntax.Nodes[*ast.CallExpr](body) {
		of, fun := syntax.Called(c)
		if of == nil && (fun == "delete" || fun == "clear") && len(c.Args) > 0 && f.Text(c.Args[0]) == name {
			return true
		}
	}
	return false
}
