package report

import "testing"

// Tests that passed are others only beside some that are listed.
func TestPassedWords(t *testing.T) {
	for _, c := range []struct {
		n      int
		listed bool
		want   string
	}{
		{1, false, "1 test passed in every run that came to it."},
		{7, true, "7 other tests passed in every run that came to them."},
	} {
		if got := passedWords(c.n, c.listed); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}
