package edit

import (
	"cmp"
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Dose returns the changes of an edit that does nothing else than move doses, and nil for any other. A "dose" is a number
// that is a duration, a limit, a tolerance or a count of tries. It is told by its unit, by the name of what is set to
// it, or of the function that it is handed to, and as the bound of a loop that sleeps or breaks. It may be set anew. What
// is made or added, an index and a value that a check wants are none. A "sleep" is a Sleep that came, changed or went,
// outside of the bubbles of testing/synctest. What is logged, and how a failure is worded, is nothing.
func (e *Edit) Dose() (list []Change) {
	for _, d := range e.deltas {
		c, ok := d.dose()
		switch {
		case d.idle():
		case !ok || len(e.tags) > 0 || slices.ContainsFunc(e.Files, func(f string) bool { return path.Ext(f) != ".go" }):
			return nil
		case !slices.Contains(list, c):
			list = append(list, c)
		}
	}
	return list
}

var (
	sleeping = regexp.MustCompile(`^(time\.Sleep|runtime\.Gosched|<-time\.After)\(`)
	values   = regexp.MustCompile(`^(make|new|append|cap|len|Add|AddDate|Advance|Step|Sub|Truncate|Round|Date|Unix\w*)$`)
	tolerant = regexp.MustCompile(`^(InDelta|InEpsilon|WithinDuration)`)
	wanted   = regexp.MustCompile(`^((Not)?(Equal|Exactly|Same|JSONEq|DeepEqual|Contain|ElementsMatch|Eq$)|(?i:want|exp|got)\w*:)`)
	named    = regexp.MustCompile(`(?i)time_?out|deadline|wait[^(]*$|delay|interval|retr(y|ies)|attempt|tries|toler|epsilon|delta|` +
		`within|sleep|back_?off|poll|eventually|consistently|patience|grace|elapsed|duration|jitter|settle|ttl|\babs\(`)
	converted = regexp.MustCompile(`^(Duration|To|Ptr|u?int\d*|float\d*)$|(Ptr|Pointer)$`)
	computed  = regexp.MustCompile(`^\*ast\.(BinaryExpr [-+*/]|UnaryExpr [-&])$`)
	constant  = regexp.MustCompile(`^\*ast\.(BasicLit|Ident|SelectorExpr|KeyValueExpr|AssignStmt|ValueSpec)\b`)
	units     = regexp.MustCompile(`\btime\.(\w*[sS]econd|Minute|Hour)\b|"(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+"`)
)

// dose returns the change that a delta is if it only moves a dose.
func (d delta) dose() (Change, bool) {
	s, t := above[ast.Stmt](d.was), above[ast.Stmt](d.now)
	if (s == nil || s.sleeps()) && (t == nil || t.sleeps()) && (s != nil || t != nil) {
		return change("sleep", s, t), true
	}
	a, b := d.was.sum(), d.now.sum()
	unit := units.MatchString(a.text()) || units.MatchString(b.text())
	for _, n := range []*node{a, b} {
		other := func(k *node) bool {
			return !constant.MatchString(k.label) && !k.computes() && k.name() != "Now"
		}
		if n.has(other) || n != nil && !n.dosed(unit) {
			return Change{}, false
		}
	}
	n := cmp.Or(a, b)
	return change("dose", a, b), a != nil && b != nil || n.sets() || is[*ast.CallExpr](n.up)
}

// sleeps reports whether a statement waits for time alone.
func (n *node) sleeps() bool {
	return is[*ast.ExprStmt](n) && sleeping.MatchString(n.text()) && !strings.Contains(n.top.text(), "synctest.") &&
		!strings.HasPrefix(n.up.text(), "case "+n.text())
}

// idle reports whether a delta changes nothing that a test does: it logs, or words a failure.
func (d delta) idle() bool {
	says := func(n *node) string {
		if is[*ast.ExprStmt](n) && n.kids[0].does() == "log" {
			return "log"
		}
		c := above[*ast.CallExpr](n)
		if above[ast.Stmt](c) != above[ast.Stmt](n) { // it is in a function that is handed over
			return ""
		}
		return c.does()
	}
	was, now := cmp.Or(d.was, d.now), cmp.Or(d.now, d.was)
	return says(was) == says(now) && slices.Contains([]string{"log", "fail", "skip"}, says(was))
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
	of, name := n.called()
	return n != nil && (computed.MatchString(n.label) || len(n.kids) == 2 &&
		(converted.MatchString(name) || name == "Add" && strings.HasSuffix(of, ".Now()")))
}

// sets reports whether a node sets something to a number, which is its last part.
func (n *node) sets() bool {
	return is[*ast.KeyValueExpr](n) || is[*ast.AssignStmt](n) || is[*ast.ValueSpec](n)
}

// dosed reports whether a number stands where a dose does.
func (n *node) dosed(unit bool) bool {
	if n.sets() {
		n = n.kids[len(n.kids)-1]
	}
	for up := n.up; up != nil && !is[*ast.FuncLit](up); up = up.up {
		if (is[*ast.CallExpr](up) || is[*ast.KeyValueExpr](up)) && wanted.MatchString(up.name()) {
			return false
		}
	}
	about := ""
	switch up := n.up; up.Node.(type) {
	case *ast.IndexExpr, *ast.SliceExpr, *ast.ArrayType:
		return false
	case *ast.CallExpr:
		i := slices.Index(up.kids, n)
		if i == 0 || i < 3 && tolerant.MatchString(up.name()) || values.MatchString(up.name()) {
			return false
		}
		about = up.name() + "("
	case *ast.KeyValueExpr, *ast.ValueSpec, *ast.AssignStmt:
		about = up.kids[0].text()
	case *ast.ReturnStmt:
		about = n.top.name()
	case *ast.BinaryExpr:
		about = up.text()
	}
	return unit || named.MatchString(about) || n.tries()
}

// tries reports whether a node is in the head of a loop that tries again: it sleeps, or may end early.
func (n *node) tries() bool {
	loop := above[ast.Stmt](n)
	return (is[*ast.ForStmt](loop) || is[*ast.RangeStmt](loop)) && loop.has(func(k *node) bool {
		b, ok := k.Node.(*ast.BranchStmt)
		return ok && b.Tok == token.BREAK || k.sleeps()
	})
}
