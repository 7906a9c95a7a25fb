package experiment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

// Another test of twenty makes it fail: it is named, and no other. A run of all tests that failed by chance names none.
func TestSpoiled(t *testing.T) {
	tests := []string{"TestX"}
	for i := range 20 {
		tests = append(tests, fmt.Sprintf("Test%d", i))
	}
	for _, c := range []struct {
		once bool
		dice bool // alone and after some tests a subtest of it fails in half of the runs
		want []string
		v    proof.Verdict
	}{
		{false, false, []string{"Test7"}, proof.Proved},
		{false, true, []string{"Test7"}, proof.Proved},
		{true, false, nil, proof.None},
	} {
		for seed := range uint64(10) {
			s := &sim{rule: func(r *simRun) string {
				if c.dice && !r.trial.Suite && half(r) {
					return "/dice"
				}
				after := r.trial.Suite || slices.Contains(r.trial.Before, "Test7")
				if c.once && !r.trial.Suite || !after {
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

// Another test leaves something behind that is in the way in two runs of three, in the order of the source: alone
// this one never fails. That is seen only where all ran together.
func TestOtherTests(t *testing.T) {
	for _, c := range []struct {
		name   string
		suite  bool
		failed int // of 40 recorded runs
		want   []string
	}{
		{"together", true, 27, []string{"TestB"}},
	} {
		s := &sim{streams: twoGoroutines()}
		s.rule = func(r *simRun) string {
			if (r.trial.Suite || slices.Contains(r.trial.Before, "TestB")) && r.rnd.IntN(3) > 0 {
				return "in the way"
			}
			return ""
		}
		e := s.experimenter()
		e.Tests, e.OfSuite = []string{"TestA", "TestB", "TestC", "TestX"}, c.suite
		e.Recorded = failedIn("in the way", c.failed, 40)
		r, err := e.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range r.Findings {
			got = f.Trial.Before
			if f.Verdict != proof.Reproduced || f.Kind() != "tests" {
				t.Errorf("%s: %v, %s", c.name, f.Verdict, f.Kind())
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: after %q, want %q", c.name, got, c.want)
		}
	}
}
