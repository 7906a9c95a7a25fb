package instrument

import (
	"fmt"
	"go/ast"
	"strconv"
)

// The patched standard library sees by itself which test a goroutine runs and which go statement
// starts it. The rewritten code must tell the fall-back runtime.

// testEntry names the test whose body a function may be. That is any function that takes a
// *testing.T or *testing.F. The runtime accepts the name only on a goroutine that package testing
// has started, and only once.
func (r *rewriter) testEntry(body *ast.BlockStmt, typ *ast.FuncType) {
	if !r.names.fallback || typ.Params == nil {
		return
	}
	for _, p := range typ.Params.List {
		if len(p.Names) == 0 || p.Names[0].Name == "_" || !r.isTestParam(p.Type) {
			continue
		}
		r.edit.insert(r.offset(body.Lbrace+1),
			fmt.Sprintf("if %[1]s.Unnamed(){%[1]s.Test(%[2]s.Name());defer %[1]s.Done();};",
				r.names.buf, p.Names[0].Name))
		return
	}
}

// isTestParam reports whether typ is *testing.T or *testing.F.
func (r *rewriter) isTestParam(typ ast.Expr) bool {
	star, ok := ast.Unparen(typ).(*ast.StarExpr)
	if !ok {
		return false
	}
	sel, ok := ast.Unparen(star.X).(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "T" && sel.Sel.Name != "F" {
		return false
	}
	id, ok := sel.X.(*ast.Ident)
	return ok && id.Name != "" && id.Name == r.importName("testing")
}

// importName returns the name under which the file imports the package with the given import
// path, or "" if it does not import it.
func (r *rewriter) importName(importPath string) string {
	for _, spec := range r.file.Imports {
		if p, err := strconv.Unquote(spec.Path.Value); err != nil || p != importPath {
			continue
		}
		if spec.Name != nil {
			return spec.Name.Name
		}
		return importPath
	}
	return ""
}

// goStmt announces the goroutine that a go statement starts. The statement is identified by its
// place, which is the same in every run.
func (r *rewriter) goStmt(s *ast.GoStmt) {
	if r.names.fallback {
		site := uint32(r.index)<<20 ^ uint32(r.offset(s.Pos()))
		r.edit.insert(r.offset(s.Pos()), fmt.Sprintf("%s.Spawn(%d);", r.names.buf, site))
	}
	r.exprs(s)
	if r.names.fallback {
		r.edit.insert(r.offset(s.End()), fmt.Sprintf(";%s.Spawned()", r.names.buf))
	}
}
