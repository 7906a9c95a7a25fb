package stats

import (
	"encoding/json"
	"math"
)

// A Table is a 2x2 contingency table of runs: by outcome, and by whether they took something.
type Table struct {
	FailTaken, FailNot, PassTaken, PassNot int
}

// tableJSON is a table in files: of the runs of each outcome, those that took it.
type tableJSON struct {
	FailTaken int `json:"failing_taken"`
	Fail      int `json:"failing"`
	PassTaken int `json:"passing_taken"`
	Pass      int `json:"passing"`
}

// MarshalJSON writes how many runs of each outcome there are, and took it.
func (t Table) MarshalJSON() ([]byte, error) {
	return json.Marshal(tableJSON{t.FailTaken, t.FailTaken + t.FailNot, t.PassTaken, t.PassTaken + t.PassNot})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Table) UnmarshalJSON(data []byte) error {
	var j tableJSON
	err := json.Unmarshal(data, &j)
	*t = Table{j.FailTaken, j.Fail - j.FailTaken, j.PassTaken, j.Pass - j.PassTaken}
	return err
}

// Add counts one more run.
func (t *Table) Add(failed, taken bool) {
	switch {
	case failed && taken:
		t.FailTaken++
	case failed:
		t.FailNot++
	case taken:
		t.PassTaken++
	default:
		t.PassNot++
	}
}

// Fisher returns the two-sided p-value of Fisher's exact test on t: the
// probability, given the margins, of a table no likelier than t (Fisher 1935).
func (t Table) Fisher() float64 { return Factorials(nil).Fisher(t) }

// Total returns the number of runs in the table.
func (t Table) Total() int { return t.FailTaken + t.FailNot + t.PassTaken + t.PassNot }

// Inverse returns the table of the runs that did not take it.
func (t Table) Inverse() Table {
	return Table{FailTaken: t.FailNot, FailNot: t.FailTaken, PassTaken: t.PassNot, PassNot: t.PassTaken}
}

// Perfect reports whether all failing runs and no passing runs took it.
func (t Table) Perfect() bool { return t.FailTaken > 0 && t.FailNot == 0 && t.PassTaken == 0 }

// Decides reports whether all runs that took something failed and no other run did, which chance alone
// hardly makes: the one-sided test on a perfect table.
func (t Table) Decides() bool {
	h := Factorials(nil).draw(t.Total(), t.FailTaken, t.FailTaken+t.PassTaken)
	return t.Perfect() && math.Exp(h.lnP(t.FailTaken)-1e-9) <= Strong
}

// Excess is by how much the share of failing runs that took it exceeds that of passing runs.
func (t Table) Excess() float64 {
	return Share(t.FailTaken, t.FailNot) - Share(t.PassTaken, t.PassNot)
}

// Share is the share of in among in and out together, 0 if both are.
func Share(in, out int) float64 {
	if in+out == 0 {
		return 0
	}
	return float64(in) / float64(in+out)
}

// Factorials holds ln n! for small n, because one analysis needs the same few values over and
// over. The nil value is ready for use.
type Factorials []float64

// NewFactorials returns them up to n.
func NewFactorials(n int) Factorials {
	f := make(Factorials, n+1)
	for i := range f {
		f[i] = Factorials(nil).ln(i)
	}
	return f
}

func (f Factorials) ln(n int) float64 {
	if n < len(f) {
		return f[n]
	}
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// Fisher is [Table.Fisher].
func (f Factorials) Fisher(t Table) float64 {
	h := f.draw(t.Total(), t.FailTaken+t.FailNot, t.FailTaken+t.PassTaken)
	// Equally likely tables differ only in the last digits, so count them in.
	limit, sum := h.lnP(t.FailTaken)+1e-9, 0.0
	for a := max(0, h.taken-h.n+h.fail); a <= min(h.fail, h.taken); a++ {
		if l := h.lnP(a); l <= limit {
			sum += math.Exp(l)
		}
	}
	return min(1, sum)
}

// Spread returns how probable each number of failing runs is among taken of n runs, if fail of the n fail.
func (f Factorials) Spread(n, fail, taken int) []float64 {
	h := f.draw(n, fail, taken)
	d := make([]float64, min(fail, taken)+1)
	for a := max(0, h.taken-h.n+h.fail); a < len(d); a++ {
		d[a] = math.Exp(h.lnP(a))
	}
	return d
}

// A draw is a hypergeometric distribution: of n runs, fail fail, and taken are drawn.
type draw struct {
	f              Factorials
	n, fail, taken int
	margins        float64 // the logarithm of what does not depend on how many drawn runs fail
}

func (f Factorials) draw(n, fail, taken int) draw {
	return draw{f, n, fail, taken, f.ln(fail) + f.ln(n-fail) + f.ln(taken) + f.ln(n-taken) - f.ln(n)}
}

// lnP is the logarithm of the probability that a drawn runs fail.
func (h *draw) lnP(a int) float64 {
	return h.margins - h.f.ln(a) - h.f.ln(h.fail-a) - h.f.ln(h.taken-a) - h.f.ln(h.n-h.fail-h.taken+a)
}

// Tails returns twice the probability of the smaller tail at a. It is the two-sided p-value where distributions are
// added up, whose values need not fall off on both sides.
func Tails(d []float64, a int) float64 {
	up, down := 0.0, 0.0
	for x, p := range d {
		if x >= a {
			up += p
		}
		if x <= a {
			down += p
		}
	}
	return min(1, 2*min(up, down))
}
