package report

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// The mark of a choice says what its bubble does: where no place in these lines is known to choose, it may be right after.
func TestMarkAfter(t *testing.T) {
	v := newViewer(newFixture(t).result())
	for after, want := range map[bool]string{false: "chosen at random here:", true: "chosen at random here or right after:"} {
		d := &finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("rand")}, Window: []finding.Span{{File: "queue/queue.go", Start: 37, End: 37, After: after}}}
		m := newMarker(v.src)
		v.markWindow(m, d)
		if _, _, words := m.at("queue/queue.go", 37).look(); words != want {
			t.Errorf("after %t: %q, want %q", after, words, want)
		}
	}
}

// A control is worth something to who can see what it was: where the same was done elsewhere is named, as far
// as it is one place.
func TestShamPlace(t *testing.T) {
	v := newViewer(newFixture(t).result())
	stall := finding.Verdict{Class: finding.Proved, Proof: proof.Proof{Plan: proof.Named("stall"), Confirmed: proof.Confirmation{With: finding.Count{Failed: 20, Of: 20}, Sham: finding.Count{Of: 20}}}}
	draw := stall
	draw.Proof.Plan = proof.Named("map")
	at := finding.Span{File: "queue/queue.go", Start: 37, End: 38}
	for _, tt := range []struct {
		d    finding.Verdict
		at   finding.Span
		want string
	}{
		{stall, at, "held elsewhere (queue/queue.go:37)"},
		{stall, finding.Span{}, "held elsewhere"},
		{draw, at, "chosen so elsewhere (queue/queue.go:37)"},
		{draw, finding.Span{File: at.File, Start: 37, End: 37, After: true}, "chosen so elsewhere (at or right after queue/queue.go:37)"},
	} {
		tt.d.ShamAt = tt.at
		if bars := v.bars(&tt.d); len(bars) != 2 || bars[1].Label != tt.want {
			t.Errorf("%s at %v: %v, want the second to be %q", tt.d.Kind(), tt.at, bars, tt.want)
		}
	}
}
