package freedom

import (
	"slices"
	"testing"
)

// TestActsHaveWords asks for the words of each act that can be a proof: of all settings but the controls, which change
// nothing that decides. Choices have those of their freedom.
func TestActsHaveWords(t *testing.T) {
	controls := []Aspect{ClockShift, ClockStill, AsItIs}
	acts := []Step{collect(Position{G: Goroutine{ID: 1}, Block: 1})}
	for _, k := range All() {
		for _, x := range k.aspects {
			if a := (Step{Kind: k.Act(), What: x.what}); !slices.Contains(controls, x.what) && !a.Chooses() {
				acts = append(acts, a)
			}
		}
	}
	for _, a := range acts {
		s := a.Says()
		if s.Cause == nil || s.With.None() || s.Cure.None() || s.Mark.None() || len(s.Fix) == 0 {
			t.Errorf("%s lacks words", a.Name())
		}
	}
}
