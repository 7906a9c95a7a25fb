package source

import (
	"go/ast"
	"go/constant"
	"go/token"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// A Duration is one that is written in the source.
type Duration struct {
	D     time.Duration
	Text  string
	File  string
	Line  int
	Slept bool // it is slept for
}

// Durations returns the durations that are written in the functions, and outside of
// all functions. Each is the value of a whole expression: what is computed from more than
// numbers is not known, and no part of it is a limit.
func Durations(f *syntax.File, funcs []trace.Func) (list []Duration) {
	in := func(line int) bool {
		return slices.ContainsFunc(funcs, func(f trace.Func) bool { return f.Line <= line && line <= f.End })
	}
	slept, part := make(map[ast.Expr]bool), make(map[ast.Expr]bool)
	for _, d := range f.Tree.Decls {
		fd, isFunc := d.(*ast.FuncDecl)
		ast.Inspect(d, func(n ast.Node) bool {
			x, ok := n.(ast.Expr)
			if !ok {
				return true
			}
			if c, ok := x.(*ast.CallExpr); ok && isSleep(c) {
				slept[c.Args[0]] = true
			}
			v, ok := duration(x)
			if b, is := ast.Unparen(x).(*ast.BinaryExpr); is && !ok && arithmetic(b.Op) {
				part[ast.Unparen(b.X)], part[ast.Unparen(b.Y)] = true, true
			}
			if !ok || part[ast.Unparen(x)] {
				return !ok
			}
			if line, _ := f.Lines(x); !isFunc || fd.Body != nil && in(line) {
				list = append(list, Duration{v, f.Text(x), f.Name, line, slept[x]})
			}
			return false
		})
	}
	return list
}

func isSleep(c *ast.CallExpr) bool {
	of, name := syntax.Called(c)
	return of != nil && name == "Sleep" && len(c.Args) == 1
}

var units = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// duration returns the value of a whole expression such as 20 * time.Millisecond / 1000.
func duration(x ast.Expr) (time.Duration, bool) {
	v, timed := evaluate(x)
	if !timed || v.Kind() == constant.Unknown {
		return 0, false
	}
	d, ok := constant.Int64Val(constant.ToInt(v))
	return time.Duration(d), ok
}

// evaluate returns the value of an expression of numbers and units of time, unknown if
// there is anything else in it. timed says that there is a unit in it.
func evaluate(x ast.Expr) (v constant.Value, timed bool) {
	switch x := ast.Unparen(x).(type) {
	case *ast.BasicLit:
		if x.Kind == token.INT || x.Kind == token.FLOAT {
			return constant.MakeFromLiteral(x.Value, x.Kind, 0), false
		}
	case *ast.SelectorExpr:
		if unit := units[x.Sel.Name]; unit != 0 && isTime(x.X) {
			return constant.MakeInt64(int64(unit)), true
		}
	case *ast.CallExpr:
		if of, name := syntax.Called(x); isTime(of) && name == "Duration" && len(x.Args) == 1 {
			v, _ := evaluate(x.Args[0])
			return constant.ToInt(v), true
		}
	case *ast.BinaryExpr:
		if arithmetic(x.Op) {
			a, aTimed := evaluate(x.X)
			b, bTimed := evaluate(x.Y)
			return operate(a, x.Op, b, aTimed || bTimed), aTimed || bTimed
		}
	}
	return constant.MakeUnknown(), false
}

// operate returns the value of an operation, of whole numbers if it is one of durations.
func operate(a constant.Value, op token.Token, b constant.Value, timed bool) constant.Value {
	if timed && op != token.MUL { // 2.5 * time.Second is written, and taken for what is meant
		a, b = constant.ToInt(a), constant.ToInt(b)
	}
	if a.Kind() == constant.Unknown || b.Kind() == constant.Unknown || op == token.QUO && constant.Sign(b) == 0 {
		return constant.MakeUnknown()
	}
	if op == token.QUO && a.Kind() == constant.Int && b.Kind() == constant.Int {
		op = token.QUO_ASSIGN // as package constant has it
	}
	return constant.BinaryOp(a, op, b)
}

func arithmetic(op token.Token) bool {
	return op == token.ADD || op == token.SUB || op == token.MUL || op == token.QUO
}

func isTime(x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	return ok && id.Name == "time"
}
