package freedom

import (
	"math"
	"math/rand"
	randv2 "math/rand/v2"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/fact"
)

// TestPhase sets a clock so that a reading comes where it came in failing runs, and half a period off.
func TestPhase(t *testing.T) {
	const ms = float64(time.Millisecond)
	for _, c := range []struct {
		name   string
		seen   Seen
		in     fact.Range
		out    bool
		fails  int // of the start, in ms
		passes int
	}{
		{"of the start", Seen{Measure: Phase}, fact.Range{From: 20 * ms, To: 40 * ms}, false, 30, 80},
		{"of a reading 25 ms later", Seen{Measure: Phase, Shift: int64(25 * ms)}, fact.Range{From: 20 * ms, To: 40 * ms}, false, 5, 55},
		{"over the end of the period", Seen{Measure: Phase}, fact.Range{From: 90 * ms, To: 10 * ms}, false, 0, 50},
		{"outside", Seen{Measure: Phase}, fact.Range{From: 20 * ms, To: 40 * ms}, true, 80, 30},
	} {
		c.seen.Unit = 100 * time.Millisecond
		fails, passes := setClock(&fact.Fact{Observation: &fact.Observation{What: &c.seen}, In: c.in, Outside: c.out})
		if f, p := fails[0][0].Value, passes[0][0].Value; f != int64(c.fails)*int64(ms) || p != int64(c.passes)*int64(ms) {
			t.Errorf("%s: fails at %v, passes at %v, want %d and %d ms", c.name, time.Duration(f), time.Duration(p), c.fails, c.passes)
		}
	}
	noon := time.Date(2026, 11, 26, 12, 34, 56, 0, time.UTC)
	half := fact.Range{From: float64(20 * time.Minute), To: float64(40 * time.Minute)}
	fails, passes := setClock(&fact.Fact{Observation: &fact.Observation{What: &Seen{Measure: Phase, Unit: time.Hour, From: noon}}, In: half})
	if f, p := time.Unix(0, fails[0][0].Value).UTC().Format("15:04:05"), time.Unix(0, passes[0][0].Value).UTC().Format("15:04:05"); f != "12:30:00" || p != "12:00:00" {
		t.Errorf("of an hour the clock is set to %s and %s, want half past and the full hour", f, p)
	}
}

// A fixed source always has one number.
type fixed uint64

func (x fixed) Uint64() uint64 { return uint64(x) }
func (x fixed) Int63() int64   { return int64(x &^ (1 << 63)) }
func (x fixed) Seed(int64)     {}

// TestFamilies compares what functions of math/rand make of a number with what is told of it. Numbers that
// they reject are none of these.
func TestFamilies(t *testing.T) {
	for _, x := range []uint64{1, 1 << 20, 0x123456789abcdef0, 0x7fff1234ffff0000, 0xfedcba9876543210} {
		for _, n := range []int64{2, 3, 8, 10, 100, 1 << 20} {
			if got, want := drawnBy("Intn", n)(x), rand.New(fixed(x)).Intn(int(n)); got != int64(want) {
				t.Errorf("Intn(%d) of %#x: %d, want %d", n, x, got, want)
			}
			if got, want := drawnBy("v2.IntN", n)(x), randv2.New(fixed(x)).IntN(int(n)); got != int64(want) {
				t.Errorf("IntN(%d) of %#x: %d, want %d", n, x, got, want)
			}
		}
		if got, want := float64(drawnBy("Float64", 0)(x))/Floats, rand.New(fixed(x)).Float64(); math.Abs(got-want) > 1e-12 {
			t.Errorf("Float64 of %#x: %v, want %v", x, got, want)
		}
		if got, want := float64(drawnBy("v2.Float64", 0)(x))/Floats, randv2.New(fixed(x)).Float64(); math.Abs(got-want) > 1e-12 {
			t.Errorf("Float64 of version 2 of %#x: %v, want %v", x, got, want)
		}
	}
}
