package source

import (
	"cmp"
	"go/types"
	"slices"
)

// canon returns the object that represents all objects declared at its place: a package with its
// tests, and each instance of a generic type, have objects of their own.
func (x *Index) canon(obj types.Object) types.Object {
	if c := x.byPos[obj.Pos()]; c != nil && obj.Pos().IsValid() && c.Name() == obj.Name() {
		return c
	}
	switch obj := obj.(type) {
	case *types.Var:
		return obj.Origin()
	case *types.Func:
		return obj.Origin()
	}
	return obj
}

// implement links the called methods of interfaces to the user's methods that they may stand for.
func (x *Index) implement() {
	methods := make(map[string][]types.Object)
	for m := range x.decls {
		methods[m.Name()] = append(methods[m.Name()], m)
	}
	for called := range x.objects {
		fn, ok := called.(*types.Func)
		if !ok || fn.Signature().Recv() == nil {
			continue
		}
		iface, ok := fn.Signature().Recv().Type().Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for _, m := range methods[fn.Name()] {
			recv := m.(*types.Func).Signature().Recv()
			if recv != nil && types.Implements(recv.Type(), iface) {
				x.aliased[m] = append(x.aliased[m], called)
				x.targets[called] = append(x.targets[called], m)
			}
		}
	}
	for _, list := range x.targets {
		slices.SortStableFunc(list, func(a, b types.Object) int { return cmp.Compare(a.Pos(), b.Pos()) })
	}
}

// aliases returns an object, and objects that point to it or refer to the same thing.
func (x *Index) aliases(obj types.Object) []types.Object { return closure(x.aliased, obj) }

// standsFor returns an object, and objects that it may point to or refer to.
func (x *Index) standsFor(obj types.Object) []types.Object { return closure(x.targets, obj) }

func closure(next map[types.Object][]types.Object, obj types.Object) []types.Object {
	list := []types.Object{obj}
	for i := 0; i < len(list); i++ {
		for _, p := range next[list[i]] {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}
