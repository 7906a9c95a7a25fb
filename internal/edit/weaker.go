package edit

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"go/token"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Weaker returns the changes that let a test check less than it did:
//
//   - a "skip" that was added, or a condition on the system, the environment or the mode of the run
//   - a "test", "subtest" or "check" that went. One stays if others came that are called as it is, or look at the same
//     things: a check that is repeated until it passes is none that went
//   - a "looser check", which by its form fails in fewer cases
//   - a "build tag" that changed, and each line of "go.mod" that came or went
//
// That a wanted value became another is not told, nor that a test does not run in parallel any more.
func (e *Edit) Weaker() []Change {
	list := slices.Clone(e.around)
	for _, u := range e.now.units {
		for n := range u.all {
			switch {
			case u.pair == nil:
			case n.skips() && (n.pair == nil || !n.pair.skips()):
				c := change("skip", nil, n)
				if in := above[*ast.IfStmt](n); in != nil && in.pair == nil {
					c = change("skip", nil, in)
				}
				if !slices.Contains(list, c) {
					list = append(list, c)
				}
			case n.pair != nil && n.looser():
				list = append(list, change("looser check", n.pair, n))
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
	skipping = regexp.MustCompile(`^(Skip|skip)|(?i:flaky)`)
	limiting = regexp.MustCompile(`testing\.Short\(|runtime\.(GO|Num)|os\.(Getenv|LookupEnv)|(?i:\brace)`)
	failing  = regexp.MustCompile(`^(Error|Fatal|Fail)(f|ln|Now)?$`)
	testers  = regexp.MustCompile(`(^|\.)(t|tb|b|f|c|tt|g|T|T\(\))$`)
	helpers  = regexp.MustCompile(`^(?i:check|assert|verify|expect|require|must|ensure|validate|compare)`)
	packages = regexp.MustCompile(`^(assert|require|must|should|is)$|\.(Require|Assert)\(\)$`)
	asserts  = regexp.MustCompile(`^(Not|No|Is)?(Equal|Error|Nil|Empty|Zero|True|False|Len|Contain|ElementsMatch|Panic|Same|Subset|` +
		`InDelta|InEpsilon|Within|Greater|Less|Eventually|Never|Exactly|Regexp|JSONEq|Implements|Condition)\w*$`)
	framework = regexp.MustCompile(`^(assert|require|must|Expect|To|NotTo|ToNot|Should|ShouldNot|Succeed|(Have|Be)[A-Z]\w*)$`)
	strict    = regexp.MustCompile(`^(Equal\w*|Exactly|Same|JSONEq|Len|ErrorIs|ErrorContains|DeepEqual)$`)
	loose     = regexp.MustCompile(`^(Not\w+|Greater\w*|Less\w*|In[DE]\w+|Contains|Subset|Error|IsType|Regexp|BeNumerically|Contain\w+)$`)
)

// called returns the name of the called function, and the text before its dot. Both are empty if a node is no call.
func (n *node) called() (of, name string) {
	if c, ok := n.Node.(*ast.CallExpr); ok {
		x, name := syntax.Called(c)
		if x != nil {
			of = strings.Join(strings.Fields(n.in.Text(x)), " ")
		}
		return of, name
	}
	return "", ""
}

// skips reports whether a node leaves a test out: a call, or a condition under which it is done with, or checks.
func (n *node) skips() bool {
	_, name := n.called()
	if s, ok := n.Node.(*ast.IfStmt); ok && strings.HasSuffix(n.in.Name, "_test.go") {
		return limiting.MatchString(n.in.Text(s.Cond)) && n.has(func(k *node) bool {
			return is[*ast.ReturnStmt](k) || k.checks() || k.subtest()
		})
	}
	return skipping.MatchString(name)
}

func (n *node) subtest() bool {
	of, name := n.called()
	return name == "Run" && testers.MatchString(of) || of == "" && (name == "It" || name == "Describe" || name == "Context")
}

// checks reports whether a node is a call that fails a test.
func (n *node) checks() bool {
	of, name := n.called()
	c, ok := n.Node.(*ast.CallExpr)
	switch {
	case !ok || name == "":
		return false
	case name == "Expect" || name == "Eventually" || name == "Consistently":
		return true
	case testers.MatchString(of):
		return failing.MatchString(name) || name == "Assert" || name == "Check"
	case packages.MatchString(of), asserts.MatchString(name) && is[*ast.ExprStmt](n.up):
		return true
	}
	return helpers.MatchString(name) && slices.ContainsFunc(c.Args, func(a ast.Expr) bool { return testers.MatchString(n.in.Text(a)) })
}

// dropped returns the checks and subtests that went from a declaration that stayed.
func (e *Edit) dropped(u *node) (list []Change) {
	var came []string // names of checks that were added
	words := make(map[string]bool)
	for _, d := range e.deltas {
		if d.now == nil || d.now.top() != u.pair && (d.now.up != nil || tests.MatchString(d.now.name())) {
			continue
		}
		for n := range d.now.all {
			words[n.label] = true
			if d.now.top() != u.pair && n.checks() {
				came = append(came, n.name())
			}
		}
	}
	for n := range u.pair.all {
		if n.checks() && (n.pair == nil || n.pair.name() != n.name()) {
			came = append(came, n.name())
		}
	}
	var last *node
	for n := range u.all {
		what := "check"
		if n.subtest() {
			what = "subtest"
		} else if !n.checks() {
			continue
		}
		if n.pair != nil && (n.pair.checks() || n.pair.subtest()) || n.within(last) {
			continue
		}
		if i := slices.Index(came, n.name()); i >= 0 {
			came = slices.Delete(came, i, i+1)
			continue
		}
		if last = above[ast.Stmt](n); is[*ast.BlockStmt](last.up) && is[*ast.IfStmt](last.up.up) && last.up.up.pair == nil {
			last = last.up.up
		}
		if len(came) == 0 || !last.lives(words) {
			list = append(list, change(what, last, n.pair))
		}
	}
	return list
}

// lives reports whether half of the names and literals in a check are among words.
func (n *node) lives(words map[string]bool) bool {
	found, all := 0, 0
	for k := range n.all {
		if len(k.kids) == 0 && !framework.MatchString(k.text()) && !testers.MatchString(k.text()) && !asserts.MatchString(k.text()) {
			if all++; words[k.label] {
				found++
			}
		}
	}
	return 2*found >= all
}

// looser reports whether a check fails in fewer cases than the one that it came in place of.
func (n *node) looser() bool {
	s, ok := n.Node.(*ast.IfStmt)
	if !ok {
		return strict.MatchString(n.pair.name()) && loose.MatchString(n.name())
	}
	old, ok := n.pair.Node.(*ast.IfStmt)
	if !ok || !slices.ContainsFunc(n.pair.kids[len(n.pair.kids)-1].kids, func(k *node) bool { return k.has((*node).checks) }) {
		return false
	}
	is, was := n.under(s.Cond), n.pair.under(old.Cond)
	x, _ := is.Node.(*ast.BinaryExpr)
	y, _ := was.Node.(*ast.BinaryExpr)
	equal := func(in, k *node) bool {
		return slices.ContainsFunc(in.kids, func(m *node) bool { return m.key == k.key })
	}
	return x != nil && x.Op == token.LAND && equal(is, was) || y != nil && y.Op == token.LOR && equal(was, is) ||
		x != nil && y != nil && y.Op == token.NEQ && x.Op != token.NEQ && equal(is, was.kids[0]) && equal(is, was.kids[1])
}

// under returns the kid of a node that is an expression.
func (n *node) under(x ast.Expr) *node {
	return n.kids[slices.IndexFunc(n.kids, func(k *node) bool { return k.Node == ast.Unparen(x) })]
}

// beside notes what changed in go.mod and in build tags.
func (e *Edit) beside(before, after Source) {
	for _, name := range e.Files {
		was, mod := before[name], strings.HasSuffix(name, "go.mod")
		if is, ok := after[name]; mod || was != nil && ok {
			a, b := directives(was, mod), directives(is, mod)
			what := "build tag"
			if mod {
				what = "go.mod"
			}
			for i, d := range a {
				if !slices.Contains(b, d) && d != "" {
					e.around = append(e.around, Change{what, name, i + 1, d, ""})
				}
			}
			for i, d := range b {
				if !slices.Contains(a, d) && d != "" {
					e.around = append(e.around, Change{what, name, i + 1, "", d})
				}
			}
		}
	}
}

// directives returns the text of each line of a go.mod, with the verb of its block, or of a Go file. Of that only build
// tags have one.
func directives(src []byte, mod bool) (list []string) {
	block := ""
	for line := range bytes.Lines(src) {
		text, _, _ := strings.Cut(string(line), "//")
		words := strings.Fields(text)
		text = ""
		switch {
		case !mod:
			if constraint.IsGoBuild(string(bytes.TrimSpace(line))) {
				text = string(bytes.TrimSpace(line))
			}
		case len(words) == 0:
		case words[0] == ")":
			block = ""
		case words[len(words)-1] == "(":
			block = words[0] + " "
		default:
			text = block + strings.Join(words, " ")
		}
		list = append(list, text)
	}
	return list
}
