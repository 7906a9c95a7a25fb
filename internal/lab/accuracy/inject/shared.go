package inject

import (
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"strings"
)

// resets matches names of functions that reset something.
var resets = regexp.MustCompile(
	`(?i)^(reset|clear|clean|purge|restore|teardown|unset|remove|delete|deregister|unregister)`)

func resetDropped(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		if s.cleans(l.stmts[i]) || s.sets(l.stmts[i]) {
			edits = append(edits, s.drop(l, i))
		}
	})
	return edits
}

// cleans reports whether a statement is a call in a test that resets something, or will do so.
func (s *source) cleans(st ast.Stmt) bool {
	if !s.test {
		return false
	}
	c, name := s.called(st)
	if c == nil {
		c, name = s.deferred(st)
		if c == nil {
			return false
		}
		if _, ok := c.Fun.(*ast.FuncLit); ok {
			return true
		}
	}
	method := name[strings.LastIndexByte(name, '.')+1:]
	return resets.MatchString(method) || strings.HasPrefix(name, "(*testing.") && method == "Cleanup"
}

// sets reports whether a statement sets a package variable.
func (s *source) sets(st ast.Stmt) bool {
	a, ok := st.(*ast.AssignStmt)
	if !ok || a.Tok != token.ASSIGN {
		return false
	}
	id, ok := a.Lhs[0].(*ast.Ident)
	if !ok {
		return false
	}
	v, ok := s.info.Uses[id].(*types.Var)
	return ok && v.Pkg() != nil && v.Parent() == v.Pkg().Scope()
}

func stateShared(s *source) (edits []Edit) {
	for _, d := range s.file.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || s.test || fn.Body == nil || !strings.HasPrefix(strings.ToLower(fn.Name.Name), "new") {
			continue
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if e, ok := n.(ast.Expr); ok && s.fresh(e) && s.global(e) {
				edit := s.replace(e, "injectShared")
				edit.decl = "var injectShared = " + s.code(e)
				edits = append(edits, edit)
				return false
			}
			return true
		})
	}
	return edits
}

// fresh reports whether an expression makes a new map, slice or object.
func (s *source) fresh(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		name := s.callee(e)
		return name == "make" || name == "new"
	case *ast.UnaryExpr:
		_, ok := e.X.(*ast.CompositeLit)
		return e.Op == token.AND && ok
	case *ast.CompositeLit:
		switch s.info.TypeOf(e).Underlying().(type) {
		case *types.Map, *types.Slice:
			return true
		}
	}
	return false
}

func closeDropped(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		c, name := s.deferred(l.stmts[i])
		if c == nil {
			return
		}
		method := name[strings.LastIndexByte(name, '.')+1:]
		if id, ok := c.Fun.(*ast.Ident); ok && name == "" && strings.Contains(strings.ToLower(id.Name), "cancel") {
			edits = append(edits, s.replace(l.stmts[i], "_ = "+id.Name))
		} else if strings.Contains(name, ").") && (method == "Close" || method == "Stop" || method == "Shutdown") {
			edits = append(edits, s.drop(l, i))
		}
	})
	return edits
}
