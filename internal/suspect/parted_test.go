package suspect

import (
	"testing"

	"github.com/fdebug/fdebug/divergence"
)

// What is said of a divergence is what its table counts.
func TestWent(t *testing.T) {
	table := divergence.Table{FailTaken: 26, FailNot: 18, PassNot: 6}
	for _, tt := range []struct {
		loop *divergence.Loop
		want string
	}{
		{nil, "26 of 44 failing and 0 of 6 passing runs went that way"},
		{&divergence.Loop{}, "26 of 44 failing and 0 of 6 passing runs went the way of the others in no iteration of this loop"},
		{&divergence.Loop{Limit: 2}, "26 of 44 failing and 0 of 6 passing runs made fewer than 2 iterations of this loop"},
		{&divergence.Loop{Limit: 3, More: true}, "26 of 44 failing and 0 of 6 passing runs made at least 3 iterations of this loop"},
	} {
		if got := went(&divergence.Divergence{Table: table, Loop: tt.loop}); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	s := chosen{failLine: 71, passLine: 69}
	if got := s.took(&divergence.Divergence{Loop: &divergence.Loop{}}); got != "the case at line 69 in no iteration" {
		t.Errorf("got %q", got)
	}
}
