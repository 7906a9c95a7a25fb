package proof

import "testing"

func TestVerdict(t *testing.T) {
	of := func(failed int) Count { return Count{Failed: failed, Of: 20} }
	for _, c := range []struct {
		name string
		c    Confirmation
		want Verdict
	}{
		{"it decides", Confirmation{With: of(20), Plain: of(0), Sham: of(0)}, Proved},
		{"one of 20 is allowed each way", Confirmation{With: of(19), Plain: of(1), Sham: of(1)}, Proved},
		{"with it two passed", Confirmation{With: of(18), Plain: of(0), Sham: of(0)}, Reproduced},
		{"the sham fails too", Confirmation{With: of(20), Plain: of(0), Sham: of(12)}, Reproduced},
		{"nothing to hold it against", Confirmation{With: of(20), Plain: of(0)}, Reproduced},
		{"two plain runs of 20 fail, no cure", Confirmation{With: of(20), Plain: of(2), Sham: of(1)}, Reproduced},
		{"two plain runs of 20 fail, cured", Confirmation{With: of(20), Plain: of(2), Sham: of(1), Cure: of(0)}, Proved},
		{"plain runs fail, no cure", Confirmation{With: of(20), Plain: of(6), Sham: of(7)}, Reproduced},
		{"plain runs fail, cured", Confirmation{With: of(20), Plain: of(6), Sham: of(7), Cure: of(0)}, Proved},
		{"the cure is none", Confirmation{With: of(20), Plain: of(6), Sham: of(7), Cure: of(5)}, Reproduced},
		{"the cure acts in few of the runs that pass", Confirmation{With: of(20), Plain: of(6), Sham: of(7), Cure: Count{Of: 20, Missed: 12}}, Reproduced},
		{"nor does it stand for a sham", Confirmation{With: of(20), Plain: of(0), Cure: Count{Of: 20, Missed: 3}}, Reproduced},
		{"the cure misses one run in ten", Confirmation{With: of(20), Plain: of(6), Sham: of(7), Cure: Count{Of: 20, Missed: 2}}, Proved},
		{"no elsewhere, but the same site passes", Confirmation{With: of(20), Plain: of(9), Cure: of(0)}, Proved},
		{"as often as plain", Confirmation{With: of(7), Plain: of(6), Sham: of(6)}, None},
		{"8 of 20 against none: p = 0.003", Confirmation{With: of(8), Plain: of(0), Sham: of(0)}, Reproduced},
		{"6 of 20 against none: p = 0.02", Confirmation{With: of(6), Plain: of(0), Sham: of(0)}, None},
		{"it hardly acted", Confirmation{With: Count{Failed: 3, Of: 3, Missed: 37}, Plain: of(0), Sham: of(0)}, None},
		{"it acts where the test has failed: 20 of 30 against 9 of 20", Confirmation{With: Count{Failed: 20, Of: 20, Missed: 10}, Plain: of(9), Sham: of(8)}, None},
		{"it acts in half of the runs, and hardly any failed before", Confirmation{With: Count{Failed: 20, Of: 20, Missed: 20}, Plain: of(1), Sham: of(1)}, Proved},
		{"the opposite acts in as many, and passes", Confirmation{With: Count{Failed: 20, Of: 20, Missed: 10}, Plain: of(9), Sham: of(8), Cure: Count{Of: 20, Missed: 10}}, Reproduced},
		{"it acts where the test has failed, and a cure elsewhere acts in all", Confirmation{With: Count{Failed: 20, Of: 20, Missed: 12}, Plain: of(12), Sham: of(13), Cure: of(0)}, None},
		{"it fails by the waiting: the order did not come about", Confirmation{With: Count{Failed: 20, Of: 20, Unmet: 13}, Plain: of(1), Sham: of(5)}, None},
		{"the order came about in all but one", Confirmation{With: Count{Failed: 17, Of: 20, Unmet: 1}, Plain: of(1), Sham: of(1)}, Reproduced},
		{"it never acted", Confirmation{With: Count{Missed: 40}, Plain: of(0), Sham: of(0)}, None},
		{"of the runs that tell something all fail", Confirmation{With: Count{Failed: 20, Of: 20, Other: 19}, Plain: Count{Of: 20, Other: 8}, Sham: Count{Of: 20, Other: 7}}, Proved},
		{"with it the test fails in another way", Confirmation{With: Count{Other: 26}, Plain: of(0), Sham: of(0)}, None},
		{"so it does with the cure", Confirmation{With: of(20), Plain: of(6), Sham: of(7), Cure: Count{Other: 26}}, Reproduced},
		{"so it does elsewhere, and passes with the cure", Confirmation{With: of(20), Plain: of(6), Sham: Count{Other: 26}, Cure: of(0)}, Proved},
		{"it crashes elsewhere and never passes, but does with the cure", Confirmation{With: of(20), Plain: of(6), Sham: Count{Failed: 20, Of: 20, Other: 40}, Cure: of(0)}, Proved},
		{"so it does elsewhere, and there is no cure", Confirmation{With: of(20), Plain: of(0), Sham: Count{Other: 26}}, Reproduced},
		{"plain runs all fail in another way", Confirmation{With: of(20), Plain: Count{Other: 26}, Sham: of(0)}, None},
		{"with it runs crash that else pass", Confirmation{With: Count{Failed: 20, Of: 20, Other: 20}, Plain: of(10), Sham: of(10), Cure: of(0)}, None},
		{"with it no run passes, and half crash", Confirmation{With: Count{Failed: 20, Of: 20, Other: 20}, Plain: of(0), Sham: of(0)}, Proved},
		{"with the cure runs crash that else fail", Confirmation{With: of(20), Plain: of(10), Sham: of(10), Cure: Count{Of: 20, Other: 20}}, Reproduced},
		{"less often than plain", Confirmation{With: of(0), Plain: of(12), Sham: of(12)}, None},
	} {
		if got := c.c.Verdict(); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// Runs that do not come to the test are no passes: without one plain run that does, nothing is shown.
func TestNone(t *testing.T) {
	var none Count
	for range ConfirmRuns {
		none.Add(TellsNothing, false)
	}
	c := Confirmation{With: Count{Failed: 20, Of: 20}, Plain: none, Cure: Count{Of: 20}}
	if none != (Count{None: 20}) || c.Verdict() != None || c.None() != 20 {
		t.Errorf("%+v, %v of %+v", none, c.Verdict(), c)
	}
	c.Plain.Of = 20
	if v := c.Verdict(); v != Proved {
		t.Errorf("with plain runs that pass: %v", v)
	}
}
