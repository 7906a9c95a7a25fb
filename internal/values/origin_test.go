package values

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const originSource = `package origin

import (
	"math/rand"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

type stamped struct{ when time.Time }

type shelf struct{ m map[string]*stamped }

func (s *shelf) get(k string) *stamped    { return s.m[k] }
func (s *shelf) put(k string, x *stamped) { s.m[k] = x }

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
	shelf := &shelf{map[string]*stamped{}}
	old := shelf.get("x")
	shelf.put("x", &stamped{time.Now()})
	if old == nil {
		return
	}
	if made := (&stamped{time.Now()}); made.when.Second() == 7 {
		return
	}
	if longer(slot()) {
		return
	}
	for _, row := range []struct {
		in   string
		want string
	}{
		{"a", "b"},
		{"now", time.Now().String()},
	} {
		row := row
		t.Run(row.in, func(t *testing.T) {
			if row.in == "c" || row.want == "d" {
				return
			}
		})
	}
	var late = slot()
	if late == "e" || began.Second() == 9 {
		return
	}
	var all sync.Map
	var found []string
	all.Range(func(k, v any) bool {
		found = append(found, k.(string))
		return true
	})
	if found[0] == "c" {
		return
	}
	buf := make([]byte, 1<<12)
	others, own := runtime.Stack(buf, true), runtime.Stack(buf, false)
	if others > 10 || own > 11 {
		return
	}
}

var began = time.Now()

func longer(text string) bool {
	if text == "d" {
		return true
	}
	return false
}
`

// A value is followed through fields that are set elsewhere (line 24), and
// through what is ranged over (28). The order of a map is the origin of a list
// of its keys (52), of a sync.Map too (102), but not if they are sorted, nor of a
// sum of integers, nor of an element by itself. Whether an object is there does
// not depend on what it is made with. A parameter comes from where it is called.
// In a table (87), of which a function literal captures a row, only the field
// counts that is looked at. The calling goroutine alone is no list of them (110).
func TestOrigins(t *testing.T) {
	choice := chosenIn(t, "origin", originSource)
	want := map[string]string{
		"at": "math/rand:24", "recent": "the clock:28", "sorted[0]": "", "names[0]": "map order:52", "count": "", "one": "",
		"old": "", "shelf": "", "made.when.Second()": "the clock:76", "text": "the clock:28", "found[0]": "map order:102",
		"row.in": "", "row.want": "the clock:87", "late": "the clock:28", "began.Second()": "",
		"others": "the list of goroutines:110", "own": "",
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
