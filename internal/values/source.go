package values

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace/instrument"
)

// sources adds the expressions of a file by which values enter from outside the program: the clock,
// random numbers, files.
func (c *chooser) sources(f *file) {
	for _, d := range f.Tree.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil {
			continue
		}
		c.sourcesIn(f, fd, untouchable(fd))
	}
}

// untouchable returns the calls of go and defer statements, which run later and must not be changed.
func untouchable(fd *ast.FuncDecl) map[ast.Node]bool {
	skip := make(map[ast.Node]bool)
	for n := range ast.Preorder(fd) {
		switch n := n.(type) {
		case *ast.GoStmt:
			skip[n.Call] = true
		case *ast.DeferStmt:
			skip[n.Call] = true
		}
	}
	return skip
}

// sourcesIn adds the sources in a function declaration, and in the literals in it that ran.
func (c *chooser) sourcesIn(f *file, fn ast.Node, skip map[ast.Node]bool) {
	was := c.wasRun(fn)
	ast.Inspect(source.BodyOf(fn), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			c.sourcesIn(f, n, skip)
			return false
		case *ast.RangeStmt:
			if was {
				c.received(f, n)
			}
		case *ast.CallExpr:
			if origin := c.origin(n); was && !slices.Contains([]string{"", "a pool", "map order"}, origin) && !skip[n] {
				c.wrap(f, n, divergence.ValueSite{Kind: divergence.ValueCall, Source: origin})
			}
		}
		return true
	})
}

// origin says what a call brings in from outside, or "" for nothing.
func (c *chooser) origin(call *ast.CallExpr) string {
	for _, o := range c.prog.In(call, source.Draw) {
		if o.Node == ast.Node(call) {
			return o.Origin
		}
	}
	return ""
}

// wasRun reports whether to look for sources in a function.
func (c *chooser) wasRun(fn ast.Node) bool { return c.run[c.prog.FuncIndex(source.BodyOf(fn))] }

// received adds the values of a range over a channel, if it has a name for them.
func (c *chooser) received(f *file, s *ast.RangeStmt) {
	v, named := s.Key.(*ast.Ident)
	if t := f.Info.TypeOf(s.X); t == nil || !named || v.Name == "_" {
		return
	} else if _, is := t.Underlying().(*types.Chan); is {
		p := instrument.ValueProbe{Text: v.Name, Start: f.offset(v.Pos()), End: f.offset(v.End()), Body: f.offset(s.Body.Lbrace) + 1}
		c.add(f, s, p, divergence.ValueSite{Kind: divergence.ValueReceived, Expr: f.text(s.X), Source: "a channel"})
	}
}
