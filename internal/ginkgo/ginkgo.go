// Package ginkgo makes the specs of github.com/onsi/ginkgo/v2 tests of their own.
//
// A suite of Ginkgo is one test for package testing: a function that calls RunSpecs. So a file is
// added to the suite when it is built. It prints for each spec what package testing prints for a
// test, and tells the recorder where a spec begins and ends. From then on a spec is a test with a
// name such as "TestBooks:Cart_adds_two_items". No other test has a colon before the first slash
// of its name.
//
// The package reads no file but the source of tests, and the module does not depend on Ginkgo.
package ginkgo

import (
	"bytes"
	"errors"
	"go/ast"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/syntax"
)

// A Suite is a test that runs specs. The zero Suite is none.
type Suite struct {
	Test        string // the function that calls RunSpecs
	Description string // what it passes to RunSpecs, "" if that is no constant
	Package     string // the package clause of its file
}

// Starter is the function of Ginkgo that starts a goroutine for each part of a spec.
const Starter = path + "/internal.(*Suite).runNode"

const (
	path    = "github.com/onsi/ginkgo/v2"
	oldPath = "github.com/onsi/ginkgo"
)

// ErrOld is returned for a suite of Ginkgo v1, which has nothing that is told of each spec.
var ErrOld = errors.New("a suite of Ginkgo v1 counts as one test")

// Find returns the suite among the test files of a directory; in says which of them are built. It
// returns none if there are several, because only one of them can run in a process. With ErrOld it
// returns a suite of Ginkgo v1.
func Find(dir string, in func(file string) bool) (Suite, error) {
	var found, old []Suite
	for _, file := range store.Glob(dir, "*_test.go") {
		src, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(src, []byte(oldPath)) || !in(file) {
			continue
		}
		if s, isOld := suitesOf(src); isOld {
			old = append(old, s...)
		} else {
			found = append(found, s...)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && len(old) > 0:
		return old[0], ErrOld
	}
	return Suite{}, nil
}

// suitesOf returns the tests of a file that run specs, and whether they are specs of Ginkgo v1.
func suitesOf(src []byte) (list []Suite, old bool) {
	f, err := syntax.Parse("", src)
	if err != nil {
		return nil, false
	}
	imported := ""
	for _, spec := range f.Tree.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); p == path || p == oldPath {
			imported = p
		}
	}
	for _, d := range f.Tree.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !strings.HasPrefix(fn.Name.Name, "Test") || imported == "" {
			continue
		}
		if call := runSpecs(fn); call != nil {
			list = append(list, Suite{Test: fn.Name.Name, Description: constant(call), Package: f.Tree.Name.Name})
		}
	}
	return list, imported == oldPath
}

// runSpecs returns the call of RunSpecs in a function, nil if there is none.
func runSpecs(fn *ast.FuncDecl) *ast.CallExpr {
	for call := range syntax.Nodes[*ast.CallExpr](fn) {
		if _, name := syntax.Called(call); name == "RunSpecs" {
			return call
		}
	}
	return nil
}

// constant returns the second argument of a call if it is a literal.
func constant(call *ast.CallExpr) string {
	if len(call.Args) < 2 {
		return ""
	}
	s, _ := syntax.String(call.Args[1])
	return s
}

// Rewrite changes what may not be part of the name of a test. The added file does the same.
func Rewrite(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '/' || unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, text)
}

// SuiteOf returns the suite that a test belongs to if it is a spec, and "" if not.
func SuiteOf(test string) string {
	suite, _, is := strings.Cut(test, ":")
	if !is || strings.Contains(suite, "/") {
		return ""
	}
	return suite
}
