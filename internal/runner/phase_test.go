package runner

import (
	"math"
	"testing"
	"testing/synctest"
	"time"
)

func TestPeriod(t *testing.T) {
	for _, x := range []struct{ usual, want time.Duration }{
		{0, 100 * time.Millisecond},
		{100 * time.Millisecond, 100 * time.Millisecond},
		{101 * time.Millisecond, 200 * time.Millisecond},
		{300 * time.Millisecond, 500 * time.Millisecond},
		{time.Minute, time.Second},
	} {
		if got := period(x.usual); got != x.want {
			t.Errorf("period of runs of %v is %v, want %v", x.usual, got, x.want)
		}
	}
	for _, p := range periods {
		if time.Second%p != 0 || p%(100*time.Millisecond) != 0 {
			t.Errorf("%v does not go with seconds, or tenths of them", p)
		}
	}
}

// TestPhaseIsUniform draws phases for neighbouring seeds. A tenth of the period has a tenth of 10,000
// phases, within 5 standard deviations, and phases of neighbours have nothing to do with each other.
func TestPhaseIsUniform(t *testing.T) {
	const n, unit = 10000, 500 * time.Millisecond
	var tenths [10]int
	var of float64 // correlation of neighbours, about the middle
	last := 0.0
	for seed := range uint64(n) {
		x := drawnPhase(seed, unit)
		if x < 0 || x >= unit || x != drawnPhase(seed, unit) {
			t.Fatalf("seed %d has the phase %v, and then %v", seed, x, drawnPhase(seed, unit))
		}
		tenths[x*10/unit]++
		v := float64(x)/float64(unit) - 0.5
		of += v * last * 12 / n
		last = v
	}
	for i, k := range tenths {
		if math.Abs(float64(k)-n/10) > 5*math.Sqrt(n*0.1*0.9) {
			t.Errorf("tenth %d of the period has %d of %d phases", i, k, n)
		}
	}
	if math.Abs(of) > 5/math.Sqrt(n) {
		t.Errorf("neighbours correlate: %.3f", of)
	}
}

// TestAwait starts runs at the phases that their seeds give once the first run is known to read the clock,
// and at once if it does not, or if there are very many packages.
func TestAwait(t *testing.T) {
	many := make([]string, mostDrawn+1)
	for _, x := range []struct {
		name     string
		clocked  bool
		packages []string
		usual    time.Duration
		want     time.Duration // the period
	}{
		{"short runs", true, []string{"a"}, 30 * time.Millisecond, 100 * time.Millisecond},
		{"long runs", true, []string{"a"}, 30 * time.Second, time.Second},
		{"no reading", false, []string{"a"}, 30 * time.Millisecond, 0},
		{"many packages", true, many, 30 * time.Millisecond, 0},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &Runner{N: 1, Clocked: func(string) bool { return x.clocked }}
				s := simulate(r, x.packages...)
				s.now = time.Now
				p := s.packages[0]
				p.add(&Run{N: 1, Wall: x.usual})
				if unit := p.await(t.Context(), 1); unit != 0 {
					t.Errorf("the first run may have a phase of %v", unit)
				}
				p.noteClock(&Run{Traces: []string{"1"}})
				for seed := range uint64(20) {
					began := time.Now()
					unit := p.await(t.Context(), seed)
					at := time.Duration(time.Now().UnixNano())
					switch waited := time.Since(began); {
					case unit != x.want:
						t.Errorf("a phase of %v, want %v", unit, x.want)
					case unit == 0 && waited > 0, unit > 0 && (at%unit != drawnPhase(seed, unit) || waited >= unit):
						t.Errorf("seed %d: started at %v after %v", seed, at%max(unit, 1), waited)
					}
				}
			})
		})
	}
}
