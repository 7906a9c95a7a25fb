package main

import (
	"fmt"
	"slices"
	"strings"
)

// linesOf precedes the name of a function whose lines, instead of its outcome, differ from those
// of cmd/cover.
const linesOf = "lines:"

// An exception is a test that is known to differ, and why.
type exception struct{ pkg, test, reason string }

type exceptions []exception

// parseExceptions parses lines of a package, a test and a reason, in this order. A test stands
// for its subtests, too. Lines that begin with # are comments.
func parseExceptions(text string) (exceptions, error) {
	var all exceptions
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		pkg, rest, _ := strings.Cut(line, " ")
		test, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
		if reason = strings.TrimSpace(reason); reason == "" {
			return nil, fmt.Errorf("exceptions.txt: %q: want a package, a test and a reason", line)
		}
		all = append(all, exception{pkg, test, reason})
	}
	return all, nil
}

func (e exception) matches(pkg, test string) bool {
	return e.pkg == pkg && (e.test == test || strings.HasPrefix(test, e.test+"/"))
}

// reason returns why a test is expected to differ, or "" if it is not.
func (all exceptions) reason(pkg, test string) string {
	for _, e := range all {
		if e.matches(pkg, test) {
			return e.reason
		}
	}
	return ""
}

// staleLines returns the exceptions for lines of a package that do not differ.
func (all exceptions) staleLines(pkg string, l *lineResult) []exception {
	var stale []exception
	for _, e := range all {
		if fn, ok := strings.CutPrefix(e.test, linesOf); ok && e.pkg == pkg && !slices.Contains(l.expected, fn) {
			stale = append(stale, e)
		}
	}
	return stale
}

// stale returns the exceptions for tests of a package that do not differ.
func (all exceptions) stale(pkg string, differences []difference) []exception {
	var stale []exception
	for _, e := range all {
		if e.pkg == pkg && !strings.HasPrefix(e.test, linesOf) &&
			!slices.ContainsFunc(differences, func(d difference) bool { return e.matches(pkg, d.test.name) }) {
			stale = append(stale, e)
		}
	}
	return stale
}
