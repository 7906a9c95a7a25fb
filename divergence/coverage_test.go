package divergence

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/cover"
)

func profiles(t *testing.T, text string) []*cover.Profile {
	t.Helper()
	p, err := cover.ParseProfilesFromReader(strings.NewReader("mode: set\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// The FD paper's Listing 1: lines 7-9 in both, 10 in passing, 12 in failing runs only. Line 11
// ("} else {") belongs to both branches, so it is common. Ochiai, 2 failing and 3 passing runs:
// common 2/sqrt(2*5) = 0.632, line 12 2/sqrt(2*2) = 1.
func TestDiff(t *testing.T) {
	pass := profiles(t, "p/a.go:7.2,9.10 2 1\np/a.go:9.10,11.3 1 1\np/a.go:11.8,12.9 1 0\n")
	fail := profiles(t, "p/a.go:7.2,9.10 2 1\np/a.go:9.10,11.3 1 0\np/a.go:11.8,12.9 1 1\n")
	d, err := Diff([][]*cover.Profile{pass, pass, pass}, [][]*cover.Profile{fail, fail})
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]LineKind{}
	for _, l := range d.Files[0].Lines {
		got[l.Line] = l.Kind()
	}
	want := map[int]LineKind{7: LineCommon, 8: LineCommon, 9: LineCommon, 10: LinePassOnly, 11: LineCommon, 12: LineFailOnly}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s := d.Suspects(2)
	if len(s) != 2 || s[0].Lines[0] != (LineDiff{Line: 12, Fail: 2, Ochiai: 1}) || s[1].Lines[0].Line != 7 {
		t.Errorf("suspects %+v", s)
	}
}

func TestDiffErrors(t *testing.T) {
	one := [][]*cover.Profile{nil}
	if _, err := Diff(nil, one); err != ErrNoPassing {
		t.Error(err)
	}
	if _, err := Diff(one, nil); err != ErrNoFailing {
		t.Error(err)
	}
}
