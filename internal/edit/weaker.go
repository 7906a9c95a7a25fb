package edit

import (
	"go/ast"
	"go/build/constraint"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Weaker returns the changes that let a test check less than it did:
//
//   - a "skip" that was added, or is under another condition, and a condition on the system, the environment or the mode
//     of the run
//   - a "test", "subtest" or "check" that went. One stays if another came that is called as it is, or that looks at the
//     same things: a check that is repeated until it passes did not go
//   - a "looser check", which by its form fails in fewer cases, or stands under a condition now
//   - a "build tag" that changed, and each line of "go.mod" that came or went
//
// That a wanted value became another is not told, nor that a test does not run in parallel any more.
func (e *Edit) Weaker() []Change {
	list := slices.Clone(e.around)
	for _, u := range e.now.units {
		for n := range u.all {
			if u.pair == nil {
				break
			}
			what := ""
			switch {
			case n.skips() && (n.pair == nil || !n.pair.skips() || n.elsewhen()):
				what = "skip"
			case n.looser():
				what = "looser check"
			}
			if in := above[*ast.IfStmt](n); what == "skip" && in != nil && (in.pair == nil || n.elsewhen()) {
				n = in // so that it is told once, with its condition
			}
			if c := change(what, n.pair, n); what != "" && !slices.Contains(list, c) {
				list = append(list, c)
			}
		}
	}
	for _, u := range e.old.units {
		switch {
		case tests.MatchString(u.name()) && (u.pair == nil || !tests.MatchString(u.pair.name())):
			list = append(list, change("test", u, nil))
		case u.pair != nil && u.pair.key != u.key:
			list = append(list, e.dropped(u)...)
		}
	}
	return list
}

var (
	tests    = regexp.MustCompile(`(^|\.)(Test|Fuzz|Example)`)
	skipping = regexp.MustCompile(`^(skip\.|(\w+\.)*[Ss]kip)|(?i:flaky)`)
	limiting = regexp.MustCompile(`testing\.Short\(|runtime\.(GO|Num)|os\.(Getenv|LookupEnv)|(?i:\brace)`)
	failing  = regexp.MustCompile(`^(Error|Fatal|Fail)(f|ln|Now)?$`)
	testers  = regexp.MustCompile(`(^|\.)(t|tb|b|f|c|tt|g|T|T\(\))$`)
	helpers  = regexp.MustCompile(`(?i)check|assert|verif|expect|requir|must|ensure|validat|compare|noerr`)
	packages = regexp.MustCompile(`^(assert|require|must|should|is)$|\.(Require|Assert)\(\)$`)
	asserts  = regexp.MustCompile(`^(Not|No|Is)?(Equal|Error|Nil|Empty|Zero|True|False|Len|Contain|ElementsMatch|Panic|Same|Subset|` +
		`InDelta|InEpsilon|Within|Greater|Less|Eventually|Never|Exactly|Regexp|JSONEq|Implements|Condition)\w*$`)
	matchers = regexp.MustCompile(`^(assert|require|must|Expect|To|NotTo|ToNot|Should|ShouldNot|Succeed|(Have|Be)[A-Z]\w*)$`)
	gomega   = regexp.MustCompile(`^(Expect|Eventually|Consistently)$`)
	spec     = regexp.MustCompile(`^(It|Specify|Describe|Context|When|Entry)$`)
	strict   = regexp.MustCompile(`^(Equal\w*|Exactly|Same|JSONEq|Len|ErrorIs|ErrorContains|DeepEqual)$`)
	loose    = regexp.MustCompile(`^(Not\w+|Greater\w*|Less\w*|In[DE]\w+|Contains|Subset|Error|IsType|Regexp|BeNumerically|Contain\w+)$`)
)

// called returns the name of the called function, and the text before its dot. Both are empty if a node is no call.
func (n *node) called() (of, name string) {
	c, ok := n.Node.(*ast.CallExpr)
	if !ok {
		return "", ""
	}
	x, name := syntax.Called(c)
	if x != nil {
		of = n.in.Text(x)
	}
	return of, name
}

// skips reports whether a node leaves a test out: a call, or a condition under which it ends, or checks.
func (n *node) skips() bool {
	s, ok := n.Node.(*ast.IfStmt)
	if !ok {
		of, name := n.called()
		return skipping.MatchString(strings.TrimPrefix(of+"."+name, "."))
	}
	ends := func(k *node) bool { return is[*ast.ReturnStmt](k) || k.checks() || k.subtest() }
	return strings.HasSuffix(n.in.Name, "_test.go") && limiting.MatchString(n.in.Text(s.Cond)) && n.has(ends)
}

// elsewhen reports whether the condition changed under which a node is reached.
func (n *node) elsewhen() bool {
	in := above[*ast.IfStmt](n)
	return in != nil && is[*ast.IfStmt](in.pair) && in.cond().key != in.pair.cond().key
}

// cond returns the condition of an if.
func (n *node) cond() *node {
	body := slices.IndexFunc(n.kids, is[*ast.BlockStmt])
	return n.kids[body-1]
}

// subtest reports whether a node is a call that runs a subtest, or a spec.
func (n *node) subtest() bool {
	of, name := n.called()
	return name == "Run" && testers.MatchString(of) || of == "" && spec.MatchString(name)
}

// checks reports whether a node is a call that fails a test.
func (n *node) checks() bool {
	of, name := n.called()
	switch {
	case gomega.MatchString(name):
		return true
	case testers.MatchString(of):
		return failing.MatchString(name) || name == "Assert" || name == "Check"
	case packages.MatchString(of), asserts.MatchString(name) && is[*ast.ExprStmt](n.up):
		return true
	}
	return helpers.MatchString(name) && n.hands()
}

// hands reports whether a call hands a test on.
func (n *node) hands() bool {
	return is[*ast.CallExpr](n) && slices.ContainsFunc(n.kids[1:], func(k *node) bool { return testers.MatchString(k.text()) })
}

// sort returns the name of a check, the same for those that only fail, and for those of Gomega.
func (n *node) sort() string {
	switch name := strings.TrimSuffix(n.name(), "f"); {
	case failing.MatchString(name):
		return "Fail"
	case gomega.MatchString(name):
		return "Expect"
	default:
		return name
	}
}

// dropped returns the checks and subtests that went from a declaration that stayed.
func (e *Edit) dropped(u *node) (list []Change) {
	var came []string // the sorts of the checks that were added, here and in helpers
	words, checked := make(map[string]bool), false
	for _, d := range e.deltas {
		if top := d.now.top(); top != nil && (top == u.pair || d.now == top) {
			checked = checked || d.now.asks()
			for n := range d.now.all {
				words[n.label] = true
				checked = checked || n.checks() || n.hands() || d.now == top && is[*ast.FuncDecl](top)
				if n.checks() && top != u.pair && !tests.MatchString(top.name()) {
					came = append(came, n.sort())
				}
			}
		}
	}
	for n := range u.pair.all {
		if n.checks() && (n.pair == nil || n.pair.sort() != n.sort()) {
			came = append(came, n.sort())
		}
	}
	checked = checked || len(came) > 0
	var last *node
	for n := range u.all {
		what := "check"
		if n.subtest() {
			what = "subtest"
		} else if !n.checks() {
			continue
		}
		if n.pair != nil && (n.pair.checks() || n.pair.subtest() || n.pair.hands()) || n.within(last) {
			continue
		}
		if i := slices.Index(came, n.sort()); i >= 0 {
			came = slices.Delete(came, i, i+1)
			continue
		}
		if last = above[ast.Stmt](n); is[*ast.BlockStmt](last.up) && is[*ast.IfStmt](last.up.up) && last.up.up.pair == nil {
			last = last.up.up
		}
		if !checked || !last.lives(words) {
			list = append(list, change(what, last, n.pair))
		}
	}
	return list
}

// asks reports whether a node is part of a condition, or of what a function returns, such as that of a poll.
func (n *node) asks() bool {
	s := above[ast.Stmt](n)
	return s != n && (is[*ast.IfStmt](s) || is[*ast.ForStmt](s) || is[*ast.ReturnStmt](s))
}

// lives reports whether half of the names and literals in a check are among words.
func (n *node) lives(words map[string]bool) bool {
	found, all := 0, 0
	for k := range n.all {
		text := k.text()
		if len(k.kids) == 0 && !matchers.MatchString(text) && !testers.MatchString(text) && !asserts.MatchString(text) {
			if all++; words[k.label] {
				found++
			}
		}
	}
	return 2*found >= all
}

// looser reports whether a node is a check that fails in fewer cases than what it came in place of.
func (n *node) looser() bool {
	switch {
	case n.pair == nil:
		return false
	case !is[*ast.IfStmt](n) || !is[*ast.IfStmt](n.pair):
		return strict.MatchString(n.pair.name()) && loose.MatchString(n.name()) ||
			n.checks() && !failing.MatchString(n.name()) && n.limited()
	case !slices.ContainsFunc(n.pair.kids, func(k *node) bool { return is[*ast.BlockStmt](k) && k.has((*node).checks) }):
		return false
	}
	now, was := n.cond(), n.pair.cond()
	x, _ := now.Node.(*ast.BinaryExpr)
	y, _ := was.Node.(*ast.BinaryExpr)
	part := func(k, of *node) bool {
		return slices.ContainsFunc(of.kids, func(m *node) bool { return m.key == k.key })
	}
	return x != nil && x.Op == token.LAND && part(was, now) || y != nil && y.Op == token.LOR && part(now, was) ||
		x != nil && y != nil && y.Op == token.NEQ && x.Op != token.NEQ && x.Op != token.EQL && part(was.kids[0], now) && part(was.kids[1], now)
}

// limited reports whether a statement that was there stands under a condition that is new, and not in a loop that is.
func (n *node) limited() (found bool) {
	for in := above[ast.Stmt](n).up; in.pair == nil; in = in.up {
		switch s := in.Node.(type) {
		case *ast.FuncLit, *ast.ForStmt, *ast.RangeStmt:
			return false
		case *ast.IfStmt:
			found = s.Else == nil
		}
	}
	return found
}

// beside notes what changed in go.mod and in build tags.
func (e *Edit) beside(before, after Source) {
	for _, name := range e.Files {
		what := "go.mod"
		if path.Ext(name) == ".go" {
			if what = "build tag"; before[name] == nil || after[name] == nil {
				continue
			}
		}
		was, is := directives(what, before[name]), directives(what, after[name])
		for i, d := range was {
			if d != "" && !slices.Contains(is, d) {
				e.around = append(e.around, Change{what, name, i + 1, d, ""})
			}
		}
		for i, d := range is {
			if d != "" && !slices.Contains(was, d) {
				e.around = append(e.around, Change{what, name, i + 1, "", d})
			}
		}
	}
}

// directives returns the lines of a go.mod without comments, or of a Go file, all empty that are no build tag.
func directives(what string, src []byte) (list []string) {
	for line := range strings.Lines(string(src)) {
		if what == "go.mod" {
			line, _, _ = strings.Cut(strings.TrimPrefix(line, "require "), "//")
			line = strings.TrimRight(line, "() \n") // of a block
		} else if !constraint.IsGoBuild(line) {
			line = ""
		}
		list = append(list, strings.Join(strings.Fields(line), " "))
	}
	return list
}
