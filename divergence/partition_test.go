package divergence

import (
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// TestSight has six failing runs go on with event 3, as no passing run does. Of seven passing runs two go on with 4, four
// with 5 and one with 6: what the failing ones are shown beside is 5, where most of them went.
func TestSight(t *testing.T) {
	var runs []Run
	var children []child
	for _, way := range []struct {
		next       trace.Event
		fail, pass int
	}{{3, 6, 0}, {4, 0, 2}, {5, 0, 4}, {6, 0, 1}} {
		k := child{next: way.next, fail: way.fail, pass: way.pass}
		for i := range way.fail + way.pass {
			k.ms = append(k.ms, &member{run: len(runs), failed: i < way.fail})
			runs = append(runs, Run{Failed: i < way.fail})
		}
		children = append(children, k)
	}
	c := newCohort(runs)
	w := &walker{lane: &lane{}, evidenceTable: newEvidenceTable(&c)}
	w.sight(children, 0, 2)
	st := w.evidenceTable.edge(edge{last: 2, next: 3})
	if len(st.candidates) != 1 {
		t.Fatalf("%d candidates, want 1", len(st.candidates))
	}
	got := st.candidates[0]
	if got.passNext != 5 || len(got.fails) != 6 || len(got.passes) != 4 || len(got.others) != 3 {
		t.Errorf("passing runs go on with %d: %d of %d; %d fail; want 5: 4 of 7; 6 fail", got.passNext, len(got.passes),
			len(got.passes)+len(got.others), len(got.fails))
	}
}
