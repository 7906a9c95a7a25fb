package remedy

import (
	"fmt"
	"go/ast"
	"strings"
)

// waitFor has what stands at before wait until the goroutine has ended that the go
// statement at started starts, if both stand in one function and the goroutine is
// started first. A time.Sleep that stood for the wait goes.
func (p *Proposer) waitFor(started, before Site) (*Remedy, error) {
	if started.File == "" || started.File != before.File {
		return nil, errNone
	}
	f, err := p.open(started.File)
	if err != nil {
		return nil, err
	}
	block, from, to := f.common(started.Line, before.Line)
	g := f.goAt(started.Line)
	if block == nil || g == nil || !f.direct(block.List[from], g) {
		return nil, errNone
	}
	sync, ok := f.imported("sync")
	if !ok {
		return nil, errNone
	}
	name := f.fresh("wg", "started", "background")
	f.insert(block.List[from].Pos(), fmt.Sprintf("var %s %s.WaitGroup\n", name, sync))
	if !f.announce(g, name) {
		return nil, errNone
	}
	words := fmt.Sprintf("wait at %s for the goroutine started at %s", before, started)
	at := block.List[to]
	switch wait := name + ".Wait()"; {
	case f.isSleep(at):
		f.replace(at, wait)
		words += ", instead of time.Sleep"
	case to > from+1 && f.isSleep(block.List[to-1]):
		f.replace(block.List[to-1], wait)
		words += ", instead of time.Sleep"
	default:
		f.insert(at.Pos(), wait+"\n")
	}
	text, err := f.edited("sync")
	if err != nil {
		return nil, err
	}
	return &Remedy{name: "wait", Words: words, Files: map[string][]byte{started.File: text}}, nil
}

// common returns the innermost block in which one statement has the first line and a
// later one the second, and the two statements; nil if there is none.
func (f *file) common(first, second int) (block *ast.BlockStmt, from, to int) {
	ast.Inspect(f.ast, func(n ast.Node) bool {
		b, ok := n.(*ast.BlockStmt)
		if !ok {
			return true
		}
		i, k := f.statement(b, first), f.statement(b, second)
		if i >= 0 && k > i {
			block, from, to = b, i, k
		}
		return true
	})
	return block, from, to
}

// statement returns the index of the statement of a block that has a line, -1 if none has.
func (f *file) statement(b *ast.BlockStmt, line int) int {
	for i, s := range b.List {
		if f.covers(s, line) {
			return i
		}
	}
	return -1
}

func (f *file) goAt(line int) *ast.GoStmt {
	var found *ast.GoStmt
	ast.Inspect(f.ast, func(n ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok && f.line(g) == line {
			found = g
		}
		return found == nil
	})
	return found
}

// direct reports whether a go statement is reached in the function of an outer
// statement, and not in a function literal of it.
func (f *file) direct(outer ast.Stmt, g *ast.GoStmt) bool {
	found := false
	ast.Inspect(outer, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		found = found || n == ast.Node(g)
		return !found
	})
	return found
}

// announce has the goroutine counted before it begins, and when it ends.
func (f *file) announce(g *ast.GoStmt, name string) bool {
	if lit, ok := g.Call.Fun.(*ast.FuncLit); ok {
		f.insert(g.Pos(), name+".Add(1)\n")
		f.insert(lit.Body.Lbrace+1, "\ndefer "+name+".Done()"+f.newline(lit.Body))
		return true
	}
	for _, a := range g.Call.Args { // they are evaluated later then
		switch a.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.SelectorExpr:
		default:
			return false
		}
	}
	f.insert(g.Pos(), name+".Add(1)\n")
	f.replace(g.Call, fmt.Sprintf("func() {\ndefer %s.Done()\n%s\n}()", name, f.text(g.Call)))
	return true
}

// newline is what parts a statement from those of a body on one line.
func (f *file) newline(body *ast.BlockStmt) string {
	if len(body.List) > 0 && f.line(body.List[0]) == f.line(body) {
		return "\n"
	}
	return ""
}

func (f *file) isSleep(s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	return ok && strings.HasPrefix(f.text(x), "time.Sleep(")
}
