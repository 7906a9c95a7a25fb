package report

import (
	"strings"
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// What a path and a run leave out is said: a path that just ends reads as if the goroutine had.
func TestPathLeftOut(t *testing.T) {
	v := newViewer(newFixture(t).result())
	step := finding.PathStep{Func: "main", Times: 1}
	v.t = &finding.Test{Records: []finding.Record{{Paths: []finding.Path{{Steps: []finding.PathStep{step}, More: 4321}, {Steps: []finding.PathStep{step}}}, Others: 2}}}
	paths := v.records([]finding.Run{{N: 1, Status: finding.Failed, Record: 1}})[0].Paths
	if len(paths) != 3 || paths[2].Who != "… and 2 more goroutines left out" || len(paths[2].Steps) != 0 {
		t.Fatalf("got %+v", paths)
	}
	if n := len(paths[0].Steps); n != 2 || !strings.HasPrefix(paths[0].Steps[1], "… then 4,321 steps more, left out") {
		t.Errorf("got %v", paths[0].Steps)
	}
	if len(paths[1].Steps) != 1 {
		t.Errorf("nothing is left out of the second: %v", paths[1].Steps)
	}
}

// Of many runs it is said which have a record; two are compared only where there are both outcomes.
func TestRecordsOf(t *testing.T) {
	fail, pass := finding.Run{Status: finding.Failed, Record: 1}, finding.Run{Status: finding.Passed, Record: 2}
	for _, c := range []struct {
		runs       []finding.Run
		title      string
		comparable bool
	}{
		{[]finding.Run{fail, pass}, "Output and path of each run", true},
		{[]finding.Run{pass, pass}, "Output and path of each run", false},
		{[]finding.Run{pass, fail, {Status: finding.Passed}}, "Output and path of 2 of 3 runs", true},
		{[]finding.Run{pass, {Status: finding.Failed}}, "Output and path of 1 of 2 runs", false},
	} {
		if title, comparable := recordsOf(c.runs); title != c.title || comparable != c.comparable {
			t.Errorf("%+v: %q, %v", c.runs, title, comparable)
		}
	}
}
