package finding

import (
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// Of subtests of one test with one cause, or that fail in the same runs, the first stands for all. It does not for other
// tests, nor for other subtests.
func TestLeaders(t *testing.T) {
	shown := func(kind string, line int) []Verdict {
		at := &proof.Place{Shown: Span{File: "a.go", Start: line, End: line}}
		return []Verdict{{Proof: proof.Proof{Plan: proof.Acts{{Kind: trace.KindOf(kind), At: at}}}}}
	}
	test := func(name string, list []Verdict) *Test { return &Test{Package: "m", Name: name, Verdicts: list} }
	tests := []*Test{
		test("TestA", shown("map", 3)), test("TestA/one", shown("map", 3)), test("TestA/two", shown("map", 3)), test("TestA/elsewhere", shown("map", 9)),
		test("TestA/other", shown("rand", 3)), test("TestB/one", shown("map", 3)), test("TestA/none", nil), test("TestA/alike", nil),
	}
	tests[7].Alike = []*Test{tests[6]}
	leaders := Leaders(tests)
	for name, want := range map[string]string{"TestA/two": "TestA/one", "TestA/alike": "TestA/none"} {
		for _, o := range tests {
			if o.Name == name && leaders[o].Name != want {
				t.Errorf("%s: %s, want %s", name, leaders[o].Name, want)
			}
		}
	}
	for _, i := range []int{0, 1, 3, 4, 5, 6} {
		if o := leaders[tests[i]]; o != tests[i] {
			t.Errorf("%s stands for %s", o.Name, tests[i].Name)
		}
	}
}
