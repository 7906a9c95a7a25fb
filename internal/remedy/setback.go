package remedy

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// setBack has tests set back what they assign to package variables, and set the
// environment by t.Setenv, which does so itself.
func (p *Proposer) setBack(tests, names []string) (*Remedy, error) {
	var files []*file
	vars := make(map[string]bool)
	for _, name := range names {
		f, err := p.open(name)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
		for _, v := range packageVars(f.ast) {
			vars[v] = true
		}
	}
	r := &Remedy{name: "set-back", Files: make(map[string][]byte)}
	var what []string
	for _, f := range files {
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if t := testParam(fn, ok); t != "" && slices.Contains(tests, fn.Name.Name) {
				if set := f.restore(fn, t, vars); len(set) > 0 {
					what = append(what, fmt.Sprintf("%s set back %s", fn.Name.Name, strings.Join(set, ", ")))
				}
			}
		}
		if len(f.edits) == 0 {
			continue
		}
		text, err := f.edited()
		if err != nil {
			return nil, err
		}
		r.Files[f.name] = text
	}
	if len(what) == 0 {
		return nil, errNone
	}
	r.Words = "have " + strings.Join(what, " and ")
	return r, nil
}

// packageVars returns the names of a file's package variables.
func packageVars(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				names = append(names, id.Name)
			}
		}
	}
	return names
}

// testParam returns the name of the *testing.T of a function, "" if it has none.
func testParam(fn *ast.FuncDecl, ok bool) string {
	if !ok || fn.Recv != nil || fn.Body == nil || len(fn.Type.Params.List) != 1 || len(fn.Type.Params.List[0].Names) != 1 {
		return ""
	}
	return fn.Type.Params.List[0].Names[0].Name
}

// restore edits the statements of a test, not those of functions in it, and returns what
// they set.
func (f *file) restore(fn *ast.FuncDecl, t string, vars map[string]bool) (what []string) {
	for _, s := range fn.Body.List {
		switch s := s.(type) {
		case *ast.AssignStmt:
			id, ok := s.Lhs[0].(*ast.Ident)
			if !ok || len(s.Lhs) != 1 || s.Tok == token.DEFINE || !vars[id.Name] || local(fn, id) || slices.Contains(what, id.Name) {
				continue
			}
			old := f.fresh("old" + strings.ToUpper(id.Name[:1]) + id.Name[1:])
			f.insert(s.Pos(), fmt.Sprintf("%s := %s\n%s.Cleanup(func() { %s = %s })\n", old, id.Name, t, id.Name, old))
			what = append(what, id.Name)
		case *ast.ExprStmt:
			c, ok := s.X.(*ast.CallExpr)
			if ok && len(c.Args) == 2 && f.text(c.Fun) == "os.Setenv" {
				f.replace(c.Fun, t+".Setenv")
				what = append(what, f.text(c.Args[0]))
			}
		}
	}
	return what
}

// local reports whether a name is declared in a function.
func local(fn *ast.FuncDecl, id *ast.Ident) bool {
	found := false
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				x, ok := l.(*ast.Ident)
				found = found || ok && n.Tok == token.DEFINE && x.Name == id.Name
			}
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Names, func(x *ast.Ident) bool { return x.Name == id.Name })
		}
		return !found
	})
	return found
}
