package values

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// Inside returns the statements of a package that write what they have read, and that others may know: x.n++,
// x.list = append(x.list, v), m[k] = f(m[k]), v.Store(v.Load() + 1). Between the read and the write each gets a
// position, at which a goroutine can be held. It is a matter of the source alone, so that it can be built again.
func Inside(x *source.Index, sites *trace.Sites, pkg string) []instrument.Inside {
	var list []instrument.Inside
	for _, sf := range sites.Files {
		f := x.File(sf.Path)
		if f == nil || path.Dir(sf.Name) != pkg || !f.Typed || usesC(f.Tree) {
			continue
		}
		c := &insideFile{x: x, File: f}
		ast.Inspect(f.Tree, c.visit)
		list = append(list, c.list...)
	}
	return list
}

// An insideFile finds the statements of one file.
type insideFile struct {
	x *source.Index
	*source.File
	list []instrument.Inside
}

// visit looks at the statements of a list: only these can become several.
func (c *insideFile) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BlockStmt:
		c.stmts(n.List)
	case *ast.CaseClause:
		c.stmts(n.Body)
	case *ast.CommClause:
		c.stmts(n.Body)
	}
	return true
}

func (c *insideFile) stmts(list []ast.Stmt) {
	for _, s := range list {
		for l, ok := s.(*ast.LabeledStmt); ok; l, ok = s.(*ast.LabeledStmt) {
			s = l.Stmt
		}
		var edits []instrument.Edit
		switch s := s.(type) {
		case *ast.IncDecStmt:
			edits = c.update(s, s.X, s.TokPos, s.Tok.String(), nil)
		case *ast.AssignStmt:
			edits = c.assign(s)
		case *ast.ExprStmt:
			edits = c.store(s)
		}
		if len(edits) > 0 && c.isShared(s) {
			start, end := c.offset(s.Pos()), c.offset(s.End())
			c.list = append(c.list, instrument.Inside{File: c.Name, Start: start, End: end,
				Text: string(c.Src[start:end]), Edits: edits})
		}
	}
}

func (c *insideFile) offset(p token.Pos) int { return c.x.Fset.PositionFor(p, false).Offset }

func (c *insideFile) insert(p token.Pos, text string) instrument.Edit {
	return instrument.Edit{Pos: c.offset(p), Text: text}
}

// isShared reports whether what a statement writes may be known to others: a pointer and a parameter may refer to
// anything.
func (c *insideFile) isShared(s ast.Stmt) bool {
	return slices.ContainsFunc(c.x.In(s, source.Write), func(o *source.Op) bool {
		v, ok := o.Obj().(*types.Var)
		if !ok {
			return false
		}
		_, pointer := v.Type().Underlying().(*types.Pointer)
		return c.x.Shared(v) || o.Elem && (pointer || v.Kind() == types.ParamVar || v.Kind() == types.RecvVar)
	})
}

func (c *insideFile) assign(s *ast.AssignStmt) []instrument.Edit {
	switch {
	case len(s.Lhs) != 1 || len(s.Rhs) != 1 || s.Tok == token.DEFINE:
		return nil
	case s.Tok != token.ASSIGN:
		return c.update(s, s.Lhs[0], s.TokPos, s.Tok.String(), s.Rhs[0])
	case reads(s.Rhs[0], s.Lhs[0]):
		return c.wrap(s.Rhs[0], c.Info.TypeOf(s.Lhs[0]))
	}
	return nil
}

// reads reports whether e reads what x stands for.
func reads(e, x ast.Expr) bool {
	text := types.ExprString(x)
	if star, ok := x.(*ast.StarExpr); ok {
		text = types.ExprString(star.X)
	}
	return contains(e, func(n ast.Node) bool {
		sub, ok := n.(ast.Expr)
		return ok && types.ExprString(sub) == text
	})
}

// contains reports whether a node within n, but in no function literal, is of some kind.
func contains(n ast.Node, is func(ast.Node) bool) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		if _, literal := n.(*ast.FuncLit); literal || found || n == nil {
			return false
		}
		found = is(n)
		return !found
	})
	return found
}

func calls(n ast.Node) bool {
	return contains(n, func(n ast.Node) bool {
		u, ok := n.(*ast.UnaryExpr)
		_, call := n.(*ast.CallExpr)
		return call || ok && u.Op == token.ARROW
	})
}

// wrap has the value of e go through the position, to become a to. Of an operand whose type follows from its
// surroundings that would change the type.
func (c *insideFile) wrap(e ast.Expr, to types.Type) []instrument.Edit {
	basic, ok := to.Underlying().(*types.Basic)
	if ok && basic.Info()&types.IsBoolean != 0 && to != types.Typ[types.Bool] || contains(e, c.isOpenShift) {
		return nil
	}
	return []instrument.Edit{c.insert(e.Pos(), instrument.Amid+"("), c.insert(e.End(), "))")}
}

// isOpenShift reports whether n shifts a constant, whose type then follows from where that stands.
func (c *insideFile) isOpenShift(n ast.Node) bool {
	b, ok := n.(*ast.BinaryExpr)
	return ok && (b.Op == token.SHL || b.Op == token.SHR) && c.Info.Types[b.X].Value != nil
}

// update takes x op= y, or x++, apart: y first if it calls anything, then x is read, and written. What x stands for
// is found once, as it is by the statement itself.
func (c *insideFile) update(s ast.Stmt, x ast.Expr, tok token.Pos, op string, y ast.Expr) []instrument.Edit {
	if calls(x) {
		return nil
	}
	const v = instrument.Local
	after := tok + token.Pos(len(op))
	operand, open, end := op[:1], "(/*", ")}"
	if op != "++" && op != "--" {
		operand = strings.TrimSuffix(op, "=")
	} else {
		open, end = "1/*", "}"
	}
	index, ok := ast.Unparen(x).(*ast.IndexExpr)
	if ok {
		switch c.Info.TypeOf(index.X).Underlying().(type) {
		case *types.Map:
			key, ok := c.again(index.Index)
			if !ok || y != nil && calls(y) || index != x {
				return nil
			}
			return []instrument.Edit{c.insert(s.Pos(), "{"+v+":=("), c.insert(index.X.End(), ");"+v),
				c.insert(tok, "="+instrument.Amid+v+"["+key+"])"+operand+open), c.insert(after, "*/"), c.insert(s.End(), end)}
		case *types.Slice, *types.Array, *types.Pointer:
		default:
			return nil
		}
	}
	if y != nil && calls(y) {
		if !c.stays(x) || operand == "<<" || operand == ">>" {
			return nil
		}
		return []instrument.Edit{c.insert(s.Pos(), "{"+v+":=&("), c.insert(tok, ");"+v+"y:="+instrument.Runtime+".As("+v+",/*"),
			c.insert(after, "*/"), c.insert(s.End(), ");*"+v+"="+instrument.Amid+"*"+v+")"+operand+v+"y}")}
	}
	return []instrument.Edit{c.insert(s.Pos(), "{"+v+":=&("), c.insert(tok, ");*"+v+"="+instrument.Amid+"*"+v+")"+operand+open),
		c.insert(after, "*/"), c.insert(s.End(), end)}
}

// again returns the text of a key that can be written twice.
func (c *insideFile) again(key ast.Expr) (text string, ok bool) {
	text = string(c.Src[c.offset(key.Pos()):c.offset(key.End())])
	return text, !calls(key) && !strings.ContainsAny(text, "\n") && !strings.Contains(text, "/*")
}

// stays reports whether x stands for the same variable whatever a call does: it is found without an index, and
// through no pointer but that in a variable of this function alone.
func (c *insideFile) stays(x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		return true
	case *ast.StarExpr:
		return c.isOwn(x.X)
	case *ast.SelectorExpr:
		if _, pointer := c.Info.TypeOf(x.X).Underlying().(*types.Pointer); pointer {
			return c.isOwn(x.X)
		}
		return c.Info.Selections[x] == nil || len(c.Info.Selections[x].Index()) == 1 && c.stays(x.X)
	}
	return false
}

func (c *insideFile) isOwn(x ast.Expr) bool {
	id, ok := ast.Unparen(x).(*ast.Ident)
	return ok && !c.x.Shared(c.Info.ObjectOf(id))
}

// store finds what is stored atomically, and loaded from the same variable.
func (c *insideFile) store(s *ast.ExprStmt) []instrument.Edit {
	call, ok := s.X.(*ast.CallExpr)
	if !ok {
		return nil
	}
	of := c.atomic(call, "Store")
	if of == "" || len(call.Args) == 0 {
		return nil
	}
	value := call.Args[len(call.Args)-1]
	if !contains(value, func(n ast.Node) bool {
		load, ok := n.(*ast.CallExpr)
		return ok && c.atomic(load, "Load") == of
	}) {
		return nil
	}
	return c.wrap(value, types.Typ[types.Bool])
}

// atomic returns the variable that a call of package sync/atomic is about, "" for other calls.
func (c *insideFile) atomic(call *ast.CallExpr, what string) string {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(sel.Sel.Name, what) {
		return ""
	}
	fn, ok := c.Info.Uses[sel.Sel].(*types.Func)
	switch {
	case !ok || fn.Pkg() == nil || fn.Pkg().Path() != "sync/atomic":
		return ""
	case fn.Signature().Recv() != nil:
		return types.ExprString(sel.X)
	case len(call.Args) > 0:
		return types.ExprString(call.Args[0])
	}
	return ""
}
