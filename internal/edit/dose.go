package edit

import (
	"go/ast"
	"go/token"
	"regexp"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Dose returns the changes if all that an edit does is to move a dose, else nothing. A dose is a number that is a
// duration, a limit, a tolerance or a count of tries, by its unit, its name, or the function that it is handed to; never
// a capacity, what an Add adds, an index, or a value that a check wants. A Sleep that was added or dropped is one too,
// unless it is in a bubble of testing/synctest, where time stands still. What is logged or said in a failure is nothing.
func (e *Edit) Dose() (list []Change) {
	for _, d := range e.deltas {
		if d.idle() {
			continue
		}
		found := doses(d)
		if found == nil {
			return nil
		}
		list = append(list, found...)
	}
	if len(e.mod) > 0 {
		return nil
	}
	return list
}

// doses returns the changes that a delta is, if they only move a dose.
func doses(d delta) []Change {
	if s, t := d.was.step(), d.now.step(); (s == nil || s.sleeps()) && (t == nil || t.sleeps()) && !s.bubbled() && !t.bubbled() {
		return []Change{change("sleep", s, t)}
	}
	a, b := d.was.sum(), d.now.sum()
	if a != nil && b == nil && !a.setting() || b != nil && a == nil && !b.setting() {
		return nil
	}
	if (a == nil || a.constant() && a.dosed(a.united() || b.united())) && (b == nil || b.constant() && b.dosed(a.united() || b.united())) {
		return []Change{change("dose", a, b)}
	}
	return nil
}

// step returns the statement that a node is or is in, nil if it is in none. Of a node that is missing it is nil.
func (n *node) step() *node {
	if s := above[ast.Stmt](n); s != nil && (is[*ast.ExprStmt](s) || n == s) {
		return s
	}
	return n
}

// sleeps reports whether a node is a statement that waits for time alone.
func (n *node) sleeps() bool {
	s, ok := n.Node.(*ast.ExprStmt)
	if !ok {
		return false
	}
	x := ast.Unparen(s.X)
	wait := "Sleep"
	if u, ok := x.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		x, wait = u.X, "After"
	}
	c, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	of, name := syntax.Called(c)
	id, ok := of.(*ast.Ident)
	return ok && (name == wait && n.in.imports(id.Name) || id.Name == "runtime" && name == "Gosched")
}

// imports reports whether a name is that of a package, as far as paths show.
func (f *file) imports(name string) bool {
	for _, s := range f.Tree.Imports {
		path, _ := syntax.String(s.Path)
		if s.Name != nil && s.Name.Name == name || s.Name == nil && strings.HasSuffix("/"+path, "/"+name) {
			return true
		}
	}
	return false
}

// bubbled reports whether a node is in a bubble of testing/synctest.
func (n *node) bubbled() bool {
	for ; n != nil; n = n.up {
		if c, ok := n.Node.(*ast.CallExpr); ok {
			if of, _ := syntax.Called(c); of != nil && n.in.Text(of) == "synctest" {
				return true
			}
		}
	}
	return false
}

// idle reports whether a delta changes nothing that a test does: it logs, or words a failure.
func (d delta) idle() bool {
	for _, n := range []*node{d.was, d.now} {
		if n == nil {
			continue
		}
		call := above[*ast.CallExpr](n)
		if is[*ast.ExprStmt](n) {
			call = n.kids[0]
		}
		if !is[*ast.CallExpr](call) || (call.up != n && !is[*ast.BasicLit](n)) {
			return false
		}
		_, name := syntax.Called(call.Node.(*ast.CallExpr))
		if !logging.MatchString(name) && (is[*ast.ExprStmt](n) || !failing.MatchString(name)) {
			return false
		}
	}
	return true
}

var (
	logging = regexp.MustCompile(`^(Log|Print|Debug|Info|Warn)(f|ln|w)?$`)
	failing = regexp.MustCompile(`^(Error|Fatal|Skip|Fail)(f|ln)?$`)
)

// sum returns the expression of numbers that a node is part of.
func (n *node) sum() *node {
	for n != nil && n.up != nil && (n.up.arithmetic() || is[*ast.SelectorExpr](n.up) || n.up.deadline()) {
		n = n.up
	}
	return n
}

// arithmetic reports whether a node computes a number of others.
func (n *node) arithmetic() bool {
	switch x := n.Node.(type) {
	case *ast.BinaryExpr:
		return x.Op == token.ADD || x.Op == token.SUB || x.Op == token.MUL || x.Op == token.QUO
	case *ast.UnaryExpr:
		return x.Op == token.SUB
	case *ast.CallExpr:
		_, name := syntax.Called(x)
		return len(x.Args) == 1 && (name == "Duration" || strings.HasPrefix(name, "float") || strings.HasPrefix(name, "int") || strings.HasPrefix(name, "uint"))
	}
	return false
}

// deadline reports whether a node is a point of time after now.
func (n *node) deadline() bool {
	c, ok := n.Node.(*ast.CallExpr)
	if !ok {
		return false
	}
	of, name := syntax.Called(c)
	now, ok := of.(*ast.CallExpr)
	if !ok || name != "Add" {
		return false
	}
	_, name = syntax.Called(now)
	return name == "Now"
}

// constant reports whether a node is made of numbers and names alone.
func (n *node) constant() bool {
	switch {
	case is[*ast.BasicLit](n), is[*ast.Ident](n):
		return true
	case is[*ast.KeyValueExpr](n), is[*ast.AssignStmt](n), is[*ast.ValueSpec](n):
		return n.kids[len(n.kids)-1].constant()
	case n.deadline():
		return n.kids[1].constant()
	case n.arithmetic(), is[*ast.SelectorExpr](n):
		for _, k := range n.kids {
			if !k.constant() {
				return false
			}
		}
		return true
	}
	return false
}

// united reports whether a number has a unit of time.
func (n *node) united() bool {
	if n == nil {
		return false
	}
	for k := range n.all {
		switch x := k.Node.(type) {
		case *ast.SelectorExpr:
			if of, ok := x.X.(*ast.Ident); ok && of.Name == "time" && units[x.Sel.Name] {
				return true
			}
		case *ast.BasicLit:
			text, ok := syntax.String(x)
			if _, err := time.ParseDuration(text); ok && err == nil && text != "0" {
				return true
			}
		}
	}
	return false
}

var units = map[string]bool{
	"Nanosecond": true, "Microsecond": true, "Millisecond": true, "Second": true, "Minute": true, "Hour": true,
}

// setting reports whether a node sets something to a number, or is an argument: it may be added or dropped.
func (n *node) setting() bool {
	return is[*ast.KeyValueExpr](n) || is[*ast.AssignStmt](n) || is[*ast.ValueSpec](n) || is[*ast.CallExpr](n.up)
}

// dosed reports whether a number stands where a dose does.
func (n *node) dosed(unit bool) bool {
	if n.wanted() {
		return false
	}
	if is[*ast.KeyValueExpr](n) || is[*ast.AssignStmt](n) || is[*ast.ValueSpec](n) {
		return n.kids[len(n.kids)-1].dosed(n.united())
	}
	switch up := n.up.Node.(type) {
	case *ast.CallExpr:
		_, name := syntax.Called(up)
		switch {
		case values.MatchString(name):
			return false
		case tolerant.MatchString(name):
			return n.argument() >= 2
		}
		return unit || named.MatchString(name) && !strings.Contains(strings.ToLower(name), "wait")
	case *ast.KeyValueExpr:
		return unit || named.MatchString(n.up.kids[0].text())
	case *ast.ValueSpec:
		return unit || named.MatchString(up.Names[0].Name)
	case *ast.AssignStmt:
		return unit || named.MatchString(n.up.kids[0].text())
	case *ast.ReturnStmt:
		return unit || named.MatchString(name(n.unit()))
	case *ast.BinaryExpr:
		return unit || n.bound() || named.MatchString(n.up.kids[0].text()) || named.MatchString(n.up.kids[1].text()) ||
			strings.Contains(n.up.text(), "Abs(")
	case *ast.RangeStmt:
		return n.bound()
	case *ast.IndexExpr, *ast.SliceExpr, *ast.ArrayType:
		return false
	}
	return unit
}

var (
	values   = regexp.MustCompile(`^(make|new|append|cap|len|min|max|Add|AddDate|Advance|Step|Sub|Truncate|Round|Date|Unix\w*)$`)
	tolerant = regexp.MustCompile(`^(InDelta|InEpsilon|WithinDuration)`)
	compared = regexp.MustCompile(`^(Not)?(Equal|EqualValues|Exactly|Same|JSONEq|DeepEqual|Contains|ElementsMatch)f?$`)
	named    = regexp.MustCompile(`(?i)timeout|deadline|wait|delay|interval|retr(y|ies)|attempt|tries|toler|epsilon|delta|within|sleep|` +
		`backoff|poll|eventually|consistently|patience|grace|elapsed|duration|jitter|settle`)
)

// argument returns which argument of a call a node is.
func (n *node) argument() int {
	for i, k := range n.up.kids[1:] {
		if k == n {
			return i
		}
	}
	return -1
}

// wanted reports whether a node is part of a value that a check wants.
func (n *node) wanted() bool {
	for ; n != nil; n = n.up {
		switch x := n.Node.(type) {
		case *ast.CallExpr:
			if _, name := syntax.Called(x); compared.MatchString(name) {
				return true
			}
		case *ast.KeyValueExpr:
			if key := strings.ToLower(n.kids[0].text()); strings.HasPrefix(key, "want") || strings.HasPrefix(key, "exp") {
				return true
			}
		case *ast.FuncLit:
			return false
		}
	}
	return false
}

// bound reports whether a number bounds a loop that tries again: it sleeps, or may end early.
func (n *node) bound() bool {
	loop := n.up
	if is[*ast.BinaryExpr](loop) {
		loop = loop.up
	}
	if !is[*ast.ForStmt](loop) && !is[*ast.RangeStmt](loop) {
		return false
	}
	for k := range loop.all {
		if is[*ast.ExprStmt](k) && k.sleeps() {
			return true
		}
		if b, ok := k.Node.(*ast.BranchStmt); ok && b.Tok == token.BREAK {
			return true
		}
	}
	return false
}
