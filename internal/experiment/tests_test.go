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
	var tests []string
	for i := range 20 {
		tests = append(tests, fmt.Sprintf("Test%d", i))
	}
	tests = append(tests, "TestX")
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

// Tests that are to run before do, in any order given. In that of the source A and B come before X, and C after it.
func TestOrderOf(t *testing.T) {
	b := (&Experimenter{Test: "TestX", Tests: []string{"TestA", "TestB", "TestX", "TestC"}}).newBench(t.Context())
	for _, c := range []struct {
		tests []string
		seed  int64
		stays bool
	}{
		{[]string{"TestA"}, 0, true},
		{[]string{"TestA", "TestB"}, 0, true},
		{[]string{"TestC"}, 0, false},
		{[]string{"TestA", "TestB", "TestC"}, 0, false},
		{[]string{"TestA", "TestB", "TestC"}, 1234567890123456789, false},
	} {
		seed := b.orderOf(c.tests, c.seed)
		before := b.before(seed)
		if c.stays != (seed == c.seed) {
			t.Errorf("%q: %d becomes %d", c.tests, c.seed, seed)
		}
		for _, name := range c.tests {
			if !slices.Contains(before, name) {
				t.Errorf("%q: with seed %d only %q come before", c.tests, seed, before)
			}
		}
	}
	if before := b.before(0); !slices.Equal(before, []string{"TestA", "TestB"}) {
		t.Errorf("%q come before in the order of the source", before)
	}
}

// A test that runs later is no control of a test that runs before: where both others spoil it, the one that it failed
// after is proved without a control, and never told as one that it needs.
func TestOnlyPolluters(t *testing.T) {
	s := &sim{rule: func(r *simRun) string {
		order := ShuffledOrder(3, r.trial.Shuffle)
		for _, i := range order {
			switch name := []string{"TestX", "TestA", "TestB"}[i]; {
			case name == "TestX":
				return ""
			case slices.Contains(r.trial.Before, name):
				return "spoiled"
			}
		}
		return ""
	}}
	e := s.experimenter()
	seed := int64(1)
	for !slices.Equal(ShuffledOrder(3, seed), []int{1, 0, 2}) {
		seed++
	}
	f, err := e.FindOrder(t.Context(), []string{"TestX", "TestA", "TestB"}, seed)
	if err != nil || f == nil {
		t.Fatalf("%+v, %v", f, err)
	}
	if c := f.Confirmed; f.Verdict != proof.Proved || !slices.Equal(f.Trial.Before, []string{"TestA"}) || f.Needs != nil ||
		f.sham != nil || c.Sham.Of > 0 || !c.Cured() {
		t.Errorf("%v, after %q, needs %q, control %+v, %+v", f.Verdict, f.Trial.Before, f.Needs, f.sham, c)
	}
}
