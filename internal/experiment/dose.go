package experiment

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"math"
	"slices"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// dosePrecision is the ratio of two doses that are told apart.
const dosePrecision = 1.25

// dose finds the shortest stall that still fails, by bisection on a logarithmic scale.
func (s *search) dose(f *Finding) error {
	low, high := minDose, f.dose
	if fails, err := s.failsWith(f, low); err != nil {
		return err
	} else if fails {
		f.Smallest = low
		return s.reliable(f)
	}
	for float64(high)/float64(low) > dosePrecision {
		mid := time.Duration(math.Sqrt(float64(low) * float64(high)))
		fails, err := s.failsWith(f, mid)
		if err != nil {
			return err
		}
		if fails {
			high = mid
		} else {
			low = mid
		}
	}
	f.Smallest = round(high)
	return s.reliable(f)
}

// reliableRuns is how many runs in a row must fail with the dose of a replay.
const reliableRuns = 8

// reliable makes sure that a replay fails: where a stall must meet something that
// comes now and then, shorter ones do so sometimes, and three times in a row too. The
// smallest dose is doubled until three times as much always fails. Where plain runs
// often fail, so may some in a row by chance: then a stall that at no length always
// fails was none, and chance is set.
func (s *search) reliable(f *Finding) error {
	n := max(reliableRuns, s.inARow(&f.Sig))
	for {
		is, _, err := s.always(s.ctx, "reliable", f.dosed(), &f.Sig, true, n)
		if err != nil || is {
			return err
		}
		if f.Smallest >= f.dose {
			f.chance = s.frequent(&f.Sig)
			return nil
		}
		f.Smallest = min(2*f.Smallest, f.dose)
	}
}

// failsWith reports whether a dose fails some times in a row: where plain runs often fail
// these are not all that it would take, since reliable looks closer in the end.
func (s *search) failsWith(f *Finding, dose time.Duration) (bool, error) {
	n := s.inARow(&f.Sig)
	is, _, err := s.always(s.ctx, "dose", dosed(f.Trial, dose), &f.Sig, true, max(min(n, 4), n/2))
	return is, err
}

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
func (s *search) limits() []timeLimit {
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
	for file, funcs := range byFile {
		name := s.Sites.Files[file].Path
		src, err := s.Source(name)
		if err != nil {
			continue
		}
		s.limitsOf = append(s.limitsOf, literals(name, src, funcs)...)
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
