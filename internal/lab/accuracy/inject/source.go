package inject

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/types/typeutil"
)

// A source is one file of a package, with types.
type source struct {
	path   string // relative to the module, with slashes
	test   bool   // a _test.go file
	module string // import path of the module
	text   []byte
	file   *ast.File
	fset   *token.FileSet
	info   *types.Info
}

func (s *source) offset(p token.Pos) int { return s.fset.PositionFor(p, false).Offset }
func (s *source) line(p token.Pos) int   { return s.fset.PositionFor(p, false).Line }
func (s *source) extent(n ast.Node) extent {
	return extent{s.offset(n.Pos()), s.offset(n.End())}
}
func (s *source) code(n ast.Node) string {
	e := s.extent(n)
	return string(s.text[e.start:e.end])
}

// replace makes an edit that replaces a node with a text.
func (s *source) replace(n ast.Node, text string, imports ...string) Edit {
	return Edit{cuts: []cut{{s.extent(n), text}}, imports: imports}
}

// A list is the statements of a block or of a case.
type list struct {
	stmts      []ast.Stmt
	start, end token.Pos // of the surroundings: the opening brace or colon, and the closing brace
}

// drop makes an edit that deletes the i-th statement.
func (s *source) drop(l list, i int) Edit {
	return Edit{cuts: []cut{{extent: s.extent(l.stmts[i])}}, near: s.neighbours(l, i, i)}
}

// maxNear is how many lines a neighbour may have to count as a whole.
const maxNear = 5

// neighbours returns the statements before statement i and after statement j.
func (s *source) neighbours(l list, i, j int) []extent {
	before := extent{s.offset(l.start), s.offset(l.start) + 1}
	if i > 0 {
		before = s.extent(l.stmts[i-1])
		if n := l.stmts[i-1]; s.line(n.End())-s.line(n.Pos()) >= maxNear {
			before.start = before.end - 1
		}
	}
	after := extent{s.offset(l.end), s.offset(l.end) + 1}
	if j+1 < len(l.stmts) {
		after = s.extent(l.stmts[j+1])
		if n := l.stmts[j+1]; s.line(n.End())-s.line(n.Pos()) >= maxNear {
			after.end = after.start + 1
		}
	}
	return []extent{before, after}
}

// each calls f for each statement of each list of statements.
func (s *source) each(f func(l list, i int)) {
	visit := func(l list) {
		for i := range l.stmts {
			f(l, i)
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			visit(list{n.List, n.Lbrace, n.Rbrace})
		case *ast.CaseClause:
			visit(list{n.Body, n.Colon, n.End()})
		case *ast.CommClause:
			visit(list{n.Body, n.Colon, n.End()})
		}
		return true
	})
}

// calls calls f for each call.
func (s *source) calls(f func(c *ast.CallExpr, name string)) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		if c, ok := n.(*ast.CallExpr); ok {
			if name := s.callee(c); name != "" {
				f(c, name)
			}
		}
		return true
	})
}

// callee returns the full name of what is called, such as "time.Sleep" or "(*sync.Mutex).Lock";
// "close" for a builtin, "" if unknown.
func (s *source) callee(c *ast.CallExpr) string {
	switch f := typeutil.Callee(s.info, c).(type) {
	case *types.Func:
		return f.Origin().FullName()
	case *types.Builtin:
		return f.Name()
	}
	return ""
}

// called returns the call that is the whole of a statement, and its name.
func (s *source) called(st ast.Stmt) (*ast.CallExpr, string) {
	if e, ok := st.(*ast.ExprStmt); ok {
		if c, ok := ast.Unparen(e.X).(*ast.CallExpr); ok {
			return c, s.callee(c)
		}
	}
	return nil, ""
}

// deferred returns the call that a statement defers, and its name.
func (s *source) deferred(st ast.Stmt) (*ast.CallExpr, string) {
	if d, ok := st.(*ast.DeferStmt); ok {
		return d.Call, s.callee(d.Call)
	}
	return nil, ""
}

// receiver returns the code of what a method is called on.
func (s *source) receiver(c *ast.CallExpr) string {
	if sel, ok := ast.Unparen(c.Fun).(*ast.SelectorExpr); ok {
		return s.code(sel.X)
	}
	return ""
}

// own reports whether a function belongs to the module.
func (s *source) own(name string) bool {
	name = strings.TrimLeft(name, "(*")
	return name == s.module || strings.HasPrefix(name, s.module+".") || strings.HasPrefix(name, s.module+"/") ||
		strings.HasPrefix(name, s.module+"_test.")
}

// standard reports whether an import path is in the standard library.
func standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	return !strings.Contains(first, ".")
}

// constant returns the value of a constant expression of an integer type, or of one based on it
// such as time.Duration.
func (s *source) constant(e ast.Expr) (int64, bool) {
	tv, ok := s.info.Types[e]
	if !ok || tv.Value == nil {
		return 0, false
	}
	return constant.Int64Val(constant.ToInt(tv.Value))
}

// duration returns the value of a constant time.Duration in nanoseconds.
func (s *source) duration(e ast.Expr) (int64, bool) {
	tv, ok := s.info.Types[e]
	if !ok || tv.Value == nil || tv.Type.String() != "time.Duration" {
		return 0, false
	}
	return s.constant(e)
}

// funcAt returns the function declaration around an offset, or nil.
func (s *source) funcAt(offset int) *ast.FuncDecl {
	for _, d := range s.file.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && s.offset(fn.Pos()) <= offset && offset < s.offset(fn.End()) {
			return fn
		}
	}
	return nil
}

// global reports whether an expression means the same outside any function: it only names what
// the package and its imports declare.
func (s *source) global(e ast.Expr) bool {
	ok := true
	ast.Inspect(e, func(n ast.Node) bool {
		id, isID := n.(*ast.Ident)
		if !isID {
			return ok
		}
		obj := s.info.Uses[id]
		if v, isVar := obj.(*types.Var); obj == nil || isVar && v.IsField() {
			return ok
		}
		_, imported := obj.(*types.PkgName)
		top := obj.Pkg() == nil || obj.Parent() == obj.Pkg().Scope()
		ok = ok && (imported || top)
		return ok
	})
	return ok
}

// pure reports whether an expression can be evaluated twice: names and fields.
func pure(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return pure(e.X)
	}
	return false
}
