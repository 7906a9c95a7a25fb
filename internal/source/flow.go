package source

import (
	"go/ast"
	"go/types"
)

// maxFlow is how many operations one search looks at.
const maxFlow = 4000

// Flow returns the operations that expressions may be computed from, the nearest first: what they read, what
// that was set from, what the user's functions return, what their callers pass, what was sent to
// the channels received from, down to draws. Each of these is a step, and steps limits them. It
// follows from the text alone, without any order of time. See [Index.Around] for the conditions
// under which values were set.
func (x *Index) Flow(steps int, from ...ast.Expr) []*Op { return x.newSearch().run(steps, from) }

// Refers returns the operations that lead to what an operation changes, as Flow does for a value. It leaves out
// results of functions of other modules, which may be copies, and includes what fields are
// reached through. Nothing leads to a variable itself.
func (x *Index) Refers(steps int, changed *Op) []*Op {
	target := x.target(changed)
	if target == nil {
		return nil
	}
	s := x.newSearch()
	s.refers = true
	if _, call := changed.Node.(*ast.CallExpr); call { // reads its receiver, and is one operation
		s.set(&Op{Kind: Read, Path: changed.Path, Node: changed.Node, file: changed.file})
	}
	return s.run(steps, []ast.Expr{target})
}

func (x *Index) newSearch() *search {
	return &search{x: x, seen: make(map[ast.Node]bool), objects: make(map[types.Object]bool), ops: make(map[*Op]bool)}
}

func (s *search) run(steps int, from []ast.Expr) []*Op {
	s.todo(from...)
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

// add reports whether an operation is new.
func (s *search) add(o *Op) bool {
	if s.ops[o] {
		return false
	}
	s.ops[o] = true
	s.found = append(s.found, o)
	return true
}

// follow reports whether an object was not followed yet.
func (s *search) follow(obj types.Object) bool {
	was := s.objects[obj]
	s.objects[obj] = true
	return !was
}

// within adds the operations of an expression, except those in its function literals.
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

// set follows what is read to what sets it. If nothing in the user's code sets a field, the
// struct that has the field is followed; with refers, always.
func (s *search) set(read *Op) {
	for i := len(read.Path) - 1; i >= 0; i-- {
		obj, any := read.Path[i], false
		for _, w := range s.x.Of(obj, Init, Write) {
			if i == len(read.Path)-1 && s.x.Apart(read, w) {
				continue
			}
			if _, call := w.Node.(*ast.CallExpr); call && s.refers && w.Kind == Write {
				continue // changes what the variable leads to, not the variable
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
		if s.follow(obj) {
			any = s.passed(obj) || any
		}
		if v, ok := obj.(*types.Var); any && !s.refers || !ok || !v.IsField() {
			return
		}
	}
}

// returned follows what a function returns, or what may be called for it.
func (s *search) returned(callee types.Object) {
	if callee == nil || !s.follow(callee) {
		return
	}
	for _, fn := range s.x.standsFor(callee) {
		d := s.x.funcOf(fn)
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

// passed follows a parameter, or a receiver, to what callers pass for it. It reports whether obj
// is one.
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
