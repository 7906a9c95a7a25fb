package score

import (
	"math"

	"github.com/fdebug/fdebug/internal/stats"
)

// betaBelow is the distribution function of a beta distribution, the regularised
// incomplete beta function, by its continued fraction (Numerical Recipes, 6.4).
func betaBelow(a, b, x float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	front := math.Exp(a*math.Log(x) + b*math.Log1p(-x) - stats.LogBeta(a, b))
	if x < (a+1)/(a+b+2) {
		return front * fraction(a, b, x) / a
	}
	return 1 - front*fraction(b, a, 1-x)/b
}

// fraction evaluates the continued fraction by Lentz's method.
func fraction(a, b, x float64) float64 {
	const tiny, eps = 1e-300, 1e-9
	away := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c := 1.0
	d := 1 / away(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < 2000; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / away(1+even*d)
		c = away(1 + even/c)
		h *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / away(1+odd*d)
		c = away(1 + odd/c)
		step := d * c
		h *= step
		if math.Abs(step-1) < eps {
			break
		}
	}
	return h
}
