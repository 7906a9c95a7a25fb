package edit

import (
	"fmt"
	"go/ast"
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
	var m mutator
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		if f, err := parse(name, src[name]); err == nil {
			s := side{files: []*syntax.File{f}}
			s.grow()
			m.file(s.nodes, lines[name])
		}
	}
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(m.list), func(i, j int) { m.list[i], m.list[j] = m.list[j], m.list[i] })
	for next := true; next && len(list) < n; { // one of each kind in turn
		next = false
		for _, what := range []string{"negated", "dropped", "zero returned", "moved by one"} {
			i := slices.IndexFunc(m.list, func(x Mutant) bool { return x.What == what })
			if i < 0 || len(list) == n {
				continue
			}
			x := m.list[i]
			list, next = append(list, x), true
			m.list = slices.DeleteFunc(m.list, func(y Mutant) bool { return y.File == x.File && y.Line == x.Line })
		}
	}
	return list
}

// A mutator makes mutants.
type mutator struct{ list []Mutant }

// file makes those of the statements of blocks of a file.
func (m *mutator) file(nodes []*node, lines []int) {
	for _, n := range nodes {
		c, comm := n.Node.(*ast.CommClause)
		if !comm && !is[*ast.BlockStmt](n) && !is[*ast.CaseClause](n) {
			continue
		}
		for _, s := range n.kids {
			if is[ast.Stmt](s) && !(comm && s.Node == c.Comm) && slices.Contains(lines, s.lines().From) {
				m.statement(s)
			}
		}
	}
}

func (m *mutator) statement(s *node) {
	var cond ast.Expr
	switch x := s.Node.(type) {
	case *ast.IfStmt:
		cond = x.Cond
	case *ast.ForStmt:
		cond = x.Cond
	case *ast.ReturnStmt:
		m.zero(s, x.Results)
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt:
		if uses, ok := s.uses(s.Node); ok && s.label != "*ast.AssignStmt :=" && !waits.MatchString(s.text()) {
			m.replace("dropped", s, s, "{"+uses+"}")
		}
	}
	if cond != nil {
		m.replace("negated", s, cond, "!("+s.in.Text(cond)+")")
	}
	for k := range s.all {
		at := k
		for at != s.up && !apart.MatchString(at.label) {
			at = at.up
		}
		if v, err := strconv.ParseInt(k.text(), 0, 64); at == s.up && is[*ast.BasicLit](k) && err == nil {
			m.replace("moved by one", s, k, fmt.Sprint(v+1))
			break
		}
	}
}

var (
	// waits are statements without which others wait, or do not: they are no matter of values.
	waits = regexp.MustCompile(`^<-|\.(R?Lock|R?Unlock|Wait|Done|Signal|Broadcast|Close|Add)\([^()]*\)$|^close\(`)
	// apart are nodes with statements of their own, or with numbers that the compiler looks at.
	apart = regexp.MustCompile(`^\*ast\.(BlockStmt|FuncLit|ArrayType|IndexExpr|CaseClause|CommClause)\b`)
)

// replace adds a mutant of a statement in which a text stands for what is in it.
func (m *mutator) replace(what string, s *node, part ast.Node, text string) {
	from, to := s.in.Set.Position(part.Pos()).Offset, s.in.Set.Position(part.End()).Offset
	file := slices.Concat(s.in.Src[:from], []byte(text), s.in.Src[to:])
	m.list = append(m.list, Mutant{s.in.Name, s.lines().From, what, file})
}

// zero returns the zero value in place of the first result that is no error and not zero already.
func (m *mutator) zero(s *node, list []ast.Expr) {
	fn, types := s, []string(nil)
	for !slices.ContainsFunc(fn.kids, is[*ast.FuncType]) {
		fn = fn.up
	}
	for t := range syntax.Nodes[*ast.FuncType](fn.Node) {
		if t.Results != nil {
			for _, f := range t.Results.List {
				types = append(types, slices.Repeat([]string{s.in.Text(f.Type)}, max(1, len(f.Names)))...)
			}
		}
		break
	}
	for i, r := range list {
		uses, ok := s.uses(r)
		zero := slices.Contains([]string{"nil", "0", `""`, "false"}, s.in.Text(r))
		if len(types) == len(list) && types[i] != "error" && ok && !zero {
			at, text := s.Pos(), s.text()
			m.replace("zero returned", s, s, uses+text[:r.Pos()-at]+"*new("+types[i]+")"+text[r.End()-at:])
			return
		}
	}
}

// uses returns statements that use the variables that a part names. It is false if no other may use a package.
func (s *node) uses(part ast.Node) (text string, ok bool) {
	seen := make(map[string]bool)
	for id := range syntax.Nodes[*ast.Ident](part) {
		switch o := id.Obj; {
		case o == nil:
			if used := regexp.MustCompile(`(^|[^.\w])` + id.Name + `\.`); len(used.FindAllIndex(s.in.Src, 2)) == 1 {
				return "", false
			}
		case o.Kind == ast.Var && !seen[id.Name] && id.Name != "_" && (o.Pos() < part.Pos() || part.End() <= o.Pos()):
			seen[id.Name] = true
			text += "_ = " + id.Name + "; "
		}
	}
	return text, true
}
