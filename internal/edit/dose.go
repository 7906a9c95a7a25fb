package edit

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Dose returns the changes of an edit that does nothing else than move doses, and nil for any other. A "dose" is a number
// that is a duration, a limit, a tolerance or a count of tries. It is told by its unit, by the name of what is set to
// it, or of the function that it is handed to, and as the bound of a loop that sleeps or breaks. It may be set anew. What
// is made or added, an index and a value that a check wants are none. A "sleep" is a Sleep that came, changed or went,
// outside of the bubbles of testing/synctest. What is logged, and how a failure is worded, is nothing.
func (e *Edit) Dose() (list []Change) {
	for _, d := range e.deltas {
		if d.idle() {
			continue
		}
		c, ok := d.dose()
		if !ok {
			return nil
		}
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	if len(e.around) > 0 {
		return nil
	}
	return list
}

var (
	values   = regexp.MustCompile(`^(make|new|append|cap|len|Add|AddDate|Advance|Step|Sub|Truncate|Round|Date|Unix\w*)$`)
	tolerant = regexp.MustCompile(`^(InDelta|InEpsilon|WithinDuration)`)
	bounding = regexp.MustCompile(`^(Less|Greater|BeNumerically)`)
	partial  = regexp.MustCompile(`\b\d*\.\d+\s*\*|\*\s*\d*\.\d+\b`)
	compared = regexp.MustCompile(`^(Not)?(Equal|Exactly|Same|JSONEq|DeepEqual|Contain|ElementsMatch|Eq$)`)
	wanted   = regexp.MustCompile(`^(?i:want|exp|got)`)
	named    = regexp.MustCompile(`(?i)time_?out|deadline|wait|delay|interval|retr(y|ies)|attempt|tries|toler|epsilon|delta|within|sleep|` +
		`back_?off|poll|eventually|consistently|patience|grace|elapsed|duration|jitter|settle|ttl`)
	converted = regexp.MustCompile(`^(Duration|To|Ptr|u?int\d*|float\d*)$|(Ptr|Pointer)$`)
	units     = regexp.MustCompile(`\btime\.(\w*[sS]econd|Minute|Hour)\b|"(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+"`)
	amounts   = regexp.MustCompile(`\b\d+(\.\d+)?(ns|us|ms|s|m|h)\b`)
	logging   = regexp.MustCompile(`^(Log|Print|Debug|Info|Warn)(f|ln|w)?$`)
)

// dose returns the change that a delta is if it only moves a dose.
func (d delta) dose() (Change, bool) {
	s, t := above[ast.Stmt](d.was), above[ast.Stmt](d.now)
	if (s == nil || s.sleeps()) && (t == nil || t.sleeps()) && (s != nil || t != nil) {
		return change("sleep", s, t), true
	}
	a, b := d.was.sum(), d.now.sum()
	unit := a.unit() || b.unit()
	if was, now := d.was.text(), d.now.text(); is[*ast.BasicLit](d.was) && is[*ast.BasicLit](d.now) &&
		amounts.MatchString(was) && amounts.ReplaceAllString(was, "") == amounts.ReplaceAllString(now, "") {
		a, b, unit = d.was, d.now, true // texts that differ in durations alone
	}
	for _, n := range []*node{a, b} {
		if n != nil && !(n.constant() && n.dosed(unit)) {
			return Change{}, false
		}
	}
	return change("dose", a, b), a != nil && b != nil || a.sets() || b.sets()
}

// sleeps reports whether a statement waits for time alone.
func (n *node) sleeps() bool {
	if in, ok := n.up.Node.(*ast.CommClause); !is[*ast.ExprStmt](n) || ok && in.Comm == n.Node {
		return false
	}
	for up := n; up != nil; up = up.up {
		if of, _ := up.called(); of == "synctest" {
			return false
		}
	}
	call, wait := n.kids[0], "Sleep"
	if u, ok := call.Node.(*ast.UnaryExpr); ok && u.Op == token.ARROW {
		call, wait = call.kids[0], "After"
	}
	of, name := call.called()
	return (name == wait || name == "Gosched") && slices.ContainsFunc(n.in.Tree.Imports, func(i *ast.ImportSpec) bool {
		path, _ := syntax.String(i.Path)
		return of != "" && strings.HasSuffix("/"+path, "/"+of)
	})
}

// idle reports whether a delta changes nothing that a test does: it logs, or words a failure.
func (d delta) idle() bool {
	says := func(n *node) bool {
		if is[*ast.ExprStmt](n) {
			n = n.kids[0]
		}
		return n == nil || logging.MatchString(n.name()) || failing.MatchString(n.text()) || is[*ast.CallExpr](n.up) &&
			(logging.MatchString(n.up.name()) || failing.MatchString(n.up.name()) || skipping.MatchString(n.up.name()))
	}
	return says(d.was) && says(d.now)
}

// sum returns the number that a node is part of: the whole computation.
func (n *node) sum() *node {
	for n != nil && (n.up.computes() || is[*ast.SelectorExpr](n.up)) {
		n = n.up
	}
	return n
}

// computes reports whether a node makes a number of others: from units, by a conversion, or as a time after now.
func (n *node) computes() bool {
	if n == nil {
		return false
	}
	switch x := n.Node.(type) {
	case *ast.BinaryExpr:
		return x.Op == token.ADD || x.Op == token.SUB || x.Op == token.MUL || x.Op == token.QUO
	case *ast.UnaryExpr:
		return x.Op == token.SUB || x.Op == token.AND
	case *ast.CallExpr:
		of, name := n.called()
		return len(x.Args) == 1 && (converted.MatchString(name) || name == "Add" && strings.HasSuffix(of, ".Now()"))
	}
	return false
}

// constant reports whether a node is made of numbers and names, or sets something to that.
func (n *node) constant() bool {
	return !n.has(func(k *node) bool {
		switch k.Node.(type) {
		case *ast.BasicLit, *ast.Ident, *ast.SelectorExpr, *ast.KeyValueExpr, *ast.AssignStmt, *ast.ValueSpec:
			return false
		}
		return !k.computes() && k.name() != "Now"
	})
}

// unit reports whether a number has a unit of time, as in 5*time.Second or "5s".
func (n *node) unit() bool { return units.MatchString(n.text()) }

// sets reports whether a node sets something to a number, or hands one over.
func (n *node) sets() bool {
	return n != nil && (is[*ast.KeyValueExpr](n) || is[*ast.AssignStmt](n) || is[*ast.ValueSpec](n) || is[*ast.CallExpr](n.up))
}

// dosed reports whether a number stands where a dose does.
func (n *node) dosed(unit bool) bool {
	if is[*ast.KeyValueExpr](n) || is[*ast.AssignStmt](n) || is[*ast.ValueSpec](n) {
		return n.kids[len(n.kids)-1].dosed(unit)
	}
	for up := n.up; up != nil && !is[*ast.FuncLit](up); up = up.up {
		if _, name := up.called(); compared.MatchString(name) || is[*ast.KeyValueExpr](up) && wanted.MatchString(up.text()) {
			return false
		}
	}
	says := func(k *node) bool { return unit || named.MatchString(k.text()) }
	switch up := n.up.Node.(type) {
	case *ast.CallExpr:
		name, i := n.up.name(), slices.Index(n.up.kids, n)
		if tolerant.MatchString(name) {
			return i >= 3
		}
		if bounding.MatchString(name) && partial.MatchString(n.text()) {
			return true
		}
		return i > 0 && !values.MatchString(name) && (unit || named.MatchString(strings.ReplaceAll(strings.ToLower(name), "wait", "")))
	case *ast.KeyValueExpr, *ast.ValueSpec, *ast.AssignStmt:
		return says(n.up.kids[0])
	case *ast.ReturnStmt:
		return unit || named.MatchString(n.top().name())
	case *ast.BinaryExpr:
		return says(n.up.kids[0]) || says(n.up.kids[1]) || partial.MatchString(n.text()) || strings.Contains(n.up.text(), "Abs(") || n.tries()
	case *ast.RangeStmt:
		return up.Key == nil && n.tries()
	case *ast.IndexExpr, *ast.SliceExpr, *ast.ArrayType:
		return false
	}
	return unit
}

// tries reports whether a node is the bound of a loop that tries again: it sleeps, or may end early.
func (n *node) tries() bool {
	loop := n.up
	if is[*ast.BinaryExpr](loop) {
		loop = loop.up
	}
	return (is[*ast.ForStmt](loop) || is[*ast.RangeStmt](loop)) && loop.has(func(k *node) bool {
		b, ok := k.Node.(*ast.BranchStmt)
		return ok && b.Tok == token.BREAK || is[*ast.ExprStmt](k) && k.sleeps()
	})
}
