// Package callpath finds out where the functions on a call path were called from.
//
// Traces have no events for returns. In f(g()) the first block of f follows the last one of g, as
// if g had called f. The same happens in a chain x.g().f(), and in a function that defers f and
// ends with a call of g. It also happens for two package variables that g and f initialise. The
// source shows more. The caller of f is the innermost function on the path whose last block has a
// call that can be a call of f. Calls are read as syntax, without types, so they are graded by
// how well they fit (see fit). If several fit on different lines, no line is named.
package callpath

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A Step is a function on a call path that has not returned.
type Step struct {
	divergence.Call
	From *Place // where it was called from; nil for the first, and if unknown
}

// A Place is where a function was called from: the call, the defer statement, or the declaration
// of a package variable.
type Place struct {
	Func int    // the caller, an index in Sites.Funcs; -1 for a package variable
	File string // as in Sites.Files
	Line int    // 0 if it is unknown which of several
}

// A Finder finds callers in the source of one site table.
type Finder struct {
	Sites *trace.Sites
	// Parse returns the syntax tree of a file of the table, or nil if it is not available.
	Parse func(path string) (*token.FileSet, *ast.File)

	files    map[int]*file // by index in Sites.Files
	packages map[string]*pkg
	graded   map[question][]grade
}

// A question is which calls in a block, or deferred by its function, can be calls of a function.
type question struct{ block, callee int }

// A grade is a line with a call, and how well it fits.
type grade struct {
	line int
	fit  fit
}

// maxBack is how many steps are searched for the caller. In deep recursion it is near, if it can
// be found at all.
const maxBack = 256

// Path returns the functions of a path that have not returned, outermost first, with where each
// was called from. calls is the path as far as events show it. initial says that it is from the
// goroutine that initialises packages.
func (f *Finder) Path(calls []divergence.Call, initial bool) []Step {
	var steps []Step
	for i, c := range calls {
		if c.Func < 0 || c.Func >= len(f.Sites.Funcs) {
			continue
		}
		var from *Place
		if i > 0 || initial {
			steps, from = f.caller(steps, c.Func, initial)
		}
		steps = append(steps, Step{c, from})
	}
	return steps
}

// caller returns the steps up to the one that called fn, and where.
func (f *Finder) caller(steps []Step, fn int, initial bool) ([]Step, *Place) {
	callee, ok := f.function(fn)
	if !ok {
		return steps, nil
	}
	if i, at := f.innermost(steps, fn, named); at != nil {
		return steps[:i+1], at
	}
	if initial {
		if callee.isInit() {
			return nil, nil
		}
		if at := f.initialiser(callee); at != nil {
			return nil, at
		}
	}
	if i, at := f.innermost(steps, fn, dynamic); at != nil {
		return steps[:i+1], at
	}
	// The trace does not show which function outside the module calls back. It must be that call
	// if there is only one on the whole path.
	if i, at := f.innermost(steps, fn, callback); at != nil {
		if _, other := f.innermost(steps[:i], fn, callback); other == nil {
			return steps[:i+1], at
		}
	}
	return steps, nil
}

// innermost returns the innermost of steps whose last block has a call of fn that fits at least
// as well as least, and its place; nil if there is none.
func (f *Finder) innermost(steps []Step, fn int, least fit) (int, *Place) {
	for i := len(steps) - 1; i >= 0 && i >= len(steps)-maxBack; i-- {
		s := steps[i]
		var lines []int
		for _, g := range f.grades(s, fn) {
			if g.fit >= least {
				lines = append(lines, g.line)
			}
		}
		if len(lines) > 0 {
			return i, f.place(s.Func, f.file(f.Sites.Funcs[s.Func].File), lines)
		}
	}
	return -1, nil
}

// grades returns how well the calls fit that the last block of a step can have made, and the
// deferred calls. Deferred calls count only if the function may end there, or if there is no
// other call of that name, because a panic ends it anywhere.
func (f *Finder) grades(s Step, fn int) []grade {
	q := question{s.Block, fn}
	if g, ok := f.graded[q]; ok {
		return g
	}
	if f.graded == nil {
		f.graded = map[question][]grade{}
	}
	f.graded[q] = nil
	caller, ok := f.function(s.Func)
	callee, too := f.function(fn)
	if ok && too && f.Sites.Has(s.Block) && f.Sites.Blocks[s.Block].Func == s.Func {
		calls, ends := caller.file.callsIn(caller, f.Sites.Blocks[s.Block])
		f.graded[q] = f.gradesOf(calls, caller.file, callee)
		called := slices.ContainsFunc(f.graded[q], func(g grade) bool { return g.fit == named })
		if ends || !called {
			calls = append(calls, caller.file.defers[caller.node]...)
			f.graded[q] = f.gradesOf(calls, caller.file, callee)
		}
	}
	return f.graded[q]
}

// gradesOf returns the best fit of the calls on each line, in order.
func (f *Finder) gradesOf(calls []*ast.CallExpr, in *file, callee function) []grade {
	var out []grade
	for _, c := range calls {
		g := grade{in.line(callPos(c)), f.fits(c, in, callee)}
		if g.fit == no {
			continue
		}
		if i := slices.IndexFunc(out, func(o grade) bool { return o.line == g.line }); i >= 0 {
			out[i].fit = max(out[i].fit, g.fit)
			continue
		}
		out = append(out, g)
	}
	return out
}

func (f *Finder) place(fn int, in *file, lines []int) *Place {
	p := &Place{Func: fn, File: in.path}
	if len(lines) == 1 {
		p.Line = lines[0]
	}
	return p
}

// initialiser returns the package variable whose initialiser calls callee, or nil if there is
// none, or several.
func (f *Finder) initialiser(callee function) *Place {
	var found *Place
	for i := range f.Sites.Files {
		in := f.file(i)
		if in == nil {
			continue
		}
		var lines []int
		for _, g := range f.gradesOf(in.initial, in, callee) {
			if g.fit == named {
				lines = append(lines, g.line)
			}
		}
		switch {
		case len(lines) == 0:
		case found != nil || len(lines) > 1:
			return nil
		default:
			found = f.place(-1, in, lines)
		}
	}
	return found
}

// callPos returns the position that names a call: in a chain, that of its own link.
func callPos(c *ast.CallExpr) token.Pos {
	switch fun := ast.Unparen(c.Fun).(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Pos()
	case *ast.IndexExpr:
		if s, ok := fun.X.(*ast.SelectorExpr); ok {
			return s.Sel.Pos()
		}
	}
	return c.Pos()
}
