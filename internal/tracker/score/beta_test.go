package score

import (
	"math"
	"testing"
)

func TestBetaBelow(t *testing.T) {
	for _, c := range []struct{ a, b, x, want float64 }{
		{1, 1, 0.3, 0.3},
		{2, 1, 0.3, 0.09},
		{1, 3, 0.2, 1 - 0.8*0.8*0.8},
		{0.5, 0.5, 0.5, 0.5},
		{0.5, 0.5, 0.25, 2 / math.Pi * math.Asin(0.5)},
		{3.5, 200.5, 0, 0},
		{3.5, 200.5, 1, 1},
	} {
		if got := betaBelow(c.a, c.b, c.x); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("betaBelow(%v, %v, %v) = %v, want %v", c.a, c.b, c.x, got, c.want)
		}
	}
}
