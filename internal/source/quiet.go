package source

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// Quiet tells for each block whether nothing that it does can be noticed by
// another goroutine, or comes from one. To hold a goroutine before such a block or
// after it is the same. It is told by syntax alone, and what is not certain is not
// quiet: calls of what has no probes, channels, and whatever may be shared, which is
// fields, elements, package variables, and variables that a function literal shares
// with the function around it.
func Quiet(sites *trace.Sites, read func(string) ([]byte, error)) []bool {
	quiet := make([]bool, len(sites.Blocks))
	if read == nil {
		return quiet
	}
	own, blocks := ownNames(sites), blocksByFile(sites)
	files := make(map[int]*syntax.File)
	globals := make(map[string]map[string]bool) // by directory, which is a package or two
	for i := range sites.Files {
		f, err := syntax.Read(sites.Files[i].Path, read)
		if err != nil {
			continue
		}
		files[i] = f
		dir := path.Dir(f.Name)
		if globals[dir] == nil {
			globals[dir] = make(map[string]bool)
		}
		for _, id := range f.Vars() {
			globals[dir][id.Name] = true
		}
	}
	for i, f := range files {
		q := &quietFile{own: own, globals: globals[path.Dir(f.Name)]}
		q.declarations(f.Tree)
		for _, b := range blocks[i] {
			s := spanOf(f, sites, b)
			quiet[b] = s.from.IsValid() && !slices.ContainsFunc(q.loud, s.touches)
		}
	}
	return quiet
}

// ownNames are the names of functions and methods that have probes: a call of one is
// seen from its own blocks.
func ownNames(sites *trace.Sites) map[string]bool {
	own := make(map[string]bool)
	for _, f := range sites.Funcs {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		own[name] = !synchronises[name]
	}
	return own
}

// synchronises are methods of package sync, sync/atomic and the like, which are not
// taken for one's own of the same name.
var synchronises = map[string]bool{
	"Lock": true, "Unlock": true, "RLock": true, "RUnlock": true, "TryLock": true, "Wait": true, "Done": true,
	"Add": true, "Go": true,
	"Do": true, "Load": true, "Store": true, "Swap": true, "CompareAndSwap": true, "Signal": true, "Broadcast": true,
	"LoadOrStore": true, "LoadAndDelete": true, "Delete": true, "Range": true, "Get": true, "Put": true, "Close": true,
}

func blocksByFile(sites *trace.Sites) map[int][]int {
	list := make(map[int][]int)
	for b := range sites.Blocks {
		if sites.Has(b) {
			f := sites.FileOf(b)
			list[f] = append(list[f], b)
		}
	}
	return list
}

// A quietFile finds what in a file others may notice.
type quietFile struct {
	own     map[string]bool
	globals map[string]bool
	loud    []ast.Node
}

func (q *quietFile) add(n ast.Node) { q.loud = append(q.loud, n) }

func (s span) touches(n ast.Node) bool { return n.Pos() < s.to && s.from < n.End() }

// declarations adds what others may notice in the functions of a file.
func (q *quietFile) declarations(file *ast.File) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if defers(f.Body) { // what was deferred runs at no place of its own
			q.add(f.Body)
			continue
		}
		q.function(f.Body, capturedNames(f.Body))
	}
}

func defers(body *ast.BlockStmt) bool {
	for range syntax.Nodes[*ast.DeferStmt](body) {
		return true
	}
	return false
}

// capturedNames are the names that stand both inside of a function literal and
// outside of it.
func capturedNames(body *ast.BlockStmt) map[string]bool {
	inside, outside := make(map[string]bool), make(map[string]bool)
	var walk func(n ast.Node, names map[string]bool)
	walk = func(n ast.Node, names map[string]bool) {
		ast.Inspect(n, func(m ast.Node) bool {
			switch m := m.(type) {
			case *ast.FuncLit:
				walk(m.Body, inside)
				return false
			case *ast.Ident:
				names[m.Name] = true
			}
			return true
		})
	}
	walk(body, outside)
	for name := range inside {
		if !outside[name] {
			delete(inside, name)
		}
	}
	return inside
}

// function adds what others may notice in a function's body. What is inside of a
// control statement is looked at by itself.
func (q *quietFile) function(body *ast.BlockStmt, shared map[string]bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SendStmt, *ast.GoStmt, *ast.StarExpr, *ast.IndexExpr, *ast.SliceExpr:
			q.add(n)
		case *ast.SelectStmt: // its header and the communications; bodies speak for themselves
			for _, c := range n.Body.List {
				if comm := c.(*ast.CommClause); comm.Comm != nil {
					q.add(comm.Comm)
				}
			}
			q.add(&ast.Ident{NamePos: n.Select, Name: "select"})
		case *ast.RangeStmt: // it may be over a channel, a map, a function
			q.add(n.X)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW || n.Op == token.AND {
				q.add(n)
			}
		case *ast.CallExpr:
			return q.call(n, shared)
		case *ast.SelectorExpr:
			q.add(n)
		case *ast.Ident:
			if q.globals[n.Name] || shared[n.Name] {
				q.add(n)
			}
		}
		return true
	})
}

// call adds a call that others may notice, and reports whether to look into it.
func (q *quietFile) call(c *ast.CallExpr, shared map[string]bool) bool {
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		if !isHarmless(f.Name) && !q.own[f.Name] {
			q.add(c)
		}
		return true
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && pure[x.Name] || q.own[f.Sel.Name] {
			for _, a := range c.Args {
				q.argument(a, shared)
			}
			if !ok || !pure[x.Name] {
				q.argument(f.X, shared)
			}
			return false
		}
	case *ast.ArrayType, *ast.MapType, *ast.InterfaceType, *ast.FuncType:
		return true
	}
	q.add(c)
	return false
}

// argument looks at an operand of a call as at a statement of its own.
func (q *quietFile) argument(x ast.Expr, shared map[string]bool) {
	q.function(&ast.BlockStmt{List: []ast.Stmt{&ast.ExprStmt{X: x}}}, shared)
}

// pure are packages whose functions others don't notice.
var pure = map[string]bool{
	"strings": true, "strconv": true, "bytes": true, "errors": true, "math": true, "unicode": true, "utf8": true,
	"path": true, "filepath": true,
}

// isHarmless reports whether a name is that of a type, or of a builtin that changes nothing and prints nothing.
func isHarmless(name string) bool {
	return syntax.Predeclared(name, "clear", "close", "copy", "delete", "print", "println", "recover")
}
