package finding

import (
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

// Held at a place the test fails, and held elsewhere about as often: nothing is shown of the
// place. What is proved rests on more.
func TestAnywhere(t *testing.T) {
	of := func(failed int) Count { return Count{Failed: failed, Of: 20} }
	for _, c := range []struct {
		v    Verdict
		want bool
	}{
		{Verdict{Class: Reproduced, Proof: proof.Proof{Confirmed: proof.Confirmation{With: of(12), Sham: of(10)}}}, true},
		{Verdict{Class: Reproduced, Proof: proof.Proof{Confirmed: proof.Confirmation{With: of(12), Sham: of(15)}}}, true},
		{Verdict{Class: Reproduced, Proof: proof.Proof{Confirmed: proof.Confirmation{With: of(20), Sham: of(12)}}}, false},
		{Verdict{Class: Reproduced, Proof: proof.Proof{Confirmed: proof.Confirmation{With: of(12), Sham: of(1)}}}, false},
		{Verdict{Class: Reproduced, Proof: proof.Proof{Confirmed: proof.Confirmation{With: of(12)}}}, false}, // there was no other place
		{Verdict{Class: Proved, Proof: proof.Proof{Confirmed: proof.Confirmation{With: of(19), Sham: of(16)}}}, false},
	} {
		if got := c.v.Anywhere(); got != c.want {
			t.Errorf("%+v against %+v: %v", c.v.Proof.Confirmed.With, c.v.Proof.Confirmed.Sham, got)
		}
	}
}
