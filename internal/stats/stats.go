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
