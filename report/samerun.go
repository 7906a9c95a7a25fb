package report

import (
	"fmt"
	"slices"
	"strings"
)

const maxAlike = 5 // tests that are named as failing in the same runs

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

// failingIn identifies the test that t is a subtest of, with the runs in which t
// fails; "" if it is no subtest or fails always.
func failingIn(t *Test) string {
	top, _, sub := strings.Cut(t.Name, "/")
	if !sub || !count(t.Runs).flaky() {
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

// alike says with which others a test fails, nil if there are none.
func (v *viewer) alike(t *Test) prose {
	if len(t.Alike) == 0 {
		return nil
	}
	p := say("Fails in the same " + strings.TrimPrefix(plural(count(t.Runs).Failed, "run"), "1 ") + " as ")
	named := t.Alike[:min(len(t.Alike), maxAlike)]
	for i, o := range named {
		switch {
		case i > 0 && i == len(t.Alike)-1:
			p = p.text(" and ")
		case i > 0:
			p = p.text(", ")
		}
		s := span{kind: spanPlace, text: v.clean.line(o.Name, 200)}
		if name := v.names[o]; name != "" {
			s.href = name + ".html"
		}
		p = append(p, s)
	}
	if n := len(t.Alike) - len(named); n > 0 {
		p = p.text(fmt.Sprintf(" and %d more", n))
	}
	return p.text(".")
}

// SaidAlike is that as a line of text, "" if there are none.
func SaidAlike(r *Result, t *Test) string { return newViewer(r).alike(t).Plain() }
