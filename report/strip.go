package report

import (
	"fmt"
	"math"
	"strings"
)

// A strip draws numbers on an axis that begins at 0.
type strip struct{ most float64 }

// A stripPoint is the number of one run.
type stripPoint struct {
	x    float64
	text string
}

// numbers are in ascending order.
type numbers []stripPoint

// A stripDot stands for runs whose numbers are next to each other. Its area grows with how many they are.
type stripDot struct {
	X, R  string
	Title string
}

const (
	stripBins = 64 // dots of one outcome, at most
	textBins  = 24 // characters of a strip as text
	margin    = 2.5
)

// at returns the place of a number on the axis, from 0 to 1.
func (s *strip) at(x float64) float64 { return min(max(x/s.most, 0), 1) }

// percentAt is at as the x of something drawn.
func (s *strip) percentAt(x float64) string {
	return fmt.Sprintf("%.1f%%", margin+(100-2*margin)*s.at(x))
}

// bin returns in which of n equal parts of the axis a number lies.
func (s *strip) bin(x float64, n int) int { return min(int(s.at(x)*float64(n)), n-1) }

// bins puts numbers together that are next to each other on the axis.
func (s *strip) bins(list numbers, n int) []numbers {
	out := make([]numbers, n)
	for _, x := range list {
		out[s.bin(x.x, n)] = append(out[s.bin(x.x, n)], x)
	}
	return out
}

// dots draws the numbers of one outcome.
func (s *strip) dots(list numbers) []stripDot {
	var out []stripDot
	for _, bin := range s.bins(list, stripBins) {
		if len(bin) == 0 {
			continue
		}
		first, last, runs := bin[0], bin[len(bin)-1], len(bin)
		d := stripDot{X: s.percentAt((first.x + last.x) / 2),
			R: fmt.Sprintf("%.1f", min(2.5+1.2*math.Sqrt(float64(runs)), 9))}
		d.Title = fmt.Sprintf("%s in %s", first.text, plural(runs, "run"))
		if len(bin) > 1 {
			d.Title = fmt.Sprintf("%s to %s in %s", first.text, last.text, plural(runs, "run"))
		}
		out = append(out, d)
	}
	return out
}

// text draws the dots as text: • where there are values.
func (s *strip) text(list numbers) string {
	var b strings.Builder
	for _, bin := range s.bins(list, textBins) {
		if len(bin) > 0 {
			b.WriteRune('•')
		} else {
			b.WriteRune('·')
		}
	}
	return b.String()
}
