package edit

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A Mutant is a file with one statement that does something else.
type Mutant struct {
	File  string
	Line  int
	What  string // "negated", "dropped", "zero returned" or "moved by one"
	Bytes []byte // the whole new file
}

// Mutants returns up to n mutants of statements that begin at the given lines of the files of a source, at most one of a
// statement, and of each kind about as many. They are the same for the same seed. Most compile: nothing knows types.
func Mutants(src Source, lines map[string][]int, n int, seed uint64) (list []Mutant) {
	random := rand.New(rand.NewPCG(seed, seed))
	kinds := make(map[string][]Mutant)
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		m := mutator{lines: lines[name]}
		m.Name, m.Src, m.Set = name, src[name], token.NewFileSet()
		var err error
		if m.Tree, err = parser.ParseFile(m.Set, name, m.Src, 0); err != nil {
			continue
		}
		for _, d := range m.Tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				m.function(fn.Type, fn.Body)
			}
		}
		for _, x := range m.list {
			kinds[x.What] = append(kinds[x.What], x)
		}
	}
	order := slices.Sorted(maps.Keys(kinds))
	for _, k := range order {
		random.Shuffle(len(kinds[k]), func(i, j int) { kinds[k][i], kinds[k][j] = kinds[k][j], kinds[k][i] })
	}
	type place struct {
		file string
		line int
	}
	used := make(map[place]bool)
	for left := true; left && len(list) < n; {
		left = false
		for _, k := range order {
			for len(kinds[k]) > 0 && len(list) < n {
				x := kinds[k][0]
				kinds[k] = kinds[k][1:]
				if at := (place{x.File, x.Line}); !used[at] {
					used[at], left = true, true
					list = append(list, x)
					break
				}
			}
		}
	}
	return list
}

// A mutator makes the mutants of a file.
type mutator struct {
	syntax.File
	lines []int
	list  []Mutant
}

// function makes those of a function, and of the ones within it.
func (m *mutator) function(typ *ast.FuncType, body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			m.function(n.Type, n.Body)
			return false
		case *ast.BlockStmt:
			m.statements(n.List, typ)
		case *ast.CaseClause:
			m.statements(n.Body, typ)
		case *ast.CommClause:
			m.statements(n.Body, typ)
		}
		return true
	})
}

func (m *mutator) statements(list []ast.Stmt, typ *ast.FuncType) {
	for _, s := range list {
		if from, _ := m.Lines(s); !slices.Contains(m.lines, from) {
			continue
		}
		switch s := s.(type) {
		case *ast.IfStmt:
			m.negate(s, s.Cond)
		case *ast.ForStmt:
			if s.Cond != nil {
				m.negate(s, s.Cond)
			}
		case *ast.ReturnStmt:
			m.zero(s, typ.Results)
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				m.drop(s)
			}
		case *ast.IncDecStmt, *ast.ExprStmt:
			m.drop(s)
		}
		m.shift(s)
	}
}

// replace adds a mutant in which a text stands for a node.
func (m *mutator) replace(what string, s ast.Stmt, n ast.Node, text string) {
	from, to := m.Set.Position(n.Pos()).Offset, m.Set.Position(n.End()).Offset
	line, _ := m.Lines(s)
	m.list = append(m.list, Mutant{m.Name, line, what, slices.Concat(m.Src[:from], []byte(text), m.Src[to:])})
}

func (m *mutator) negate(s ast.Stmt, cond ast.Expr) {
	m.replace("negated", s, cond, "!("+m.Text(cond)+")")
}

func (m *mutator) drop(s ast.Stmt) {
	if uses, ok := m.uses(s); ok {
		m.replace("dropped", s, s, "{"+uses+"}")
	}
}

// zero replaces the first result that is no error, if it is not zero already.
func (m *mutator) zero(s *ast.ReturnStmt, results *ast.FieldList) {
	if results == nil {
		return
	}
	var types []string
	for _, f := range results.List {
		for range max(1, len(f.Names)) {
			types = append(types, m.Text(f.Type))
		}
	}
	if len(types) != len(s.Results) {
		return
	}
	for i, r := range s.Results {
		uses, ok := m.uses(r)
		if t := m.Text(r); types[i] == "error" || !ok || t == "nil" || t == "0" || t == `""` || t == "false" {
			continue
		}
		from, to := m.Set.Position(s.Pos()).Offset, m.Set.Position(r.Pos()).Offset
		tail := string(m.Src[m.Set.Position(r.End()).Offset:m.Set.Position(s.End()).Offset])
		m.replace("zero returned", s, s, uses+string(m.Src[from:to])+"*new("+types[i]+")"+tail)
		return
	}
}

// shift makes a number in the head of a statement one greater.
func (m *mutator) shift(s ast.Stmt) {
	done := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.FuncLit, *ast.ArrayType, *ast.IndexExpr, *ast.CaseClause, *ast.CommClause:
			return false
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && !done {
				m.replace("moved by one", s, n, fmt.Sprint(v+1))
				done = true
			}
		}
		return !done
	})
}

// uses returns statements that use the variables of a function that a node names. It is false if the node may be the
// only one that uses a package.
func (m *mutator) uses(n ast.Node) (text string, ok bool) {
	seen := make(map[string]bool)
	ok = true
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			ok = false
		case *ast.Ident:
			switch {
			case n.Obj == nil:
				ok = ok && !m.once(n.Name)
			case n.Obj.Kind == ast.Var && !seen[n.Name] && n.Name != "_":
				seen[n.Name] = true
				text += "_ = " + n.Name + "; "
			}
		case *ast.SelectorExpr:
			ast.Inspect(n.X, func(x ast.Node) bool { return true })
		}
		return ok
	})
	return strings.TrimSpace(text), ok
}

// once reports whether a name is that of a package that is used once.
func (m *mutator) once(name string) bool {
	count := 0
	for s := range syntax.Nodes[*ast.SelectorExpr](m.Tree) {
		if id, ok := s.X.(*ast.Ident); ok && id.Obj == nil && id.Name == name {
			count++
		}
	}
	return count == 1
}
