package runner

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/fdebug/fdebug/internal/syntax"
	"github.com/fdebug/fdebug/trace"
)

// A check is a message that a test printed after its place: a failed check, or just a log. Under
// -v the two look the same.
type check struct {
	trace.Frame // its base name, unless -fullpath was given
	text        string
}

// checkLine parses "    file_test.go:41: message". Text that the test printed before it, without
// a newline, may precede it.
func checkLine(s string) (c check, ok bool) {
	if i := strings.Index(s, "_test.go:"); i > 0 {
		if j := strings.LastIndex(s[:i], "    "); j > 0 && strings.TrimSpace(s[:j]) != "" {
			s = s[j:]
		}
	}
	s, ok = strings.CutPrefix(s, "    ")
	if !ok || s == "" || s[0] == ' ' {
		return c, false
	}
	i := strings.Index(s, ".go:")
	if i < 0 {
		return c, false
	}
	number, text, ok := strings.Cut(s[i+len(".go:"):], ":")
	line, isLine := lineNumber(number)
	if !ok || !isLine || strings.ContainsAny(s[:i], "\t(") {
		return c, false
	}
	c.File, c.Line = s[:i+len(".go")], line
	c.text = strings.TrimPrefix(text, " ")
	return c, true
}

// lineNumber parses a line number in output.
func lineNumber(s string) (int, bool) {
	n, err := strconv.ParseInt(s, 10, 32)
	return int(n), err == nil && n >= 0
}

// checksIn returns the located messages in a test's output, in order, each
// with the lines that continue it.
func checksIn(output string) []check {
	var cs []check
	open := false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if c, ok := checkLine(line); ok {
			cs = append(cs, c)
			open = true
			continue
		}
		rest, deeper := strings.CutPrefix(line, "        ")
		open = open && deeper
		if open && len(cs[len(cs)-1].text) < 16<<10 {
			cs[len(cs)-1].text += "\n" + rest
		}
	}
	return cs
}

// gocheckFailure matches the output of gopkg.in/check.v1 for a test that failed, up to the place of the
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
	c.Frame, c.text = trace.Frame{File: output[m[2]:m[3]], Line: line}, strings.TrimSpace(call)
	if values != "" {
		c.text += "\n... " + values
	}
	return c, true
}

// A callKind is the kind of call on the line that a message came from.
type callKind uint8

const (
	callUnknown callKind = iota // a helper, an assertion library, or no source
	callLog                     // t.Log, t.Skip
	callCheck                   // t.Error, t.Fatal
)

// methodKinds maps the methods of testing.TB to their kinds.
var methodKinds = map[string]callKind{
	"Log": callLog, "Logf": callLog, "Skip": callLog, "Skipf": callLog,
	"Error": callCheck, "Errorf": callCheck, "Fatal": callCheck, "Fatalf": callCheck,
}

// sources reads the user's source to distinguish failed checks from logs.
type sources struct {
	dir  string                   // of the package
	here func(path string) string // as in Exec; nil if files are where they were
	none bool                     // there is no source: the output comes from elsewhere

	mu    sync.Mutex
	files map[string]map[int]callKind // of calls that print messages, by file and line; nil for a missing file
}

// kind returns the kind of call at a place, and whether its file belongs to the package.
func (s *sources) kind(p trace.Frame) (kind callKind, here bool) {
	kinds := s.file(p.File)
	return kinds[p.Line], kinds != nil
}

// file returns the calls of a file, nil if it is not there.
func (s *sources) file(file string) map[int]callKind {
	if s.none {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	c, known := s.files[file]
	if !known {
		if s.files == nil {
			s.files = make(map[string]map[int]callKind)
		}
		name := s.path(file)
		if s.here != nil {
			name = s.here(name)
		}
		c = callsIn(name)
		s.files[file] = c
	}
	return c
}

// path returns the path of a file named in a message.
func (s *sources) path(file string) string {
	if filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(s.dir, file)
}

// callsIn returns the lines of a file on which a printing method of testing.TB is called. The
// line reported for a call over several lines may be any of them.
func callsIn(file string) map[int]callKind {
	f, _ := syntax.Read(file, os.ReadFile)
	if f == nil {
		return nil
	}
	kinds := make(map[int]callKind)
	for call := range syntax.Nodes[*ast.CallExpr](f.Tree) {
		of, method := syntax.Called(call)
		for l, end := f.Lines(call); of != nil && l <= end; l++ {
			kinds[l] = max(kinds[l], methodKinds[method])
		}
	}
	return kinds
}
