package runner

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
)

// undrawn replaces the keys in a message that the iteration order of a map has put there: the groups of its pattern. A
// test that checks a map reports the keys that it comes to first. With other keys it is no other failure.
func undrawn(pattern *regexp.Regexp, message string) string {
	if pattern == nil {
		return message
	}
	at := pattern.FindStringSubmatchIndex(message)
	if at == nil {
		return message
	}
	var b strings.Builder
	end := 0
	for i := 2; i < len(at); i += 2 {
		b.WriteString(message[end:at[i]] + "<key>")
		end = at[i+1]
	}
	return b.String() + message[end:]
}

// drawings adds the patterns of messages in which keys are drawn, by line: of calls of Errorf and Fatalf in a loop over
// a map that the function has filled itself. In a map of cases, each key is another failure.
func drawings(fset *token.FileSet, fn *ast.FuncDecl, out map[int]*regexp.Regexp) {
	maps := filledMaps(fn)
	ast.Inspect(fn, func(n ast.Node) bool {
		loop, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		if over, ok := loop.X.(*ast.Ident); !ok || !maps[over.Name] {
			return true
		}
		drawn := make(map[string]bool)
		for _, x := range []ast.Expr{loop.Key, loop.Value} {
			if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
				drawn[id.Name] = true
			}
		}
		ast.Inspect(loop.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "Errorf" || sel.Sel.Name == "Fatalf") {
				if re, _ := messageOf(call.Args, true, drawn); re.NumSubexp() > 0 {
					for l := fset.Position(call.Pos()).Line; l <= fset.Position(call.End()).Line; l++ {
						out[l] = re
					}
				}
			}
			return true
		})
		return true
	})
}

// filledMaps returns the names of local variables that are maps without anything in them at first.
func filledMaps(fn *ast.FuncDecl) map[string]bool {
	maps := make(map[string]bool)
	empty := func(x ast.Expr) bool {
		switch x := x.(type) {
		case *ast.CallExpr:
			f, ok := x.Fun.(*ast.Ident)
			if !ok || f.Name != "make" || len(x.Args) == 0 {
				return false
			}
			_, ok = x.Args[0].(*ast.MapType)
			return ok
		case *ast.CompositeLit:
			_, ok := x.Type.(*ast.MapType)
			return ok && len(x.Elts) == 0
		}
		return false
	}
	ast.Inspect(fn, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, x := range a.Lhs {
				if id, ok := x.(*ast.Ident); ok && empty(a.Rhs[i]) {
					maps[id.Name] = true
				}
			}
		}
		return true
	})
	return maps
}

func mentions(x ast.Expr, names map[string]bool) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && names[id.Name] {
			found = true
		}
		return !found
	})
	return found
}
