package stats

import (
	"math"
	"testing"
)

// Worked by hand: the p-value sums the tables that are no likelier than the given one. "Lady
// tasting tea" (Fisher 1935) is 3 of 4 against 1 of 4: tables with 3, 4, 1 and 0 have 16, 1, 16
// and 1 of C(8,4) = 70, so p = 34/70.
func TestFisher(t *testing.T) {
	for _, tt := range []struct {
		t    Table
		want float64
	}{
		{Table{3, 1, 1, 3}, 34.0 / 70},
		{Table{4, 0, 0, 4}, 2.0 / 70},
		{Table{1, 0, 0, 1}, 1},
		{Table{1, 0, 0, 19}, 1.0 / 20},
		{Table{3, 0, 0, 4}, 1.0 / 35},
		// Agresti's example, margins 10, 12 / 11: 1 9 / 11 3, p = 0.002759.
		{Table{1, 9, 11, 3}, 0.0027594561852},
		// 12 of 12 against 0 of 38: 1/C(50,12).
		{Table{12, 0, 0, 38}, 1 / 121399651100.0},
		{Table{0, 5, 0, 5}, 1},
		{Table{}, 1},
	} {
		if got := tt.t.Fisher(); math.Abs(got-tt.want) > 1e-9*math.Max(1e-3, tt.want) && math.Abs(got/tt.want-1) > 1e-9 {
			t.Errorf("%+v: p = %.10g, want %.10g", tt.t, got, tt.want)
		}
	}
}

// By hand: one of C(n, k) ways to choose which k of n runs fail. C(8,3) = 56, C(9,5) = 126, C(23,3) = 1771.
func TestDecides(t *testing.T) {
	for _, tt := range []struct {
		t    Table
		want bool
	}{
		{Table{FailTaken: 20, PassNot: 3}, true},
		{Table{FailTaken: 5, PassNot: 4}, true},
		{Table{FailTaken: 5, PassNot: 3}, false},
		{Table{FailTaken: 1, PassNot: 98}, false},
		{Table{FailTaken: 1, PassNot: 99}, true},
		{Table{FailTaken: 20}, false},
		{Table{FailTaken: 19, PassTaken: 1, PassNot: 20}, false},
		{Table{FailTaken: 50, FailNot: 1, PassNot: 50}, false},
		{Table{PassNot: 50}, false},
	} {
		if got := tt.t.Decides(); got != tt.want {
			t.Errorf("%+v: %v, want %v", tt.t, got, tt.want)
		}
	}
}

func TestFisherCached(t *testing.T) {
	f := NewFactorials(50)
	for a := range 13 {
		for c := range 39 {
			tab := Table{a, 12 - a, c, 38 - c}
			if x, y := f.Fisher(tab), tab.Fisher(); x != y || x <= 0 || x > 1 {
				t.Fatalf("%+v: %v and %v", tab, x, y)
			}
		}
	}
}

func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		k, n   int
		lo, hi float64
	}{
		{12, 50, .1430, .3741}, // the design's "24 %, 95 % CI 14-37 %"
		{0, 50, 0, .0714},
		{50, 50, .9286, 1},
		{1, 2, .0945, .9055},
		{0, 0, 0, 1},
	} {
		lo, hi := Wilson(tt.k, tt.n)
		if math.Abs(lo-tt.lo) > 1e-4 || math.Abs(hi-tt.hi) > 1e-4 {
			t.Errorf("Wilson(%d, %d) = %.4f, %.4f, want %.4f, %.4f", tt.k, tt.n, lo, hi, tt.lo, tt.hi)
		}
	}
}

func TestNoneBound(t *testing.T) {
	// 0.942^50 = 0.05: "0 of 50: below 5.8 % with 95 % confidence".
	for n, want := range map[int]float64{0: 1, 1: .95, 50: .0582, 300: .00994} {
		if got := NoneBound(n); math.Abs(got-want) > 1e-4 {
			t.Errorf("NoneBound(%d) = %.5f, want %.5f", n, got, want)
		}
	}
}
