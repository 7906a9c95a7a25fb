package edit

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"math/rand/v2"
	"regexp"
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

// Mutants returns up to n mutants of statements that begin at the given lines of files, at most one of a line, and as
// many of each kind. They are the same for the same seed. Most compile: nothing knows types.
func Mutants(src Source, lines map[string][]int, n int, seed uint64) (list []Mutant) {
	var all []Mutant
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		var s side
		if s.parse(name, src) == nil {
			s.grow()
			all = append(all, s.mutants(lines[name])...)
		}
	}
	random := rand.New(rand.NewPCG(seed, seed))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	for next := true; next && len(list) < n; { // one of each kind in turn
		next = false
		for _, what := range []string{"negated", "dropped", "zero returned", "moved by one"} {
			if i := slices.IndexFunc(all, func(x Mutant) bool { return x.What == what }); i >= 0 && len(list) < n {
				x := all[i]
				list, next = append(list, x), true
				all = slices.DeleteFunc(all, func(y Mutant) bool { return y.File == x.File && y.Line == x.Line })
			}
		}
	}
	return list
}

// mutants returns those of the statements of blocks that begin at some lines.
func (s *side) mutants(lines []int) (list []Mutant) {
	for _, n := range s.nodes {
		c, comm := n.Node.(*ast.CommClause)
		if !comm && !is[*ast.BlockStmt](n) && !is[*ast.CaseClause](n) {
			continue
		}
		for _, k := range n.kids {
			if is[ast.Stmt](k) && !(comm && k.Node == c.Comm) && slices.Contains(lines, k.lines().From) {
				list = append(list, k.mutants()...)
			}
		}
	}
	return list
}

// mutants returns those of a statement.
func (s *node) mutants() (list []Mutant) {
	add := func(what string, part ast.Node, text string) {
		from, to := s.in.Set.Position(part.Pos()).Offset, s.in.Set.Position(part.End()).Offset
		file := slices.Concat(s.in.Src[:from], []byte(text), s.in.Src[to:])
		list = append(list, Mutant{s.in.Name, s.lines().From, what, file})
	}
	var cond ast.Expr
	switch x := s.Node.(type) {
	case *ast.IfStmt:
		cond = x.Cond
	case *ast.ForStmt:
		cond = x.Cond
	case *ast.ReturnStmt:
		if text := s.zero(x.Results); text != "" {
			add("zero returned", s, text)
		}
	case *ast.AssignStmt, *ast.IncDecStmt, *ast.ExprStmt:
		if uses, ok := s.uses(s.Node); ok && s.label != "*ast.AssignStmt :=" && !waits.MatchString(s.text()) {
			add("dropped", s, "{"+uses+"}")
		}
	}
	if cond != nil {
		add("negated", cond, "!("+s.in.Text(cond)+")")
	}
	for _, k := range s.all {
		at := k
		for at != s.up && !apart.MatchString(at.label) {
			at = at.up
		}
		if v, err := strconv.ParseInt(k.text(), 0, 64); at == s.up && is[*ast.BasicLit](k) && err == nil {
			add("moved by one", k, fmt.Sprint(v+1))
			break
		}
	}
	return list
}

var (
	// waits are statements without which others wait, or do not: they are no matter of values.
	waits = regexp.MustCompile(`^<-|\.(R?Lock|R?Unlock|Wait|Done|Signal|Broadcast|Close|Add)\([^()]*\)$|^close\(`)
	// apart are nodes with statements of their own, or with numbers that the compiler looks at.
	apart = regexp.MustCompile(`^\*ast\.(BlockStmt|FuncLit|ArrayType|IndexExpr|CaseClause|CommClause)\b`)
)

// zero returns a return with the zero value in place of the first result that is no error and not zero already, "" if
// there is none.
func (s *node) zero(list []ast.Expr) string {
	fn, types := s, []string(nil)
	for !slices.ContainsFunc(fn.kids, is[*ast.FuncType]) {
		fn = fn.up
	}
	typ := fn.kids[slices.IndexFunc(fn.kids, is[*ast.FuncType])].Node.(*ast.FuncType)
	for _, f := range cmp.Or(typ.Results, new(ast.FieldList)).List {
		types = append(types, slices.Repeat([]string{s.in.Text(f.Type)}, max(1, len(f.Names)))...)
	}
	for i, r := range list {
		uses, ok := s.uses(r)
		zero := slices.Contains([]string{"nil", "0", `""`, "false"}, s.in.Text(r))
		if len(types) == len(list) && types[i] != "error" && ok && !zero {
			at, text := s.Pos(), s.text()
			return uses + text[:r.Pos()-at] + "*new(" + types[i] + ")" + text[r.End()-at:]
		}
	}
	return ""
}

// uses returns statements that use the variables that a part names. It is false if no other may use a package.
func (s *node) uses(part ast.Node) (text string, ok bool) {
	for id := range syntax.Nodes[*ast.Ident](part) {
		switch o := id.Obj; {
		case o == nil:
			if used := regexp.MustCompile(`(^|[^.\w])` + id.Name + `\.`); len(used.FindAllIndex(s.in.Src, 2)) == 1 {
				return "", false
			}
		case o.Kind == ast.Var && id.Name != "_" && (o.Pos() < part.Pos() || part.End() <= o.Pos()) &&
			!strings.Contains(text, "_ = "+id.Name+";"):
			text += "_ = " + id.Name + "; "
		}
	}
	return text, true
}
