package callpath

import (
	"go/ast"
	"path"
	"strings"
)

// A fit is how well a call fits a function.
type fit int

const (
	no       fit = iota
	callback     // it is made outside the module, and may call back
	dynamic      // it calls a function value, or gets the function as an argument
	named        // it has the function's name
)

// A function is a function or literal of the site table, in its file.
type function struct {
	file *file
	node ast.Node // *ast.FuncDecl or *ast.FuncLit
}

// function finds the syntax of a function, or returns false if it can't.
func (f *Finder) function(fn int) (function, bool) {
	if fn < 0 || fn >= len(f.Sites.Funcs) || f.Sites.Funcs[fn].File < 0 ||
		f.Sites.Funcs[fn].File >= len(f.Sites.Files) {
		return function{}, false
	}
	site := f.Sites.Funcs[fn]
	in := f.file(site.File)
	if in == nil {
		return function{}, false
	}
	var found []ast.Node
	for _, n := range in.nodes {
		d, isDecl := n.(*ast.FuncDecl)
		if in.line(n.Pos()) != site.Line || in.line(n.End()-1) != site.End {
			continue
		}
		if isDecl == isLiteral(site.Name) ||
			isDecl && !strings.HasPrefix(site.Name, "init.") && !strings.HasSuffix(site.Name, d.Name.Name) {
			continue
		}
		found = append(found, n)
	}
	if len(found) != 1 {
		return function{}, false
	}
	return function{in, found[0]}, true
}

// isLiteral reports whether a name is the compiler's for a literal: F.func1, F.func1.2.
func isLiteral(name string) bool {
	i := strings.LastIndex(name, ".func")
	return i >= 0 && strings.Trim(name[i+len(".func"):], "0123456789.") == ""
}

// isInit reports whether it is an init function, which no code calls.
func (fn function) isInit() bool {
	d, ok := fn.node.(*ast.FuncDecl)
	return ok && d.Recv == nil && d.Name.Name == "init"
}

// name returns the name of a declared function, or "" for a literal, and whether it is a method.
func (fn function) name() (string, bool) {
	d, ok := fn.node.(*ast.FuncDecl)
	if !ok {
		return "", false
	}
	return d.Name.Name, d.Recv != nil
}

// A pkg has the names that a package of the table declares.
type pkg struct {
	funcs, types map[string]bool
}

// declared returns the declarations of a package's files that are in the table, or nil if there are
// none, because it is not in the module.
func (f *Finder) declared(importPath string) *pkg {
	if p, ok := f.packages[importPath]; ok {
		return p
	}
	if f.packages == nil {
		f.packages = map[string]*pkg{}
	}
	var p *pkg
	for i, site := range f.Sites.Files {
		if path.Dir(site.Name) != importPath {
			continue
		}
		if p == nil {
			p = &pkg{map[string]bool{}, map[string]bool{}}
		}
		if in := f.file(i); in != nil {
			p.add(in.ast)
		}
	}
	f.packages[importPath] = p
	return p
}

func (p *pkg) add(tree *ast.File) {
	for _, d := range tree.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				p.funcs[d.Name.Name] = true
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					p.types[t.Name.Name] = true
				}
			}
		}
	}
}

// fits grades a call in a file as a call of callee.
func (f *Finder) fits(c *ast.CallExpr, in *file, callee function) fit {
	if given(c, callee) {
		return max(dynamic, f.fun(c.Fun, in, callee))
	}
	return f.fun(c.Fun, in, callee)
}

// given reports whether a call has callee, by name or as a literal, among its arguments.
func given(c *ast.CallExpr, callee function) bool {
	name, _ := callee.name()
	for _, a := range c.Args {
		switch a := ast.Unparen(a).(type) {
		case *ast.FuncLit:
			if a == callee.node {
				return true
			}
		case *ast.Ident:
			if name != "" && a.Name == name {
				return true
			}
		case *ast.SelectorExpr:
			if name != "" && a.Sel.Name == name {
				return true
			}
		}
	}
	return false
}

// fun grades the called expression.
func (f *Finder) fun(fun ast.Expr, in *file, callee function) fit {
	name, method := callee.name()
	switch fun := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return f.ident(fun, in, callee)
	case *ast.SelectorExpr:
		x, ok := fun.X.(*ast.Ident)
		if imported := in.imports[identName(x, ok)]; imported != "" {
			return f.imported(imported, fun.Sel.Name, callee)
		}
		switch {
		case method && name == fun.Sel.Name:
			return named
		case ast.IsExported(fun.Sel.Name):
			return callback // or a field that is a function
		}
		return dynamic
	case *ast.FuncLit:
		if fun == callee.node {
			return named
		}
		return no
	case *ast.IndexExpr: // an instance of a generic function, or an element
		return f.fun(fun.X, in, callee)
	case *ast.IndexListExpr:
		return f.fun(fun.X, in, callee)
	case *ast.ArrayType, *ast.MapType, *ast.ChanType, *ast.FuncType, *ast.InterfaceType, *ast.StructType, *ast.StarExpr:
		return no // a conversion
	}
	return dynamic
}

func identName(x *ast.Ident, ok bool) string {
	if !ok {
		return ""
	}
	return x.Name
}

// ident grades a call by a plain name: a function of the package, a conversion, a builtin, or a
// variable.
func (f *Finder) ident(x *ast.Ident, in *file, callee function) fit {
	name, method := callee.name()
	p := f.declared(in.pkg)
	switch {
	case p != nil && p.funcs[x.Name]:
		if x.Name == name && !method && callee.file.pkg == in.pkg {
			return named
		}
		return no
	case p != nil && p.types[x.Name], builtin[x.Name]:
		return no
	}
	return dynamic
}

// imported grades a call of a name of another package.
func (f *Finder) imported(importPath, sel string, callee function) fit {
	name, method := callee.name()
	p := f.declared(importPath)
	switch {
	case p == nil:
		return callback
	case p.funcs[sel]:
		if sel == name && !method && callee.file.pkg == importPath {
			return named
		}
		return no
	case p.types[sel]:
		return no
	}
	return dynamic // a variable
}

// builtin has the predeclared functions and types.
var builtin = words(`append cap clear close complex copy delete imag len make max min new panic print println real recover
	any bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string
	uint uint8 uint16 uint32 uint64 uintptr`)

func words(list string) map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}
