package divergence

import (
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
)

// The path to the last event of a common prefix is the path of the divergence.
func TestPathTo(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	deep := 0
	for _, name := range files {
		ar, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		in := parseCase(t, ar)
		a, err := Analyze(in)
		if err != nil {
			continue
		}
		for _, d := range a.Chain {
			if d.Goroutine == nil || d.CommonPrefix == 0 {
				continue
			}
			got, err := PathTo(in.Sites, d.Goroutine, d.CommonPrefix-1)
			if err != nil || !slices.Equal(got, d.Path) {
				t.Errorf("%s: %v, %v; want %v", name, got, err, d.Path)
			}
			deep = max(deep, len(got))
		}
	}
	if deep < 2 {
		t.Error("no path of two functions was looked at")
	}
}
