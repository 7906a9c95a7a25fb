package experiment

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// Which of several goroutines is meant counts from the first that was started: the runtime often
// runs the last one first, and a trace has them as they ran.
func TestByStart(t *testing.T) {
	third, first, second := &trace.Goroutine{ID: 3, Class: 7, Start: 30}, &trace.Goroutine{ID: 1, Class: 7, Start: 10}, &trace.Goroutine{ID: 2, Class: 7, Start: 20}
	other := &trace.Goroutine{ID: 4, Class: 8, Start: 25}
	nth := byStart([]*trace.Goroutine{third, first, other, second})
	for g, want := range map[*trace.Goroutine]int{first: 0, second: 1, third: 2, other: 0} {
		if nth[g] != want {
			t.Errorf("goroutine %d is number %d, want %d", g.ID, nth[g], want)
		}
	}
}
