package source

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// maxReturns is through how many returns a draw is looked for.
const maxReturns = 3

// Drawn returns the operations that can be what took in chance after the event of a
// block and before that of another one: those of the block itself or, if it has none of
// the kind asked for, what its callers draw once its function has come back, the nearest
// first. Calls are followed by name where interfaces lie between, so that there may be
// more than one candidate.
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

// drawsAround returns the draws of the block that a call stands in or, of a call outside of
// functions, those of the same declaration of variables: it is evaluated as one.
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

// specAround returns the declaration of variables of the package that an operation stands
// in, nil if it stands in none.
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

// before reports whether a node has been evaluated when a call is made: it stands
// before it, or among its arguments.
func before(n, call ast.Node) bool {
	return n.Pos() < call.Pos() && n.End() <= call.Pos() || n.Pos() > call.Pos() && n.End() <= call.End()
}

// callsOf returns the calls of the function that a block is in: of a method also those
// of methods of interfaces with its name.
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
			if o.Kind == Call && o.Obj() != nil && (x.canon(o.Obj()) == fn || decl.Recv != nil && methodNamed(o.Obj(), decl.Name.Name)) {
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

// Ranges returns where a sync.Map is walked that the operations of a block may have given its
// seed: it draws that when it is first used, and shows it nowhere but in Range.
func (x *Index) Ranges(b int) (list []*Op) {
	for _, o := range x.Block(b, Call) {
		if !strings.HasPrefix(o.How, "sync.Map.") || len(o.Path) < 2 {
			continue
		}
		walk, _, _ := types.LookupFieldOrMethod(o.Obj().(*types.Func).Signature().Recv().Type(), true, nil, "Range")
		for _, r := range x.Of(walk, Call) {
			if n := len(r.Path); n > 1 && x.canon(r.Path[n-2]) == x.canon(o.Path[len(o.Path)-2]) && !slices.Contains(list, r) {
				list = append(list, r)
			}
		}
	}
	return list
}
