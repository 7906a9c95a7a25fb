package callpath

import (
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A file is what is known about a source file.
type file struct {
	path    string
	pkg     string // import path, as in cover profiles
	fset    *token.FileSet
	ast     *ast.File
	imports map[string]string // import path by name in this file

	units   []unit
	defers  map[ast.Node][]*ast.CallExpr // deferred calls by function
	initial []*ast.CallExpr              // calls in initialisers of package variables
	nodes   []ast.Node                   // functions and literals
}

// A unit is a statement, or the header of one, that runs as a whole.
type unit struct {
	fn    ast.Node  // the function that contains it
	at    token.Pos // where it begins
	calls []*ast.CallExpr
	last  bool            // control leaves the function after it
	again []*ast.CallExpr // in conditions and post statements of loops around it, which follow its block
}

// file returns a file of the table, or nil if its source is not available.
func (f *Finder) file(i int) *file {
	if in, ok := f.files[i]; ok {
		return in
	}
	if f.files == nil {
		f.files = map[int]*file{}
	}
	site := f.Sites.Files[i]
	fset, tree := f.Parse(site.Path)
	if tree == nil {
		f.files[i] = nil
		return nil
	}
	in := &file{path: site.Path, pkg: path.Dir(site.Name), fset: fset, ast: tree, imports: map[string]string{},
		defers: map[ast.Node][]*ast.CallExpr{}}
	for _, spec := range tree.Imports {
		in.addImport(spec)
	}
	for _, d := range tree.Decls {
		in.decl(d)
	}
	f.files[i] = in
	return in
}

func (in *file) addImport(spec *ast.ImportSpec) {
	p, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	name := path.Base(p)
	if len(name) > 1 && name[0] == 'v' && strings.Trim(name[1:], "0123456789") == "" {
		name = path.Base(path.Dir(p)) // math/rand/v2
	}
	if spec.Name != nil {
		name = spec.Name.Name
	}
	in.imports[name] = p
}

func (in *file) line(pos token.Pos) int { return in.fset.PositionFor(pos, false).Line }

// decl processes a declaration.
func (in *file) decl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Body != nil {
			in.function(d, d.Body)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR {
				for _, x := range v.Values {
					in.initial = append(in.initial, in.callsOf(x)...)
				}
			}
		}
	}
}

func (in *file) function(fn ast.Node, body *ast.BlockStmt) {
	in.nodes = append(in.nodes, fn)
	in.stmts(body.List, fn, nil)
	for i := len(in.units) - 1; i >= 0; i-- { // the last one in the source
		if in.units[i].fn == fn {
			in.units[i].last = true
			break
		}
	}
}

func (in *file) stmts(list []ast.Stmt, fn ast.Node, again []*ast.CallExpr) {
	for _, s := range list {
		in.stmt(s, fn, again)
	}
}

// stmt adds the units of a statement.
func (in *file) stmt(s ast.Stmt, fn ast.Node, again []*ast.CallExpr) {
	add := func(nodes ...ast.Node) []*ast.CallExpr {
		var calls []*ast.CallExpr
		for _, n := range nodes {
			calls = append(calls, in.callsOf(n)...)
		}
		_, last := s.(*ast.ReturnStmt)
		in.units = append(in.units, unit{fn: fn, at: s.Pos(), calls: calls, last: last, again: again})
		return calls
	}
	switch s := s.(type) {
	case *ast.BlockStmt:
		in.stmts(s.List, fn, again)
	case *ast.LabeledStmt:
		in.stmt(s.Stmt, fn, again)
	case *ast.IfStmt:
		add(s.Init, s.Cond)
		in.stmts(s.Body.List, fn, again)
		if s.Else != nil {
			in.stmt(s.Else, fn, again)
		}
	case *ast.ForStmt:
		add(s.Init)
		unit := len(in.units) - 1
		round := append(in.callsOf(s.Cond), in.callsOf(s.Post)...)
		in.units[unit].calls = append(in.units[unit].calls, round...)
		in.stmts(s.Body.List, fn, append(again[:len(again):len(again)], round...))
	case *ast.RangeStmt:
		add(s.X)
		in.stmts(s.Body.List, fn, again)
	case *ast.SwitchStmt:
		add(append([]ast.Node{s.Init, s.Tag}, caseExprs(s.Body)...)...)
		in.clauses(s.Body, fn, again)
	case *ast.TypeSwitchStmt:
		add(s.Init, s.Assign)
		in.clauses(s.Body, fn, again)
	case *ast.SelectStmt:
		add(caseExprs(s.Body)...)
		in.clauses(s.Body, fn, again)
	case *ast.GoStmt:
		add(operands(s.Call)...)
	case *ast.DeferStmt:
		add(operands(s.Call)...)
		in.defers[fn] = append(in.defers[fn], s.Call)
	default:
		add(s)
	}
}

// operands returns the expressions that a go or defer statement evaluates; the call is made later.
func operands(c *ast.CallExpr) []ast.Node {
	nodes := []ast.Node{c.Fun}
	for _, a := range c.Args {
		nodes = append(nodes, a)
	}
	return nodes
}

// caseExprs returns the expressions evaluated before any case of a switch or select is entered.
func caseExprs(body *ast.BlockStmt) []ast.Node {
	var nodes []ast.Node
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				nodes = append(nodes, x)
			}
		case *ast.CommClause:
			nodes = append(nodes, c.Comm)
		}
	}
	return nodes
}

func (in *file) clauses(body *ast.BlockStmt, fn ast.Node, again []*ast.CallExpr) {
	for _, s := range body.List {
		switch c := s.(type) {
		case *ast.CaseClause:
			in.stmts(c.Body, fn, again)
		case *ast.CommClause:
			in.stmts(c.Body, fn, again)
		}
	}
}

// callsOf returns the calls in a node, except those in function literals, which are added as
// functions.
func (in *file) callsOf(n ast.Node) []*ast.CallExpr {
	var calls []*ast.CallExpr
	if n == nil {
		return nil
	}
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			in.function(n, n.Body)
			return false
		case *ast.CallExpr:
			calls = append(calls, n)
		}
		return true
	})
	return calls
}

// callsIn returns the calls that can be made in a block of a function, or after it before another
// block runs, and whether the function may end after it.
func (in *file) callsIn(fn function, b trace.Block) (calls []*ast.CallExpr, ends bool) {
	var again []*ast.CallExpr
	for _, u := range in.units {
		if u.fn != fn.node {
			continue
		}
		p := in.fset.PositionFor(u.at, false)
		if before(p.Line, p.Column, b.StartLine, b.StartCol) || !before(p.Line, p.Column, b.EndLine, b.EndCol) {
			continue
		}
		calls, again, ends = append(calls, u.calls...), u.again, u.last
	}
	return append(calls, again...), ends
}

func before(line, col, line2, col2 int) bool {
	return line < line2 || line == line2 && col < col2
}
