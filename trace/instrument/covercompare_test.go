package instrument

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"

	"golang.org/x/tools/cover"

	"github.com/fdebug/fdebug/trace"
)

// A coverComparison compares statement by statement.
type coverComparison struct {
	sites            *trace.Sites
	hit              []bool // by block
	agree, undecided int
}

// A place is a line and a column in bytes.
type place struct{ line, col int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.col < q.col }

// file compares the statements of one file. What cover says of the first
// statement of one of its blocks is true of it. Of the others it cannot tell
// whether control came to them, if a statement before them did not return.
func (c *coverComparison) file(t *testing.T, prof *cover.Profile) {
	index := -1
	for i, f := range c.sites.Files {
		if f.Name == prof.FileName {
			index = i
		}
	}
	if index < 0 {
		t.Logf("%s is not instrumented", prof.FileName)
		return
	}
	name := filepath.Join(c.sites.Root, c.sites.Files[index].Path)
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	seen := make(map[int]bool) // blocks of cover whose first statement was seen
	for _, s := range statements(f) {
		pos := fset.PositionFor(s.Pos(), false)
		theirs := coverBlock(prof.Blocks, place{pos.Line, pos.Column})
		ours := siteBlock(c.sites, index, place{pos.Line, pos.Column})
		if theirs < 0 || ours == 0 {
			if theirs >= 0 {
				t.Errorf("%s: no block of ours", pos)
			}
			continue
		}
		first := !seen[theirs]
		seen[theirs] = true
		covered := prof.Blocks[theirs].Count > 0
		switch {
		case covered == c.hit[ours]:
			c.agree++
		case covered && !first:
			c.undecided++
		default:
			t.Errorf("%s: run according to cover: %v, according to the trace: %v", pos, covered, c.hit[ours])
		}
	}
}

// statements returns the statements of a file that stand in a list, in order.
func statements(f *ast.File) (all []ast.Stmt) {
	add := func(list []ast.Stmt) {
		for _, s := range list {
			for {
				l, ok := s.(*ast.LabeledStmt)
				if !ok {
					break
				}
				s = l.Stmt
			}
			switch s.(type) {
			case *ast.EmptyStmt, *ast.BlockStmt:
			default:
				all = append(all, s)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name != "_"
		case *ast.BlockStmt:
			if len(n.List) == 0 || !isClause(n.List[0]) {
				add(n.List)
			}
		case *ast.CaseClause:
			add(n.Body)
		case *ast.CommClause:
			add(n.Body)
		case *ast.IfStmt:
			if e, ok := n.Else.(*ast.IfStmt); ok {
				add([]ast.Stmt{e})
			}
		}
		return true
	})
	return all
}

func isClause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

// coverBlock returns the last block that begins at or before p and does not end
// before it, -1 if there is none.
func coverBlock(blocks []cover.ProfileBlock, p place) int {
	found := -1
	for i, b := range blocks {
		start, end := place{b.StartLine, b.StartCol}, place{b.EndLine, b.EndCol}
		if !p.before(start) && p.before(end) && (found < 0 || !start.before(place{blocks[found].StartLine, blocks[found].StartCol})) {
			found = i
		}
	}
	return found
}

// siteBlock returns the innermost block of a file around p, 0 if there is none.
func siteBlock(sites *trace.Sites, file int, p place) int {
	found := 0
	for i := 1; i < len(sites.Blocks); i++ {
		b := &sites.Blocks[i]
		start, end := place{b.StartLine, b.StartCol}, place{b.EndLine, b.EndCol}
		if sites.FileOf(i) != file || p.before(start) || !p.before(end) {
			continue
		}
		if found == 0 || !start.before(place{sites.Blocks[found].StartLine, sites.Blocks[found].StartCol}) {
			found = i
		}
	}
	return found
}
