package experiment

import "testing"

// A run with nothing perturbed speaks against an order if it passed with it, or failed without it; of one of which the
// order is not known nothing is said.
func TestMetAgainstOrder(t *testing.T) {
	var o Ordered
	for _, r := range []struct{ failed, had, known bool }{
		{false, true, true}, {false, false, true}, {false, false, true},
		{true, true, true}, {true, true, true}, {true, false, true},
		{false, true, false}, {true, false, false},
	} {
		o.met(r.failed, r.had, r.known)
	}
	if o.PassedSo != 1 || o.PassedOf != 3 || o.FailedElse != 1 || o.FailedOf != 3 {
		t.Errorf("%+v", o)
	}
}
