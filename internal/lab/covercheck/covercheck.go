// Package covercheck matches the statements of a trace with those that cmd/cover counts. That
// tool finds its blocks with its own code, so it can tell whether ours are right.
//
// The unit is the statement, identified by its position. One line may hold several, and blocks of
// the two tools begin and end at different places. What cover says about the first statement of
// one of its blocks is true. It says the same about the others in the block. That is not true if
// an earlier one did not return: if the block ran, cover cannot decide whether they did. If cover
// says that a block did not run, that is true for all of them.
package covercheck

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"

	"golang.org/x/tools/cover"

	"github.com/fdebug/fdebug/trace"
)

// A Statement is a statement that both tools know.
type Statement struct {
	Pos   token.Position // where it begins, ignoring //line
	Block int            // ours; 0 if there is none though the function has probes
	Cover int            // index in the Blocks of the profile
	First bool           // it is the first statement of that block
	Func  string         // name of the function; "" if it has no probes because it must not split the stack
}

// Decides reports whether cover can tell whether s ran, given what it says.
func (s Statement) Decides(covered bool) bool { return !covered || s.First }

// A Matcher matches the statements of files in one site table.
type Matcher struct {
	sites  *trace.Sites
	files  map[string]int // by name in profiles
	blocks [][]int        // by file
	funcs  [][]int        // by file
}

// NewMatcher returns a Matcher for a site table.
func NewMatcher(sites *trace.Sites) *Matcher {
	m := &Matcher{sites: sites, files: make(map[string]int),
		blocks: make([][]int, len(sites.Files)), funcs: make([][]int, len(sites.Files))}
	for i, f := range sites.Files {
		m.files[f.Name] = i
	}
	for i := 1; i < len(sites.Blocks); i++ {
		file := sites.FileOf(i)
		m.blocks[file] = append(m.blocks[file], i)
	}
	for i, f := range sites.Funcs {
		m.funcs[f.File] = append(m.funcs[f.File], i)
	}
	return m
}

// File returns the statements of the file of a profile, or none if it has no probes.
func (m *Matcher) File(prof *cover.Profile) ([]Statement, error) {
	file, ok := m.files[prof.FileName]
	if !ok {
		return nil, nil
	}
	name := filepath.Join(m.sites.Root, filepath.FromSlash(m.sites.Files[file].Path))
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("comparing lines: %w", err)
	}
	var all []Statement
	seen := make(map[int]bool) // blocks of cover whose first statement was seen
	for _, stmt := range statements(f) {
		pos := fset.PositionFor(stmt.Pos(), false)
		at := place{pos.Line, pos.Column}
		s := Statement{Pos: pos, Cover: coverBlock(prof.Blocks, at), Block: m.block(file, at),
			Func: m.function(file, pos.Line)}
		if s.Cover < 0 {
			continue
		}
		s.First = !seen[s.Cover]
		seen[s.Cover] = true
		all = append(all, s)
	}
	return all, nil
}

// A place is a line and a column in bytes.
type place struct{ line, col int }

func (p place) before(q place) bool { return p.line < q.line || p.line == q.line && p.col < q.col }

// block returns the innermost block of a file around p, or 0 if there is none.
func (m *Matcher) block(file int, p place) int {
	found, from := 0, place{}
	for _, i := range m.blocks[file] {
		b := &m.sites.Blocks[i]
		start, end := place{b.StartLine, b.StartCol}, place{b.EndLine, b.EndCol}
		if !p.before(start) && p.before(end) && (found == 0 || !start.before(from)) {
			found, from = i, start
		}
	}
	return found
}

// function returns the name of the declared function with probes around a line of a file, or ""
// if there is none.
func (m *Matcher) function(file, line int) string {
	for _, i := range m.funcs[file] { // literals follow the function that contains them
		if f := m.sites.Funcs[i]; f.Line <= line && line <= f.End {
			return f.Name
		}
	}
	return ""
}

// coverBlock returns the last block that begins at or before p and does not end before it, or -1
// if there is none.
func coverBlock(blocks []cover.ProfileBlock, p place) int {
	found, from := -1, place{}
	for i, b := range blocks {
		start, end := place{b.StartLine, b.StartCol}, place{b.EndLine, b.EndCol}
		if !p.before(start) && p.before(end) && (found < 0 || !start.before(from)) {
			found, from = i, start
		}
	}
	return found
}

// statements returns the statements of a file that are in a list, in order.
func statements(f *ast.File) []ast.Stmt {
	var all lists
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			return n.Name.Name != "_"
		case *ast.BlockStmt:
			if len(n.List) == 0 || !isClause(n.List[0]) {
				all.add(n.List)
			}
		case *ast.CaseClause:
			all.add(n.Body)
		case *ast.CommClause:
			all.add(n.Body)
		case *ast.IfStmt:
			if e, ok := n.Else.(*ast.IfStmt); ok {
				all.add([]ast.Stmt{e})
			}
		}
		return true
	})
	return all
}

type lists []ast.Stmt

// add adds the statements of a list without their labels. A block in a list has its own
// statements.
func (l *lists) add(list []ast.Stmt) {
	for _, s := range list {
		for {
			labeled, ok := s.(*ast.LabeledStmt)
			if !ok {
				break
			}
			s = labeled.Stmt
		}
		switch s.(type) {
		case *ast.EmptyStmt, *ast.BlockStmt:
		default:
			*l = append(*l, s)
		}
	}
}

func isClause(s ast.Stmt) bool {
	switch s.(type) {
	case *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}
