package finding

import (
	"fmt"
	"slices"
	"strings"
)

// maxAlike is how many of the tests that fail in the same runs are known to each.
const maxAlike = 100

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
			some := slices.Clone(g[:min(len(g), maxAlike)])
			if i < len(some) {
				some = slices.Delete(some, i, i+1)
			}
			t.Alike = some
		}
		out = append(out, g...)
	}
	return out
}

// SameCause reports whether experiments have shown the same of two tests, at the same place.
func (t *Test) SameCause(o *Test) bool {
	cause := t.cause()
	return cause != "" && cause == o.cause()
}

// cause identifies what experiments have shown of a test, and where; "" if that is nothing, or nowhere.
func (t *Test) cause() string {
	if len(t.Verdicts) == 0 {
		return ""
	}
	d := &t.Verdicts[0]
	if len(d.Window()) == 0 && len(d.Tests()) == 0 {
		return ""
	}
	return fmt.Sprintf("%q %v %v %q", d.Kind(), d.Started(), d.Window(), d.Tests())
}

// Leaders returns for each test the one that stands for it: the first subtest of the same test that fails in the same
// runs, or for the same cause; else the test itself.
func Leaders(tests []*Test) map[*Test]*Test {
	at := make(map[*Test]int)
	first := make(map[string]int) // subtest of a test with a cause
	leaders := make(map[*Test]*Test)
	for i, t := range tests {
		at[t], leaders[t] = i, t
		top, _, sub := strings.Cut(t.Name, "/")
		if !sub {
			continue
		}
		leader := i
		for _, o := range t.Alike[:min(len(t.Alike), 1)] {
			if k, before := at[o]; before {
				leader = k
			}
		}
		if cause := t.cause(); cause != "" {
			key := t.Package + " " + top + " " + cause
			if k, before := first[key]; before {
				leader = min(leader, k)
			} else {
				first[key] = i
			}
		}
		leaders[t] = tests[leader]
	}
	return leaders
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
