package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// waitFor makes the statement at before wait until the goroutine has ended that the go statement
// at started starts, if both are in one function and the goroutine is started first. It removes a
// time.Sleep that was there instead of a wait.
func (p *Proposer) waitFor(started, before trace.Frame) (*Remedy, error) {
	w, err := p.waiting(started, before)
	if err != nil {
		return nil, err
	}
	sync, ok := w.imported("sync")
	if !ok {
		return nil, errNone
	}
	name := w.fresh("wg", "started", "background")
	w.insert(w.block.List[w.from].Pos(), fmt.Sprintf("var %s %s.WaitGroup\n", name, sync))
	was, now, ok := w.announce(w.g, name)
	if !ok {
		return nil, errNone
	}
	r, err := w.remedy("wait", name+".Wait()", "sync")
	if r != nil {
		r.Was, r.Now = was, now
	}
	return r, err
}

// A wait is an edit by which a statement waits for a goroutine.
type wait struct {
	*file
	started, before trace.Frame
	g               *ast.GoStmt
	block           *ast.BlockStmt // one of its statements starts the goroutine, and a later one comes too soon
	from, to        int
}

func (p *Proposer) waiting(started, before trace.Frame) (*wait, error) {
	if started.File == "" || started.File != before.File {
		return nil, errNone
	}
	f, err := p.open(started.File)
	if err != nil {
		return nil, err
	}
	w := &wait{file: f, started: started, before: before, g: f.goAt(started.Line)}
	w.block, w.from, w.to = f.common(started.Line, before.Line)
	if w.block == nil || w.g == nil || !f.direct(w.block.List[w.from], w.g) {
		return nil, errNone
	}
	return w, nil
}

// remedy makes the statement wait, instead of a time.Sleep before it.
func (w *wait) remedy(name, text string, imports ...string) (*Remedy, error) {
	words := fmt.Sprintf("wait at %s for the goroutine started at %s", w.before.At(), w.started.At())
	at := w.block.List[w.to]
	switch {
	case w.isSleep(at):
		w.replace(at, text)
		words += ", instead of time.Sleep"
	case w.to > w.from+1 && w.isSleep(w.block.List[w.to-1]):
		w.replace(w.block.List[w.to-1], text)
		words += ", instead of time.Sleep"
	default:
		w.insert(at.Pos(), text+"\n")
	}
	out, err := w.edited(imports...)
	if err != nil {
		return nil, err
	}
	return &Remedy{name: name, Words: words, Files: map[string][]byte{w.started.File: out}}, nil
}

// common returns the innermost block in which one statement includes the first line and a later
// one the second, and the two statements; nil if there is none.
func (f *file) common(first, second int) (block *ast.BlockStmt, from, to int) {
	for b := range syntax.Nodes[*ast.BlockStmt](f.Tree) {
		i, k := f.statement(b, first), f.statement(b, second)
		if i >= 0 && k > i {
			block, from, to = b, i, k
		}
	}
	return block, from, to
}

// statement returns the index of the statement of a block that includes a line, or -1.
func (f *file) statement(b *ast.BlockStmt, line int) int {
	for i, s := range b.List {
		if f.covers(s, line) {
			return i
		}
	}
	return -1
}

func (f *file) goAt(line int) *ast.GoStmt {
	for g := range syntax.Nodes[*ast.GoStmt](f.Tree) {
		if f.line(g) == line {
			return g
		}
	}
	return nil
}

// direct reports whether a go statement is in an outer statement, but not in a function literal
// in that.
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

// announce makes the goroutine counted before it begins, and when it ends. If that needs another
// go statement, announce returns the old and the new one.
func (f *file) announce(g *ast.GoStmt, name string) (was, now string, ok bool) {
	if lit, ok := g.Call.Fun.(*ast.FuncLit); ok {
		f.insert(g.Pos(), name+".Add(1)\n")
		f.insert(lit.Body.Lbrace+1, "\ndefer "+name+".Done()"+f.newline(lit.Body))
		return "", "", true
	}
	for _, a := range g.Call.Args { // they are evaluated later then
		if u, ok := a.(*ast.UnaryExpr); ok && u.Op == token.AND {
			a = u.X
		}
		switch a.(type) {
		case *ast.Ident, *ast.BasicLit, *ast.SelectorExpr:
		default:
			return "", "", false
		}
	}
	f.insert(g.Pos(), name+".Add(1)\n")
	f.replace(g.Call, fmt.Sprintf("func() {\ndefer %s.Done()\n%s\n}()", name, f.Text(g.Call)))
	return f.Text(g), "go func() {", true
}

// newline separates a statement from those of a body on one line.
func (f *file) newline(body *ast.BlockStmt) string {
	if len(body.List) > 0 && f.line(body.List[0]) == f.line(body) {
		return "\n"
	}
	return ""
}

func (f *file) isSleep(s ast.Stmt) bool {
	x, ok := s.(*ast.ExprStmt)
	spec := f.spec("time")
	return ok && spec != nil && strings.HasPrefix(f.Text(x), importName(spec)+".Sleep(")
}
