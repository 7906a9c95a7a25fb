package session

import (
	"go/ast"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/internal/testname"
	"github.com/fdebug/fdebug/trace/instrument"
)

// ChangedRuns is how often a changed test is run by default. A test that fails in 1 of 20 runs
// fails at least once in 59 runs with a probability of 95 %.
const ChangedRuns = 59

// A testDecl is a declaration in the test files of a package.
type testDecl struct {
	names   []string        // that it declares; for a method also the type of its receiver
	uses    map[string]bool // names in it
	changed bool
}

// tests returns the tests of a package that were changed, or that use changed declarations of its
// test files. Names are not resolved. If two declarations share a name, more tests count as
// changed, not fewer.
func (c *change) tests(dir string) (tests []string) {
	decls := c.decls(dir)
	changed := make(map[string]bool)
	for again := true; again; {
		again = false
		for _, d := range decls {
			if !d.changed && !d.usesAny(changed) {
				continue
			}
			for _, name := range d.names {
				again = again || !changed[name]
				changed[name] = true
			}
		}
	}
	all := changed["init"] || changed["TestMain"]
	for _, d := range decls {
		for _, name := range d.names {
			if n, ok := testname.Parse(name); ok && len(d.names) == 1 && name != "TestMain" && (all || changed[name]) {
				tests = append(tests, n.Test)
			}
		}
	}
	slices.Sort(tests)
	return slices.Compact(tests)
}

func (d *testDecl) usesAny(names map[string]bool) bool {
	for name := range names {
		if d.uses[name] {
			return true
		}
	}
	return false
}

// decls returns the declarations in the test files of a directory. For a file that can't be parsed
// these are the ones before the error.
func (c *change) decls(dir string) (list []*testDecl) {
	for _, file := range store.Glob(resolved(dir), "*_test.go") {
		f, _ := syntax.Read(file, os.ReadFile)
		if f == nil {
			continue
		}
		for _, d := range f.Tree.Decls {
			if decl := declared(d); len(decl.names) > 0 {
				from, to := f.Lines(d)
				decl.changed = c.within(file, from, to)
				list = append(list, decl)
			}
		}
	}
	return list
}

// declared returns the names that a declaration declares and uses.
func declared(d ast.Decl) *testDecl {
	decl := &testDecl{uses: make(map[string]bool)}
	for id := range syntax.Nodes[*ast.Ident](d) {
		decl.uses[id.Name] = true
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		decl.names = []string{d.Name.Name}
		if d.Recv != nil && len(d.Recv.List) == 1 {
			for id := range syntax.Nodes[*ast.Ident](d.Recv.List[0].Type) { // the first is that of the type
				decl.names = append(decl.names, id.Name)
				break
			}
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				decl.names = append(decl.names, spec.Name.Name)
			case *ast.ValueSpec:
				for _, id := range spec.Names {
					decl.names = append(decl.names, id.Name)
				}
			}
		}
	}
	return decl
}

// within reports whether lines of a file were changed, or some between them removed.
func (c *change) within(file string, start, end int) bool {
	return slices.ContainsFunc(c.of(file), func(l lines) bool {
		if l.to < l.from { // removed after line from
			return start <= l.from && l.from < end
		}
		return l.from <= end && start <= l.to
	})
}

// changedTests returns the tests that were changed, by import path.
func (c *change) changedTests(packages []instrument.Package) map[string][]string {
	changed := make(map[string][]string)
	for _, p := range packages {
		if tests := c.tests(p.Dir); len(tests) > 0 {
			changed[p.ImportPath] = tests
		}
	}
	return changed
}

// testsFirst moves packages with a changed test to the front. With OnlyNew it leaves out all
// other tests.
func (j *Session) testsFirst() {
	j.changedTests = j.Diff.changedTests(j.Plan.Packages)
	has := func(p instrument.Package) bool { return j.changedTests[p.ImportPath] != nil }
	if j.OnlyNew {
		j.Plan.Packages = slices.DeleteFunc(j.Plan.Packages, func(p instrument.Package) bool { return !has(p) })
		j.Sel.Run, j.Sel.Chosen = PatternOf(slices.Concat(slices.Collect(maps.Values(j.changedTests))...)), true
	}
	slices.SortStableFunc(j.Plan.Packages, func(a, b instrument.Package) int { return TrueFirst(has(a), has(b)) })
}

// likely reports whether a test of a package is known to be flaky, or was changed.
func (j *Session) likely(importPath string) bool {
	return j.changedTests[importPath] != nil || j.Likely != nil && j.Likely(importPath)
}

// PatternOf returns the argument of -run that selects the tests with some names.
func PatternOf(tests []string) string {
	var names []string
	for _, name := range tests {
		names = append(names, regexp.QuoteMeta(name))
	}
	slices.Sort(names)
	return "^(" + strings.Join(slices.Compact(names), "|") + ")$"
}
