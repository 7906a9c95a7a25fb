package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ast/astutil"

	"github.com/fdebug/fdebug/trace"
)

// A parsed is a source file with its syntax tree.
type parsed struct {
	fset *token.FileSet
	file *ast.File
	tok  *token.File
}

// parse returns the syntax tree of a file, nil if it can't be had.
func (s *sources) parse(path string) *parsed {
	if p, ok := s.trees[path]; ok {
		return p
	}
	s.trees[path] = nil
	lines := s.lines(path)
	if lines == nil {
		return nil
	}
	p := &parsed{fset: token.NewFileSet()}
	var err error
	if p.file, err = parser.ParseFile(p.fset, "", strings.Join(lines, "\n"), parser.SkipObjectResolution); err != nil {
		return nil
	}
	p.tok = p.fset.File(p.file.Pos())
	s.trees[path] = p
	return p
}

// tree is parse for other packages.
func (s *sources) tree(path string) (*token.FileSet, *ast.File) {
	p := s.parse(path)
	if p == nil {
		return nil, nil
	}
	return p.fset, p.file
}

// pos returns the position of a line and column, NoPos if there is none.
func (p *parsed) pos(line, col int) token.Pos {
	if line < 1 || line > p.tok.LineCount() || col < 1 {
		return token.NoPos
	}
	pos := p.tok.LineStart(line) + token.Pos(col-1)
	if int(pos) > p.tok.Base()+p.tok.Size() {
		return token.NoPos
	}
	return pos
}

// A branch is the if statement at the end of a block.
type branch struct {
	*parsed
	stmt *ast.IfStmt
	path []ast.Node // from stmt outwards
}

// branch returns the if statement whose condition ends p, nil if there is none.
func (s *sources) branch(p place) *branch {
	t := s.parse(p.File)
	if t == nil || p.EndCol < 2 {
		return nil
	}
	pos := t.pos(p.End, p.EndCol-1)
	if !pos.IsValid() {
		return nil
	}
	path, _ := astutil.PathEnclosingInterval(t.file, pos, pos)
	for i, n := range path {
		switch n := n.(type) {
		case *ast.IfStmt:
			if n.Cond.Pos() <= pos && pos < n.Body.Lbrace {
				return &branch{t, n, path[i:]}
			}
			return nil
		case *ast.FuncLit, *ast.FuncDecl:
			return nil
		}
	}
	return nil
}

// cond returns the code of the condition.
func (s *sources) cond(p place, b *branch) string {
	from, to := b.fset.PositionFor(b.stmt.Cond.Pos(), false), b.fset.PositionFor(b.stmt.Cond.End(), false)
	text, _ := s.text(place{File: p.File, Start: from.Line, StartCol: from.Column, End: to.Line, EndCol: to.Column})
	return strings.Join(strings.Fields(text), " ")
}

// then reports whether x is where control goes if the condition is true.
func (b *branch) then(x *place) bool {
	if len(b.stmt.Body.List) == 0 {
		pos := b.pos(x.Start, x.StartCol)
		return pos >= b.stmt.Body.Lbrace && pos <= b.stmt.Body.Rbrace
	}
	return b.starts(x, b.stmt.Body.List[0])
}

// els reports whether x is where control goes if the condition is false. It
// must be the very next block: a comparison may have left out some in between,
// and then the condition says nothing of how x was reached.
func (b *branch) els(x *place, kind trace.BlockKind, sameFunc bool) bool {
	switch e := b.stmt.Else.(type) {
	case *ast.BlockStmt:
		return len(e.List) > 0 && b.starts(x, e.List[0])
	case *ast.IfStmt:
		return b.starts(x, e)
	}
	return b.after(x, kind, sameFunc)
}

// after reports whether x is what comes after the statement, going outwards as
// long as it is the last one of its list.
func (b *branch) after(x *place, kind trace.BlockKind, sameFunc bool) bool {
	for i := 0; i+1 < len(b.path); i++ {
		switch parent := b.path[i+1].(type) {
		case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
			if next := nextStmt(parent, b.path[i]); next != nil {
				return b.starts(x, next)
			}
		case *ast.ForStmt:
			if kind == trace.BlockLoop && sameFunc && b.starts(x, first(parent.Body)) {
				return true
			}
		case *ast.RangeStmt:
			if kind == trace.BlockLoop && sameFunc && b.starts(x, first(parent.Body)) {
				return true
			}
		case *ast.FuncLit, *ast.FuncDecl:
			return !sameFunc // back in the caller
		}
	}
	return false
}

// starts reports whether x starts where n does.
func (b *branch) starts(x *place, n ast.Node) bool {
	if n == nil {
		return false
	}
	at := b.fset.PositionFor(n.Pos(), false)
	return x.Start == at.Line && (x.StartCol == at.Column || x.StartCol == 0)
}

// first returns the first statement of a block, nil if it is empty.
func first(b *ast.BlockStmt) ast.Node {
	if len(b.List) == 0 {
		return nil
	}
	return b.List[0]
}

// nextStmt returns the statement after n in a list, nil if n is the last.
func nextStmt(list, n ast.Node) ast.Node {
	var stmts []ast.Stmt
	switch l := list.(type) {
	case *ast.BlockStmt:
		stmts = l.List
	case *ast.CaseClause:
		stmts = l.Body
	case *ast.CommClause:
		stmts = l.Body
	}
	switch n.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return nil // the next case does not follow it
	}
	for i, s := range stmts {
		if s == n && i+1 < len(stmts) {
			return stmts[i+1]
		}
	}
	return nil
}
