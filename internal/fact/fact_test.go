package fact

import (
	"math"
	"testing"

	"github.com/fdebug/fdebug/internal/stats"
)

func TestFisher(t *testing.T) {
	x := newTester()
	for _, c := range []struct {
		a, b, f, n int
		want       float64
	}{
		{4, 4, 4, 8, 2.0 / 70}, // of 70 ways to choose 4 of 8 one has all that fail
		{0, 4, 4, 8, 2.0 / 70}, // and one none
		{2, 4, 4, 8, 1},        // as many as by chance
		{3, 3, 3, 10, 2.0 / 120},
		{2, 3, 3, 10, 2 * 22.0 / 120}, // 3*7 ways with two, one with three
	} {
		if got := x.p(x.table(c.n, c.f), c.a, c.b, c.f, c.n); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// TestStratified compares only runs of one stratum: in each of two with two of four failing, one
// way of six has both on the side.
func TestStratified(t *testing.T) {
	var side, fail, a, b set
	for _, i := range []int{0, 1, 4, 5} {
		side.add(i)
		fail.add(i)
	}
	for i := range 4 {
		a.add(i)
		b.add(i + 4)
	}
	if got, want := newTester().stratified(&side, &fail, []set{a, b}), 2.0/36; math.Abs(got-want) > 1e-9 {
		t.Errorf("got %v, want %v", got, want)
	}
}

// outcomes has a digit for each run, 1 for one that failed.
func outcomes(s string) (list []bool) {
	for _, c := range s {
		list = append(list, c == '1')
	}
	return list
}

// digits has a digit for each run, and ? where it says nothing.
func digits(kind, s string) Observation {
	o := Observation{Kind: kind, Shape: Bit, What: kind}
	for _, c := range s {
		switch c {
		case '?':
			o.Values = append(o.Values, math.NaN())
		default:
			o.Values = append(o.Values, float64(c-'0'))
		}
	}
	return o
}

func TestRank(t *testing.T) {
	const outcome = "0010010000100010010001000010010000100100"
	chance := func(o Observation) Observation { o.Exogenous = true; return o }
	for _, c := range []struct {
		name string
		fail string
		list []Observation
		want string // kinds of the facts that stand, in order, ~ before those that are behind
	}{
		{"a cause", outcome, []Observation{
			digits("noise", "0101010101010101010101010101010101010101"),
			digits("cause", outcome),
		}, "cause"},
		{"missing is no value: it is known less often in passing runs", outcome, []Observation{
			digits("late", "1010010?1?1?1010010?01?1?01001?0?0100100"),
		}, ""},
		{"what may be caused comes behind what can't, though it separates better", outcome, []Observation{
			digits("order", outcome),
			chance(digits("draw", "0010010000100010010001000010010000100110")),
		}, "draw ~order"},
		{"either of two", "1100110011001000110011001100100011001100", []Observation{
			chance(digits("one", "1000100010001000100010001000100010001000")),
			chance(digits("two", "0100010001000000010001000100000001000100")),
		}, "one two"},
		{"drift: both change once", "0000000000000000000011111111111111111111", []Observation{
			digits("load", "0000000000000000000011111111111111111111"),
		}, ""},
	} {
		got := ""
		for _, f := range Rank(outcomes(c.fail), c.list) {
			if !f.Stands() {
				continue
			}
			if got != "" {
				got += " "
			}
			if f.Behind {
				got += "~"
			}
			got += f.Kind
		}
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// TestPeriods is about what comes round: an arc that was met in one period only is no fact.
func TestPeriods(t *testing.T) {
	failed := make([]bool, 40)
	o := Observation{Kind: "clock", Shape: Circle, Values: make([]float64, 40), Turns: make([]int64, 40)}
	for i := range failed {
		o.Values[i], o.Turns[i] = float64(i%10), int64(i/10)
		failed[i] = i%10 >= 7
	}
	facts := Rank(failed, []Observation{o})
	if len(facts) == 0 || !facts[0].Stands() || facts[0].Table != (stats.Table{FailTaken: 12, PassNot: 28}) {
		t.Fatalf("got %+v", facts)
	}
	for i := range o.Turns {
		o.Turns[i] /= 4
	}
	if facts := Rank(failed, []Observation{o}); len(facts) > 0 {
		t.Errorf("in one period: got %+v", facts)
	}
}

// TestSides divides 0 to 3 at three thresholds, and into arcs of one to three values that begin at each.
func TestSides(t *testing.T) {
	var known set
	o := &Observation{Values: []float64{3, 0, 1, 2}}
	for i := range o.Values {
		known.add(i)
	}
	for shape, want := range map[Shape]int{Line: 3, Circle: 12} {
		n := 0
		o.Shape = shape
		o.splits(&known, func(split) { n++ })
		if n != want {
			t.Errorf("shape %d: %d divisions, want %d", shape, n, want)
		}
	}
}
