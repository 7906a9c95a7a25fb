package experiment

import (
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

// A run with nothing perturbed speaks against an order if it passed with it, or failed without it. A run whose order is
// not known says nothing.
func TestMetAgainstOrder(t *testing.T) {
	var got proof.Unforced
	for _, r := range []struct{ failed, had, known bool }{
		{false, true, true}, {false, false, true}, {false, false, true},
		{true, true, true}, {true, true, true}, {true, false, true},
		{false, true, false}, {true, false, false},
	} {
		meet(&got, r.failed, r.had, r.known)
	}
	if want := (proof.Unforced{PassedSo: 1, FailedElse: 1}); got != want {
		t.Errorf("%+v", got)
	}
}
