package edit

import (
	"bytes"
	"go/ast"
	"go/build/constraint"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/syntax"
)

// Weaker returns the changes that let a test check less than before: a "skip" that was added, a "build tag" that
// changed, a "check", "test" or "subtest" that went, and what changed in "go.mod". That a wanted value became another is not told.
func (e *Edit) Weaker() []Change {
	list := slices.Clone(e.mod)
	for _, u := range e.now.units {
		for n := range u.all {
			if c, ok := n.Node.(*ast.CallExpr); ok && n.pair == nil && u.pair != nil && skips(c) {
				list = append(list, change("skip", nil, n))
			}
		}
	}
	for _, u := range e.old.units {
		if u.pair == nil && is[*ast.FuncDecl](u) && tests.MatchString(name(u)) {
			list = append(list, change("test", u, nil))
		} else if u.pair != nil {
			list = append(list, e.checks(u)...)
		}
	}
	return list
}

var tests = regexp.MustCompile(`^(Test|Fuzz|Example|Benchmark)`)

func skips(c *ast.CallExpr) bool {
	_, name := syntax.Called(c)
	return strings.HasPrefix(name, "Skip") || strings.HasPrefix(name, "skip")
}

// checks returns the checks that went from a function.
func (e *Edit) checks(u *node) (list []Change) {
	for n := range u.all {
		if c, ok := n.Node.(*ast.CallExpr); ok && n.pair == nil && checking(c) {
			s := above[ast.Stmt](n)
			if in := above[*ast.IfStmt](s); in != nil && in.pair == nil {
				s = in
			}
			list = append(list, change("check", s, nil))
		}
	}
	return list
}

func checking(c *ast.CallExpr) bool {
	of, name := syntax.Called(c)
	id, ok := of.(*ast.Ident)
	switch {
	case of == nil:
		return name == "Expect"
	case !ok:
		return false
	case id.Name == "assert" || id.Name == "require":
		return true
	}
	return (id.Name == "t" || id.Name == "b") && failing.MatchString(name)
}

// around notes what changed in go.mod and in build tags.
func (e *Edit) around(before, after Source) {
	for _, name := range e.Files {
		was, is := before[name], after[name]
		switch {
		case strings.HasSuffix(name, "go.mod"):
			e.mod = append(e.mod, differing(name, directives(was), directives(is))...)
		case was != nil && is != nil && tags(was) != tags(is):
			e.mod = append(e.mod, Change{"build tag", name, 1, tags(was), tags(is)})
		}
	}
}

// tags returns the build constraint of a file.
func tags(src []byte) string {
	for line := range bytes.Lines(src) {
		text := string(bytes.TrimSpace(line))
		if strings.HasPrefix(text, "package ") {
			return ""
		}
		if constraint.IsGoBuild(text) {
			return text
		}
	}
	return ""
}

// directives returns the lines of a go.mod, each with the number of its line.
func directives(src []byte) map[string]int {
	list, verb, i := make(map[string]int), "", 0
	for line := range bytes.Lines(src) {
		i++
		text, _, _ := strings.Cut(string(line), "//")
		words := strings.Fields(text)
		switch {
		case len(words) == 0:
		case words[0] == ")":
			verb = ""
		case len(words) == 2 && words[1] == "(":
			verb = words[0] + " "
		default:
			list[verb+strings.Join(words, " ")] = i
		}
	}
	return list
}

// differing returns the directives that only one side has.
func differing(name string, was, is map[string]int) (list []Change) {
	for _, d := range slices.Sorted(maps.Keys(was)) {
		if is[d] == 0 {
			list = append(list, Change{"go.mod", name, was[d], d, ""})
		}
	}
	for _, d := range slices.Sorted(maps.Keys(is)) {
		if was[d] == 0 {
			list = append(list, Change{"go.mod", name, is[d], "", d})
		}
	}
	return list
}
