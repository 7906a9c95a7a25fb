// Package testname finds tests by their names as people type them: TestX, TestX/case,
// TestX:spec, queue.TestX, ./queue.TestX. It reads the test files of the module, and loads no package.
package testname

import (
	"regexp"
	"strings"

	"github.com/fdebug/fdebug/internal/ginkgo"
)

// A Name is the name of a test as it was typed.
type Name struct {
	// the part before the dot: a package's name, import path or directory, or the end of one; "" for none
	Package string
	Test    string   // TestX
	Cases   []string // names of nested subtests
	Spec    string   // the text of a spec of Ginkgo, for TestX:text
}

// typed begins with an optional package, up to the last dot before the name of a test. As for go
// test, no lower case letter follows Test: Testing and Tests are not names of tests.
var typed = regexp.MustCompile(`^(?:((?:.*/)?[^/]+)\.)?((?:Test|Example|Fuzz)(?:[^a-z./:][^./:]*)?)((?:[/:].*)?)$`)

// Parse parses a name. ok is false if s is not the name of a test.
func Parse(s string) (n Name, ok bool) {
	m := typed.FindStringSubmatch(s)
	if m == nil {
		return Name{}, false
	}
	n = Name{Package: m[1], Test: m[2]}
	if spec, ok := strings.CutPrefix(m[3], ":"); ok {
		n.Spec = spec
	} else if cases := strings.Trim(m[3], "/"); cases != "" {
		n.Cases = strings.Split(cases, "/")
	}
	return n, true
}

// Pattern returns the argument of -run that selects exactly the test.
func (n Name) Pattern() string {
	if n.Spec != "" {
		return exactly(n.Test + ":" + ginkgo.Rewrite(n.Spec))
	}
	levels := []string{exactly(n.Test)}
	for _, c := range n.Cases {
		levels = append(levels, exactly(Printed(c)))
	}
	return strings.Join(levels, "/")
}

func exactly(name string) string { return "^" + regexp.QuoteMeta(name) + "$" }

// Printed returns the name of a case as package testing prints it. It may be typed with spaces, or as
// it is printed.
func Printed(name string) string { return strings.ReplaceAll(name, " ", "_") }
