package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/fdebug/fdebug/divergence"
)

// A curveView is the plot of P(fail | prefix), and the same as a table.
type curveView struct {
	Sentence prose
	Path     string // of the SVG, in a box of curveWidth by curveHeight
	Dots     []dot
	Rows     []curveRow
	MaxX     string
	Cut      string
}

type dot struct {
	X, Y  string
	Title string
}

type curveRow struct {
	Prefix           string
	Place            prose
	Failing, Passing int
	P                string
}

const (
	curveWidth  = 600
	curveHeight = 120
	maxCurve    = 200
)

// curve returns the plot for a failure, nil if there is nothing to plot.
func (v *viewer) curve(f *Failure) *curveView {
	if f.Analysis == nil || len(f.Analysis.Curve) < 2 {
		return nil
	}
	points, cut := thin(f.Analysis.Curve)
	w := &curveView{MaxX: thousands(points[len(points)-1].Prefix), Cut: cut}
	scale := curveScale(points)
	var path strings.Builder
	for i, p := range points {
		x, y := scale(p.Prefix), curveHeight*(1-p.probability())
		if i == 0 {
			fmt.Fprintf(&path, "M0 %.1fH%.1f", y, x)
		} else {
			fmt.Fprintf(&path, "H%.1fV%.1f", x, y)
		}
		row := curveRow{Prefix: thousands(p.Prefix), Failing: p.Failing, Passing: p.Passing, P: percent(p.probability())}
		if at, ok := v.src.block(p.Block); ok {
			row.Place = v.placeEnd(nil, at)
		}
		w.Rows = append(w.Rows, row)
		w.Dots = append(w.Dots, dot{fmt.Sprintf("%.1f", x), fmt.Sprintf("%.1f", y),
			fmt.Sprintf("step %s %s: %s failed", row.Prefix, row.Place.Plain(), row.P)})
	}
	w.Path = path.String()
	w.Sentence = v.jump(points, len(f.Analysis.Chain) > 1)
	return w
}

type point struct{ divergence.CurvePoint }

func (p point) probability() float64 {
	if p.Failing+p.Passing == 0 {
		return 0
	}
	return float64(p.Failing) / float64(p.Failing+p.Passing)
}

// thin drops points where nothing changes, and then, of too many, the smallest
// jumps.
func thin(curve []divergence.CurvePoint) (points []point, cut string) {
	for i, c := range curve {
		p := point{c}
		if 0 < i && i < len(curve)-1 && alike(c, curve[i-1]) && alike(c, curve[i+1]) {
			continue
		}
		points = append(points, p)
	}
	all := len(points)
	for limit := 0.0; len(points) > maxCurve; limit += 0.02 {
		kept := points[:1]
		for i, p := range points[1:] {
			if i == len(points)-2 || math.Abs(p.probability()-kept[len(kept)-1].probability()) > limit {
				kept = append(kept, p)
			}
		}
		points = kept
	}
	if len(points) < all {
		cut = fmt.Sprintf("%d of %d points are shown.", len(points), all)
	}
	return points, cut
}

func alike(a, b divergence.CurvePoint) bool { return a.Failing == b.Failing && a.Passing == b.Passing }

// curveScale returns the x of a prefix. The axis is linear unless all that
// happens is in its first tenth or last hundredth.
func curveScale(points []point) func(int64) float64 {
	last := float64(max(1, points[len(points)-1].Prefix))
	second := float64(points[min(1, len(points)-1)].Prefix)
	if second < last/50 {
		return func(n int64) float64 { return curveWidth * math.Log1p(float64(n)) / math.Log1p(last) }
	}
	return func(n int64) float64 { return curveWidth * float64(n) / last }
}

// jump says where the failure was decided. If there are several divergences, the
// curve is that of the first one's goroutine.
func (v *viewer) jump(points []point, several bool) prose {
	along, of := "Along this goroutine", "Of"
	if several {
		along = "Along the goroutine of divergence 1"
		of = along + ", of"
	}
	best := 1
	for i := 1; i < len(points); i++ {
		d := points[i].probability() - points[i-1].probability()
		if d > points[best].probability()-points[best-1].probability() {
			best = i
		}
	}
	a, b := points[best-1], points[best]
	if first, last := points[0].probability(), points[len(points)-1].probability(); math.Abs(last-first) < 0.1 {
		return say(along + " nothing changes the risk of failure: it is decided later, or elsewhere.")
	}
	if b.probability()-a.probability() < 0.1 {
		return say(along + " the risk of failure grows little by little: no single step decides it.")
	}
	p := say(fmt.Sprintf("%s the %s that share step %s with the failing run, %s failed; ", of, plural(a.Failing+a.Passing, "run"), thousands(a.Prefix), percent(a.probability())))
	p = p.text(fmt.Sprintf("of the %d that also share step %s", b.Failing+b.Passing, thousands(b.Prefix)))
	if at, ok := v.src.block(b.Block); ok {
		p = v.placeEnd(p.text(" ("), at).text(")")
	}
	p = p.text(", ").bold(percent(b.probability()))
	if b.probability() < 0.5 {
		return p.text(". There the risk grows most, but it is decided later, or elsewhere.")
	}
	return p.text(". That is where the failure was decided.")
}
