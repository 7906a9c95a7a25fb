package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/fdebug/fdebug/trace"
)

// DrawsSleep reports whether all numbers that are drawn at random in lines of a file are for a sleep or a timer.
func DrawsSleep(src []byte, span trace.Span) bool {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, span.File, src, parser.SkipObjectResolution)
	if err != nil {
		return false
	}
	slept, elsewhere := 0, 0
	ast.Inspect(file, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok || !drawsNumber(c) || fset.Position(c.Pos()).Line < span.Start ||
			fset.Position(c.Pos()).Line > span.End {
			return true
		}
		if path, _ := astutil.PathEnclosingInterval(file, c.Pos(), c.End()); sleptFor(path) {
			slept++
		} else {
			elsewhere++
		}
		return true
	})
	return slept > 0 && elsewhere == 0
}

// sleptFor reports whether a call, with what it stands in, the innermost first, says how long to sleep: by itself, or
// by a local variable that is used for nothing else.
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
			return variable != "" && onlySlept(n.Body, variable)
		case *ast.FuncLit:
			return variable != "" && onlySlept(n.Body, variable)
		}
	}
	return false
}

// onlySlept reports whether a variable is used in a function for nothing but how long to sleep.
func onlySlept(body *ast.BlockStmt, name string) bool {
	slept, elsewhere := 0, 0
	var look func(n ast.Node) bool
	look = func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt: // what it is given, or grows by
			for _, x := range n.Rhs {
				ast.Inspect(x, look)
			}
			if id, ok := n.Lhs[0].(*ast.Ident); ok && len(n.Lhs) == 1 && id.Name == name {
				return false
			}
			for _, x := range n.Lhs {
				ast.Inspect(x, look)
			}
			return false
		case *ast.CallExpr:
			if runsFor(n) && uses(n.Args[0], name) {
				slept++
				return false
			}
		case *ast.SelectorExpr: // a field may have the name
			ast.Inspect(n.X, look)
			return false
		case *ast.Ident:
			if n.Name == name {
				elsewhere++
			}
		}
		return true
	}
	ast.Inspect(body, look)
	return slept > 0 && elsewhere == 0
}

// uses reports whether an expression has a name in it.
func uses(x ast.Expr, name string) (is bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		is = is || ok && id.Name == name
		return !is
	})
	return is
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
