package experiment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// Another test of twenty makes it fail, each time or in two runs of three: it is named, and no
// other. A run of all tests that failed by chance names none.
func TestSpoiled(t *testing.T) {
	tests := []string{"TestX"}
	for i := range 20 {
		tests = append(tests, fmt.Sprintf("Test%d", i))
	}
	for _, c := range []struct {
		of   int // it fails in all but one of so many runs after Test7, 0 for in all
		once bool
		want []string
		v    Verdict
	}{
		{0, false, []string{"Test7"}, Proved},
		{3, false, []string{"Test7"}, Reproduced},
		{0, true, nil, None},
	} {
		for seed := range uint64(10) {
			s := &sim{rule: func(r *simRun) string {
				after := r.trial.Suite || slices.Contains(r.trial.Before, "Test7")
				if c.once && !r.trial.Suite || !after || c.of > 0 && !r.trial.Suite && r.rnd.IntN(c.of) == 0 {
					return ""
				}
				return "spoiled"
			}}
			e := s.experimenter()
			s.rnd = rand.New(rand.NewPCG(seed, 3))
			f, err := e.FindOrder(t.Context(), tests, 0)
			if err != nil {
				t.Fatal(err)
			}
			if f == nil {
				if c.want != nil {
					t.Errorf("%+v, seed %d: not found", c, seed)
				}
				continue
			}
			if !slices.Equal(f.Trial.Before, c.want) || f.Verdict != c.v {
				t.Errorf("%+v, seed %d: after %q, %v, %+v", c, seed, f.Trial.Before, f.Verdict, f.Confirmed)
			}
		}
	}
}
