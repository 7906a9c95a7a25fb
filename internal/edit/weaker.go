package edit

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
)

// Weaker returns the changes that let a test check less than it did:
//
//   - a "skip" that was added, or is under another condition
//   - a "test", "subtest" or "check" that went. One stays if another came that is called as it is, or that looks at the
//     same things: a check that is repeated until it passes did not go
//   - a "build tag" that changed
//
// That a wanted value became another is not told, nor that a check became looser, or that a test does not run in parallel
// any more.
func (e *Edit) Weaker() []Change {
	list := slices.Clone(e.tags)
	for _, n := range e.now.nodes {
		if n.does() != "skip" || n.top.pair == nil {
			continue
		}
		in := above[*ast.IfStmt](n)
		other := in != nil && in.pair != nil && in.head() != in.pair.head() // condition
		if n.pair.does() == "skip" && !other {
			continue
		}
		if in != nil && (in.pair == nil || other) {
			n = in // so that it is told once, with its condition
		}
		if c := change("skip", n.pair, n); !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	for _, u := range e.old.units {
		switch {
		case u.tests() && !u.pair.tests():
			list = append(list, change("test", u, nil))
		case u.pair != nil && u.pair.key != u.key:
			list = append(list, e.dropped(u)...)
		}
	}
	return list
}

const (
	testers = `(^|\.)(t|tb|b|f|c|tt|g|T|T\(\))`
	asserts = `((Not|No|Is)?(Equal|Error|Nil|Empty|Zero|True|False|Len|Contain|ElementsMatch|Panic|Same|Subset|` +
		`InDelta|InEpsilon|Within|Greater|Less|Eventually|Never|Exactly|Regexp|JSONEq|Implements|Condition)\w*)`
)

// kinds tell what a call does by the function, with what stands before its dot, and a space. After that there is "hands"
// if a test is handed on, and "alone" if nothing is done with a result.
var kinds = []struct {
	what  string
	calls *regexp.Regexp
}{
	{"skip", regexp.MustCompile(`^(skip\.|(\w+\.)*[Ss]kip)|(?i:flaky)`)},
	{"log", regexp.MustCompile(`(^|\.)(Log|Print|Debug|Info|Warn)(f|ln|w)? `)},
	{"fail", regexp.MustCompile(testers + `\.(Error|Fatal|Fail)(f|ln|Now)? `)},
	{"subtest", regexp.MustCompile(testers + `\.Run |^(It|Specify|Describe|Context|When|Entry) `)},
	{"check", regexp.MustCompile(testers + `\.(Assert|Check) |(^|\.)(Expect|Eventually|Consistently) |` +
		`(^(assert|require|must|should|is)|\.(Require|Assert)\(\))\.\w+ |(^|\.)` + asserts + ` .*alone|` +
		`(?i:check|assert|verif|expect|requir|must|ensure|validat|compare|noerr)\w* hands`)},
	{"hands", regexp.MustCompile(` hands`)},
}

var (
	tests  = regexp.MustCompile(`^func (\([^)]*\) )?(Test|Fuzz|Example)`)
	tester = regexp.MustCompile(testers + `$`)
	verbs  = regexp.MustCompile(testers + `$|^(assert|require|must|Expect|To|NotTo|ToNot|Should|ShouldNot|` +
		`Succeed|(Have|Be)[A-Z]\w*|` + asserts + `)$`)
)

// tests reports whether a declaration is that of a test.
func (n *node) tests() bool { return tests.MatchString(n.text()) }

// does returns the kind of a call, "" for all else.
func (n *node) does() string {
	of, name := n.called()
	if name == "" {
		return ""
	}
	call := strings.TrimPrefix(of+"."+name, ".") + " "
	if slices.ContainsFunc(n.kids[1:], func(k *node) bool { return tester.MatchString(k.text()) }) {
		call += "hands"
	}
	if is[*ast.ExprStmt](n.up) {
		call += "alone"
	}
	for _, k := range kinds {
		if k.calls.MatchString(call) {
			return k.what
		}
	}
	return ""
}

// check returns a name of a check or subtest that is the same for those that are called alike, "" for all else.
func (n *node) check() string {
	switch what := n.does(); what {
	case "check", "subtest":
		return strings.TrimSuffix(n.name(), "f")
	case "fail":
		return what
	}
	return ""
}

// dropped returns the checks and subtests that went from a declaration that stayed.
func (e *Edit) dropped(u *node) (list []Change) {
	came, words := e.came(u.pair)
	var end token.Pos // of the last statement that went
	for _, n := range u.all {
		what := n.check()
		if what == "" || n.pair.check() != "" || n.pair.does() == "hands" || n.Pos() < end {
			continue
		}
		if came[what]--; came[what] >= 0 {
			continue
		}
		s := above[ast.Stmt](n)
		if in := s.up; is[*ast.BlockStmt](in) && is[*ast.IfStmt](in.up) && in.up.pair == nil {
			s = in.up
		}
		if end = s.End(); !s.lives(words) {
			list = append(list, change(strings.Replace(n.does(), "fail", "check", 1), s, n.pair))
		}
	}
	return list
}

// came returns how many checks came in a declaration and in new helpers, by name, and the words of what came that checks,
// or is part of a condition or of what a function returns, such as that of a poll.
func (e *Edit) came(u *node) (checks map[string]int, words map[string]bool) {
	checks, words = make(map[string]int), make(map[string]bool)
	for _, n := range e.now.nodes {
		if n.top != u && (n.top.pair != nil || n.top.tests()) {
			continue
		}
		if name := n.check(); name != n.pair.check() {
			checks[name]++
		}
		s := above[ast.Stmt](n)
		asks := is[*ast.IfStmt](s) || is[*ast.ForStmt](s) || is[*ast.ReturnStmt](s) || n.top.pair == nil
		if n.pair == nil && (asks || s.has(func(k *node) bool { return k.check() != "" || k.does() == "hands" })) {
			words[n.label] = true
		}
	}
	return checks, words
}

// lives reports whether half of the names and literals in a check are among words.
func (n *node) lives(words map[string]bool) bool {
	balance := 0
	for _, k := range n.all {
		if len(k.kids) > 0 || verbs.MatchString(k.text()) {
			continue
		} else if balance--; words[k.label] {
			balance += 2
		}
	}
	return balance >= 0
}
