package experiment

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/law"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// lateWrite is a test, of blocks 1 to 8, that reads at block 5 what goroutine 2, of blocks 11 to 18, writes at block: too
// late if it is held there, or before, unless the reader waits for it. In four of ten runs it is so by itself.
func lateWrite(block uint32) *sim {
	s := &sim{streams: [][]trace.Event{stream(1, 8), stream(11, 8)}}
	s.rule = func(r *simRun) string {
		late := r.rnd.IntN(10) < 4 && !r.ordered(1, 1, 5, block) // unless the reader waits for the writer
		late = late || r.ordered(2, 11, block, 6) || r.held(2, 0, int64(block)-11) >= 2*time.Millisecond
		return failsIf(late && !r.ordered(1, 1, 5, block+1), "late")
	}
	return s
}

// Of a hold that decides the law is found, with both its events; the other order never fails.
func TestLaw(t *testing.T) {
	for _, block := range []uint32{14, 15, 17} {
		f := one(t, findWith(t, lateWrite(block), nil, failedIn("late", 40, 100)))
		if f.Verdict != proof.Proved || f.Kind() != "order" || f.Smallest != 0 || f.Law.Kind != proof.LawOrder {
			t.Fatalf("%d: %v, %s, %v, law %+v; want proved, order, no dose", block, f.Verdict, f.Kind(), f.Smallest, f.Law)
		}
		if o := f.ordered; o.First.Block != 5 || o.Then.Block != int(block) {
			t.Errorf("%d before %d, want 5 before %d", o.First.Block, o.Then.Block, block)
		}
		all := proof.Count{Failed: 20, Of: 20}
		if c := f.Confirmed; c.With != all || c.Cure != (proof.Count{Of: 20}) || c.Sham.Of != 20 || c.Sham.Failed > 15 {
			t.Errorf("confirmation %+v", c)
		}
	}
}

// Where orders are not to be tried, the hold stays.
func TestLawLeftOut(t *testing.T) {
	s := lateWrite(15)
	e := s.experimenter()
	e.Recorded, e.Kinds = failedIn("late", 40, 100), []string{"stall"}
	r, err := e.Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if f := one(t, r); f.Kind() != "stall" || f.Law.Kind != "" || f.Smallest == 0 {
		t.Errorf("%s, law %+v, dose %v", f.Kind(), f.Law, f.Smallest)
	}
}

// No run is made in which more goroutines are to wait than can, as for each of ten thousand.
func TestTooManyWait(t *testing.T) {
	l := &lawRunner{e: &Experimenter{Run: func(context.Context, Trial, bool, time.Duration) (Outcome, error) {
		return Outcome{}, errors.New("a run is made")
	}}}
	trial := l.waiting(Trial{}, make([]law.Wait, freedom.MaxOrders+1))
	if h, err := l.failing(t.Context(), trial, 1); h != nil || err != nil {
		t.Errorf("%v, %v", h, err)
	}
}
