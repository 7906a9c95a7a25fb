package source

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// maxReturns is how many returns are followed to look for a draw.
const maxReturns = 3

// Drawn returns the operations that may have drawn after the event of a block and before the next
// event: those of the block itself or, if it has none of the wanted kind, what its callers draw
// after its function has returned, the nearest first. Calls through interfaces are followed by
// name, so there may be several candidates.
func (x *Index) Drawn(b int, is func(*Op) bool) []*Op {
	draws := slices.DeleteFunc(x.Block(b, Draw), func(o *Op) bool { return !is(o) })
	seen := map[int]bool{b: true}
	for now, depth := []int{b}, 0; len(draws) == 0 && depth < maxReturns; depth++ {
		var next []int
		for _, b := range now {
			for _, call := range x.callsOf(b) {
				for _, o := range x.drawsAround(call) {
					if is(o) && !before(o.Node, call.Node) && !slices.Contains(draws, o) {
						draws = append(draws, o)
					}
				}
				if call.Block > 0 && !seen[call.Block] {
					seen[call.Block] = true
					next = append(next, call.Block)
				}
			}
		}
		now = next
	}
	return draws
}

// drawsAround returns the draws of the block that contains a call or, for a call outside
// functions, those in the same declaration of variables, which is evaluated as one.
func (x *Index) drawsAround(call *Op) []*Op {
	if call.Block > 0 {
		return x.Block(call.Block, Draw)
	}
	spec := x.specAround(call)
	if spec == nil {
		return nil
	}
	return x.In(spec, Draw)
}

// specAround returns the declaration of package variables that contains an operation, or nil.
func (x *Index) specAround(o *Op) ast.Spec {
	for _, d := range o.file.Tree.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || o.Node.Pos() < g.Pos() || g.End() <= o.Node.Pos() {
			continue
		}
		for _, spec := range g.Specs {
			if spec.Pos() <= o.Node.Pos() && o.Node.Pos() < spec.End() {
				return spec
			}
		}
	}
	return nil
}

// before reports whether a node has been evaluated when a call is made: it comes before it, or is
// among its arguments.
func before(n, call ast.Node) bool {
	return n.Pos() < call.Pos() && n.End() <= call.Pos() || n.Pos() > call.Pos() && n.End() <= call.End()
}

// callsOf returns the calls of the function that contains a block. For a method they include
// those of interface methods with its name.
func (x *Index) callsOf(b int) (list []*Op) {
	f, at := x.place(b)
	if f == nil {
		return nil
	}
	path := x.path(f, at.from)
	if len(path) == 0 {
		return nil
	}
	decl, ok := path[len(path)-1].(*ast.FuncDecl)
	if !ok {
		return nil
	}
	fn := x.canon(f.Info.Defs[decl.Name])
	take := func(ops []*Op) {
		for _, o := range ops {
			if o.Kind == Call && o.Obj() != nil &&
				(x.canon(o.Obj()) == fn || decl.Recv != nil && methodNamed(o.Obj(), decl.Name.Name)) {
				list = append(list, o)
			}
		}
	}
	take(x.outside)
	for _, ops := range x.blocks {
		take(ops)
	}
	slices.SortFunc(list, byPos)
	return list
}

// methodNamed reports whether an object is a method of an interface with that name.
func methodNamed(obj types.Object, name string) bool {
	fn, ok := obj.(*types.Func)
	if !ok || fn.Name() != name || fn.Signature().Recv() == nil {
		return false
	}
	return types.IsInterface(fn.Signature().Recv().Type())
}

// Ranges returns the calls of Range on a sync.Map that the operations of a block may have seeded.
// The map draws its seed when it is first used, and shows it only in Range.
func (x *Index) Ranges(b int) (list []*Op) {
	for _, o := range x.Block(b, Call) {
		if !strings.HasPrefix(o.How, "sync.Map.") || len(o.Path) < 2 {
			continue
		}
		walk, _, _ := types.LookupFieldOrMethod(o.Obj().(*types.Func).Signature().Recv().Type(), true, nil, "Range")
		for _, r := range x.Of(walk, Call) {
			if n := len(r.Path); n > 1 && x.canon(r.Path[n-2]) == x.canon(o.Path[len(o.Path)-2]) &&
				!slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	return list
}
