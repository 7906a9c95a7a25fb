package history

import "github.com/fdebug/fdebug/internal/tracker/score"

// A Part is the runs of a test in one part of the time of the history.
type Part struct{ Runs, Failed float64 }

// Rate is the share of runs that failed, of a part that has any.
func (p Part) Rate() float64 { return p.Failed / p.Runs }

// Trend divides the time of the history into so many equal parts, and returns what
// became of a test in each, and the highest rate of one.
func (t *Tally) Trend(points []score.Point, n int) (parts []Part, worst float64) {
	oldest := minuteOf(t.Oldest)
	span := float64(minuteOf(t.Newest) - oldest + 1)
	parts = make([]Part, n)
	for _, p := range points {
		part := &parts[min(n-1, max(0, int(float64(p.Minute-oldest)/span*float64(n))))]
		part.Runs += float64(p.Runs)
		part.Failed += float64(p.Failed)
	}
	for _, p := range parts {
		if p.Runs > 0 {
			worst = max(worst, p.Rate())
		}
	}
	return parts, worst
}
