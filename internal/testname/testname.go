// Package testname finds tests by their names as people type them: TestX, TestX/case,
// queue.TestX, ./queue.TestX. No package is loaded: the test files of the module are parsed.
package testname

import (
	"regexp"
	"strings"
)

// A Name is the name of a test as it was typed.
type Name struct {
	Package string   // what stood before the dot: a package's name, import path or directory, or the end of one; "" for none
	Test    string   // TestX
	Cases   []string // of subtests, below each other
}

// typed begins with an optional package, up to the last dot before the name of a test. As for
// go test no lower case letter follows Test: Testing and Tests are no names of tests.
var typed = regexp.MustCompile(`^(?:((?:.*/)?[^/]+)\.)?((?:Test|Example|Fuzz)[^a-z./][^./]*)((?:/.*)?)$`)

// Parse reads a name. It is no name of a test if ok is false.
func Parse(s string) (n Name, ok bool) {
	m := typed.FindStringSubmatch(s)
	if m == nil {
		return Name{}, false
	}
	n = Name{Package: m[1], Test: m[2]}
	if cases := strings.Trim(m[3], "/"); cases != "" {
		n.Cases = strings.Split(cases, "/")
	}
	return n, true
}

// Pattern returns what -run takes to select the test and no other.
func (n Name) Pattern() string {
	levels := []string{exactly(n.Test)}
	for _, c := range n.Cases {
		levels = append(levels, exactly(rewrite(c)))
	}
	return strings.Join(levels, "/")
}

func exactly(name string) string { return "^" + regexp.QuoteMeta(name) + "$" }

// rewrite does to the name of a case what package testing does: it is typed with spaces, or as
// it is printed.
func rewrite(name string) string { return strings.ReplaceAll(name, " ", "_") }
