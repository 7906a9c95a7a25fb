package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/lab/golden"
	"github.com/fdebug/fdebug/internal/proof"
)

const seedsOfEach = 20 // searches in each kind of program

// A row has the results of searches in one kind of program.
type row struct {
	right, proved, false int
	runs                 []int
}

func (r *row) add(w *world, f *Found, runs int) {
	r.runs = append(r.runs, runs)
	switch {
	case f == nil || f.Verdict != proof.Proved:
	case w.names(f):
		r.proved++
		r.right++
	default:
		r.proved++
		if on, set := w.sets(append(slices.Clone(f.Plan), f.Opposite...)); !set || f.Always && on != w.inverse {
			r.false++
		}
	}
}

// The search finds the cause in programs where it is known, and proves nothing in those that fail by chance.
func TestSimulated(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %5s %-6s %8s %8s %6s %8s %8s\n", "cause", "base", "facts", "proved", "exactly", "false", "runs", "at most")
	for _, c := range []cause{byClock, byDraw, byOrder, byHold, byTwo, byPolluter, byNothing} {
		for _, base := range []float64{0, 0.01, 0.08, 0.15, 0.2, 0.3, 0.65, 0.87, 0.92, 0.98} {
			for _, facts := range []bool{false, true} {
				r := simulate(t, c, base, facts)
				slices.Sort(r.runs)
				fmt.Fprintf(&b, "%-24s %5.2f %-6v %8d %8d %6d %8d %8d\n", c, base, facts, r.proved, r.right, r.false, r.runs[len(r.runs)/2], r.runs[len(r.runs)-1])
				if r.false > 0 {
					t.Errorf("%s, base %v: %d of %d proofs are false", c, base, r.false, r.proved)
				}
			}
		}
	}
	golden.File(t, filepath.Join("testdata", "simulated.golden"), b.String())
}

func simulate(t *testing.T, c cause, base float64, facts bool) (r row) {
	known := 0 // as where nothing was seen to fail
	if facts {
		known = 50
	}
	for seed := range uint64(seedsOfEach) {
		w := newWorld(c, base, seed)
		s := &Search{Runner: w, Proposers: w.freedoms(facts), Known: w.recorded(known), Parallel: 2, Wanted: []string{"x_test.go:7"}}
		f, err := s.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		r.add(w, f, s.runs)
	}
	return r
}

// recorded are runs with nothing done.
func (w *world) recorded(n int) (known Tally) {
	known.Failed = make(map[string]int)
	for range n {
		if o := w.run(nil); o.Failure != "" {
			known.Failed[o.Failure]++
		} else {
			known.Passed++
		}
	}
	w.runs = 0
	return known
}

// What is one of very many places is tried too.
func TestOneOfMany(t *testing.T) {
	w := newWorld(byHold, 0, 3)
	var holds proposals
	for i := range positions {
		holds = append(holds, Proposal{Fails: Plan{hold{at: i, dose: 30}}, Prior: 0.03 / 5000})
	}
	s := &Search{Runner: w, Proposers: []Proposer{holds}, Known: w.recorded(50), Parallel: 2}
	f, err := s.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f == nil || f.Verdict != proof.Proved || !w.names(f) {
		t.Errorf("in %d runs: %+v", s.runs, f)
	}
}

// The time can be up at any run. What was confirmed as far as that tells it from chance is reproduced then.
func TestSpent(t *testing.T) {
	reproduced := 0
	for most := 60; most < 260; most++ {
		w := newWorld(byHold, 0, 3)
		s := &Search{Runner: w, Proposers: w.freedoms(false), Known: w.recorded(50), Parallel: 2}
		w.most = most
		f, err := s.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f == nil {
			continue
		}
		c := f.Confirmed
		if f.Verdict == proof.Proved && c.With.Of < proof.ConfirmRuns {
			t.Errorf("after %d runs: proved by %+v", most, c)
		}
		if c.With.Failed >= 10 && c.With.Failed == c.With.Of && c.Plain.Of >= 10 && c.Plain.Failed == 0 {
			reproduced++
			if f.Verdict == proof.None {
				t.Errorf("after %d runs: nothing is shown by %+v", most, c)
			}
		}
	}
	if reproduced == 0 {
		t.Error("the time was up in no confirmation")
	}
}

// A leaky world fails with two holds, and in one of ten runs with the first of them.
type leaky struct{ rng *rand.Rand }

func (w leaky) Run(_ context.Context, plans []Plan, _ bool) (outs []Outcome, err error) {
	for _, p := range plans {
		held := func(at int) bool {
			return slices.ContainsFunc(p, func(a Act) bool { return a.(hold).at == at && a.(hold).dose >= leastDose })
		}
		o := Outcome{Is: proof.TellsPass, Done: p}
		if held(oneHold) && (held(cureHold) || w.rng.IntN(10) == 0) {
			o.Is, o.Failure = proof.TellsFailure, "x_test.go:7"
		}
		outs = append(outs, o)
	}
	return outs, nil
}

func (w leaky) Left() time.Duration { return math.MaxInt64 }

// What fails sometimes is tried with others as soon as it is seen to. Of its two runs one fails in 19 of 100 searches.
func TestPair(t *testing.T) {
	proved := 0
	for seed := range uint64(100) {
		var holds proposals
		for at := oneHold - 5; at < oneHold+5; at++ {
			holds = append(holds, Proposal{Fails: Plan{hold{at: at, dose: 30}}, Prior: 0.02})
		}
		holds = append(holds, Proposal{Fails: Plan{hold{at: cureHold, dose: 30}}, Prior: 0.02})
		s := &Search{Runner: leaky{rand.New(rand.NewPCG(seed, 3))}, Proposers: []Proposer{holds}}
		f, err := s.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if f != nil && f.Verdict == proof.Proved {
			if proved++; len(f.Plan) != 2 {
				t.Errorf("seed %d: %d acts", seed, len(f.Plan))
			}
		}
	}
	if proved < 15 {
		t.Errorf("%d of 100 proved", proved)
	}
}
