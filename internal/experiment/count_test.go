package experiment

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// scripted has runs turn out as the letters say, one after the other, and the last one again and again: F fails so,
// P passes, O fails in another way, M ends before anybody is held, N does not come to the test. made counts the runs.
func scripted(letters string) (e *Experimenter, made *int) {
	made = new(int)
	e = &Experimenter{Run: func(context.Context, Trial, bool, time.Duration) (Outcome, error) {
		c := letters[min(*made, len(letters)-1)]
		*made++
		o := Outcome{Ran: c != 'N', Failed: c == 'F' || c == 'O'}
		if c != 'M' {
			o.Acts = []Act{{Act: trace.Act{Kind: trace.ActStall, Applied: true}}}
		}
		if o.Failed {
			o.Signature = failure(string(c))
		}
		return o, nil
	}}
	e.begin()
	return e, made
}

var somebodyHeld = do(freedom.Stall(freedom.Position{}, 1, false))

// Three runs in a row are wanted. Five may fail in another way, ten not come to the test, and three more for each run
// that counts.
func TestAlways(t *testing.T) {
	for _, c := range []struct {
		runs     string
		fail     bool
		is, acts bool
		made     int
	}{
		{"FFF", true, true, true, 3},
		{"FOFOOF", true, true, true, 6},
		{"FOP", true, false, true, 3},
		{"POOPP", false, true, true, 5},
		{"POF", false, false, true, 3},
		{"O", true, false, false, 6},
		{"O", false, false, false, 6},
		{"PO", false, false, true, 10}, // 9 > 5 + 3
		{"FFO", true, false, true, 14}, // 12 > 5 + 6
		{"M", false, false, false, 3},
		{"OMOMOM", false, false, false, 6},
		{"NFNFF", true, true, true, 5},
		{"NPN", false, false, true, 15}, // 14 > 10 + 3
		{"N", false, false, false, 11},
		{"ONM", false, false, false, 5},
	} {
		sig := failure("F")
		e, made := scripted(c.runs)
		is, acts, err := e.always(t.Context(), somebodyHeld, &sig, c.fail, 3)
		if err != nil || is != c.is || acts != c.acts || *made != c.made {
			t.Errorf("%s, to fail %v: %v, %v after %d runs, %v; want %v, %v after %d", c.runs, c.fail, is, acts, *made, err, c.is, c.acts, c.made)
		}
	}
}

// Four runs are to count: four are made, and then as many as are missing.
func TestCount(t *testing.T) {
	for _, c := range []struct {
		runs string
		want proof.Count
	}{
		{"FPFP", proof.Count{Failed: 2, Of: 4}},
		{"FPOFOP", proof.Count{Failed: 2, Of: 4, Other: 2}},
		{"O", proof.Count{Other: 8}},
		{"FO", proof.Count{Failed: 1, Of: 1, Other: 9}}, // 3, 6, 9 > 5 + 3
		{"M", proof.Count{Missed: 8}},
		{"FM", proof.Count{Failed: 1, Of: 1, Missed: 7}},
		{"FNPNFP", proof.Count{Failed: 2, Of: 4, None: 2}},
		{"N", proof.Count{None: 12}}, // four at a time
	} {
		sig := failure("F")
		e, made := scripted(c.runs)
		got, err := e.count(t.Context(), somebodyHeld, &sig, 4)
		if err != nil || got != c.want || *made != got.Of+got.Other+got.Missed+got.None {
			t.Errorf("%s: %+v of %d runs, %v; want %+v", c.runs, got, *made, err, c.want)
		}
	}
}

// siblings are searches for why a test fails that has two failing subtests.
func siblings(t *testing.T, rule func(r *simRun) string) (order, dice *Finding) {
	t.Helper()
	s := &sim{streams: twoGoroutines(), draws: append(drawsAt(trace.ActMap, 3), drawsAt(trace.ActRand, 5)...), rule: rule}
	e := s.experimenter()
	e.Natural = append(e.Natural, failure("/dice"), failure("/order"))
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range r.Findings {
		if f.Sig.Test == "TestX/dice" {
			dice = f
		} else {
			order = f
		}
	}
	if order == nil || order.Verdict != proof.Proved || order.Confirmed.With.Of < proof.ConfirmRuns {
		t.Fatalf("the order is not proved: %+v", order)
	}
	return order, dice
}

// One subtest fails by a random number, before its sibling fails by the order of a map: each is proved, by its own draw alone.
func TestSiblingDraws(t *testing.T) {
	order, dice := siblings(t, func(r *simRun) string {
		switch {
		case r.drawn(trace.ActRand, 5, 4) == 0:
			return "/dice"
		case r.drawn(trace.ActMap, 3, 2) == 0:
			return "/order"
		}
		return ""
	})
	if !slices.Equal(order.blocks, []int{3}) || order.Kind() != "map" {
		t.Errorf("%s at %v decides, want map at 3; %+v", order.Kind(), order.blocks, order.Confirmed)
	}
	if dice == nil || dice.Verdict != proof.Proved || !slices.Equal(dice.blocks, []int{5}) {
		t.Errorf("dice: %+v, want proved at 5; %v %+v %+v", dice.blocks, dice.Verdict, dice.Confirmed.Sham, dice.Confirmed.Cure)
	}
}

// half is true of half of all runs, with any acts.
func half(r *simRun) bool { return hash(uint64(r.turn), trace.ActRand, 0)%2 == 0 }

// Its sibling fails in half of the runs, with any acts: that keeps nothing from being found, or proved.
func TestSiblingByItself(t *testing.T) {
	order, dice := siblings(t, func(r *simRun) string {
		if half(r) {
			return "/dice"
		}
		return failsIf(r.drawn(trace.ActMap, 3, 2) == 0, "/order")
	})
	if !slices.Equal(order.blocks, []int{3}) || dice != nil && dice.Verdict == proof.Proved {
		t.Errorf("%s at %v decides, want map at 3; dice %+v", order.Kind(), order.blocks, dice)
	}
	order, dice = siblings(t, func(r *simRun) string {
		if half(r) {
			return "/dice"
		}
		return failsIf(r.held(2, 4, 9) >= 3*time.Millisecond, "/order")
	})
	if w := order.window; w == nil || w.First.Event != 4 || w.Last.Event != 9 || order.Smallest > 3750*time.Microsecond || dice != nil && dice.Verdict == proof.Proved {
		t.Errorf("window %+v, dose %v; want events 4 to 9, 3 ms; dice %+v", order.window, order.Smallest, dice)
	}
	if c := order.Confirmed; c.With.Other == 0 || c.With.Failed != c.With.Of || c.Plain.Failed > 0 || c.Sham == (proof.Count{}) || c.Sham.Failed > 0 {
		t.Errorf("%+v", c)
	}
}

// What makes the test fail in another way is no cure: it passes if goroutine 1 is held before its event 4, and crashes if
// it is held earlier.
func TestCrashIsNoCure(t *testing.T) {
	s := &sim{streams: twoGoroutines(), rule: func(r *simRun) string {
		switch {
		case r.held(1, 0, 2) >= time.Millisecond:
			return "crash"
		case r.held(1, 4, 4) >= time.Millisecond:
			return ""
		}
		return failsIf(r.held(2, 4, 9) >= time.Millisecond || half(r), "order")
	}}
	e := s.experimenter()
	e.Natural = append(e.Natural, failure("order"))
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f := one(t, r); f.Verdict != proof.Proved || len(f.cures) != 2 || f.cures[1].G.ID != 1 || f.cures[1].Event != 4 {
		t.Errorf("%v, too early at %+v, %+v; want proved, by goroutine 1 before its event 4", f.Verdict, f.cures, f.Confirmed)
	}
}

// A seed whose run fails in another way does not say whether choices decide. Such seeds are looked for.
func TestSeedsFailOtherwise(t *testing.T) {
	s := &sim{streams: twoGoroutines(), draws: drawsAt(trace.ActMap, 3), rule: func(r *simRun) string {
		for _, p := range r.trial.Plan.Of(freedom.Step.Chooses) {
			if p.Seed <= 2 && p.At.Block == 0 {
				return "/dice"
			}
		}
		return failsIf(r.drawn(trace.ActMap, 3, 2) == 0, "/order")
	}}
	e := s.experimenter()
	e.Natural = append(e.Natural, failure("/order"), failure("/dice"))
	for seed := range uint64(2) {
		e.Recorded = append(e.Recorded, Recorded{Seed: seed + 1, Failed: true, Signature: failure("/order")})
	}
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f := r.Findings[0]; f.Verdict != proof.Proved || f.Sig.Test != "TestX/order" || !slices.Equal(f.blocks, []int{3}) {
		t.Errorf("%v at %v, want proved at 3", f.Verdict, f.blocks)
	}
}
