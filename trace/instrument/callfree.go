package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"

	"github.com/fdebug/fdebug/trace"
)

// Code is call-free if no other probe of the goroutine can run between its own ones:
// it calls nothing that the user wrote, nor what might call that. In the body of
// a call-free function, or in a call-free loop, the position in the trace is held in a
// local variable, and thus in a register: a sieve costs a third less per event.
//
// Where a new block begins, a wrong guess about a name (a variable called max
// that is a function) costs a block. Here it would cost events, so that a name
// must not be declared anywhere that it could be seen from.

// plainCall reports whether a name is that of a builtin or type of which a call
// is call-free.
func plainCall(name string) bool { return plainCalls[name] && name != "recover" }

// mayBeCallFree reports whether call-free code is treated as such. A panic in it must
// be seen by the runtime, and value probes are calls.
func (r *rewriter) mayBeCallFree() bool {
	return r.names.callFree && !r.names.calls && !r.names.fallback && len(r.names.values) == 0
}

// hasPoolCleanup reports whether the code in scope can have a function that the
// collector calls wherever memory is allocated, call-free code included: package sync
// itself, or what reaches for its hook by go:linkname.
func (w *writer) hasPoolCleanup(pkgs []*listed) bool {
	for _, p := range pkgs {
		if !p.inScope(w.cfg.Instrument) {
			continue
		}
		for _, name := range p.files(w.below[p.ImportPath]) {
			src, err := os.ReadFile(w.content(name))
			if err != nil || bytes.Contains(src, []byte("registerPoolCleanup")) {
				return true
			}
		}
	}
	return false
}

// isCallFree reports whether n, a body or a loop, is call-free. labels are its own.
func (r *rewriter) isCallFree(n ast.Node, labels ...string) bool {
	q := callFreeScan{r: r, labels: make(map[string]bool)}
	for _, l := range labels {
		q.labels[l] = true
	}
	ast.Inspect(n, q.visit)
	return !q.calls
}

// A callFreeScan is what is known of code after a part of it.
type callFreeScan struct {
	r      *rewriter
	labels map[string]bool // that were declared so far
	calls  bool
}

func (q *callFreeScan) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.FuncLit, *ast.GoStmt, *ast.DeferStmt, *ast.SelectStmt, *ast.SendStmt:
		q.calls = true
	case *ast.UnaryExpr:
		q.calls = q.calls || n.Op == token.ARROW
	case *ast.CallExpr:
		q.calls = q.calls || !q.r.callsNothing(n)
	case *ast.RangeStmt:
		q.calls = q.calls || !q.r.isNoIterator(n.X)
	case *ast.LabeledStmt:
		q.labels[n.Label.Name] = true
	case *ast.BranchStmt:
		q.calls = q.calls || n.Tok == token.GOTO || n.Label != nil && !q.labels[n.Label.Name]
	}
	return !q.calls
}

// callsNothing reports whether c is certainly a conversion, or a call of a
// builtin that calls nothing.
func (r *rewriter) callsNothing(c *ast.CallExpr) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok {
		return r.isPlainCall(c)
	}
	return r.isBuiltin(id)
}

// isBuiltin reports whether id is certainly a type or function of Go's own, of
// which a call is call-free.
func (r *rewriter) isBuiltin(id *ast.Ident) bool {
	return plainCall(id.Name) && !r.names.shadowed[id.Name] && !r.names.declared[id.Name] && !r.declared[id.Name]
}

// keep inserts the end of call-free code.
func (r *rewriter) keep(at token.Pos, format string) {
	r.edit.insert(r.offset(at), fmt.Sprintf(format, r.names.pkg, r.names.pos))
}

// labeled rewrites a statement with its labels.
func (r *rewriter) labeled(s *ast.LabeledStmt) {
	labels := []string{s.Label.Name}
	inner := s.Stmt
	for l, ok := inner.(*ast.LabeledStmt); ok; l, ok = inner.(*ast.LabeledStmt) {
		labels, inner = append(labels, l.Label.Name), l.Stmt
	}
	switch loop := inner.(type) {
	case *ast.ForStmt:
		r.forStmt(loop, s.Pos(), labels...)
	case *ast.RangeStmt:
		r.rangeStmt(loop, s.Pos(), labels...)
	default:
		r.stmt(inner)
	}
}

// forStmt rewrites a for statement, which with its labels begins at pos. Without
// a condition it may have to remain the last statement of its function, to which
// the compiler sees no end.
func (r *rewriter) forStmt(s *ast.ForStmt, pos token.Pos, labels ...string) {
	end := func() {}
	if s.Cond != nil {
		end = r.loop(s, pos, labels)
	}
	r.exprs(s.Init, s.Cond, s.Post)
	r.list(s.Body.List, trace.BlockLoop, s.Body.Lbrace+1, s.Body.Rbrace)
	end()
}

// rangeStmt is likewise.
func (r *rewriter) rangeStmt(s *ast.RangeStmt, pos token.Pos, labels ...string) {
	end := r.loop(s, pos, labels)
	r.exprs(s.Key, s.Value, s.X)
	r.list(s.Body.List, trace.BlockLoop, s.Body.Lbrace+1, s.Body.Rbrace)
	end()
}

// loop begins a loop and returns what ends it. If it is call-free it gets a block of
// its own, into which no goto can lead: a label stays where it is if there is any.
func (r *rewriter) loop(s ast.Stmt, pos token.Pos, labels []string) (end func()) {
	if r.local || !r.mayBeCallFree() || len(labels) > 0 && hasGoto(r.body) || !r.isCallFree(s, labels...) {
		return func() {}
	}
	r.local = true
	r.edit.insert(r.offset(pos), fmt.Sprintf("{%s:=%s.Here();", r.names.pos, r.names.pkg))
	return func() {
		r.local = false
		r.keep(s.End(), ";%s.Keep(%s)}")
	}
}

func hasGoto(body *ast.BlockStmt) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		b, ok := n.(*ast.BranchStmt)
		found = found || ok && b.Tok == token.GOTO
		return !found
	})
	return found
}

// declaredIn adds the names of call-free calls that are declared in n, at any depth,
// to names.
func declaredIn(n ast.Node, names map[string]bool) {
	eachDeclared(n, func(id *ast.Ident) {
		if plainCall(id.Name) {
			names[id.Name] = true
		}
	})
}

// declaredBy returns the names of call-free calls that are declared at top level by
// the files of a package, or are the name of an import.
func declaredBy(files []*ast.File) map[string]bool {
	names := make(map[string]bool)
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && plainCall(d.Name.Name) {
					names[d.Name.Name] = true
				}
			case *ast.GenDecl:
				declaredIn(d, names)
			}
		}
		for _, spec := range f.Imports {
			if spec.Name != nil && plainCall(spec.Name.Name) {
				names[spec.Name.Name] = true
			}
		}
	}
	return names
}
