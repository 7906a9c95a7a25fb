// Package stats has the tests, the intervals and the levels of significance of all that counts runs. Each has its
// source.
package stats

import "math"

// Levels of significance.
const (
	// Chance is the p-value above which a difference counts as chance. It suffices where a difference only adds to
	// other evidence, or takes back a claim.
	Chance = 0.05
	// Strong is the p-value that a claim needs which rests on a difference alone.
	Strong = 0.01
	// Confidence is that of intervals.
	Confidence = 0.95
)

// Wilson returns the 95 % score interval for a rate, if k of n were seen (Wilson 1927). Unlike
// the textbook interval it stays between 0 and 1, and it is right for the small n of a test run:
// 12 of 50 gives 0.14 to 0.37.
func Wilson(k, n int) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // the normal quantile of Confidence
	p, m := float64(k)/float64(n), float64(n)
	mid := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(0, mid-half), min(1, mid+half)
}

// NoneBound returns the rate that n runs without a single failure exclude with 95 % confidence:
// the p at which (1-p)^n is 5 %. It is the exact form of the rule of three, 3/n. No runs exclude
// nothing.
func NoneBound(n int) float64 {
	if n <= 0 {
		return 1
	}
	return 1 - math.Pow(1-Confidence, 1/float64(n))
}

// LogBeta returns the logarithm of the beta function.
func LogBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// BetaBelow is the distribution function of a beta distribution, the regularised
// incomplete beta function, by its continued fraction (Numerical Recipes, 6.4).
func BetaBelow(a, b, x float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	front := math.Exp(a*math.Log(x) + b*math.Log1p(-x) - LogBeta(a, b))
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
