package finding

import (
	"fmt"
	"slices"
	"strings"
)

// Relate finds the subtests of one test that are flaky and fail in the very same
// runs: mostly for one reason, which lies before the first of them. It sets Test.Alike
// and returns the tests in an order in which these stand together, where the first
// of them stood.
func Relate(tests []*Test) []*Test {
	var order []string
	groups := map[string][]*Test{}
	for i, t := range tests {
		key := failingIn(t)
		if key == "" {
			key = fmt.Sprint(i)
		}
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], t)
	}
	var out []*Test
	for _, key := range order {
		g := groups[key]
		for i, t := range g {
			t.Alike = slices.Delete(slices.Clone(g), i, i+1)
		}
		out = append(out, g...)
	}
	return out
}

// SameCause reports whether experiments have shown the same of two tests, at the same place.
func (t *Test) SameCause(o *Test) bool {
	if len(t.Verdicts) == 0 || len(o.Verdicts) == 0 {
		return false
	}
	d, x := &t.Verdicts[0], &o.Verdicts[0]
	if len(d.Window()) == 0 && len(d.Tests()) == 0 {
		return false
	}
	return x.Kind() == d.Kind() && x.Started() == d.Started() && slices.Equal(x.Window(), d.Window()) &&
		slices.Equal(x.Tests(), d.Tests())
}

// Leader returns the test that stands for one among others: the first subtest of the same test that fails in the same
// runs, or for the same cause; else the test itself.
func Leader(tests []*Test, t *Test) *Test {
	for _, o := range tests {
		if o == t {
			break
		}
		if o.Package == t.Package && siblings(o.Name, t.Name) && (slices.Contains(t.Alike, o) || t.SameCause(o)) {
			return o
		}
	}
	return t
}

func siblings(a, b string) bool {
	topA, _, subA := strings.Cut(a, "/")
	topB, _, subB := strings.Cut(b, "/")
	return subA && subB && topA == topB
}

// failingIn identifies the test that t is a subtest of, with the runs in which t
// fails; "" if it is no subtest or fails always.
func failingIn(t *Test) string {
	top, _, sub := strings.Cut(t.Name, "/")
	if !sub || !t.flaky() {
		return ""
	}
	key := t.Package + " " + top
	for _, r := range t.Runs {
		if r.Status.Failing() {
			key += fmt.Sprint(" ", r.N)
		}
	}
	return key
}

// flaky reports whether a test has both failed and passed.
func (t *Test) flaky() bool {
	is := func(want bool) func(Run) bool {
		return func(r Run) bool { return want && r.Status.Failing() || !want && r.Status == Passed }
	}
	return slices.ContainsFunc(t.Runs, is(true)) && slices.ContainsFunc(t.Runs, is(false))
}
