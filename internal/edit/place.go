package edit

import (
	"go/ast"
	"iter"
	"slices"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Gone returns how the statement at a line of the old source changed or went. It is false if the statement stands in the
// new source, wherever it moved to, or only a dose in it changed. Of a statement with blocks, what changed in them does
// not count. A go statement and a declaration are gone if nothing stands for them. A line of a file that did not change
// is not gone.
func (e *Edit) Gone(file string, line int) (Change, bool) {
	s := e.statement(file, line)
	if s == nil || s.pair != nil && (is[*ast.GoStmt](s) || s.up == nil || e.dosed(s)) {
		return Change{}, false
	}
	if fn := s.top().pair; fn != nil && !is[*ast.GoStmt](s) && fn.has(func(n *node) bool { return is[ast.Stmt](n) && n.head == s.head }) {
		return Change{}, false
	}
	return change("gone", s, s.pair), true
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
