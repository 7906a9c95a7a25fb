package values

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const originSource = `package origin

import (
	"math/rand"
	"slices"
	"testing"
	"time"
)

type ring struct {
	seed int64
	size int
}

func newRing() *ring { return &ring{seed: rand.Int63()} }

func (r *ring) place(s string) int64 { return r.seed + int64(len(s)) }

func slot() string { return time.Now().String() }

func TestOrigins(t *testing.T) {
	t.Skip("it is only looked at")
	r, files, sizes := newRing(), map[string][]string{}, map[string]int{}
	if at := r.place("x"); at > 4 {
		return
	}
	var recent []string
	for _, name := range files[slot()] {
		recent = append(recent, name)
	}
	if recent == nil {
		return
	}
	var sorted []string
	for name := range sizes {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	if sorted[0] == "b" {
		return
	}
	var names []string
	for name := range sizes {
		names = append(names, name)
	}
	if names[0] == "a" {
		return
	}
	count := 0
	for _, size := range sizes {
		count += size
	}
	if count > 5 {
		return
	}
	for _, one := range sizes {
		if one > 6 {
			return
		}
	}
}
`

// A value is followed through fields that are set elsewhere (line 15), and
// through what is ranged over (19). The order of a map is the origin of a list
// of its keys (43), but not if they are sorted, nor of a sum of integers, nor of
// an element by itself.
func TestOrigins(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/origin\n\ngo 1.25\n", "origin_test.go": originSource} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	_, choice := instrumented(t, dir, nil)
	want := map[string]string{
		"at": "math/rand:15", "recent": "the clock:19", "sorted[0]": "", "names[0]": "map order:43", "count": "", "one": "",
	}
	for _, s := range choice.Sites {
		origins, ok := want[s.Expr]
		if !ok || s.Source != "" {
			continue
		}
		var got []string
		for _, from := range s.From {
			got = append(got, fmt.Sprintf("%s:%d", choice.Sites[from].Source, choice.Sites[from].Line))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != origins {
			t.Errorf("%s at line %d comes from %q, want %q", s.Expr, s.Line, got, origins)
		}
		delete(want, s.Expr)
	}
	for expr := range want {
		t.Errorf("%s was not chosen", expr)
	}
}
