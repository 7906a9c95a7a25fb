package instrument

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"os"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// Code is call-free if no other probe of the goroutine can run between its own: it calls nothing
// that the user wrote, and nothing that might call that. In the body of a call-free function, or
// in a call-free loop, the position in the trace is kept in a local variable, and thus in a
// register. A sieve then costs a third less per event.
//
// Elsewhere, a wrong guess about a name (a variable called max that is a function) costs a block.
// Here it would cost events, so such a name must not be declared anywhere in sight.

// plainCall reports whether name is a builtin or a type that is call-free when called.
func plainCall(name string) bool { return syntax.Predeclared(name, "close", "panic", "recover") }

// mayBeCallFree reports whether the rewriter treats call-free code specially. It needs a runtime
// that sees a panic in such code. Value probes and positions inside statements are calls.
func (r *rewriter) mayBeCallFree() bool {
	return r.names.callFree && !r.names.calls && r.call == "" && len(r.names.values) == 0 && len(r.names.inside) == 0
}

// hasPoolCleanup reports whether the code in scope can have a function that the collector calls
// wherever memory is allocated, even in call-free code: package sync itself, or a user of its
// hook by go:linkname.
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

// A callFreeScan holds what is known after scanning a part of the code.
type callFreeScan struct {
	r      *rewriter
	labels map[string]bool // declared so far
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

// callsNothing reports whether c is certainly a conversion, or a call of a builtin that calls
// nothing.
func (r *rewriter) callsNothing(c *ast.CallExpr) bool {
	id, ok := ast.Unparen(c.Fun).(*ast.Ident)
	if !ok {
		return r.isPlainCall(c)
	}
	return r.isBuiltin(id)
}

// isBuiltin reports whether id is certainly a predeclared type or function that is call-free when
// called.
func (r *rewriter) isBuiltin(id *ast.Ident) bool {
	return plainCall(id.Name) && !r.names.shadowed[id.Name] && !r.names.declared[id.Name] && !r.declared[id.Name]
}

// keep inserts a statement at the end of call-free code.
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

// forStmt rewrites a for statement, which begins at pos including its labels. If it has no
// condition, the compiler may require that it stays the last statement of its function.
func (r *rewriter) forStmt(s *ast.ForStmt, pos token.Pos, labels ...string) {
	end := func() {}
	if s.Cond != nil {
		end = r.loop(s, pos, labels)
	}
	r.exprs(s.Init, s.Cond, s.Post)
	r.list(s.Body.List, trace.BlockLoop, s.Body.Lbrace+1, s.Body.Rbrace)
	end()
}

// rangeStmt rewrites a range statement, as forStmt does.
func (r *rewriter) rangeStmt(s *ast.RangeStmt, pos token.Pos, labels ...string) {
	end := r.loop(s, pos, labels)
	r.exprs(s.Key, s.Value, s.X)
	r.list(s.Body.List, trace.BlockLoop, s.Body.Lbrace+1, s.Body.Rbrace)
	end()
}

// loop begins a loop and returns a function that ends it. A call-free loop is wrapped in a block,
// which no goto can jump into. So a labeled loop in a function with gotos is left as it is.
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
	for b := range syntax.Nodes[*ast.BranchStmt](body) {
		if b.Tok == token.GOTO {
			return true
		}
	}
	return false
}

// declaredIn adds to names the names of call-free calls that are declared in n, at any depth.
func declaredIn(n ast.Node, names map[string]bool) {
	eachDeclared(n, func(id *ast.Ident) {
		if plainCall(id.Name) {
			names[id.Name] = true
		}
	})
}

// declaredBy returns the names of call-free calls that the files of a package declare at top
// level or use as the name of an import.
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
