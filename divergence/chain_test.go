package divergence

import (
	"strings"
	"testing"
)

// TestNotBefore checks that the warning about the order of two divergences fits the bounds of
// their times.
func TestNotBefore(t *testing.T) {
	failed := &finding{lo: 10, hi: 20}
	for _, c := range []struct {
		lo, hi int64
		want   string
	}{{1, 10, ""}, {5, 15, "not certain"}, {15, 30, "not certain"}, {20, 30, "not certain"}, {21, 30, "it came after"}} {
		var got string
		for _, err := range notBefore(&finding{lo: c.lo, hi: c.hi}, failed) {
			got += err.Error()
		}
		if (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
			t.Errorf("%d-%d: got %q, want %q", c.lo, c.hi, got, c.want)
		}
	}
}
