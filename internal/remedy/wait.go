package remedy

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
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

// receive is waitFor if the goroutine already signals its end, by closing a channel or by the
// Done of a WaitGroup, and nothing waits for that at that point.
func (p *Proposer) receive(started, before trace.Frame) (*Remedy, error) {
	w, err := p.waiting(started, before)
	if err != nil {
		return nil, err
	}
	told := w.told(w.g)
	if told == "" {
		return nil, errNone
	}
	for _, s := range w.block.List[w.to+1:] { // it comes too late there
		if x, ok := s.(*ast.ExprStmt); ok && w.Text(x) == told {
			w.drop(x, len(w.commentAfter(x)))
			break
		}
	}
	return w.remedy("receive", told)
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

// told returns the statement that waits for a goroutine's signal that it ends: it closes a
// channel, or calls Done, in a defer statement or as the last statement. What it names must be
// known outside the goroutine.
func (f *file) told(g *ast.GoStmt) string {
	lit := literal(g.Call.Fun)
	if lit == nil || len(lit.Body.List) == 0 {
		return ""
	}
	var calls []*ast.CallExpr
	for i, s := range lit.Body.List {
		switch s := s.(type) {
		case *ast.DeferStmt:
			calls = append(calls, s.Call)
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok && i == len(lit.Body.List)-1 {
				calls = append(calls, c)
			}
		}
	}
	for _, c := range calls {
		if fun, ok := c.Fun.(*ast.Ident); ok && fun.Name == "close" && len(c.Args) == 1 && f.outside(lit, c.Args[0]) {
			return "<-" + f.Text(c.Args[0])
		}
		if s, ok := c.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Done" && len(c.Args) == 0 && f.outside(lit, s.X) {
			return f.Text(s.X) + ".Wait()"
		}
	}
	return ""
}

// literal returns the function literal that an expression is, or that was assigned in the
// declaration of the local variable it names; nil if there is none.
func literal(x ast.Expr) *ast.FuncLit {
	if id, ok := x.(*ast.Ident); ok && id.Obj != nil {
		if a, ok := id.Obj.Decl.(*ast.AssignStmt); ok && len(a.Lhs) == 1 && len(a.Rhs) == 1 {
			x = a.Rhs[0]
		}
	}
	lit, _ := x.(*ast.FuncLit)
	return lit
}

// outside reports whether an expression is a name, or a field of one, that a function literal
// does not declare.
func (f *file) outside(lit *ast.FuncLit, x ast.Expr) bool {
	if !plainName(x) {
		return false
	}
	for {
		s, ok := x.(*ast.SelectorExpr)
		if !ok {
			break
		}
		x = s.X
	}
	return !declares(lit, x.(*ast.Ident).Name)
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

// declares reports whether a function literal declares a name: as a parameter, or in its body.
func declares(lit *ast.FuncLit, name string) bool {
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && id.Name == name
	}
	named := func(ids []*ast.Ident) bool {
		return slices.ContainsFunc(ids, func(id *ast.Ident) bool { return id.Name == name })
	}
	for n := range ast.Preorder(lit) {
		found := false
		switch n := n.(type) {
		case *ast.Field:
			found = named(n.Names)
		case *ast.ValueSpec:
			found = named(n.Names)
		case *ast.RangeStmt:
			found = n.Tok == token.DEFINE && (is(n.Key) || is(n.Value))
		case *ast.AssignStmt:
			found = n.Tok == token.DEFINE && slices.ContainsFunc(n.Lhs, is)
		}
		if found {
			return true
		}
	}
	return false
}
