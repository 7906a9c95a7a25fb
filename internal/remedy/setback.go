package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// A setBacker makes tests reset what they set: directly, in their subtests, in helpers that get
// the test, or in functions of the package that do nothing else.
type setBacker struct {
	files []*file
	vars  map[string]bool // of the package
	funcs map[string]*function
	seen  map[string]bool // helpers that were processed
	what  []string        // what is reset, and by which test
}

// A function is one that is declared in a file.
type function struct {
	f    *file
	decl *ast.FuncDecl
}

// setBack makes tests reset what they assign to package variables, and set the environment and
// the working directory with t.Setenv and t.Chdir, which reset it themselves.
func (p *Proposer) setBack(tests, names []string) (*Remedy, error) {
	b := &setBacker{vars: make(map[string]bool), funcs: make(map[string]*function), seen: make(map[string]bool)}
	for _, name := range names {
		f, err := p.open(name)
		if err != nil {
			return nil, err
		}
		b.add(f)
	}
	for _, name := range tests {
		if fn := b.funcs[name]; fn != nil {
			b.restore(fn)
		}
	}
	if len(b.what) == 0 {
		return nil, errNone
	}
	r := &Remedy{name: "set-back", Words: "have " + strings.Join(b.what, " and "), Files: make(map[string][]byte)}
	for _, f := range b.files {
		if len(f.edits) == 0 {
			continue
		}
		text, err := f.edited()
		if err != nil {
			return nil, err
		}
		r.Files[f.Name] = text
	}
	return r, nil
}

func (b *setBacker) add(f *file) {
	b.files = append(b.files, f)
	for _, v := range f.Vars() {
		b.vars[v.Name] = true
	}
	for _, d := range f.Tree.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
			b.funcs[fn.Name.Name] = &function{f, fn}
		}
	}
}

// testParam returns the name of the parameter through which a function gets the test, or "" if
// there is none.
func (f *file) testParam(t *ast.FuncType) string {
	for _, p := range t.Params.List {
		switch f.Text(p.Type) {
		case "*testing.T", "testing.TB", "*testing.F":
			if len(p.Names) == 1 && p.Names[0].Name != "_" {
				return p.Names[0].Name
			}
		}
	}
	return ""
}

// restore edits a test, or a helper that gets one.
func (b *setBacker) restore(fn *function) {
	t := fn.f.testParam(fn.decl.Type)
	if t == "" || b.seen[fn.decl.Name.Name] {
		return
	}
	b.seen[fn.decl.Name.Name] = true
	w := &setWalk{setBacker: b, function: fn, kept: fn.f.keeps(fn.decl.Body)}
	w.block(fn.decl.Body.List, t, nil)
	if len(w.set) > 0 {
		b.what = append(b.what, fmt.Sprintf("%s set back %s", fn.decl.Name.Name, strings.Join(w.set, ", ")))
	}
}

// keeps returns the variables that functions called at the end of a function assign to. These are
// reset already.
func (f *file) keeps(body *ast.BlockStmt) map[string]bool {
	kept := make(map[string]bool)
	note := func(n ast.Node) {
		for a := range syntax.Nodes[*ast.AssignStmt](n) {
			for _, l := range a.Lhs {
				kept[f.Text(l)] = kept[f.Text(l)] || a.Tok != token.DEFINE
			}
		}
	}
	for d := range syntax.Nodes[*ast.DeferStmt](body) {
		note(d.Call)
	}
	for c := range syntax.Nodes[*ast.CallExpr](body) {
		if of, name := syntax.Called(c); of != nil && name == "Cleanup" {
			note(c)
		}
	}
	return kept
}

// A setWalk goes through the statements of one function.
type setWalk struct {
	*setBacker
	*function
	kept map[string]bool
	set  []string // what is reset now
}

// block edits the statements of a block, in which t is the test. done has been reset before. It
// leaves functions in the block alone, except subtests, because it is unknown what calls them,
// and when.
func (w *setWalk) block(list []ast.Stmt, t string, done []string) {
	done = slices.Clone(done)
	for _, s := range list {
		switch s := s.(type) {
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE {
				for _, l := range s.Lhs {
					done = w.assign(s, l, t, done)
				}
			}
		case *ast.IncDecStmt:
			done = w.assign(s, s.X, t, done)
		case *ast.ExprStmt:
			if c, ok := s.X.(*ast.CallExpr); ok && !w.system(c, c.Fun, t) {
				done = w.call(s, c, t, done)
			}
		case *ast.IfStmt:
			if c := w.checked(s); c != nil && w.system(c, s, t) {
				continue
			}
		}
		w.inner(s, t, done)
	}
}

// inner processes the blocks of a statement, and helpers that it calls.
func (w *setWalk) inner(s ast.Stmt, t string, done []string) {
	ast.Inspect(s, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.DeferStmt, *ast.GoStmt:
			return false
		case *ast.CallExpr:
			if id, ok := n.Fun.(*ast.Ident); ok && w.funcs[id.Name] != nil && !local(w.decl, id) {
				w.restore(w.funcs[id.Name])
			}
		case *ast.BlockStmt:
			w.block(n.List, t, done)
			return false
		case *ast.CaseClause:
			w.block(n.Body, t, done)
			return false
		case *ast.CommClause:
			w.block(n.Body, t, done)
			return false
		case *ast.FuncLit:
			if inner := w.f.testParam(n.Type); inner != "" {
				w.block(n.Body.List, inner, done)
			}
			return false
		}
		return true
	})
}

// assign makes the test reset what a statement assigns, if that is a package variable.
func (w *setWalk) assign(at ast.Stmt, x ast.Expr, t string, done []string) []string {
	if !w.global(x) {
		return done
	}
	return w.save(at, w.f.Text(x), t, done, "")
}

// save saves a variable before a statement, and resets it at the end of the test, with a function
// that sets it if there is one.
func (w *setWalk) save(at ast.Stmt, name, t string, done []string, setter string) []string {
	if slices.Contains(done, name) || w.kept[name] {
		return done
	}
	old := "old"
	for part := range strings.SplitSeq(name, ".") {
		old += strings.ToUpper(part[:1]) + part[1:]
	}
	old = w.f.fresh(old)
	back := name + " = " + old
	if setter != "" {
		back = setter + "(" + old + ")"
	}
	w.f.insert(at.Pos(), fmt.Sprintf("%s := %s\n%s.Cleanup(func() { %s })\n", old, name, t, back))
	w.note(name)
	return append(done, name)
}

func (w *setWalk) note(name string) {
	if !slices.Contains(w.set, name) {
		w.set = append(w.set, name)
	}
}

// global reports whether an expression is a package variable, of this or another package, or a
// field of one.
func (w *setWalk) global(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return w.vars[x.Name] && !local(w.decl, x)
	case *ast.SelectorExpr:
		id, ok := x.X.(*ast.Ident)
		if ok && !local(w.decl, id) && (w.f.imports(id.Name) || w.tested(id.Name)) {
			return true
		}
		return w.global(x.X)
	}
	return false
}

// tested reports whether a name is that of the package that an external test is about, because
// the path of its import need not end with the name.
func (w *setWalk) tested(name string) bool {
	return w.f.Tree.Name.Name == name+"_test" && slices.ContainsFunc(w.files, func(f *file) bool {
		return f.Tree.Name.Name == name
	})
}

// imports reports whether a name is that of an imported package.
func (f *file) imports(name string) bool {
	return slices.ContainsFunc(f.Tree.Imports, func(s *ast.ImportSpec) bool { return importName(s) == name })
}

// system replaces n, which sets the environment or the working directory, with the method of the
// test that does so until its end. It reports whether it has.
func (w *setWalk) system(c *ast.CallExpr, n ast.Node, t string) bool {
	method := map[string]string{"os.Setenv": "Setenv", "os.Chdir": "Chdir"}[w.f.Text(c.Fun)]
	if method == "" {
		return false
	}
	call := t + "." + method
	if n != ast.Node(c.Fun) {
		var args []string
		for _, a := range c.Args {
			args = append(args, w.f.Text(a))
		}
		call += "(" + strings.Join(args, ", ") + ")"
	}
	w.f.replace(n, call)
	if method == "Setenv" {
		w.note(w.f.Text(c.Args[0]))
	} else {
		w.note("the working directory")
	}
	return true
}

// checked returns the call in a statement that only fails the test if the call returns an error.
func (w *setWalk) checked(s *ast.IfStmt) *ast.CallExpr {
	a, ok := s.Init.(*ast.AssignStmt)
	if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 || s.Else != nil || len(s.Body.List) != 1 ||
		w.f.Text(s.Cond) != w.f.Text(a.Lhs[0])+" != nil" {
		return nil
	}
	c, _ := a.Rhs[0].(*ast.CallExpr)
	return c
}

// call examines a function of the package that a statement calls, and makes the test reset what
// it sets.
func (w *setWalk) call(at ast.Stmt, c *ast.CallExpr, t string, done []string) []string {
	id, ok := c.Fun.(*ast.Ident)
	if !ok || w.funcs[id.Name] == nil || local(w.decl, id) {
		return done
	}
	fn := w.funcs[id.Name]
	if fn.f.testParam(fn.decl.Type) != "" || fn.f.Tree.Name.Name != w.f.Tree.Name.Name || fn.f.locks(fn.decl) {
		return done
	}
	set := w.assigned(fn)
	setter := ""
	if len(set) == 1 && fn.onlySets() {
		setter = id.Name
	}
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if !local(w.decl, &ast.Ident{Name: name}) {
			done = w.save(at, name, t, done, setter)
		}
	}
	return done
}

// assigned returns the package variables that a function assigns to.
func (b *setBacker) assigned(fn *function) map[string]bool {
	set := make(map[string]bool)
	ast.Inspect(fn.decl.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				id, ok := l.(*ast.Ident)
				if ok && n.Tok != token.DEFINE && b.vars[id.Name] && !local(fn.decl, id) {
					set[id.Name] = true
				}
			}
		}
		return true
	})
	return set
}

// onlySets reports whether a function only assigns its one parameter.
func (fn *function) onlySets() bool {
	params := fn.decl.Type.Params.List
	if len(params) != 1 || len(params[0].Names) != 1 || fn.decl.Type.Results != nil || len(fn.decl.Body.List) != 1 {
		return false
	}
	a, ok := fn.decl.Body.List[0].(*ast.AssignStmt)
	return ok && a.Tok == token.ASSIGN && len(a.Rhs) == 1 && fn.f.Text(a.Rhs[0]) == params[0].Names[0].Name
}

// locks reports whether a function takes a lock. Then what it sets can't be read without the
// lock.
func (f *file) locks(fn *ast.FuncDecl) bool {
	for s := range syntax.Nodes[*ast.SelectorExpr](fn.Body) {
		if s.Sel.Name == "Lock" {
			return true
		}
	}
	return false
}

// local reports whether a name is declared in a function.
func local(fn *ast.FuncDecl, id *ast.Ident) bool { return declares(fn, id.Name) }

// declares reports whether a function declares a name: as a parameter, or in its body.
func declares(fun ast.Node, name string) bool {
	is := func(x ast.Expr) bool {
		id, ok := x.(*ast.Ident)
		return ok && id.Name == name
	}
	named := func(ids []*ast.Ident) bool {
		return slices.ContainsFunc(ids, func(id *ast.Ident) bool { return id.Name == name })
	}
	for n := range ast.Preorder(fun) {
		found := false
		switch n := n.(type) {
		case *ast.Field:
			found = named(n.Names)
		case *ast.ValueSpec:
			found = named(n.Names)
		case *ast.RangeStmt:
			found = n.Tok == token.DEFINE && (is(n.Key) || is(n.Value))
		case *ast.AssignStmt:
			found = n.Tok == token.DEFINE && slices.ContainsFunc(n.Lhs, is)
		}
		if found {
			return true
		}
	}
	return false
}
