package runner

import (
	"regexp"
	"strings"
)

// gocheckFailure matches what gopkg.in/check.v1 prints of a test that failed, up to the place of the
// check: all tests of its suites are one test of package testing. A method of a value has no place.
//
//	FAIL: store_test.go:47: StoreSuite.TestGet
//
//	store_test.go:50:
//	    c.Assert(s.Get(1), Equals, 2)
//	... obtained int = 5
//	... expected int = 2
var gocheckFailure = regexp.MustCompile(`(?m)^FAIL: \S+:\d+: \S+\n\n(\S+\.go):(\d+):\n`)

// gocheckIn returns the first failed check of gopkg.in/check.v1 in a test's output.
func gocheckIn(output string) (c check, ok bool) {
	m := gocheckFailure.FindStringSubmatchIndex(output)
	if m == nil {
		return c, false
	}
	line, ok := lineNumber(output[m[4]:m[5]])
	if !ok {
		return c, false
	}
	text, _, _ := strings.Cut(output[m[1]:], "\n\n")
	call, values, _ := strings.Cut(text, "\n... ")
	c.place, c.text = place{output[m[2]:m[3]], line}, strings.TrimSpace(call)
	if values != "" {
		c.text += "\n... " + values
	}
	return c, true
}
