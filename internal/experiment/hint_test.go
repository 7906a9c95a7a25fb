package experiment

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// lateAt50 fails if goroutine 2, of blocks 21 to 80, is held at its event 50 or 51,
// which are lines 71 and 72.
func lateAt50() *sim {
	return &sim{streams: [][]trace.Event{stream(1, 6), stream(21, 60)}, rule: func(r *simRun) string {
		if r.held(2, 50, 51) >= time.Millisecond {
			return "late"
		}
		return ""
	}}
}

func at(line int) freedom.Hint {
	return freedom.Hint{Span: trace.Span{File: "m.go", Start: line, End: line}}
}

func findWith(t *testing.T, s *sim, hints []freedom.Hint, recorded []Recorded) *Result {
	t.Helper()
	e := s.experimenter()
	e.Hints, e.Recorded = hints, recorded
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The place of a hint is held first, and a failure by that is confirmed as any is.
func TestHintFirst(t *testing.T) {
	without := one(t, lateAt50().find(t))
	for name, hints := range map[string][]freedom.Hint{
		"at it":     {at(71)},
		"before it": {at(70)}, // the position after it is tried too
		"second":    {at(3), at(72)},
	} {
		f := one(t, findWith(t, lateAt50(), hints, nil))
		// Five plain runs and, for three hints at most, their own places and the next ones.
		if f.Found > 5+4 {
			t.Errorf("%s: found after %d runs", name, f.Found)
		}
		if f.Verdict != proof.Proved || f.Confirmed.With != (proof.Count{Failed: 20, Of: 20}) || f.Confirmed.Plain != (proof.Count{Of: 20}) || f.Confirmed.Sham == (proof.Count{}) {
			t.Errorf("%s: %v, %+v", name, f.Verdict, f.Confirmed)
		}
		if f.window == nil || f.window.First.Event != 50 || f.window.Last.Event != 51 {
			t.Errorf("%s: window %+v, want events 50 and 51", name, f.window)
		}
	}
	if without.Found < 5+4+5 {
		t.Errorf("without hints found after %d runs: nothing is shown", without.Found)
	}
}

// Hints that are wrong change nothing but the order of trials.
func TestHintWrong(t *testing.T) {
	wrong := []freedom.Hint{at(2), at(22), {Span: trace.Span{File: "other.go", Start: 71, End: 71}}, {Span: trace.Span{File: "m.go", Start: 900, End: 901}, Draw: true}, {Tests: []string{"TestY"}}}
	f := one(t, findWith(t, lateAt50(), wrong, nil))
	if f.Verdict != proof.Proved || f.window == nil || f.window.First.Event != 50 {
		t.Errorf("%v, window %+v", f.Verdict, f.window)
	}
	sound := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActSelect, 3), rule: func(*simRun) string { return "" }}
	r := findWith(t, sound, []freedom.Hint{at(3), at(12), {Span: trace.Span{File: "m.go", Start: 3, End: 3}, Draw: true}}, nil)
	if len(r.Findings) != 0 || !r.Complete {
		t.Errorf("sound: %d findings, complete %v", len(r.Findings), r.Complete)
	}
}

// It fails by itself in 40 of 100 runs, also with a stall at the hint.
func TestHintUnrelated(t *testing.T) {
	s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
		if r.rnd.IntN(10) < 4 {
			return "now and then"
		}
		return ""
	}}
	for _, f := range findWith(t, s, []freedom.Hint{at(3), at(12), at(13)}, failedIn("now and then", 40, 100)).Findings {
		t.Errorf("%v: %s with %+v", f.Verdict, f.Kind(), f.Confirmed)
	}
}

// failedIn are recorded runs without seeds. Some of them failed.
func failedIn(message string, failed, of int) []Recorded {
	list := make([]Recorded, of)
	for i := range failed {
		list[i] = Recorded{Failed: true, Signature: runner.Signature{Test: "TestX", Message: message}}
	}
	return list
}

// recordedSeeds are recorded runs with the seeds from 1 on.
func recordedSeeds(n int, message string, fails func(seed uint64) bool) []Recorded {
	var list []Recorded
	for seed := range uint64(n) {
		r := Recorded{Seed: seed + 1}
		if fails(r.Seed) {
			r.Failed, r.Signature = true, runner.Signature{Test: "TestX", Message: message}
		}
		list = append(list, r)
	}
	return list
}

// One map order of four decides, one time in ten. The first recorded run that failed,
// made again, leads to it; of the blocks the one that a hint names is tried by itself.
func TestRecordedSeed(t *testing.T) {
	draws := append(drawsAt(trace.ActMap, 3, 4, 12, 15), drawsAt(trace.ActSelect, 5)...)
	rule := func(r *simRun) string {
		if r.drawn(trace.ActMap, 12, 10) == 0 {
			return "order"
		}
		return ""
	}
	recorded := recordedSeeds(60, "order", func(seed uint64) bool { return hash(seed, trace.ActMap, 12)%10 == 0 })
	s := &sim{streams: twoGoroutines(), draws: draws, rule: rule}
	f := one(t, findWith(t, s, nil, recorded))
	if f.Verdict != proof.Proved || f.Kind() != "map" || !slices.Equal(f.blocks, []int{12}) || f.Found > 5+3 {
		t.Errorf("%v, %s at %v, found after %d runs; want proved, map at 12, after 8", f.Verdict, f.Kind(), f.blocks, f.Found)
	}
	s2 := &sim{streams: twoGoroutines(), draws: draws, rule: rule}
	g := one(t, findWith(t, s2, []freedom.Hint{{Span: trace.Span{File: "m.go", Start: 12, End: 12}, Draw: true}}, recorded))
	if g.Verdict != proof.Proved || !slices.Equal(g.blocks, []int{12}) || g.Runs >= f.Runs {
		t.Errorf("with a hint: %v at %v after %d runs; without %d", g.Verdict, g.blocks, g.Runs, f.Runs)
	}
}

// The choices of failing runs, made again, let it pass: no more seeds are tried before
// goroutines are held.
func TestRecordedTiming(t *testing.T) {
	s := lateAt50()
	s.draws = drawsAt(trace.ActMap, 3)
	var kinds []string
	e := s.experimenter()
	e.Run = func(ctx context.Context, tr Trial, keep bool, limit time.Duration) (Outcome, error) {
		kinds = append(kinds, tr.Kind())
		return s.run(ctx, tr, keep, limit)
	}
	e.Recorded = recordedSeeds(20, "late", func(seed uint64) bool { return seed%5 == 0 })
	e.Hints = []freedom.Hint{at(71)}
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f := one(t, r); f.Verdict != proof.Proved {
		t.Errorf("%v", f.Verdict)
	}
	if i := slices.Index(kinds, "stall"); i > plainRuns+4 { // the seeds, and the survey
		t.Errorf("runs began with %q", kinds[:i])
	}
}

// The smallest set of tests before is looked for among those that a hint names.
func TestHintTests(t *testing.T) {
	s := &sim{streams: twoGoroutines()}
	s.rule = func(r *simRun) string {
		if r.trial.Suite || slices.Contains(r.trial.Before, "TestB") {
			return "spoiled"
		}
		return ""
	}
	e := s.experimenter()
	e.Tests = []string{"TestA", "TestB", "TestC", "TestD", "TestX"}
	e.Hints = []freedom.Hint{{Tests: []string{"TestB"}}}
	e.Recorded = failedIn("spoiled", 5, 10)
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := one(t, r)
	if f.Verdict != proof.Proved || f.Kind() != "tests" || !slices.Equal(f.Trial.Before, []string{"TestB"}) {
		t.Errorf("%v, %s, %v", f.Verdict, f.Kind(), f.Trial.Before)
	}
	if f.Runs > 5+15+10+80 { // plain, and before it is kept; the set; four sides of the confirmation
		t.Errorf("%d runs", f.Runs)
	}
}

// Where runs were shuffled, and the test alone always fails, it is looked for what it
// needs, though nothing names it: TestB, which comes before it in the order of seed 7 only.
func TestShuffledNeeds(t *testing.T) {
	s := &sim{streams: twoGoroutines()}
	s.rule = func(r *simRun) string {
		if r.trial.Shuffle == 7 && (r.trial.Suite || slices.Contains(r.trial.Before, "TestB")) {
			return ""
		}
		return "unset"
	}
	e := s.experimenter()
	e.Tests = []string{"TestX", "TestA", "TestB", "TestC"}
	e.Recorded = failedIn("unset", 8, 10)
	for i := range e.Recorded {
		e.Recorded[i].Shuffle = int64(7 + (i+2)%10) // the first of the two that passed has 7
	}
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := one(t, r)
	if f.Verdict != proof.Proved || f.Kind() != "tests" || !slices.Equal(f.Needs, []string{"TestB"}) || f.cure.Shuffle != 7 {
		t.Errorf("%v, %s, needs %v, cure %+v", f.Verdict, f.Kind(), f.Needs, f.cure)
	}
	for i := range e.Recorded {
		e.Recorded[i].Shuffle = 0
	}
	s.runs = 0
	if r, err = e.Find(t.Context()); err != nil || len(r.Findings) > 0 {
		t.Errorf("in one order of tests all the time: %v, %v", r.Findings, err)
	}
}
