package edit

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A Mutant is a file with one statement that does something else.
type Mutant struct {
	File  string
	Line  int
	What  string // "negated", "dropped", "zero returned" or "moved by one"
	Bytes []byte // the whole new file
}

// Mutants returns up to n mutants of statements that begin at the given lines of files, at most one of a line, and as
// many of each kind. They are the same for the same seed. Most compile: nothing knows types.
func Mutants(src Source, lines map[string][]int, n int, seed uint64) (list []Mutant) {
	var all []Mutant
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		m := mutator{lines: lines[name]}
		m.Name, m.Src, m.Set = name, src[name], token.NewFileSet()
		var err error
		if m.Tree, err = parser.ParseFile(m.Set, name, m.Src, 0); err == nil {
			for fn := range syntax.Nodes[*ast.FuncDecl](m.Tree) {
				m.function(fn.Type, fn.Body)
			}
		}
		all = append(all, m.list...)
	}
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for next := true; next && len(list) < n; { // one of each kind in turn
		next = false
		for _, what := range []string{"negated", "dropped", "zero returned", "moved by one"} {
			i := slices.IndexFunc(all, func(x Mutant) bool { return x.What == what })
			if i < 0 || len(list) == n {
				continue
			}
			x := all[i]
			list, next = append(list, x), true
			all = slices.DeleteFunc(all, func(y Mutant) bool { return y.File == x.File && y.Line == x.Line })
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
	if body == nil {
		return
	}
	ast.Inspect(body, func(n ast.Node) bool {
		var list []ast.Stmt
		switch n := n.(type) {
		case *ast.FuncLit:
			m.function(n.Type, n.Body)
			return false
		case *ast.BlockStmt:
			list = n.List
		case *ast.CaseClause:
			list = n.Body
		case *ast.CommClause:
			list = n.Body
		}
		for _, s := range list {
			if from, _ := m.Lines(s); slices.Contains(m.lines, from) {
				m.statement(s, typ.Results)
			}
		}
		return true
	})
}

func (m *mutator) statement(s ast.Stmt, results *ast.FieldList) {
	switch s := s.(type) {
	case *ast.IfStmt:
		m.replace("negated", s, s.Cond, "!("+m.Text(s.Cond)+")")
	case *ast.ForStmt:
		if s.Cond != nil {
			m.replace("negated", s, s.Cond, "!("+m.Text(s.Cond)+")")
		}
	case *ast.ReturnStmt:
		m.zero(s, results)
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt:
		a, sets := s.(*ast.AssignStmt)
		if uses, ok := m.uses(s); ok && !(sets && a.Tok == token.DEFINE) && !waits.MatchString(m.Text(s)) {
			m.replace("dropped", s, s, "{"+uses+"}")
		}
	}
	moved := false
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt, *ast.FuncLit, *ast.ArrayType, *ast.IndexExpr, *ast.CaseClause, *ast.CommClause:
			return false
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && !moved {
				m.replace("moved by one", s, n, fmt.Sprint(v+1))
				moved = true
			}
		}
		return true
	})
}

// waits are statements without which others wait, or do not: they are no matter of values.
var waits = regexp.MustCompile(`^<-|\.(R?Lock|R?Unlock|Wait|Done|Signal|Broadcast|Close|Add)\([^()]*\)$|^close\(`)

// replace adds a mutant of a statement in which a text stands for a node.
func (m *mutator) replace(what string, s ast.Stmt, n ast.Node, text string) {
	from, to := m.Set.Position(n.Pos()).Offset, m.Set.Position(n.End()).Offset
	line, _ := m.Lines(s)
	m.list = append(m.list, Mutant{m.Name, line, what, slices.Concat(m.Src[:from], []byte(text), m.Src[to:])})
}

// zero returns the zero value in place of the first result that is no error and not zero already.
func (m *mutator) zero(s *ast.ReturnStmt, results *ast.FieldList) {
	var types []string
	for _, f := range cmp.Or(results, new(ast.FieldList)).List {
		types = append(types, slices.Repeat([]string{m.Text(f.Type)}, max(1, len(f.Names)))...)
	}
	for i, r := range s.Results {
		uses, ok := m.uses(r)
		zero := slices.Contains([]string{"nil", "0", `""`, "false"}, m.Text(r))
		if len(types) == len(s.Results) && types[i] != "error" && ok && !zero {
			at := int(s.Pos())
			text := m.Text(s)
			m.replace("zero returned", s, s, uses+text[:int(r.Pos())-at]+"*new("+types[i]+")"+text[int(r.End())-at:])
			return
		}
	}
}

// uses returns statements that use the variables that a node names. It is false if no other node may use a package.
func (m *mutator) uses(n ast.Node) (text string, ok bool) {
	ok = true
	seen := make(map[string]bool)
	for id := range syntax.Nodes[*ast.Ident](n) {
		switch {
		case id.Obj == nil:
			ok = ok && !m.once(id.Name)
		case id.Obj.Kind == ast.Var && !seen[id.Name] && id.Name != "_" && !within(id.Obj, n):
			seen[id.Name] = true
			text += "_ = " + id.Name + "; "
		}
	}
	return text, ok
}

// within reports whether what a name means is declared in a node.
func within(o *ast.Object, n ast.Node) bool { return n.Pos() <= o.Pos() && o.Pos() < n.End() }

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
