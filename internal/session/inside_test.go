package session

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// Goroutines may run beside each other unless both are tests and one waits for the other, or comes later.
func TestBeside(t *testing.T) {
	top := &trace.Goroutine{ID: 1, Root: true, Start: 0, End: 100}
	sub := func(id trace.GoroutineID, start, end int64) *trace.Goroutine {
		return &trace.Goroutine{ID: id, Parent: 1, Root: true, Start: start, End: end}
	}
	first, later, parallel, left := sub(2, 10, 20), sub(3, 30, 40), sub(4, 15, 25), sub(5, 30, 0)
	started := &trace.Goroutine{ID: 6, Parent: 1, Start: 5, End: 6}
	for _, c := range []struct {
		name string
		a, b *trace.Goroutine
		want bool
	}{
		{"one", top, top, false},
		{"a test and its subtest", top, first, false},
		{"two subtests", first, later, false},
		{"two parallel subtests", first, parallel, true},
		{"one that has not ended", later, left, true},
		{"a test and what it starts", top, started, true},
		{"what was started, and a subtest", started, later, true},
	} {
		if beside(c.a, c.b) != c.want || beside(c.b, c.a) != c.want {
			t.Errorf("%s: beside is not %v", c.name, c.want)
		}
	}
}
