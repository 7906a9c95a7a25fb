package inject

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

func constantRandom(s *source) (edits []Edit) {
	add := func(e ast.Expr) {
		b, ok := ast.Unparen(e).(*ast.BasicLit)
		if !ok || b.Kind != token.INT {
			return
		}
		n, ok := s.constant(b)
		t, basic := s.info.TypeOf(b).(*types.Basic)
		if !ok || !basic || n < 2 || n > 1e9 || t.Info()&types.IsInteger == 0 || t.Info()&types.IsUntyped != 0 {
			return
		}
		edits = append(edits, s.replace(b, fmt.Sprintf("%s(injectrand.IntN(%d))", t.Name(), n+1), "math/rand/v2"))
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok != token.CONST
		case *ast.CallExpr:
			if seeds[s.callee(n)] {
				return true
			}
			for _, a := range n.Args {
				add(a)
			}
		case *ast.AssignStmt:
			for _, a := range n.Rhs {
				add(a)
			}
		case *ast.KeyValueExpr:
			add(n.Value)
		}
		return true
	})
	return edits
}

// seeds are functions that take a seed.
var seeds = map[string]bool{"math/rand.NewSource": true, "math/rand.Seed": true, "(*math/rand.Rand).Seed": true,
	"math/rand/v2.NewPCG": true}

func seedRandom(s *source) (edits []Edit) {
	s.calls(func(c *ast.CallExpr, name string) {
		if !seeds[name] {
			return
		}
		if _, ok := s.constant(c.Args[0]); ok {
			t := "int64"
			if strings.HasSuffix(name, "NewPCG") {
				t = "uint64"
			}
			edits = append(edits, s.replace(c.Args[0], t+"(injectrand.Int64())", "math/rand/v2"))
		}
	})
	return edits
}

func sortDropped(s *source) (edits []Edit) {
	s.each(func(l list, i int) {
		_, name := s.called(l.stmts[i])
		switch {
		case strings.HasPrefix(name, "sort.") && !strings.HasPrefix(name, "sort.Search"),
			strings.HasPrefix(name, "slices.Sort"):
			edits = append(edits, s.drop(l, i))
		}
	})
	return edits
}

func orderAsserted(s *source) (edits []Edit) {
	s.calls(func(c *ast.CallExpr, name string) {
		sel, ok := c.Fun.(*ast.SelectorExpr)
		if ok && sel.Sel.Name == "ElementsMatch" && strings.Contains(name, "/testify/") {
			edits = append(edits, s.replace(sel.Sel, "Equal"))
		}
	})
	return edits
}

const mapRangedDecl = `func injectOrder(n int) map[int]bool {
	m := make(map[int]bool, n)
	for i := 0; i < n; i++ {
		m[i] = true
	}
	return m
}`

func mapRanged(s *source) (edits []Edit) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		if !ok || r.Tok != token.DEFINE || !pure(r.X) {
			return true
		}
		switch s.info.TypeOf(r.X).Underlying().(type) {
		case *types.Slice, *types.Array:
		default:
			return true
		}
		key, value := "injectI", ""
		if id := r.Key.(*ast.Ident); id.Name != "_" {
			key = id.Name
		}
		if id, ok := r.Value.(*ast.Ident); ok && id.Name != "_" {
			value = fmt.Sprintf(" %s := %s[%s];", id.Name, s.code(r.X), key)
		}
		if value == "" && key == "injectI" {
			return true // neither is used, so the order changes nothing
		}
		head := extent{s.offset(r.Key.Pos()), s.offset(r.Body.Lbrace) + 1}
		text := fmt.Sprintf("%s := range injectOrder(len(%s)) {%s", key, s.code(r.X), value)
		edits = append(edits, Edit{cuts: []cut{{head, text}}, decl: mapRangedDecl})
		return true
	})
	return edits
}
