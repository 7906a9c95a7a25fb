package source

import (
	"go/ast"
	"go/types"
)

// maxFlow is how many operations are looked at in one search.
const maxFlow = 4000

// Flow returns what expressions may be computed from, the nearest first: what
// they read, what that was set from, what functions of the user's return, what
// their callers pass, what was sent to the channels received from, down to what
// is drawn. Each of these is a step, and so many are taken. It is told from the
// text alone, and not from any order of time; see [Index.Around] for the
// conditions under which values were set.
func (x *Index) Flow(steps int, from ...ast.Expr) []*Op { return x.newSearch().run(steps, from) }

// Refers is Flow without what goes through functions of others, for what they return may
// be a copy, and with what fields are reached through.
func (x *Index) Refers(steps int, from ...ast.Expr) []*Op {
	s := x.newSearch()
	s.refers = true
	return s.run(steps, from)
}

func (x *Index) newSearch() *search {
	return &search{x: x, seen: make(map[ast.Node]bool), objects: make(map[types.Object]bool), ops: make(map[*Op]bool)}
}

func (s *search) run(steps int, from []ast.Expr) []*Op {
	for _, e := range from {
		s.todo(e)
	}
	for ; steps >= 0 && len(s.found) < maxFlow; steps-- {
		now := s.queue
		s.queue = nil
		for _, n := range now {
			s.within(n)
		}
	}
	return s.found
}

// A search goes through expressions, breadth first.
type search struct {
	x       *Index
	queue   []ast.Node // of the next step
	seen    map[ast.Node]bool
	objects map[types.Object]bool // that were followed
	ops     map[*Op]bool
	found   []*Op
	refers  bool // see Refers
}

func (s *search) todo(nodes ...ast.Expr) {
	for _, n := range nodes {
		if n != nil && !s.seen[n] {
			s.seen[n] = true
			s.queue = append(s.queue, n)
		}
	}
}

func (s *search) add(o *Op) bool {
	if s.ops[o] {
		return false
	}
	s.ops[o] = true
	s.found = append(s.found, o)
	return true
}

// within takes in the operations of an expression, but for those of function
// literals in it.
func (s *search) within(n ast.Node) {
	lits := literals(n)
	if s.refers {
		for _, o := range s.x.In(n, Call) {
			if s.x.decls[o.Obj()] == nil {
				lits = append(lits, o.Node)
			}
		}
	}
	for _, o := range s.x.In(n, Read, Call, Draw, Wait, Limit) {
		if inside(lits, o.Node) || !s.add(o) {
			continue
		}
		switch o.Kind {
		case Read:
			s.set(o)
		case Call:
			s.returned(o.Obj())
		case Wait:
			for _, sent := range s.x.Enders(o) {
				s.todo(sent.From...)
			}
		}
	}
}

// set follows what is read to what sets it. Where nothing in the user's code
// sets a field, what it is a field of is followed; what leads to it is so in any case.
func (s *search) set(read *Op) {
	for i := len(read.Path) - 1; i >= 0; i-- {
		obj, any := read.Path[i], false
		for _, w := range s.x.Of(obj, Init, Write) {
			if i == len(read.Path)-1 && s.x.Apart(read, w) {
				continue
			}
			any = true
			s.todo(w.From...)
			if w.How == "range" {
				for _, o := range s.x.Block(w.Block, Draw, Wait) {
					if o.Node == w.Node {
						s.add(o)
					}
				}
			}
		}
		if !s.objects[obj] {
			s.objects[obj] = true
			any = s.passed(obj) || any
		}
		if v, ok := obj.(*types.Var); any && !s.refers || !ok || !v.IsField() {
			return
		}
	}
}

// returned follows what a function returns, or what may be called for it.
func (s *search) returned(callee types.Object) {
	if callee == nil || s.objects[callee] {
		return
	}
	s.objects[callee] = true
	for _, fn := range s.x.standsFor(callee) {
		d := s.x.Func(fn)
		if d == nil {
			continue
		}
		lits := literals(d.Body)
		for _, o := range s.x.In(d.Body, Return) {
			if !inside(lits, o.Node) {
				s.todo(o.From...)
			}
		}
	}
}

// passed follows a parameter, or a receiver, to what callers pass for it, and reports whether
// it is one.
func (s *search) passed(obj types.Object) bool {
	p, ok := s.x.params[obj]
	if !ok {
		return false
	}
	for _, o := range s.x.Of(p.fn, Call, Go, Defer) {
		call, ok := o.Node.(*ast.CallExpr)
		switch {
		case ok && p.i < 0:
			s.todo(receiver(call))
		case p.i < len(o.From) && signatureOf(p.fn).Variadic() && p.i == signatureOf(p.fn).Params().Len()-1:
			s.todo(o.From[p.i:]...)
		case p.i >= 0 && p.i < len(o.From):
			s.todo(o.From[p.i])
		}
	}
	return true
}

// literals returns the function literals in a node.
func literals(n ast.Node) (list []ast.Node) {
	ast.Inspect(n, func(m ast.Node) bool {
		lit, ok := m.(*ast.FuncLit)
		if ok && m != n {
			list = append(list, lit)
		}
		return !ok || m == n
	})
	return list
}

func inside(lits []ast.Node, n ast.Node) bool {
	for _, l := range lits {
		if l.Pos() <= n.Pos() && n.End() <= l.End() {
			return true
		}
	}
	return false
}
