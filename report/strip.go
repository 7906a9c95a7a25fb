package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// A strip draws numbers of passing runs above those of failing ones, on one axis.
type strip struct {
	pass, fail numbers
	lo, hi     stripPoint
	limit      *finding.Limit
}

// A stripPoint is a value that is a number, and how many runs had it.
type stripPoint struct {
	x    float64
	text string
	runs int
}

// numbers are in ascending order.
type numbers []stripPoint

// A stripDot stands for the runs with one value, or with values next to each other
// if there are many. Its area grows with their number.
type stripDot struct {
	X, R  string
	Title string
}

// An axisView is what the strips of both outcomes share.
type axisView struct {
	Least, Most string
	Limit       string // x of the line between the outcomes, "" for none
	Between     string // what the line is between: "┊ 42–53", "" for none
}

const (
	stripBins = 64 // dots of one outcome, at most
	textBins  = 24 // characters of a strip as text
	fewWords  = 5  // numbers that are listed one by one in words
	margin    = 2.5
)

// newStrip returns the strip of values that are all numbers, and not all the same.
func newStrip(in valueInput) (*strip, bool) {
	pass, ok := numbersOf(in.passing)
	fail, too := numbersOf(in.failing)
	if !ok || !too {
		return nil, false
	}
	s := &strip{pass: pass, fail: fail, limit: in.limit}
	s.lo = slices.MinFunc([]stripPoint{pass[0], fail[0]}, byX)
	s.hi = slices.MaxFunc([]stripPoint{pass[len(pass)-1], fail[len(fail)-1]}, byX)
	if !(s.hi.x/2-s.lo.x/2 > 0) {
		return nil, false
	}
	if s.limit == nil {
		s.limit = between(pass, fail)
	}
	return s, true
}

func byX(a, b stripPoint) int { return cmp.Compare(a.x, b.x) }

// numbersOf returns values as numbers, false if one is none.
func numbersOf(list []finding.Seen) (numbers, bool) {
	var out numbers
	for _, s := range list {
		x, ok := divergence.Seen{Text: s.Text}.Number()
		if !ok {
			return nil, false
		}
		out = append(out, stripPoint{x, s.Text, len(s.Runs)})
	}
	slices.SortStableFunc(out, byX)
	return out, len(out) > 0
}

// between returns the limit between two outcomes, if one has all the
// greater values, nil if they overlap.
func between(a, b numbers) *finding.Limit {
	for range 2 {
		if last, first := a[len(a)-1].x, b[0].x; last < first {
			return &finding.Limit{Below: last, From: first}
		}
		a, b = b, a
	}
	return nil
}

// at returns the place of a number on the axis, from 0 to 1. Halves don't overflow.
func (s *strip) at(x float64) float64 {
	return min(max((x/2-s.lo.x/2)/(s.hi.x/2-s.lo.x/2), 0), 1)
}

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
		first, last, runs := bin[0], bin[len(bin)-1], bin.runs()
		d := stripDot{X: s.percentAt(first.x/2 + last.x/2),
			R: fmt.Sprintf("%.1f", min(2.5+1.2*math.Sqrt(float64(runs)), 9))}
		d.Title = fmt.Sprintf("%s in %s", first.text, plural(runs, "run"))
		if len(bin) > 1 {
			d.Title = fmt.Sprintf("%s to %s in %s", first.text, last.text, plural(runs, "run"))
		}
		out = append(out, d)
	}
	return out
}

func (list numbers) runs() (n int) {
	for _, x := range list {
		n += x.runs
	}
	return n
}

// axis labels the axis and says where the limit is.
func (s *strip) axis() *axisView {
	w := &axisView{Least: s.lo.text, Most: s.hi.text}
	if l := s.limit; l != nil {
		w.Limit = s.percentAt(l.Below/2 + l.From/2)
		w.Between = fmt.Sprintf("┊ %s–%s", s.textOf(l.Below), s.textOf(l.From))
	}
	return w
}

// textOf returns a number as the runs had it.
func (s *strip) textOf(x float64) string {
	for _, list := range []numbers{s.pass, s.fail} {
		if i := slices.IndexFunc(list, func(n stripPoint) bool { return n.x == x }); i >= 0 {
			return list[i].text
		}
	}
	return fmt.Sprint(x)
}

// text draws the dots as text: • where there are values, ┊ for the limit.
func (s *strip) text(list numbers) string {
	limit := -1
	if l := s.limit; l != nil {
		below, from := s.bin(l.Below, textBins), s.bin(l.From, textBins)
		limit = min(max((below+from+1)/2, below+1), from)
	}
	var b strings.Builder
	for i, bin := range s.bins(list, textBins) {
		if i == limit {
			b.WriteRune('┊')
		}
		if len(bin) > 0 {
			b.WriteRune('•')
		} else {
			b.WriteRune('·')
		}
	}
	return b.String()
}

// words says what the numbers are.
func (list numbers) words() string {
	if len(list) <= fewWords {
		var parts []string
		for _, x := range list {
			parts = append(parts, fmt.Sprintf("%s ×%d", x.text, x.runs))
		}
		return strings.Join(parts, ", ")
	}
	return fmt.Sprintf("%s–%s", list[0].text, list[len(list)-1].text)
}
