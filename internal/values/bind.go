package values

import (
	"go/ast"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace/instrument"
)

// Keys can't be wrapped, but have a name. They are recorded at the start of the body.

// isMapRange reports whether an expression is the method Range of a sync.Map.
func (f *file) isMapRange(sel *ast.SelectorExpr) bool {
	s := f.Info.Selections[sel]
	return s != nil && s.Obj().Pkg() != nil && s.Obj().Pkg().Path() == "sync" && s.Obj().Name() == "Range"
}

// mapRange returns the function literal that a sync.Map calls for each of its keys, or nil if the
// call is a different one.
func (f *file) mapRange(call *ast.CallExpr) *ast.FuncLit {
	sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	if !ok || len(call.Args) != 1 || !f.isMapRange(sel) {
		return nil
	}
	lit, _ := ast.Unparen(call.Args[0]).(*ast.FuncLit)
	return lit
}

// callbackKeys adds the keys with which a function literal is called. A key without a name gets
// one: "_" becomes "_fdebugkey".
func (c *chooser) callbackKeys(f *file, call *ast.CallExpr, lit *ast.FuncLit) {
	if len(lit.Type.Params.List) == 0 || len(lit.Type.Params.List[0].Names) == 0 {
		return
	}
	key := lit.Type.Params.List[0].Names[0]
	probe := keyProbe(f, key, f.offset(lit.Body.Lbrace)+1)
	sel := ast.Unparen(call.Fun).(*ast.SelectorExpr)
	c.add(f, call, probe, divergence.ValueSite{Kind: divergence.ValueKey, Expr: f.text(sel.X), Source: "map order"})
}

// nameless is the name of a key without one.
const nameless = "_fdebugkey"

// keyProbe returns the probe for a key at an offset. One without a name gets it after the "_" that is there.
func keyProbe(f *file, key *ast.Ident, at int) instrument.ValueProbe {
	probe := bound(f, key, at)
	if key.Name == "_" {
		probe.Declare, probe.Key = nameless[1:], nameless
	}
	return probe
}

// bound returns the probe for a variable at an offset.
func bound(f *file, v *ast.Ident, at int) instrument.ValueProbe {
	return instrument.ValueProbe{Text: v.Name, Start: f.offset(v.Pos()), End: f.offset(v.End()), Body: at, Key: v.Name}
}
