package search

import (
	"math/rand/v2"
	"testing"
)

// trials is how often each property is simulated.
const trials = 4000

// decided runs one hypothesis until it is decided, with plain runs of a rate.
func decided(r *rand.Rand, base, rate float64, plainRuns int, part float64) (d decision, runs int) {
	var plain, c score
	for range plainRuns {
		plain.add(r.Float64() < base)
	}
	for d == goOn {
		c.add(r.Float64() < rate)
		d = c.decide(plain, part, WronglyDropped)
	}
	return d, c.of()
}

func (s *score) add(yes bool) {
	if yes {
		s.yes++
	} else {
		s.no++
	}
}

// A hypothesis is kept though it is wrong, or dropped though it is right, not more often than the levels say, and a
// wrong one is dropped soon.
func TestLevels(t *testing.T) {
	for _, base := range []float64{0, 0.01, 0.05, 0.1, 0.3, 0.5} {
		for _, plainRuns := range []int{enough(score{int(20 * base), int(20 * (1 - base))}), 50} {
			r := rand.New(rand.NewPCG(1, uint64(plainRuns)))
			wronglyKept, wronglyDropped, soon, runs := 0, 0, 0, 0
			for range trials {
				is, n := decided(r, base, base, plainRuns, partWeigh)
				if is == kept {
					wronglyKept++
				} else {
					runs += n
				}
				if n <= 10 {
					soon++
				}
				if is, _ := decided(r, base, sureRate, plainRuns, partWeigh); is == dropped {
					wronglyDropped++
				}
			}
			t.Logf("base %.2f, %d plain runs: %.2f %% wrongly kept, %.2f %% wrongly dropped, dropped after %.1f runs, %.0f %% after at most 10",
				base, plainRuns, 100*float64(wronglyKept)/trials, 100*float64(wronglyDropped)/trials, float64(runs)/trials, 100*float64(soon)/trials)
			if most := WronglyKept * trials; float64(wronglyKept) > most {
				t.Errorf("base %.2f, %d plain runs: %d of %d wrong hypotheses are kept, want at most %.0f", base, plainRuns, wronglyKept, trials, most)
			}
			if most := WronglyDropped * trials; float64(wronglyDropped) > most {
				t.Errorf("base %.2f, %d plain runs: %d of %d right hypotheses are dropped, want at most %.0f", base, plainRuns, wronglyDropped, trials, most)
			}
			if soon < trials*9/10 {
				t.Errorf("base %.2f, %d plain runs: %d of %d wrong hypotheses are decided after 10 runs, want 9 of 10", base, plainRuns, soon, trials)
			}
		}
	}
}

// What only makes the failure more likely is not dropped at once, as long as that can be told.
func TestPart(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	dropped := 0
	for range trials {
		if is, _ := decided(r, 0.01, 0.6, 50, partWeigh); is != kept {
			dropped++
		}
	}
	if dropped > trials/4 {
		t.Errorf("what fails in 6 runs of 10 is dropped %d times of %d", dropped, trials)
	}
}
