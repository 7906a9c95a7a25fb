package runner

import (
	"go/ast"
	"regexp"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
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

// drawings returns the patterns of messages in which keys are drawn, by line: of calls of Errorf and Fatalf in a loop
// over a map that the function has filled itself. In a map of cases, each key is another failure.
func drawings(f *syntax.File) map[int]*regexp.Regexp {
	out := make(map[int]*regexp.Regexp)
	for fn := range syntax.Nodes[*ast.FuncDecl](f.Tree) {
		maps := filledMaps(fn)
		for loop := range syntax.Nodes[*ast.RangeStmt](fn) {
			if over, ok := loop.X.(*ast.Ident); !ok || !maps[over.Name] {
				continue
			}
			drawn := make(map[string]bool)
			for _, x := range []ast.Expr{loop.Key, loop.Value} {
				if id, ok := x.(*ast.Ident); ok && id.Name != "_" {
					drawn[id.Name] = true
				}
			}
			for call := range syntax.Nodes[*ast.CallExpr](loop.Body) {
				if of, name := syntax.Called(call); of == nil || name != "Errorf" && name != "Fatalf" {
					continue
				}
				re, _ := messageOf(call.Args, true, drawn)
				for l, end := f.Lines(call); re.NumSubexp() > 0 && l <= end; l++ {
					out[l] = re
				}
			}
		}
	}
	return out
}

// filledMaps returns the names of local variables that are maps without anything in them at first.
func filledMaps(fn *ast.FuncDecl) map[string]bool {
	maps := make(map[string]bool)
	for a := range syntax.Nodes[*ast.AssignStmt](fn) {
		for i, x := range a.Lhs {
			if id, ok := x.(*ast.Ident); ok && len(a.Lhs) == len(a.Rhs) && isEmptyMap(a.Rhs[i]) {
				maps[id.Name] = true
			}
		}
	}
	return maps
}

func isEmptyMap(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.CallExpr:
		if of, name := syntax.Called(x); of == nil && name == "make" && len(x.Args) > 0 {
			_, ok := x.Args[0].(*ast.MapType)
			return ok
		}
	case *ast.CompositeLit:
		_, ok := x.Type.(*ast.MapType)
		return ok && len(x.Elts) == 0
	}
	return false
}

func mentions(x ast.Expr, names map[string]bool) bool {
	for id := range syntax.Nodes[*ast.Ident](x) {
		if names[id.Name] {
			return true
		}
	}
	return false
}
