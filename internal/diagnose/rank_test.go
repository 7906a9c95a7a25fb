package diagnose

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// TestRank ranks places of one file, by their lines.
func TestRank(t *testing.T) {
	type place struct {
		start, end int
		class      finding.Class
		explains   int // a line, 0 for none
	}
	const (
		symptom    = finding.Symptom
		associated = finding.Associated
		mechanism  = finding.Mechanism
	)
	for _, test := range []struct {
		name   string
		places []place
		want   string
	}{
		{"nothing", nil, ""},
		{"the better first", []place{{1, 1, symptom, 0}, {2, 2, mechanism, 0}, {3, 3, associated, 0}}, "2 3 1"},
		{"equals as they come", []place{{3, 3, associated, 0}, {1, 1, associated, 0}, {2, 2, associated, 0}}, "3 1 2"},
		{"what is explained comes after that", []place{{1, 1, associated, 0}, {2, 2, associated, 1}, {3, 3, symptom, 0}}, "2 1 3"},
		{"a worse one explains nothing", []place{{1, 1, mechanism, 0}, {2, 2, associated, 1}}, "1 2"},
		{"nobody explains himself", []place{{1, 3, associated, 2}, {4, 4, associated, 0}}, "1-3 4"},
		{"of two on the same lines the better stays", []place{{1, 4, symptom, 0}, {2, 2, mechanism, 0}, {5, 5, symptom, 0}}, "2 5"},
		{"of equals on the same lines the first stays", []place{{2, 3, associated, 0}, {3, 4, associated, 0}}, "2-3"},
		{"what was left out explains nothing", []place{{1, 1, associated, 0}, {2, 2, mechanism, 0}, {2, 2, associated, 1}, {3, 3, symptom, 0}}, "2 1 3"},
		{"at most five", []place{{1, 1, symptom, 0}, {2, 2, symptom, 0}, {3, 3, symptom, 0}, {4, 4, symptom, 0}, {5, 5, symptom, 0}, {6, 6, mechanism, 0}}, "6 1 2 3 4"},
	} {
		var list []finding.Suspect
		for _, p := range test.places {
			h := finding.Suspect{Span: trace.Span{File: "m.go", Start: p.start, End: p.end}, Evidence: finding.Evidence{Class: p.class}, Reason: reason{kind: whyHeld}}
			if p.explains > 0 {
				h.Explains = []trace.Frame{{File: "m.go", Line: p.explains}}
			}
			list = append(list, h)
		}
		before := slices.Clone(list)
		var got []string
		for _, h := range rank(list) {
			text := fmt.Sprint(h.Start)
			if h.End > h.Start {
				text += fmt.Sprintf("-%d", h.End)
			}
			got = append(got, text)
		}
		if strings.Join(got, " ") != test.want {
			t.Errorf("%s: got %v, want %s", test.name, got, test.want)
		}
		for i := range list {
			if list[i].Start != before[i].Start {
				t.Errorf("%s: the list was changed", test.name)
				break
			}
		}
	}
}

// Lines of another file do not overlap.
func TestRankFiles(t *testing.T) {
	list := rank([]finding.Suspect{{Span: trace.Span{File: "a.go", Start: 1, End: 9}, Reason: reason{kind: whyHeld}}, {Span: trace.Span{File: "b.go", Start: 1, End: 9}, Reason: reason{kind: whyHeld}}})
	if len(list) != 2 {
		t.Errorf("got %+v", list)
	}
}
