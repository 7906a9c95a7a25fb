package edit

import (
	"go/ast"
	"slices"
)

// Gone returns how the statement at a line of the old source changed or went. It is false if the statement stands in the
// new source, wherever it moved to, if only a dose in it changed, or if what it calls is called elsewhere in what was
// edited: it may only have another form. Of a statement with blocks, what changed in them does not count. A go statement,
// or a call of a method Go, is gone if none that was edited starts the same. A declaration is gone if nothing stands for
// it, and a line of a file that did not change is not.
func (e *Edit) Gone(file string, line int) (Change, bool) {
	s := e.statement(file, line)
	if s == nil || s.pair != nil && (s.up == nil || e.dosed(s)) {
		return Change{}, false
	}
	names, head := s.calls(), s.head()
	same := func(n *node) bool {
		if s.starts() {
			return n.starts() && slices.ContainsFunc(n.calls(), func(name string) bool { return slices.Contains(names, name) })
		}
		return is[ast.Stmt](n) && n.head() == head || slices.Contains(names, n.name())
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
	return is[*ast.GoStmt](n) || is[*ast.ExprStmt](n) && n.kids[0].name() == "Go"
}

// calls returns the names of what a statement calls outside of its blocks. If it starts a goroutine, they are all that it
// calls, or hands on.
func (n *node) calls() (list []string) {
	for _, k := range n.all {
		name := k.name()
		if x, ok := k.Node.(*ast.SelectorExpr); ok && n.starts() && is[*ast.CallExpr](k.up) {
			name = x.Sel.Name
		}
		if (is[*ast.CallExpr](k) || is[*ast.SelectorExpr](k)) && name != "" && name != "Go" && (n.starts() || k.outside(n)) {
			list = append(list, name)
		}
	}
	return list
}

// dosed reports whether no more than a dose differs outside the blocks of a statement and what stands for it.
func (e *Edit) dosed(s *node) bool {
	return s.head() == s.pair.head() || !slices.ContainsFunc(e.deltas, func(d delta) bool {
		_, ok := d.dose()
		return !ok && (d.was.outside(s) || d.now.outside(s.pair))
	})
}

// Where returns the place in the new source of what is at a line of the old one: what stands for it there, or came in its
// place. It is false if nothing does.
func (e *Edit) Where(file string, line int) (string, int, bool) {
	if !slices.Contains(e.Files, file) {
		return file, line, true
	}
	for _, at := range []func(*node) int{ // what begins there, or else ends there
		func(n *node) int { return n.lines().From }, func(n *node) int { return n.lines().To },
	} {
		for _, n := range e.old.nodes {
			if n.in.Name == file && n.pair != nil && at(n) == line {
				return n.pair.in.Name, at(n.pair), true
			}
		}
	}
	return "", 0, false
}

// statement returns the outermost statement that begins at a line of the old source, or the innermost that has the line,
// or else the declaration. It is nil if the file did not change.
func (e *Edit) statement(file string, line int) (s *node) {
	for _, n := range e.old.nodes {
		l, part := n.lines(), n.up == nil || is[ast.Stmt](n) && !is[*ast.BlockStmt](n)
		if part && n.in.Name == file && l.From <= line && line <= l.To {
			if s = n; l.From == line {
				return s
			}
		}
	}
	return s
}
