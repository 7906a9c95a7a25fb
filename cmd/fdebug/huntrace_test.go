package main

import (
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
)

// The race detector has a sixth of the budget, or up to a third of what is left where the packages
// took long to build; never more than what is left.
func TestRacePart(t *testing.T) {
	const s = time.Second
	now := time.Unix(1e9, 0)
	for _, c := range []struct{ budget, left, took, want time.Duration }{
		{300 * s, 240 * s, 3 * s, 50 * s},
		{300 * s, 240 * s, 30 * s, 60 * s},
		{300 * s, 240 * s, 60 * s, 80 * s},
		{60 * s, 24 * s, 20 * s, 10 * s},
		{60 * s, 4 * s, 20 * s, 4 * s},
	} {
		j := &huntJob{runJob: &runJob{budget: budget{whole: c.budget}}, deadline: now.Add(c.left)}
		half := &lab{traced: &runner.Binary{Took: c.took / 2}}
		if got := j.racePart([]*lab{half, half}, now).Sub(now); got != c.want {
			t.Errorf("%v left of %v, %v to build: %v, want %v", c.left, c.budget, c.took, got, c.want)
		}
	}
}
