package search

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// A slow world fails at a rate while somebody is held at places that matter, and at another one with nothing done. Its
// runs take long, and its time is limited.
type slow struct {
	held, plain  float64 // rates
	from, to     int     // places that matter
	passes, hang time.Duration
	left         time.Duration
	rng          *rand.Rand
}

func (w *slow) Left() time.Duration { return w.left }

func (w *slow) Run(_ context.Context, plans []Plan, _ bool) (outs []Outcome, err error) {
	for _, p := range plans {
		if w.left <= 0 {
			return outs, ErrSpent
		}
		rate := w.plain
		for _, a := range p {
			if h := a.(hold); w.from <= h.at && h.at <= w.to && h.dose >= leastDose {
				rate = w.held
			}
		}
		o := Outcome{Is: proof.TellsPass, Done: p, Took: w.passes}
		if w.rng.Float64() < rate {
			o.Is, o.Failure, o.Took = proof.TellsFailure, "x_test.go:7", w.hang
		}
		w.left -= o.Took
		outs = append(outs, o)
	}
	return outs, nil
}

// What fails repeatedly is confirmed before it is refined to the end, if there is time for one of them only: where each run
// takes long, and where those that fail do. It is reproduced if there is no control. What fails in a fifth of all runs is
// nobody's.
func TestConfirmsInTime(t *testing.T) {
	for _, c := range []struct {
		name string
		w    slow
		want proof.Verdict // at most
		of   int           // of 10 searches, at least, that come to it
	}{
		{"slow", slow{held: 1, from: 10, to: 12, passes: 2 * time.Second, hang: 2100 * time.Millisecond}, proof.Proved, 10},
		{"hangs", slow{held: 1, from: 10, to: 12, passes: 50 * time.Millisecond, hang: 6 * time.Second}, proof.Proved, 10},
		{"slow, wherever somebody is held", slow{held: 1, to: positions, passes: 2 * time.Second, hang: 2100 * time.Millisecond}, proof.Reproduced, 10},
		{"a fifth under any hold", slow{held: 0.2, to: positions, passes: 500 * time.Millisecond, hang: time.Second}, proof.Reproduced, 1},
		{"a fifth of all runs", slow{held: 0.2, plain: 0.2, passes: 500 * time.Millisecond, hang: time.Second}, proof.None, 10},
	} {
		n := 0
		for seed := range uint64(10) {
			w := c.w
			w.left, w.rng = 180*time.Second, rand.New(rand.NewPCG(seed, 3))
			var holds proposals
			for at := range positions {
				holds = append(holds, Proposal{Fails: Plan{hold{at: at, dose: 30}}, Prior: 0.04})
			}
			f, err := (&Search{Runner: &w, Proposers: []Proposer{holds}, Known: Tally{Passed: 5}}).Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			verdict := proof.None
			if f != nil {
				verdict = f.Verdict
			}
			if verdict == c.want {
				n++
			}
			if verdict > c.want {
				t.Errorf("%s, seed %d: %v", c.name, seed, verdict)
			}
		}
		if n < c.of {
			t.Errorf("%s: %d of 10 %v", c.name, n, c.want)
		}
	}
}
