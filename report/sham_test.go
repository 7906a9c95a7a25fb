package report

import (
	"testing"

	"github.com/fdebug/fdebug/internal/finding"
)

// A control is worth something to who can see what it was: where the same was done elsewhere is named, as far
// as it is one place.
func TestShamPlace(t *testing.T) {
	v := newViewer(newFixture(t).result())
	stall := finding.Verdict{Class: finding.Proved, Kind: "stall", With: finding.Count{Failed: 20, Of: 20}, Sham: finding.Count{Of: 20}}
	draw := stall
	draw.Kind = "map"
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
			t.Errorf("%s at %v: %v, want the second to be %q", tt.d.Kind, tt.at, bars, tt.want)
		}
	}
}
