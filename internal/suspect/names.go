package suspect

import (
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"path"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// names are what code has in common with other code: fields and package
// variables, and the variables that a function shares with the function literals
// in it, which are known by their declaration too: those of another function, or
// a field of the same name, are others.
type names map[string]bool

// locks are names that both sides mention whatever they do.
var locks = names{"mu": true, "lock": true, "wg": true, "once": true}

func isLock(name string) bool {
	name, _, _ = strings.Cut(name, "@")
	return locks[name]
}

// names returns the names that a block reads or writes, and those it writes.
func (s *source) names(b int) (all, written names) {
	if n, ok := s.known[b]; ok {
		return n[0], n[1]
	}
	r := s.readerOf(b)
	s.known[b] = [2]names{r.all, r.written}
	s.eachNode(b, r.node)
	return r.all, r.written
}

// eachNode calls a function with each node that begins in a block.
func (s *source) eachNode(b int, do func(ast.Node)) {
	p := s.parse(b)
	if p == nil {
		return
	}
	block := s.sites.Blocks[b]
	ast.Inspect(p.ast, func(n ast.Node) bool {
		if d, ok := n.(*ast.FuncDecl); n == nil || ok && !p.around(d, block) {
			return false
		}
		if p.in(n.Pos(), block) {
			do(n)
		}
		return true
	})
}

// changedAt returns the line of a block that changes most of the names, of several
// the last; 0 if none does.
func (s *source) changedAt(b int, with names) int {
	line, most, p, r := 0, 1, s.parse(b), s.readerOf(b)
	s.eachNode(b, func(n ast.Node) {
		clear(r.written)
		r.node(n)
		if k := r.changed(with); k >= most {
			line, most = p.line(n.Pos()), k
		}
	})
	return line
}

// readerOf returns a reader for the function around a block.
func (s *source) readerOf(b int) *reader {
	r := &reader{all: names{}, written: names{}}
	if !s.sites.Has(b) {
		return r
	}
	file := s.sites.Files[s.sites.FileOf(b)].Path
	r.globals = s.packageVars(path.Dir(file))
	if d, p := s.declaration(b); d != nil {
		r.shared, r.scope = p.sharedIn(d), fmt.Sprintf("%s:%d", file, p.line(d.Pos()))
	}
	return r
}

// A reader collects names.
type reader struct {
	globals      names  // of the package
	shared       names  // variables that the declared function around it shares with literals in it
	scope        string // of those variables: the place of that function
	all, written names
}

// variable returns the name by which a variable is known, "" for one that only
// its function has.
func (r *reader) variable(id *ast.Ident) string {
	switch {
	case r.shared[id.Name]:
		return id.Name + "@" + r.scope
	case r.globals[id.Name]:
		return id.Name
	}
	return ""
}

// node takes in one node; what is in it comes as nodes of its own.
func (r *reader) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		r.all[n.Sel.Name] = true
	case *ast.Ident:
		if name := r.variable(n); name != "" {
			r.all[name] = true
		}
	case *ast.AssignStmt:
		for _, x := range n.Lhs {
			if n.Tok != token.DEFINE {
				r.target(x)
			}
		}
	case *ast.IncDecStmt:
		r.target(n.X)
	case *ast.CallExpr:
		r.call(n)
	}
}

// changing are builtins that change their first argument, and methods of
// package sync/atomic, sync.Map and of buffers that change their receiver.
var changing = names{
	"delete": true, "clear": true, "copy": true,
	"Store": true, "Swap": true, "Add": true, "CompareAndSwap": true, "Delete": true, "LoadOrStore": true,
	"Write": true, "WriteString": true, "WriteByte": true, "WriteRune": true,
}

func (r *reader) call(n *ast.CallExpr) {
	switch fun := n.Fun.(type) {
	case *ast.Ident:
		if changing[fun.Name] && len(n.Args) > 0 {
			r.target(n.Args[0])
		}
	case *ast.SelectorExpr:
		if changing[fun.Sel.Name] {
			r.target(fun.X)
		}
	}
}

// target takes in what an assignment changes: the variable, and all fields on
// the way to what is changed.
func (r *reader) target(x ast.Expr) {
	for {
		switch y := x.(type) {
		case *ast.Ident:
			if name := r.variable(y); name != "" {
				r.written[name] = true
			}
			return
		case *ast.SelectorExpr:
			r.written[y.Sel.Name] = true
			x = y.X
		case *ast.IndexExpr:
			x = y.X
		case *ast.StarExpr:
			x = y.X
		case *ast.ParenExpr:
			x = y.X
		default:
			return
		}
	}
}

// touches scores how much a block has to do with names: one for each that it
// mentions, four for each that it changes.
func (s *source) touches(b int, with names) int {
	all, written := s.names(b)
	score := 0
	for name := range all {
		if with[name] && !isLock(name) {
			score++
		}
	}
	for name := range written {
		if with[name] && !isLock(name) {
			score += 3
		}
	}
	return score
}

// changes reports whether a block changes one of the names.
func (s *source) changes(b int, with names) bool {
	_, written := s.names(b)
	return (&reader{written: written}).changed(with) > 0
}

// changed returns how many of the names were seen to be changed.
func (r *reader) changed(with names) int {
	n := 0
	for name := range r.written {
		if with[name] && !isLock(name) {
			n++
		}
	}
	return n
}

// function adds the names in the whole function that a block is in.
func (s *source) function(b int, to names) {
	if !s.sites.Has(b) {
		return
	}
	for other := range s.sites.Blocks {
		if s.sameFunction(b, other) {
			all, _ := s.names(other)
			maps.Copy(to, all)
		}
	}
}

func (s *source) sameFunction(a, b int) bool {
	return s.sites.Has(a) && s.sites.Has(b) && s.sites.Blocks[a].Func == s.sites.Blocks[b].Func
}

// decides returns the names in the code that leads to a divergence: in the
// functions at its two ways on, and in the calls that lead there.
func (s *source) decides(path []int, events ...trace.Event) names {
	out := names{}
	for _, b := range path {
		all, _ := s.names(b)
		maps.Copy(out, all)
	}
	for _, e := range events {
		if b, ok := e.Block(); ok {
			s.function(b, out)
		}
	}
	return out
}
