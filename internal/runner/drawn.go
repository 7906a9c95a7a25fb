package runner

import (
	"go/ast"
	"go/token"
	"regexp"
	"strconv"
	"strings"
)

// A drawing finds in a message what the iteration order of a map has put there. A test that checks what is in a map
// reports the keys that it comes to first: which these are is no other failure.
type drawing struct {
	format *regexp.Regexp // of the message; its groups are drawn
}

// undrawn replaces in a message what was drawn.
func (d *drawing) undrawn(message string) string {
	if d == nil {
		return message
	}
	at := d.format.FindStringSubmatchIndex(message)
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

// drawings returns the drawings of the lines of a function: of calls of Errorf and Fatalf in a loop over a map that the
// function has filled itself. The keys of a map of cases are named in the source, and each is another failure.
func drawings(fset *token.FileSet, fn *ast.FuncDecl, out map[int]*drawing) {
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
			if call, ok := n.(*ast.CallExpr); ok {
				if d := drawingOf(call, drawn); d != nil {
					for l := fset.Position(call.Pos()).Line; l <= fset.Position(call.End()).Line; l++ {
						out[l] = d
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

// verb is one of a format, or a percent sign.
var verb = regexp.MustCompile(`%[-+# 0]*\d*(?:\.\d+)?[a-zA-Z%]`)

// drawingOf returns the drawing of a call that formats a message, nil if nothing in it is drawn.
func drawingOf(call *ast.CallExpr, drawn map[string]bool) *drawing {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Errorf" && sel.Sel.Name != "Fatalf" || len(call.Args) == 0 {
		return nil
	}
	lit, ok := call.Args[0].(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	format, err := strconv.Unquote(lit.Value)
	if err != nil {
		return nil
	}
	var b strings.Builder
	end, arg, groups := 0, 1, 0
	for _, at := range verb.FindAllStringIndex(format, -1) {
		b.WriteString(regexp.QuoteMeta(format[end:at[0]]))
		switch end = at[1]; {
		case format[at[1]-1] == '%':
			b.WriteString("%")
			continue
		case arg >= len(call.Args):
			return nil
		case mentions(call.Args[arg], drawn):
			b.WriteString("(.*?)")
			groups++
		default:
			b.WriteString(".*?")
		}
		arg++
	}
	if groups == 0 || arg != len(call.Args) {
		return nil
	}
	re, err := regexp.Compile("(?s)^" + b.String() + regexp.QuoteMeta(format[end:]) + "$")
	if err != nil {
		return nil
	}
	return &drawing{re}
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
