package edit

import (
	"go/ast"
	"slices"
)

// Gone returns how the statement at a line of the old source changed or went. It is false if the statement stands in the
// new source, wherever it moved to, or only a dose in it changed. Of a statement with blocks, what changed in them does
// not count. A go statement is gone if nothing stands for it. A line of a file that did not change is not gone.
func (e *Edit) Gone(file string, line int) (Change, bool) {
	s := e.statement(file, line)
	if s == nil || s.pair != nil && (is[*ast.GoStmt](s) || e.dosed(s)) {
		return Change{}, false
	}
	if fn := s.top().pair; fn != nil && !is[*ast.GoStmt](s) && fn.has(func(n *node) bool { return is[ast.Stmt](n) && head(n) == head(s) }) {
		return Change{}, false
	}
	return change("gone", s, s.pair), true
}

// dosed reports whether no more than a dose differs outside the blocks of a statement and what stands for it.
func (e *Edit) dosed(s *node) bool {
	return head(s) == head(s.pair) || !slices.ContainsFunc(e.deltas, func(d delta) bool {
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

// head is equal for statements that are equal outside of the blocks within them.
func head(s *node) (key uint64) {
	switch {
	case is[*ast.BlockStmt](s):
		return 1
	case len(s.kids) == 0:
		return s.key
	}
	for _, r := range s.label {
		key = key*31 + uint64(r)
	}
	for _, k := range s.kids {
		key = key*1000003 + head(k)
	}
	return key
}

// Where returns the place in the new source of what is at a line of the old one: what stands for it there, or came in its
// place. It is false if nothing does.
func (e *Edit) Where(file string, line int) (string, int, bool) {
	if e.old.files[file] == nil {
		return file, line, true
	}
	for _, end := range []bool{false, true} { // what begins there, or else ends there
		at := func(n *node) int {
			from, to := n.lines()
			if end {
				return to
			}
			return from
		}
		for _, u := range e.old.units {
			for n := range u.all {
				if u.in.Name == file && at(n) == line && n.pair != nil {
					return n.pair.in.Name, at(n.pair), true
				}
			}
		}
	}
	return "", 0, false
}

// statement returns the outermost statement that begins at a line of the old source, or the innermost that has the line.
// It is nil if the file did not change.
func (e *Edit) statement(file string, line int) (s *node) {
	for _, u := range e.old.units {
		for n := range u.all {
			from, to := n.lines()
			if u.in.Name != file || !is[ast.Stmt](n) || is[*ast.BlockStmt](n) || line < from || to < line {
				continue
			}
			if s = n; from == line {
				return s
			}
		}
	}
	return s
}
