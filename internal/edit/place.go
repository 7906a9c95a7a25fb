package edit

import (
	"go/ast"
	"slices"
)

// Gone returns how the statement at a line of the old source changed or went. It is false if it is there as it was, or
// only a dose in it moved: also in another place of its function, in a renamed function, or moved to another one.
func (e *Edit) Gone(file string, line int) (Change, bool) {
	s := e.statement(file, line)
	if s == nil {
		return Change{}, false
	}
	if e.stays(s) {
		return Change{}, false
	}
	if fn := s.unit().pair; fn != nil && !is[*ast.GoStmt](s) {
		for n := range fn.all {
			if is[ast.Stmt](n) && head(n) == head(s) {
				return Change{}, false
			}
		}
	}
	return change("gone", s, s.pair), true
}

// stays reports whether the statement stands in the new source, with any dose.
func (e *Edit) stays(s *node) bool {
	if s.pair == nil {
		return false
	}
	if is[*ast.GoStmt](s) || head(s) == head(s.pair) {
		return true
	}
	return !slices.ContainsFunc(e.deltas, func(d delta) bool {
		return (d.was.within(s) || d.now.within(s.pair)) && !nested(d.was, s) && !nested(d.now, s.pair) && len(doses(d)) == 0
	})
}

// within reports whether a node is below another, or is it.
func (n *node) within(m *node) bool {
	for ; n != nil; n = n.up {
		if n == m {
			return true
		}
	}
	return false
}

// nested reports whether a node is in a block of a statement.
func nested(n, s *node) bool {
	for ; n != nil && n != s; n = n.up {
		if is[*ast.BlockStmt](n) {
			return true
		}
	}
	return false
}

// head is equal for statements that are equal outside the blocks within them.
func head(s *node) (key uint64) {
	if is[*ast.BlockStmt](s) {
		return 1
	}
	if len(s.kids) == 0 {
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

// Where returns the line of the new source that a line of the old one became. It is false if nothing stands for it.
func (e *Edit) Where(file string, line int) (string, int, bool) {
	if e.old.files[file] == nil {
		return file, line, true
	}
	for _, u := range e.old.units {
		if u.in.name != file {
			continue
		}
		for n := range u.all {
			if from, _ := n.lines(); from == line && n.pair != nil {
				line, _ := n.pair.lines()
				return n.pair.in.name, line, true
			}
		}
		for n := range u.all {
			if _, to := n.lines(); to == line && n.pair != nil {
				_, line := n.pair.lines()
				return n.pair.in.name, line, true
			}
		}
	}
	return "", 0, false
}

// statement returns the outermost statement that begins at a line of the old source, or the innermost that has it. It
// is nil if the file did not change.
func (e *Edit) statement(file string, line int) (s *node) {
	for _, u := range e.old.units {
		if u.in.name != file {
			continue
		}
		for n := range u.all {
			from, to := n.lines()
			if is[*ast.BlockStmt](n) || !is[ast.Stmt](n) || line < from || to < line {
				continue
			}
			if s = n; from == line {
				return s
			}
		}
	}
	return s
}
