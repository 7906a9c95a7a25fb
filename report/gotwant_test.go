package report

import (
	"strings"
	"testing"
)

// TestGotWant has messages as tests word them, and what of got and want differs; ""
// where a diff would say no more than the message.
func TestGotWant(t *testing.T) {
	for _, tt := range []struct{ message, before, got, want, after string }{
		{"index_test.go:33: Search(fox) = [1], want [1 2]", "[1", "", " 2", "]"},
		{"got [a c b], want [a b c]", "[a ", "c b", "b c", "]"},
		{"x_test.go:9: want 10.0.0.1:80, got 10.0.0.1:81", "10.0.0.1:8", "1", "0", ""},
		{"Error:\tNot equal:\nexpected: []string{\"key1\", \"key2\"}\nactual  : []string{\"key2\", \"key1\"}", "[]string{\"key", "2\", \"key1", "1\", \"key2", "\"}"},
		{"plan = über, want üben", "übe", "r", "n", ""},
		{"expected 5 items; got 5 itemz", "5 item", "z", "s", ""},
		{"plan_test.go:31: script:\nset -e\na\nb\n\nwant:\nset -e\nb\na\n", "set -e\n", "a\nb", "b\na", ""},
		{"Expected <string>: USD to equal <string>: EUR", "<string>: ", "USD", "EUR", ""},
		{"Expected\n    <[]int | len:2>: [1, 2]\nto be equivalent to\n    <[]int | len:2>: [1, 3]", "<[]int | len:2>: [1, ", "2", "3", "]"},
		{"error:\n  values are not equal\ngot:\n  P{X:1, Y:5}\nwant:\n  P{X:1, Y:2}\nstack:\n  x_test.go:24\n    c.Assert(f(), qt.Equals, P{1, 2})", "P{X:1, Y:", "5", "2", "}"},
		{"c.Assert(f(), Equals, \"ab\")\n... obtained string = \"ac\"\n... expected string = \"ab\"", "\"a", "c", "b", "\""},
		{"assertion failed: abc (f() string) != abd (want string)", "ab", "c", "d", ""},
		{message: "assertion failed: 5 (f() int) != 2 (int)"},
		{`recent uploads are ["c"], want ["a" "c"]`, `["`, "", `a" "`, `c"]`},
		{message: "Expected <int>: 1 to be > <int>: 3"},
		{message: "1 articles in the cart, want 2"},
		{message: "got 1, want 2"},
		{"got [a b], want [a c]\nthen timed out, blocked in select", "[a ", "b", "c", "]"},
		{message: "the session outlived End"},
		{message: ""},
	} {
		g := parseGotWant(tt.message)
		if g == nil {
			g = &gotWant{}
		}
		if g.Before != tt.before || g.Got != tt.got || g.Want != tt.want || g.After != tt.after {
			t.Errorf("%q: %q (%q / %q) %q", tt.message, g.Before, g.Got, g.Want, g.After)
		}
	}
}

// The labels are those of the message where they say only how the check was called, and
// an address is no difference.
func TestGotWantLabels(t *testing.T) {
	for message, want := range map[string]string{
		"... obtained string = \"ac\"\n... expected string = \"ab\"":                                   "obtained expected",
		"got [a c b], want [a b c]":                                                                    "got want",
		"Not equal:\nexpected: []int{1, 2}\nactual  : []int{2, 1}\n":                                   "actual expected",
		"Not equal:\nexpected: &T{P:(*int)(0x2397bb83d668)}\nactual  : &T{P:(*int)(0x2397bb83d770)}\n": "",
	} {
		got := ""
		if g := parseGotWant(message); g != nil {
			got = g.GotLabel + " " + g.WantLabel
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", message, got, want)
		}
	}
}

// Of long values a line has what is around the first difference.
func TestGotWantCut(t *testing.T) {
	long := strings.Repeat("x ", 100)
	g := parseGotWant("got " + long + "1 2 3, want " + long + "1 7 3")
	if got, want := g.cut(), "got …x x x x x 1 2 3, want …x x x x x 1 7 3"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
