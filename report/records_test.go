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
	if n := len(paths[0].Steps); n != 2 || !strings.HasPrefix(paths[0].Steps[1].Plain(), "… then 4,321 lines more that it ran, left out") {
		t.Errorf("got %v", paths[0].Steps)
	}
	if len(paths[1].Steps) != 1 {
		t.Errorf("nothing is left out of the second: %v", paths[1].Steps)
	}
}
