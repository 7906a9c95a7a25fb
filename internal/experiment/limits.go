package experiment

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// round rounds up to two digits: more would not be true.
func round(d time.Duration) time.Duration {
	unit := twoDigits(d)
	return (d + unit - 1) / unit * unit
}

// twoDigits returns the unit in which a time has two digits at most.
func twoDigits(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 100 {
		unit *= 10
	}
	return unit
}

// median returns the middle one of a list, 0 of none.
func median(list []time.Duration) time.Duration {
	if len(list) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(list))[len(list)/2]
}

// A timeLimit is a duration that is written in the source.
type timeLimit struct {
	d     time.Duration
	text  string
	file  string
	line  int
	sleep bool // it is slept for
}

// limits returns the durations of 2 ms or more that are written in the functions which
// plain runs came to.
func (s *bench) limits() []timeLimit {
	if s.limitsOf != nil || s.Source == nil {
		return s.limitsOf
	}
	ran := make(map[int]bool)
	for _, g := range s.p.Goroutines {
		for _, site := range g.Sites {
			ran[s.Sites.Blocks[site.Block].Func] = true
		}
	}
	byFile := make(map[int][]trace.Func)
	for f := range ran {
		fn := s.Sites.Funcs[f]
		byFile[fn.File] = append(byFile[fn.File], fn)
	}
	for _, file := range slices.Sorted(maps.Keys(byFile)) {
		name := s.Sites.Files[file].Path
		src, err := s.Source(name)
		if err != nil {
			continue
		}
		s.limitsOf = append(s.limitsOf, literals(name, src, byFile[file])...)
	}
	return s.limitsOf
}

func (l timeLimit) String() string { return fmt.Sprintf("%s (%s:%d)", l.text, l.file, l.line) }

// about reports whether a time is about as long as l.
func (l timeLimit) about(d time.Duration) bool {
	return float64(d) >= 0.7*float64(l.d) && float64(d) <= l.upTo()*float64(l.d)
}

// upTo is how many times as long a stall may be that is about as long as l. On a busy
// machine sleeps take longer than they are to, and so must what outlasts them.
func (l timeLimit) upTo() float64 {
	if l.sleep {
		return 2.5
	}
	return 1.3
}

const minLimit = 2 * time.Millisecond

// literals returns the durations that are written in the functions, and outside of
// all functions. Each is the value of a whole expression: what is computed from more than
// numbers is not known, and no part of it is a limit.
func literals(name string, src []byte, funcs []trace.Func) []timeLimit {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, src, parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	var list []timeLimit
	in := func(line int) bool {
		for _, f := range funcs {
			if f.Line <= line && line <= f.End {
				return true
			}
		}
		return false
	}
	slept, part := make(map[ast.Expr]bool), make(map[ast.Expr]bool)
	for _, d := range file.Decls {
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
			if !ok || v < minLimit || part[ast.Unparen(x)] {
				return !ok
			}
			line := fset.Position(x.Pos()).Line
			if !isFunc || fd.Body != nil && in(line) {
				text := string(src[fset.Position(x.Pos()).Offset:fset.Position(x.End()).Offset])
				list = append(list, timeLimit{v, text, name, line, slept[x]})
			}
			return false
		})
	}
	return list
}

func isSleep(c *ast.CallExpr) bool {
	sel, ok := c.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Sleep" && len(c.Args) == 1
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
		if sel, ok := x.Fun.(*ast.SelectorExpr); ok && isTime(sel.X) && sel.Sel.Name == "Duration" && len(x.Args) == 1 {
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

// tight names the limit of time that is too tight: about as long as what the timer was
// set to and the lateness that fails; or, where that is not written there, the lateness.
func (s *bench) tight(f *Finding, block int) {
	span, ok := s.Sites.Pos(block)
	if !ok {
		return
	}
	var own time.Duration
	for _, l := range s.limits() {
		if l.file == span.File && span.Start <= l.line && l.line <= span.End {
			own = l.d
		}
	}
	for _, l := range s.limits() {
		if l.file == span.File && span.Start <= l.line && l.line <= span.End {
			continue
		}
		if gap := float64(l.d - own); 0.7*gap <= float64(f.Smallest) && float64(f.Smallest) <= l.upTo()*gap {
			f.Limit = fmt.Sprintf("%s (%s:%d)", l.text, l.file, l.line)
			return
		}
	}
}

// limitsUpTo returns durations that are written in the source, each once, none below
// least or above most.
func (s *bench) limitsUpTo(least, most time.Duration) []time.Duration {
	var list []time.Duration
	for _, l := range s.limits() {
		if least <= l.d && l.d <= most && !slices.Contains(list, l.d) {
			list = append(list, l.d)
		}
	}
	slices.Sort(list)
	return list
}
