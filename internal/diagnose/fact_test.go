package diagnose

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// TestStanding ranks a fact of line 5 among places of one line each.
func TestStanding(t *testing.T) {
	type place struct {
		line  int
		class finding.Class
		link  finding.Link
	}
	const hint, counted = finding.Hint, finding.Associated
	order := finding.Evidence{Class: finding.Associated, P: 0.001}
	linked, draw := order, order
	linked.Link, draw.Chance = finding.Feeds, true
	for _, c := range []struct {
		name   string
		fact   finding.Evidence
		places []place
		want   string
	}{
		{"alone", order, nil, "5"},
		{"an order comes before hints that nothing connects", order, []place{{1, hint, 0}, {2, finding.Symptom, 0}}, "5 1 2"},
		{"and behind those that the source connects", order, []place{{1, hint, finding.Feeds}, {2, hint, finding.Mentions}}, "1 5 2"},
		{"even if it is connected itself", linked, []place{{1, hint, finding.Feeds}}, "1 5"},
		{"behind what a rule has counted", linked, []place{{1, counted, 0}, {2, hint, 0}}, "1 5 2"},
		{"what no run can have caused comes before what it can", draw, []place{{1, counted, finding.Decides}, {2, hint, finding.Feeds}}, "5 1 2"},
		{"behind a mechanism", draw, []place{{1, finding.Mechanism, 0}}, "1 5"},
	} {
		list := []finding.Suspect{{Span: finding.Span{File: "f.go", Start: 5, End: 5}, Rule: "fact", Evidence: c.fact}}
		for _, p := range c.places {
			list = append(list, finding.Suspect{Span: finding.Span{File: "f.go", Start: p.line, End: p.line}, Evidence: finding.Evidence{Class: p.class, Link: p.link}})
		}
		var got []string
		for _, x := range rank(list) {
			got = append(got, fmt.Sprint(x.Start))
		}
		if got := strings.Join(got, " "); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
}
