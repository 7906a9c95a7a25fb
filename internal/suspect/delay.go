package suspect

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
)

// delays reports whether a value that comes from a line is, as far as the text
// tells, only for how long to wait: a random delay stands for the slowness of a
// disk or a network, and what does not wait for its end is the cause.
func (s *source) delays(file string, line int) bool {
	p := s.file(file)
	if p.ast == nil {
		return false
	}
	for _, d := range p.ast.Decls {
		fd, ok := d.(*ast.FuncDecl)
		if !ok || fd.Body == nil || p.line(fd.Pos()) > line || p.line(fd.End()) < line {
			continue
		}
		t := &taint{p: p, line: line, vars: names{}}
		for range 4 { // assignments need not stand in the order in which they are run
			t.follow(fd.Body)
		}
		return t.slept || t.returned && s.sleepsFor(path.Dir(file), fd.Name.Name)
	}
	return false
}

// sleepsFor reports whether some file of a directory waits for what a function returns.
func (s *source) sleepsFor(dir, fn string) bool {
	for _, f := range s.sites.Files {
		p := s.file(f.Path)
		if path.Dir(f.Path) != dir || p.ast == nil {
			continue
		}
		t := &taint{p: p, fn: fn, vars: names{}}
		t.follow(p.ast)
		if t.slept {
			return true
		}
	}
	return false
}

// line returns the line of a position.
func (p *parsed) line(pos token.Pos) int { return p.fset.PositionFor(pos, false).Line }

// A taint follows a value through the variables of a function.
type taint struct {
	p        *parsed
	line     int    // where it comes from
	fn       string // or the function that returns it
	vars     names  // that hold it
	slept    bool   // something waits for it
	returned bool
}

func (t *taint) follow(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, x := range n.Rhs {
				if t.holds(x) && i < len(n.Lhs) {
					if id, ok := n.Lhs[i].(*ast.Ident); ok {
						t.vars[id.Name] = true
					}
				}
			}
		case *ast.ReturnStmt:
			for _, x := range n.Results {
				t.returned = t.returned || t.holds(x)
			}
		case *ast.CallExpr:
			if t.waits(n) {
				for _, x := range n.Args {
					t.slept = t.slept || t.holds(x)
				}
			}
		}
		return true
	})
}

// waits reports whether a call waits for a time that it is given.
func (t *taint) waits(call *ast.CallExpr) bool {
	sel, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch sel.Sel.Name {
	case "Sleep", "After", "NewTimer", "NewTicker", "Tick", "AfterFunc", "Reset":
		return true
	}
	return strings.HasPrefix(sel.Sel.Name, "Wait") && sel.Sel.Name != "Wait"
}

// holds reports whether an expression is computed from the value.
func (t *taint) holds(x ast.Expr) bool {
	found := false
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.Ident:
			found = found || t.vars[n.Name] || t.fn != "" && n.Name == t.fn
		case *ast.CallExpr:
			found = found || t.fn == "" && t.at(n)
		}
		return !found
	})
	return found
}

func (t *taint) at(n ast.Node) bool {
	return t.p.line(n.Pos()) == t.line
}
