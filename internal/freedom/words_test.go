package freedom

import (
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/say"
)

// TestActsHaveWords asks for the words of each act that can be a proof: of all settings but the controls, which change
// nothing that decides.
func TestActsHaveWords(t *testing.T) {
	controls := []Aspect{ClockShift, ClockStill, AsItIs}
	names := []string{"gc at"}
	for _, k := range All() {
		for _, x := range k.aspects {
			if !slices.Contains(controls, x.what) {
				names = append(names, k.Name+" "+x.name)
			}
		}
	}
	for _, name := range names {
		s := say.SettingOf(name)
		if s.Cause == nil || s.With.None() || s.Cure.None() || s.Mark.None() || len(s.Fix) == 0 {
			t.Errorf("%s lacks words", name)
		}
	}
}
