package divergence

import "math"

// confidence is the level of the intervals in this file, z its normal quantile.
const (
	confidence = 0.95
	z          = 1.959963984540054
)

// Wilson returns the 95 % score interval for a rate, if k of n were seen (Wilson 1927). Unlike
// the textbook interval it stays between 0 and 1, and it is right for the small n of a test run:
// 12 of 50 gives 0.14 to 0.37.
func Wilson(k, n int) (lo, hi float64) {
	if n <= 0 {
		return 0, 1
	}
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
	return 1 - math.Pow(1-confidence, 1/float64(n))
}

// Fisher returns the two-sided p-value of Fisher's exact test on t: the
// probability, given the margins, of a table no likelier than t.
func (t Table) Fisher() float64 {
	return factorials(nil).fisher(t)
}

// Total returns the number of runs in the table.
func (t Table) Total() int { return t.FailTaken + t.FailNot + t.PassTaken + t.PassNot }

// inverse returns the table of the runs that did not take it.
func (t Table) inverse() Table {
	return Table{FailTaken: t.FailNot, FailNot: t.FailTaken, PassTaken: t.PassNot, PassNot: t.PassTaken}
}

// Perfect reports whether all failing runs and no passing runs took it.
func (t Table) Perfect() bool { return t.FailTaken > 0 && t.FailNot == 0 && t.PassTaken == 0 }

// excess is by how much the share of failing runs that took it exceeds that of passing runs.
func (t Table) excess() float64 {
	return share(t.FailTaken, t.FailNot) - share(t.PassTaken, t.PassNot)
}

func share(in, out int) float64 {
	if in+out == 0 {
		return 0
	}
	return float64(in) / float64(in+out)
}

// factorials holds ln n! for small n, because one analysis needs the same few values over and
// over. The nil value is ready for use.
type factorials []float64

func newFactorials(n int) factorials {
	f := make(factorials, n+1)
	for i := range f {
		f[i] = lnFactorial(i)
	}
	return f
}

func lnFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

func (f factorials) ln(n int) float64 {
	if n < len(f) {
		return f[n]
	}
	return lnFactorial(n)
}

func (f factorials) fisher(t Table) float64 {
	fail, pass := t.FailTaken+t.FailNot, t.PassTaken+t.PassNot
	taken, n := t.FailTaken+t.PassTaken, t.Total()
	margins := f.ln(fail) + f.ln(pass) + f.ln(taken) + f.ln(n-taken) - f.ln(n)
	lnP := func(a int) float64 { // of the table in which a failing runs took it
		return margins - f.ln(a) - f.ln(fail-a) - f.ln(taken-a) - f.ln(pass-taken+a)
	}
	// Equally likely tables differ only in the last digits, so count them in.
	limit, sum := lnP(t.FailTaken)+1e-9, 0.0
	for a := max(0, taken-pass); a <= min(fail, taken); a++ {
		if l := lnP(a); l <= limit {
			sum += math.Exp(l)
		}
	}
	return min(1, sum)
}
