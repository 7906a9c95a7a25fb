package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// drawFindings returns the findings of searches with several seeds of what is left to chance.
func drawFindings(t *testing.T, rule func(*simRun) string, hints ...Hint) (list []*Finding) {
	t.Helper()
	for seed := range uint64(40) {
		s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActMap, 4, 12), rule: rule}
		e := s.experimenter()
		e.Only, e.Seed, e.Hints = []string{"pins"}, seed+1, hints
		s.rnd = rand.New(rand.NewPCG(seed, 1))
		r, err := e.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r.Findings...)
	}
	if len(list) < 10 {
		t.Fatalf("%d findings of 40 searches", len(list))
	}
	return list
}

// One loop over a map of two decides, and not quite: the test fails in nine runs of ten with
// the bad order there, and in none with another. The other loop is of no account, though the
// runs with the first alone that pass make it look as if both were needed.
func TestNotNeeded(t *testing.T) {
	for _, f := range drawFindings(t, func(r *simRun) string {
		if r.drawn(trace.ActMap, 12, 4) == 0 && r.rnd.IntN(10) > 0 {
			return "order"
		}
		return ""
	}) {
		if !slices.Equal(f.blocks, []int{12}) {
			t.Errorf("%v: %v decide, want 12 alone; %+v", f.Verdict, f.blocks, f.Confirmed)
		}
	}
}

// Both loops are needed: with one of them alone it fails in half of the runs. Where the other
// follows a seed too, which may have the bad order there, one suffices.
func TestBothNeeded(t *testing.T) {
	free := 0
	for _, f := range drawFindings(t, func(r *simRun) string {
		if r.drawn(trace.ActMap, 4, 2) == 0 && r.drawn(trace.ActMap, 12, 2) == 0 && r.rnd.IntN(20) > 0 {
			return "order"
		}
		return ""
	}) {
		if f.Trial.Plan.Does(func(a perturb.Act) bool { return a.Chooses() && a.Everywhere() }) {
			continue
		}
		free++
		if blocks := slices.Sorted(slices.Values(f.blocks)); !slices.Equal(blocks, []int{4, 12}) {
			t.Errorf("%v: %v decide, want 4 and 12; %+v", f.Verdict, blocks, f.Confirmed)
		}
	}
	if free < 5 {
		t.Errorf("%d findings with the others left to chance", free)
	}
}

// The second loop gives the same order in seven of eight walks, as one over a map of two keys
// does, and the test fails if that is not the one of the first: the first alone fails in most
// runs, in others than those with both as they must be.
func TestJoint(t *testing.T) {
	free, joint, missed := 0, 0, 0
	for _, f := range drawFindings(t, func(r *simRun) string {
		if r.drawn(trace.ActMap, 4, 2) == 0 && r.drawn(trace.ActMap, 12, 8) > 0 {
			return "order"
		}
		return ""
	}) {
		if f.Trial.Plan.Does(func(a perturb.Act) bool { return a.Chooses() && a.Everywhere() }) {
			continue
		}
		free++
		blocks := slices.Sorted(slices.Values(f.blocks))
		switch {
		case slices.Equal(blocks, []int{4, 12}) && f.Verdict == proof.Proved && f.Confirmed.With.Failed == 20:
			joint++
		case slices.Equal(blocks, []int{4}) && f.Confirmed.With.Failed == 20: // by chance
		case slices.Equal(blocks, []int{4}): // of one search in twenty no seed chose the eighth
			missed++
		default:
			t.Errorf("%v: %v decide; %+v", f.Verdict, blocks, f.Confirmed)
		}
	}
	if joint < free/2 || missed > free/10 {
		t.Errorf("of %d findings %d name both, %d name one that does not suffice", free, joint, missed)
	}
}

// Two loops over maps are compared. Each gives one order in fifteen of sixteen walks. One of them alone, which a hint
// names, fails in all of some twenty runs, and that it does not suffice shows in the runs with its other order.
func TestJointCompared(t *testing.T) {
	both := 0
	for _, f := range drawFindings(t, func(r *simRun) string {
		if (r.drawn(trace.ActMap, 4, 16) > 0) != (r.drawn(trace.ActMap, 12, 16) > 0) {
			return "order"
		}
		return ""
	}, Hint{File: "m.go", Start: 12, End: 12, Draw: true}) {
		switch {
		case len(f.blocks) == 2:
			both++
		case f.Verdict == proof.Proved && f.Confirmed.With.Failed == 20 && f.Confirmed.Cure.Failed > 0:
			t.Errorf("%v alone is proved; %+v, with the other order %+v", f.blocks, f.Confirmed.With, f.Confirmed.Cure)
		}
	}
	if both == 0 {
		t.Error("no finding names both")
	}
}

// The second place of a set comes after the check that fails, so that it acts in the failing runs alone:
// with both all runs that count fail, with the first alone half of them, and it is of no account.
func TestNotNeededAfterAll(t *testing.T) {
	fails := func(r *simRun) bool { return hash(uint64(r.turn), trace.ActRand, 0)%2 == 0 }
	for seed := range 20 {
		s := &sim{streams: twoGoroutines(), runs: 1000 * seed,
			absent: func(r *simRun, g int, event uint64) bool { return g == 2 && event == 9 && !fails(r) },
			rule: func(r *simRun) string {
				if r.held(2, 4, 4) > 0 && fails(r) {
					return "check"
				}
				return ""
			}}
		e := s.experimenter()
		e.begin()
		se := &search{Experimenter: e, ctx: t.Context(), p: &profile{}}
		at := func(event int64) perturb.Act {
			return Site{G: perturb.Goroutine{ID: 2}, Event: event, Block: int(s.streams[1][event])}.stall(time.Millisecond)
		}
		set := []perturb.Act{at(4), at(9)}
		sig := &runner.Signature{Test: "TestX", Message: "check"}
		got, err := needed(se, sig, set, func(list []perturb.Act) Trial { return do(list...) })
		if err != nil || !slices.Equal(got, set[:1]) {
			t.Errorf("needed: %v, %v", got, err)
		}
	}
}

// What random stalls bring in one run of four is not reduced before all else was tried: each part would take 20 runs.
func TestRareLater(t *testing.T) {
	most := 0
	for seed := range uint64(60) {
		s := &sim{streams: [][]trace.Event{stream(1, 60), stream(101, 60)}, rule: func(r *simRun) string {
			if y := r.trial.Plan.First(yields); (y.Dose > 0 || len(r.trial.Plan.Of(perturb.Act.Holds)) > 2) && r.rnd.IntN(4) == 0 {
				return "late"
			}
			return ""
		}}
		s.rnd = rand.New(rand.NewPCG(seed, 5))
		e := s.experimenter()
		e.Seed = seed + 1
		before := 0
		e.Report = func(p Progress) {
			if p.Step == "yields" && before == 0 {
				before = s.runs
			}
		}
		if _, err := e.Find(t.Context()); err != nil {
			t.Fatal(err)
		}
		most = max(most, before)
	}
	if most > 300 {
		t.Errorf("up to %d runs before the last screens", most)
	}
}
