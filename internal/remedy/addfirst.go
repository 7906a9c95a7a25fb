package remedy

import (
	"bytes"
	"fmt"
	"go/ast"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// addFirst makes the code call Add on a WaitGroup before the go statement at a line. Now it calls
// Add later in the same block, or the goroutine itself calls it as its first statement. Wait may
// have returned by then, or Done have been called.
func (p *Proposer) addFirst(started trace.Frame) (*Remedy, error) {
	f, err := p.open(started.File)
	if err != nil {
		return nil, err
	}
	g := f.goAt(started.Line)
	if g == nil {
		return nil, errNone
	}
	add, was, now := f.addIn(g), "", ""
	if add != nil {
		was, now = f.Text(add), f.second(g) // the beginning of the goroutine then
	} else {
		add = f.addAfter(g)
	}
	if add == nil || !f.callsDone(add) {
		return nil, errNone
	}
	call, comment := f.Text(add), f.commentAfter(add)
	f.insert(g.Pos(), call+comment+"\n")
	f.drop(add, len(comment))
	text, err := f.edited()
	if err != nil {
		return nil, err
	}
	return &Remedy{
		name: "add-first", Words: fmt.Sprintf("call %s before the goroutine is started at %s", call, started.At()),
		Files: map[string][]byte{started.File: text}, Was: was, Now: now,
	}, nil
}

// addIn returns the call of Add with which the function of a go statement begins, or nil if it
// does not, or names something of its own.
func (f *file) addIn(g *ast.GoStmt) *ast.ExprStmt {
	lit, ok := g.Call.Fun.(*ast.FuncLit)
	if !ok || len(lit.Body.List) == 0 {
		return nil
	}
	s := f.isAdd(lit.Body.List[0])
	if s == nil || !f.outside(lit, s.X.(*ast.CallExpr).Fun) {
		return nil
	}
	return s
}

// second returns the first line of the second statement of the function literal of a go
// statement, or "" if there is none.
func (f *file) second(g *ast.GoStmt) string {
	list := g.Call.Fun.(*ast.FuncLit).Body.List
	if len(list) < 2 {
		return ""
	}
	line, _, _ := strings.Cut(f.Text(list[1]), "\n")
	return line
}

// addAfter returns the first call of Add after a go statement in its block.
func (f *file) addAfter(g *ast.GoStmt) (add *ast.ExprStmt) {
	for b := range syntax.Nodes[*ast.BlockStmt](f.Tree) {
		behind := false
		for _, s := range b.List {
			if behind && add == nil {
				add = f.isAdd(s)
			}
			behind = behind || s == ast.Stmt(g)
		}
	}
	return add
}

// callsDone reports whether the file calls Done on what a statement calls Add on, or on something
// with the same name, because a counter has an Add too.
func (f *file) callsDone(add *ast.ExprStmt) bool {
	of := lastName(add.X.(*ast.CallExpr).Fun.(*ast.SelectorExpr).X)
	for c := range syntax.Nodes[*ast.CallExpr](f.Tree) {
		if x, name := syntax.Called(c); x != nil && len(c.Args) == 0 && name == "Done" && lastName(x) == of {
			return true
		}
	}
	return false
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

// isAdd returns s if it is a call of Add with a number.
func (f *file) isAdd(s ast.Stmt) *ast.ExprStmt {
	x, ok := s.(*ast.ExprStmt)
	if !ok {
		return nil
	}
	c, ok := x.X.(*ast.CallExpr)
	if !ok || len(c.Args) != 1 {
		return nil
	}
	_, number := c.Args[0].(*ast.BasicLit)
	if sel, ok := c.Fun.(*ast.SelectorExpr); !ok || !number || sel.Sel.Name != "Add" || !plainName(sel) {
		return nil
	}
	return x
}

// commentAfter returns the comment at the end of a line after a statement, with the spaces before
// it.
func (f *file) commentAfter(s ast.Stmt) string {
	rest, _, _ := bytes.Cut(f.Src[f.offset(s.End()):], []byte("\n"))
	if !bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("//")) {
		return ""
	}
	return string(rest)
}

// drop removes a statement and more bytes after it, and its line if nothing else is there.
func (f *file) drop(s ast.Stmt, more int) {
	start, end := f.offset(s.Pos()), f.offset(s.End())+more
	for start > 0 && (f.Src[start-1] == ' ' || f.Src[start-1] == '\t') {
		start--
	}
	if end < len(f.Src) && f.Src[end] == '\n' && start > 0 && f.Src[start-1] == '\n' {
		end++
	}
	f.edits = append(f.edits, edit{start, end, ""})
}
