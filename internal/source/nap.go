package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// DrawsSleep reports whether all numbers that are drawn at random in lines of a file are for a sleep or a timer.
func DrawsSleep(src []byte, span trace.Span) bool {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, span.File, src, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	slept := false
	for c := range syntax.Nodes[*ast.CallExpr](file) {
		if line := fset.Position(c.Pos()).Line; !drawsNumber(c) || line < span.Start || span.End < line {
			continue
		}
		if path, _ := astutil.PathEnclosingInterval(file, c.Pos(), c.End()); !sleptFor(path) {
			return false
		}
		slept = true
	}
	return slept
}

// sleptFor reports whether a call, with what it stands in, the innermost first, says how long to sleep: by itself, or
// by a local variable.
func sleptFor(path []ast.Node) bool {
	variable := ""
	for i, n := range path {
		switch n := n.(type) {
		case *ast.CallExpr:
			if runsFor(n) && i > 0 && n.Args[0] == path[i-1] {
				return true
			}
		case *ast.AssignStmt:
			if id, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Lhs) == 1 {
				variable = id.Name
			}
		case *ast.FuncDecl:
			return sleepsFor(n.Body, variable)
		case *ast.FuncLit:
			return sleepsFor(n.Body, variable)
		}
	}
	return false
}

// sleepsFor reports whether a variable says in a function how long to sleep.
func sleepsFor(body *ast.BlockStmt, name string) bool {
	for c := range syntax.Nodes[*ast.CallExpr](body) {
		if !runsFor(c) {
			continue
		}
		for id := range syntax.Nodes[*ast.Ident](c.Args[0]) {
			if id.Name == name {
				return true
			}
		}
	}
	return false
}

// runsFor reports whether a call sleeps, or begins a timer, for as long as its first argument says.
func runsFor(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && len(c.Args) > 0 &&
		slices.Contains([]string{"Sleep", "After", "AfterFunc", "NewTimer", "NewTicker", "Tick"}, sel.Sel.Name)
}

// drawsNumber reports whether a call is one of a method or a function of a package that has the name of
// one of math/rand: rand.N(d), rnd.Intn(6).
func drawsNumber(c *ast.CallExpr) bool {
	fun := c.Fun
	if i, ok := fun.(*ast.IndexExpr); ok { // rand.N[time.Duration]
		fun = i.X
	}
	sel, ok := fun.(*ast.SelectorExpr)
	return ok && drawsNumbers[sel.Sel.Name]
}

// drawsNumbers has the functions of math/rand and math/rand/v2 that return a number.
var drawsNumbers = map[string]bool{
	"Int": true, "Intn": true, "IntN": true, "Int31": true, "Int31n": true, "Int32": true, "Int32N": true,
	"Int63": true, "Int63n": true, "Int64": true, "Int64N": true, "N": true,
	"Uint": true, "UintN": true, "Uint32": true, "Uint32N": true, "Uint64": true, "Uint64N": true, "Float32": true,
	"Float64": true, "NormFloat64": true, "ExpFloat64": true,
}
