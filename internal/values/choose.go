package values

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
	"github.com/fdebug/fdebug/trace/instrument"
)

// Choose chooses the places for the failures. The choice is empty if there are none; the error
// says why the packages could not be read.
func Choose(in Input) (*Choice, error) {
	c := &chooser{in: &in, wrapped: make(map[ast.Node]int), run: make(map[int]bool), max: maxSites, out: emptyChoice()}
	files := c.wanted()
	if len(files) == 0 {
		return &c.out, nil
	}
	var err error
	if c.prog, err = load(&in, files); err != nil {
		return nil, err
	}
	for _, rel := range c.order() {
		c.sources(c.prog.files[rel])
	}
	for _, f := range in.Failures {
		for _, d := range f.Chain {
			c.decision(d)
			if _, hash, ok := d.FailNext.Check(); ok && d.SamePath {
				c.check(append(slices.Clone(f.Stacks[hash]), f.Frame), d.LastCommon)
			}
		}
		if n := len(f.Chain); n > 0 && !f.Died {
			c.check([]trace.Frame{f.Frame}, f.Chain[n-1].FailNext)
		}
	}
	return &c.out, nil
}

// A chooser chooses places, one failure at a time.
type chooser struct {
	in      *Input
	prog    *program
	run     map[int]bool     // functions in which to look for sources
	wrapped map[ast.Node]int // sites of the expressions wrapped so far
	max     int              // limit for the number of sites
	out     Choice
}

// emptyChoice returns an empty choice. Site 0 is unused.
func emptyChoice() Choice { return Choice{Sites: make([]divergence.ValueSite, 1)} }

// wanted returns the files in which places may be, and decides in which functions to look for
// sources.
func (c *chooser) wanted() map[int]bool {
	files := make(map[int]bool)
	sites := c.in.Sites
	for _, f := range c.in.Failures {
		for _, d := range f.Chain {
			for _, e := range []trace.Event{d.LastCommon, d.PassNext, d.FailNext} {
				if b, ok := e.Block(); ok && sites.Has(b) {
					files[sites.FileOf(b)] = true
				}
			}
			for _, call := range d.Path {
				c.run[call.Func] = true
			}
		}
		for fn := range f.Run {
			if len(c.run) < maxFuncs {
				c.run[fn] = true
			}
		}
	}
	for fn := range c.run {
		files[sites.Funcs[fn].File] = true
	}
	return files
}

// order returns the files loaded, in the order of the table.
func (c *chooser) order() []string {
	var list []string
	for _, f := range c.in.Sites.Files {
		if c.prog.files[f.Path] != nil && !slices.Contains(list, f.Path) {
			list = append(list, f.Path)
		}
	}
	return list
}

// add adds a place that is not there yet and returns its number, or 0 if there are too many.
func (c *chooser) add(f *file, n ast.Node, p instrument.ValueProbe, s divergence.ValueSite) int {
	p.File, p.Site = f.Name, c.site(f, n, s)
	if p.Site > 0 {
		c.out.Probes, c.wrapped[n] = append(c.out.Probes, p), p.Site
	}
	return p.Site
}

// site adds a description and returns its number, or 0 if there are too many.
func (c *chooser) site(f *file, n ast.Node, s divergence.ValueSite) int {
	if len(c.out.Sites) > c.max {
		return 0
	}
	s.File, s.Line = f.Path, f.line(n.Pos())
	c.out.Sites = append(c.out.Sites, s)
	return len(c.out.Sites) - 1
}

// wrap adds an expression. If it was added before and decided nothing, it now decides what s
// says.
func (c *chooser) wrap(f *file, x ast.Expr, s divergence.ValueSite) int {
	x = ast.Unparen(x)
	if n, ok := c.wrapped[x]; ok {
		if old := &c.out.Sites[n]; old.Decides == 0 {
			old.Decides, old.Kind = s.Decides, s.Kind
		}
		return n
	}
	if !f.wrappable(x) {
		return 0
	}
	s.Expr = f.text(x)
	return c.add(f, x, instrument.ValueProbe{Text: s.Expr, Start: f.offset(x.Pos()), End: f.offset(x.End())}, s)
}

// wrappable reports whether f(x) can replace x, with a generic f that returns its argument.
func (f *file) wrappable(x ast.Expr) bool {
	tv, ok := f.Info.Types[x]
	if !ok || !tv.IsValue() || tv.Value != nil || tv.IsNil() || tv.Type == nil {
		return false
	}
	switch x := x.(type) {
	case *ast.FuncLit, *ast.BasicLit, *ast.KeyValueExpr:
		return false
	case *ast.SelectorExpr:
		if sel := f.Info.Selections[x]; sel != nil && sel.Kind() != types.FieldVal {
			return false
		}
	}
	return f.wrappableType(tv.Type) && typed(f, x)
}

// wrappableType reports whether a type can be a type argument.
func (f *file) wrappableType(t types.Type) bool {
	switch t := t.(type) {
	case *types.Tuple:
		return false
	case *types.Basic:
		return t.Info()&types.IsUntyped == 0 && t.Kind() != types.Invalid
	}
	if _, fn := t.Underlying().(*types.Signature); fn {
		return false // useless
	}
	return true
}

// typed reports whether an expression has a type by itself, independent of its place. Comparisons
// can be of any boolean type, and shifts of a constant of any integer type.
func typed(f *file, x ast.Expr) bool {
	switch x := ast.Unparen(x).(type) {
	case *ast.BinaryExpr:
		switch x.Op.String() {
		case "==", "!=", "<", "<=", ">", ">=":
			return false
		case "&&", "||":
			return typed(f, x.X) && typed(f, x.Y)
		case "<<", ">>":
			return f.Info.Types[x.X].Value == nil && typed(f, x.X)
		}
		return constant(f, x.X) && typed(f, x.Y) || constant(f, x.Y) && typed(f, x.X) || typed(f, x.X) && typed(f, x.Y)
	case *ast.UnaryExpr:
		return typed(f, x.X)
	}
	return true
}

func constant(f *file, x ast.Expr) bool { return f.Info.Types[x].Value != nil }
