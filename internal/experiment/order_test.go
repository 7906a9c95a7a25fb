package experiment

import (
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// lateWrite is a test, of blocks 1 to 8, that reads at block 5 what goroutine 2, of
// blocks 11 to 18, writes at its block 15: in four of ten runs too late, unless that is
// forced one way or the other.
func lateWrite() *sim {
	s := &sim{streams: [][]trace.Event{stream(1, 8), stream(11, 8)}}
	s.rule = func(r *simRun) string {
		late := r.rnd.IntN(10) < 4
		switch {
		case r.ordered(2, 11, 15, 6): // the write waits for the block after the read
			late = true
		case r.ordered(1, 1, 5, 16): // the read waits for the block after the write
			late = false
		}
		if late {
			return "late"
		}
		return ""
	}
	return s
}

func visitOf(g int, block uint32) Site {
	return freedom.SiteAt(trace.GoroutineID(g), uint64(100+g), "TestX", block, 1)
}

func pairOfLateWrite() *freedom.Pair {
	return &freedom.Pair{Moved: visitOf(2, 15), Seen: visitOf(1, 5), Late: true, Failing: visitOf(1, 7), Passing: visitOf(1, 6)}
}

func findPair(t *testing.T, s *sim, p *freedom.Pair) *Result {
	t.Helper()
	return findWith(t, s, []freedom.Hint{{Span: trace.Span{File: "m.go", Start: 15, End: 15}, Pair: p}}, failedIn("late", 40, 100))
}

// The order in which runs failed always fails, the other one never does.
func TestPair(t *testing.T) {
	f := one(t, findPair(t, lateWrite(), pairOfLateWrite()))
	if f.Verdict != proof.Proved || f.Kind() != "order" || f.Smallest != 0 || f.ordered == nil {
		t.Fatalf("%v, %s, %v; want proved, order, no dose", f.Verdict, f.Kind(), f.Smallest)
	}
	if o := f.ordered; o.First.Block != 5 || o.Then.Block != 15 {
		t.Errorf("%d before %d, want 5 before 15", o.First.Block, o.Then.Block)
	}
	c := f.Confirmed
	if c.With != (proof.Count{Failed: 20, Of: 20}) || c.Cure == (proof.Count{}) || c.Cure != (proof.Count{Of: 20}) || c.Sham == (proof.Count{}) {
		t.Errorf("confirmation %+v", c)
	}
	// plain, orders: once and as often as need be, then ten for the other order, the sham
	if f.Runs > 5+1+16+10+15+80 {
		t.Errorf("%d runs", f.Runs)
	}
}

// Runs that pass though they have the order that is forced show that it does not decide: here in all the
// first goroutine has ended before the second begins. Only an order that they do not contradict is proved. The other way about, or where the two overlap, nothing does.
func TestPairPassedSo(t *testing.T) {
	for _, tt := range []struct {
		first, second int64 // when the two begin; each takes 100
		want          proof.Verdict
	}{{1, 200, proof.Reproduced}, {200, 1, proof.Proved}, {1, 50, proof.Proved}} {
		s := lateWrite()
		s.times = func(t *trace.Trace) {
			for i, start := range []int64{tt.first, tt.second} {
				t.Goroutines[i].Start, t.Goroutines[i].End = start, start+100
			}
		}
		f := one(t, findPair(t, s, pairOfLateWrite()))
		proved := f.Verdict == proof.Proved
		if f.ordered == nil || proved && f.Unforced.PassedSo > 0 || !proved && tt.want == proof.Proved {
			t.Errorf("%+v: %v, %+v", tt, f.Verdict, f.Unforced)
		}
	}
}

// The event that decides comes after the one that the comparison names, up to two blocks: to wait for
// the next one does not help, and to wait for the end of that goroutine does.
func TestPairDecidedLater(t *testing.T) {
	for _, decides := range []uint32{16, 17, 18} {
		s := lateWrite()
		s.rule = func(r *simRun) string {
			late := r.rnd.IntN(10) < 4
			switch {
			case r.ordered(2, 11, decides, 6): // the write waits for the block after the read
				late = true
			case r.ordered(1, 1, 5, decides+1): // the read waits for the block after the write
				late = false
			}
			if late {
				return "late"
			}
			return ""
		}
		p := pairOfLateWrite()
		p.Moved = visitOf(2, 13)
		f := one(t, findPair(t, s, p))
		if f.Verdict != proof.Proved || f.ordered == nil || f.ordered.First.Block != 5 || decides > 16 && f.cure.Plan.Acts[0].Until.Block != freedom.End {
			t.Errorf("%d: %v, %+v; want proved, 5 before the other one has ended", decides, f.Verdict, f.ordered)
		}
	}
}

// The goroutine that was early: the event by which runs part had happened already.
func TestPairEarly(t *testing.T) {
	s := lateWrite()
	s.rule = func(r *simRun) string {
		early := r.rnd.IntN(10) < 4
		switch {
		case r.ordered(1, 1, 5, 16):
			early = true
		case r.ordered(2, 11, 15, 6):
			early = false
		}
		if early {
			return "late"
		}
		return ""
	}
	p := pairOfLateWrite()
	p.Late = false
	f := one(t, findPair(t, s, p))
	if f.Verdict != proof.Proved || f.ordered == nil || f.ordered.First.Block != 15 || f.ordered.Then.Block != 5 {
		t.Errorf("%v, %+v; want proved, 15 before 5", f.Verdict, f.ordered)
	}
}

// The write is in a critical section that the read needs: it waits before that.
func TestPairInLock(t *testing.T) {
	s := lateWrite()
	s.meets = func(_ *simRun, o freedom.Step) bool { return o.At.Block < 13 || o.At.Block > 15 }
	f := one(t, findPair(t, s, pairOfLateWrite()))
	if f.Verdict != proof.Proved || f.ordered == nil || f.ordered.Then.Block != 12 {
		t.Errorf("%v, %+v; want proved, the write held at 12", f.Verdict, f.ordered)
	}
}

// The event that decides can't be held where it is: for the other order it is held before that, and
// the same event is said to decide for both.
func TestPairOtherBefore(t *testing.T) {
	s := lateWrite()
	s.meets = func(_ *simRun, o freedom.Step) bool { return o.At.G.ID != 1 || o.At.Block != 5 }
	f := one(t, findPair(t, s, pairOfLateWrite()))
	if f.Verdict != proof.Proved || f.cure == nil || f.cure.Plan.Acts[0].At.Block != 4 || f.ordered.First.Block != 5 {
		t.Errorf("%v, %+v, other order %+v; want proved, 5 first, held at 4 in the other order", f.Verdict, f.ordered, f.cure)
	}
}

// Where the other order can be met only in runs that pass anyway, it proves nothing.
func TestPairUnmet(t *testing.T) {
	s := lateWrite()
	rule := s.rule
	s.rule = func(r *simRun) string {
		if r.ordered(1, 1, 8, 16) {
			return map[bool]string{true: "late"}[r.rnd.IntN(10) < 4]
		}
		return rule(r)
	}
	failed := make(map[*simRun]bool)
	s.meets = func(r *simRun, o freedom.Step) bool {
		if o.At.G.ID != 1 {
			return true
		}
		failed[r] = r.rnd.IntN(10) < 4
		return !failed[r]
	}
	for _, f := range findPair(t, s, pairOfLateWrite()).Findings {
		if f.Kind() == "order" && f.Confirmed.Cure != (proof.Count{}) {
			t.Errorf("%v with %+v", f.Verdict, f.Confirmed)
		}
	}
}

// What is forced does not matter: the test fails as often as ever.
func TestPairUnrelated(t *testing.T) {
	s := lateWrite()
	s.rule = func(r *simRun) string { return map[bool]string{true: "late"}[r.rnd.IntN(10) < 4] }
	for _, f := range findPair(t, s, pairOfLateWrite()).Findings {
		t.Errorf("%v: %s with %+v", f.Verdict, f.Kind(), f.Confirmed)
	}
}

// The other goroutine goes round a loop, and the test fails if it looks in the middle of
// the second round or of a later one. Nobody knows more than where the test looks.
func TestMeeting(t *testing.T) {
	round := []trace.Event{11, 12, 13, 14}
	s := &sim{streams: [][]trace.Event{stream(1, 8), append(append(append([]trace.Event{}, round...), round...), round...)}}
	s.meets = func(_ *simRun, o freedom.Step) bool { return o.Until.G.ID != 2 || o.Until.Hit > 1 }
	s.rule = func(r *simRun) string {
		for _, o := range r.trial.Plan.Of(freedom.Step.Orders) {
			if o.At.G.ID == 2 && o.At.Hit > 1 {
				return map[bool]string{true: "late"}[o.At.Block == 13]
			}
		}
		return map[bool]string{true: "late"}[r.rnd.IntN(10) < 3]
	}
	m := &freedom.Meeting{Seen: visitOf(1, 4), Failing: visitOf(1, 7), Passing: visitOf(1, 6)}
	f := one(t, findWith(t, s, []freedom.Hint{{Span: trace.Span{File: "m.go", Start: 4, End: 4}, Meeting: m}}, failedIn("late", 30, 100)))
	if f.Verdict != proof.Proved || f.ordered == nil || f.ordered.First.Block != 4 || f.ordered.Then.Block != 13 || f.ordered.Then.Hit != 2 {
		t.Fatalf("%v, %+v; want proved, 4 before the second 13", f.Verdict, f.ordered)
	}
	if c := f.cure; c == nil || len(c.Plan.Acts) != 2 || c.Plan.Acts[0].At.Block != 14 {
		t.Errorf("cure %+v, want the meeting at 14", c)
	}
}

// The test looks after it has waited, and goes on to where runs part: that is too late for a meeting.
func TestMeetingAfterWait(t *testing.T) {
	s := &sim{streams: [][]trace.Event{stream(1, 8), {11, 12, 13, 11, 12, 13, 11, 12, 13}}}
	s.times = func(t *trace.Trace) {
		t.Goroutines[0].Stamps = []trace.Stamp{{Pos: 2}, {Pos: 2, GoesOn: true}, {Pos: 6}, {Pos: 6, GoesOn: true}}
	}
	s.rule = func(r *simRun) string {
		orders := r.trial.Plan.Of(freedom.Step.Orders)
		looks := slices.ContainsFunc(orders, func(o freedom.Step) bool { return o.At.G.ID == 1 && o.At.Block == 3 })
		for _, o := range orders {
			if looks && o.At.G.ID == 2 {
				return map[bool]string{true: "late"}[o.At.Block == 12]
			}
		}
		return map[bool]string{true: "late"}[r.rnd.IntN(10) < 3]
	}
	m := &freedom.Meeting{Seen: visitOf(1, 5), Failing: visitOf(1, 8), Passing: visitOf(1, 6)}
	f := one(t, findWith(t, s, []freedom.Hint{{Span: trace.Span{File: "m.go", Start: 5, End: 5}, Meeting: m}}, failedIn("late", 30, 100)))
	if f.Verdict != proof.Proved || f.ordered == nil || f.ordered.First.Block != 3 || f.ordered.Then.Block != 12 {
		t.Errorf("%v, %+v; want proved, 3 before 12", f.Verdict, f.ordered)
	}
}

// The visit that a hint names is held before the first.
func TestHintVisit(t *testing.T) {
	s := &sim{streams: [][]trace.Event{stream(1, 6), {21, 22, 23, 21, 22, 23, 21, 22, 23, 21, 22, 23, 21, 22, 23}}}
	s.rule = func(r *simRun) string {
		if r.held(2, 10, 10) >= time.Millisecond {
			return "fourth"
		}
		return ""
	}
	with := at(22)
	with.Class, with.Hit = 102, 4
	f := one(t, findWith(t, s, []freedom.Hint{with}, nil))
	if f.Verdict != proof.Proved || f.Found > 5+3 {
		t.Errorf("%v, found after %d runs, want 8", f.Verdict, f.Found)
	}
	if f := one(t, findWith(t, s, []freedom.Hint{at(22)}, nil)); f.Found < 15 {
		t.Errorf("without the visit found after %d runs: nothing is shown", f.Found)
	}
}
