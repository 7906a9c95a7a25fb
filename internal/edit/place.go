package edit

import (
	"go/ast"
	"iter"
	"slices"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Gone returns how the statement at a line of the old source changed or went. It is false if the statement stands in the
// new source, wherever it moved to, if only a dose in it changed, or if what it calls is called elsewhere in what was
// edited: it may only have another form. Of a statement with blocks, what changed in them does not count. A go statement,
// or a call of a method Go, is gone if none that was edited starts the same. A declaration is
// gone if nothing stands for it, and a line of a file that did not change is not.
func (e *Edit) Gone(file string, line int) (Change, bool) {
	s := e.statement(file, line)
	if s == nil || s.pair != nil && (s.up == nil || e.dosed(s)) {
		return Change{}, false
	}
	same := func(n *node) bool { return is[ast.Stmt](n) && n.head == s.head || s.calls(n) }
	if s.starts() {
		same = func(n *node) bool { return n.starts() && n.has(s.calls) }
	}
	for _, u := range e.now.units {
		if (u.pair == nil || u.pair.key != u.key) && u.has(same) {
			return Change{}, false
		}
	}
	return change("gone", s, s.pair), true
}

// starts reports whether a statement starts a goroutine.
func (n *node) starts() bool {
	if is[*ast.GoStmt](n) {
		return true
	}
	x, ok := n.Node.(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := x.X.(*ast.CallExpr)
	if !ok {
		return false
	}
	_, name := syntax.Called(c)
	return name == "Go"
}

// calls reports whether a node is a call of a function that a statement calls outside of its blocks. Of one that starts a
// goroutine it is what that runs, or a mention of it.
func (s *node) calls(n *node) bool {
	name := called(n, s.starts())
	return name != "" && name != "Go" && s.has(func(o *node) bool {
		b := above[*ast.BlockStmt](o)
		return called(o, s.starts()) == name && (s.starts() || b == nil || !b.within(s))
	})
}

// called returns the name of the function or method that a node calls, or that it may hand on as a value; "" if there is
// none.
func called(n *node, value bool) string {
	switch x := n.Node.(type) {
	case *ast.CallExpr:
		_, name := syntax.Called(x)
		return name
	case *ast.SelectorExpr:
		if value && n.up != nil && is[*ast.CallExpr](n.up) {
			return x.Sel.Name
		}
	}
	return ""
}

// dosed reports whether no more than a dose differs outside the blocks of a statement and what stands for it.
func (e *Edit) dosed(s *node) bool {
	return s.head == s.pair.head || !slices.ContainsFunc(e.deltas, func(d delta) bool {
		at, of := d.was, s
		if at == nil {
			at, of = d.now, s.pair
		}
		if _, ok := d.dose(); ok || !at.within(of) {
			return false
		}
		b := above[*ast.BlockStmt](at)
		return b == nil || !b.within(of)
	})
}

// Where returns the place in the new source of what is at a line of the old one: what stands for it there, or came in its
// place. It is false if nothing does.
func (e *Edit) Where(file string, line int) (string, int, bool) {
	if !slices.ContainsFunc(e.old.files, func(f *syntax.File) bool { return f.Name == file }) {
		return file, line, true
	}
	for _, at := range []func(*node) int{ // what begins there, or else ends there
		func(n *node) int { return n.lines().From }, func(n *node) int { return n.lines().To },
	} {
		for n := range e.old.in(file) {
			if at(n) == line && n.pair != nil {
				return n.pair.in.Name, at(n.pair), true
			}
		}
	}
	return "", 0, false
}

// statement returns the outermost statement that begins at a line of the old source, or the innermost that has the line,
// or else the declaration. It is nil if the file did not change.
func (e *Edit) statement(file string, line int) (s *node) {
	for n := range e.old.in(file) {
		if l := n.lines(); (n.up == nil || is[ast.Stmt](n) && !is[*ast.BlockStmt](n)) && l.From <= line && line <= l.To {
			if s = n; l.From == line {
				return s
			}
		}
	}
	return s
}

// in yields the nodes of a file.
func (s *side) in(file string) iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for _, u := range s.units {
			if u.in.Name == file && !u.walk(yield) {
				return
			}
		}
	}
}
