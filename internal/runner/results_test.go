package runner

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fdebug/fdebug/trace"
)

// pkgOf makes a package from one line for each run: "TestX:fail TestX/a:pass". A status with "+"
// in front is that of a test that failed because of a subtest.
func pkgOf(runs ...string) *Package {
	p := new(Package)
	for i, line := range runs {
		run := &Run{N: i + 1}
		for _, word := range strings.Fields(line) {
			test, status, _ := strings.Cut(word, ":")
			status, byChild := strings.CutPrefix(status, "+")
			run.Outcomes = append(run.Outcomes, &Outcome{Test: test, Status: Status(strings.Replace(status, "none", string(NotRun), 1)), ByChild: byChild, Signature: Signature{Test: test}})
		}
		p.Runs = append(p.Runs, run)
	}
	return p
}

// A run that an experiment made for one test says nothing about another, not even that it was not
// reached.
func TestUnitsOfExperiments(t *testing.T) {
	p := pkgOf("A:fail", "A:pass", "A:pass B:crash", "B:fail", "B:pass", ":crash")
	for i, test := range []string{"A", "A", "B", "B", "B", "A"} {
		p.Runs[i].For = test
	}
	var got []string
	for _, u := range p.Units() {
		got = append(got, fmt.Sprintf("%s %d/%d of %d", u.Test, u.Passed, u.Failed, len(u.Runs)))
	}
	if diff := cmp.Diff([]string{"A 2/1 of 4", "B 1/2 of 3", " 0/1 of 6"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		name string
		runs []string
		want []string // "test passed/failed"
	}{
		{"passing", []string{"TestA:pass", "TestA:pass"}, nil},
		{"flaky", []string{"TestA:pass TestB:fail", "TestA:fail TestB:fail"}, []string{"TestB 0/2", "TestA 1/1"}},
		{"leaf", []string{"T:+fail T/a:fail T/b:pass", "T:pass T/a:pass T/b:pass"}, []string{"T/a 1/1"}},
		{"parent fails for itself too", []string{"T:+fail T/a:fail", "T:fail T/a:pass", "T:pass T/a:pass"},
			[]string{"T/a 2/1", "T 1/1"}},
		{"random names", []string{"T:+fail T/x7:fail", "T:pass T/y8:pass", "T:+fail T/z9:fail"}, []string{"T 1/2"}},
		{"always failing leaf", []string{"T:+fail T/a:fail", "T:+fail T/a:fail"}, []string{"T/a 0/2"}},
		{"cut off by a crash", []string{"A:crash B:none", "A:pass B:pass", "A:timeout"}, []string{"A 1/2"}},
		{"skips", []string{"A:skip", "A:fail", "A:pass"}, []string{"A 1/1"}},
		{"package", []string{"A:pass :fail", "A:pass :pass"}, []string{" 1/1"}},
		{"repeated in one process", []string{"A:pass A:fail A:pass", "A:pass A:pass A:pass"}, []string{"A 1/1"}},
	} {
		var got []string
		for _, u := range pkgOf(c.runs...).Units() {
			got = append(got, fmt.Sprintf("%s %d/%d", u.Test, u.Passed, u.Failed))
			failing := 0
			for _, g := range u.Groups {
				failing += len(g.Runs)
			}
			if failing != u.Failed || len(u.Runs) != len(c.runs) {
				t.Errorf("%s: %d failures in groups, %d runs", c.name, failing, len(u.Runs))
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestGroups(t *testing.T) {
	at := trace.Frame{File: "/src/a_test.go", Line: 7}
	for _, c := range []struct {
		name     string
		frame    trace.Frame
		messages []string
		want     []string // "message × runs"
	}{
		{"one", at, []string{"x", "x"}, []string{"x × 2"}},
		{"two bugs", at, []string{"closed", "timeout", "timeout"}, []string{"timeout × 2", "closed × 1"}},
		{"values", at, []string{"got [b a c], want [a b c]", "got [c b a], want [a b c]", "got [b c a], want [a b c]", "got [c a b], want [a b c]", "got [b a c], want [a b c]"},
			[]string{"got … want [a b c] × 5"}},
		{"one longer", at, []string{"a b", "a a b", "a c b", "a d b"}, []string{"a … b × 4"}},
		{"prefixes", at, []string{"a", "a a", "a a a", "a a a a"}, []string{"a … × 4"}},
		{"no place", trace.Frame{}, []string{"a", "b", "c", "d"}, []string{"a × 1", "b × 1", "c × 1", "d × 1"}},
	} {
		var runs []UnitRun
		for i, m := range c.messages {
			o := &Outcome{Test: "T", Status: Failed, Signature: Signature{Test: "T", Frame: c.frame, Message: m}}
			runs = append(runs, UnitRun{Run: &Run{N: i}, Status: Failed, Outcome: o})
		}
		var got []string
		for _, g := range groups(runs) {
			got = append(got, fmt.Sprintf("%s × %d", g.Signature.Message, len(g.Runs)))
			for _, r := range g.Runs {
				if !matches(g.Signature, r.Outcome.Signature) {
					t.Errorf("%s: %q does not match %q", c.name, g.Signature, r.Outcome.Signature)
				}
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// matches reports whether t is the same failure as s, whose message may have the mark "…" for
// text that varies (see [Group]).
func matches(s, t Signature) bool {
	if s.Test != t.Test || s.Place() != t.Place() {
		return false
	}
	pattern, words := strings.Fields(s.Message), strings.Fields(t.Message)
	i := slices.Index(pattern, varying)
	if i < 0 {
		return s.Message == t.Message
	}
	head, tail := pattern[:i], pattern[i+1:]
	return len(words) >= len(head)+len(tail) &&
		slices.Equal(words[:i], head) && slices.Equal(words[len(words)-len(tail):], tail)
}

func TestMask(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"got 3, want 4", "got N, want N"},
		{"-1.5e9 and +7", "N and N"},
		{"- \u00a0Level:\u00a0one", "- Level: one"}, // of go-cmp
		{"took 1.234567ms, limit 1m30s", "took <duration>, limit <duration>"},
		{"0xc000012345 nil deref at 0XFF?", "<addr> nil deref at <addr>"},
		{"dial tcp 127.0.0.1:43521: connect: connection refused", "dial tcp <host:port>: connect: connection refused"},
		{"listen on [::1]:80, localhost:8080", "listen on <host:port>, <host:port>"},
		{"open /tmp/TestX123/001/data.json: no such file", "open <tmp>: no such file"},
		{"in /private/var/folders/zz/abc_1/T/x: gone", "in <tmp>: gone"},
		{"id 123e4567-e89b-12d3-a456-426614174000", "id <uuid>"},
		{"at 2024-01-02T03:04:05.678Z, 2024-01-02 03:04:05.1 +0100 CET m=+0.01", "at <time>, <time>"},
		{"2009/11/10 23:00:00 cannot", "<time> cannot"},
		{"goroutine 17 stuck", "goroutine N stuck"},
		{"commit 3f2a9c81b0de is bad", "commit <hex> is bad"},
		{"worker12 of host-3", "workerN of hostN"},
		{"\x1b[31mred\x1b[0m\n\t and   more", "red and more"},
		{"bad \xff byte", "bad \uFFFD byte"},
		{"the deadbeef facade", "the deadbeef facade"},
		{strings.Repeat("é", 300), strings.Repeat("é", 120)},
	} {
		if got := Mask(c.in); got != c.want {
			t.Errorf("Mask(%q) = %q, want %q", c.in, got, c.want)
		}
		if got := Mask(c.want); got != c.want {
			t.Errorf("Mask is not stable: Mask(%q) = %q", c.want, got)
		}
	}
}

// TestLogsLearned has a helper whose message looks like a failed check, until a passing test
// prints it too.
func TestLogsLearned(t *testing.T) {
	e := newExplainer(Target{ImportPath: "example.com/m"}, nil, "")
	o := &Outcome{Test: "T", Status: Failed, Output: "    log.go:7: connecting\n    a_test.go:9: refused\n"}
	e.explain(o, &Run{Exit: Exit{Code: 1}})
	if got := o.Signature.Place(); got != "log.go:7" {
		t.Errorf("before: got %s", got)
	}
	e.learn(map[trace.Frame]bool{{File: "log.go", Line: 7}: true})
	e.explain(o, &Run{Exit: Exit{Code: 1}})
	if got := o.Signature.String(); got != "T: a_test.go:9: refused" {
		t.Errorf("after: got %s", got)
	}
}

func TestScope(t *testing.T) {
	s := scope{modules: []string{"example.com/m"}, root: "/src/m"}
	for _, c := range []struct {
		f    trace.Frame
		want bool
	}{
		{trace.Frame{Func: "example.com/m/p.(*T).Do"}, true},
		{trace.Frame{Func: "example.com/m_test.TestX"}, true},
		{trace.Frame{Func: "example.com/m/yaml%2ev3.F[...]"}, true},
		{trace.Frame{Func: "example.com/more.F"}, false},
		{trace.Frame{Func: "testing.tRunner"}, false},
		{trace.Frame{File: "/src/m/p/a.go"}, true},
		{trace.Frame{File: "/src/m/vendor/x.org/y/a.go"}, false},
		{trace.Frame{File: "/src/more/a.go"}, false},
		{trace.Frame{File: "example.com/m/p/a.go"}, true}, // -trimpath
	} {
		if got := s.user(c.f); got != c.want {
			t.Errorf("user(%+v) = %v", c.f, got)
		}
	}
}

// TestLogsRecalled passes what one Exec has learned to another, which has seen no test pass.
func TestLogsRecalled(t *testing.T) {
	var first, second Exec
	first.Remember(Target{ImportPath: "example.com/m"})
	first.explainer.learn(map[trace.Frame]bool{{File: "log.go", Line: 7}: true, {File: "a:b.go", Line: 12}: true})
	second.Remember(Target{ImportPath: "example.com/m"})
	second.Recall(append(first.Logs(), "no place", ":3", "x.go:y"))
	if got, want := second.Logs(), []string{"a:b.go:12", "log.go:7"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	o := &Outcome{Test: "T", Status: Failed, Output: "    log.go:7: connecting\n    a_test.go:9: refused\n"}
	second.explainer.explain(o, &Run{Exit: Exit{Code: 1}})
	if got := o.Signature.Place(); got != "a_test.go:9" {
		t.Errorf("it failed at %s", got)
	}
}
