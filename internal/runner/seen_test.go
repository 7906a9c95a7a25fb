package runner

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/fdebug/fdebug/trace"
)

// TestSeen explains messages that were seen elsewhere by the source in testdata/seen.txtar. Each file of messages says
// on its first line which check of m_test.go is meant, and from which line on it looks at something; "none" if none is.
func TestSeen(t *testing.T) {
	a, err := txtar.ParseFile("testdata/seen.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		if strings.HasSuffix(f.Name, ".go") {
			if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, output, _ := strings.Cut(string(f.Data), "\n")
		s := &Seen{Package: "example.com/m", Outcome: &Outcome{Test: "TestX", Status: Failed, Output: output}}
		here := s.Here(Target{ImportPath: "example.com/m", Dir: dir}, []string{"example.com/m"}, dir)
		got := "none"
		if file, from, _, ok := here.Check(); ok {
			got = fmt.Sprintf("%s:%d from %d", filepath.Base(file), here.Outcome.Signature.Frame.Line, from)
		}
		if got != want {
			t.Errorf("%s: got %s, want %s", f.Name, got, want)
		}
	}
}

// Which failures are the one that was seen.
func TestSeenIs(t *testing.T) {
	check := func(words bool) *Seen {
		return &Seen{
			check:   &saying{check: check{Frame: trace.Frame{File: "/m/m_test.go", Line: 7}}, end: 9, words: words},
			Outcome: &Outcome{Test: "TestX/a", Signature: Signature{Test: "TestX/a", Message: "got N"}},
		}
	}
	sig := func(test, file string, line int, fn, message string) Signature {
		return Signature{Test: test, Frame: trace.Frame{File: file, Line: line, Func: fn}, Message: message}
	}
	whole := func(test, fn, message string) *Seen {
		return &Seen{Outcome: &Outcome{Test: test, Dump: "goroutine 1", Signature: sig(test, "/ci/m.go", 3, fn, message)}}
	}
	race := whole("TestX", "m.f", "data race: m.f and m.g")
	race.Outcome.Dump = ""
	for _, c := range []struct {
		name string
		seen *Seen
		sig  Signature
		want bool
		then string
	}{
		{"the check with other values", check(true), sig("TestX/a", "m_test.go", 8, "", "got <hex>"), true, ""},
		{"the check without words, and another message", check(false), sig("TestX/a", "m_test.go", 8, "", "EOF"), false, ""},
		{"the check without words", check(false), sig("TestX/a", "m_test.go", 8, "", "got N"), true, ""},
		{"another check that says the same", check(true), sig("TestX/a", "m_test.go", 12, "", "got N"), false, ""},
		{"another subtest", check(true), sig("TestX/b", "m_test.go", 7, "", "got N"), false, ""},
		{"the test around it", check(true), sig("TestX", "m_test.go", 7, "", "got N"), false, ""},
		{"the panic on another line", whole("TestX", "m.f", "panic: a"), sig("TestX/a", "m.go", 9, "m.f", "panic: a"), true, ""},
		{"another panic there", whole("TestX", "m.f", "panic: a"), sig("TestX", "m.go", 3, "m.f", "panic: b"), false, ""},
		{"a panic elsewhere", whole("TestX", "m.f", "panic: a"), sig("TestX", "m.go", 3, "m.g", "panic: a"), false, ""},
		{"a hang that is a deadlock here", whole("TestX", "m.f", "timed out, blocked in select"),
			sig("TestX", "m.go", 3, "m.f", "fatal error: all goroutines are asleep - deadlock! blocked in select"), true, ""},
		{"a hang in something else", whole("TestX", "m.f", "timed out, blocked in select"),
			sig("TestX", "m.go", 3, "m.f", "timed out, blocked in chan receive"), false, ""},
		{"the race the other way around", race, sig("TestX", "m.go", 3, "m.g", "data race: m.g and m.f"), true, ""},
		{"a race of one of the two", race, sig("TestX", "m.go", 3, "m.f", "data race: m.f and m.h"), false, ""},
		{"what no test is known of", whole("", "m.f", "panic: a"), sig("TestY", "m.go", 3, "m.f", "panic: a"), true, ""},
		{"a hang after a check", whole("TestX", "m.f", "timed out, blocked in select"), sig("TestX", "m_test.go", 7, "", "got N"), true,
			then + "timed out, blocked in select: stopped after 1s"},
		{"another hang after a check", whole("TestX", "m.f", "timed out, blocked in select"), sig("TestX", "m_test.go", 7, "", "got N"),
			false, then + "timed out, blocked in chan receive: stopped after 1s"},
		{"a check before a hang", check(true), sig("TestX/a", "m_test.go", 8, "", "got N"), true, then + "timed out, blocked in select"},
	} {
		if got := c.seen.Is(c.sig, c.sig.Message+c.then); got != c.want {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}
