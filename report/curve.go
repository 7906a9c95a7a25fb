package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
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
func (v *viewer) curve(f *finding.Failure) *curveView {
	if f.Analysis == nil || len(f.Analysis.Curve) < 2 {
		return nil
	}
	points, cut := thin(f.Analysis.Curve)
	best := steepest(points)
	if best == 0 || v.isCheck(points[best].Block) {
		return nil // nothing separates them here, or the failed check does, by definition
	}
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
	w.Sentence = v.jump(points, best, len(f.Analysis.Chain) > 1)
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

// minJump is by how much more of the passing than of the failing runs must leave
// along a goroutine for it to be worth a picture.
const minJump = 0.1

// steepest returns the point at which passing runs leave most, against failing
// ones: 0 if hardly more of them leave anywhere. Shares of each outcome are
// compared, since where 96 % of all runs fail the share of failures can't rise.
func steepest(points []point) (best int) {
	most := 0.0
	for i := 1; i < len(points); i++ {
		if d := points[0].ahead(points[i]) - points[0].ahead(points[i-1]); d > most {
			best, most = i, d
		}
	}
	if points[0].ahead(points[len(points)-1]) < minJump {
		return 0
	}
	return best
}

// ahead is by how much the share of failing runs left at q exceeds that of passing runs.
func (p point) ahead(q point) float64 {
	left := func(now, then int) float64 { return float64(now) / float64(max(then, 1)) }
	return left(q.Failing, p.Failing) - left(q.Passing, p.Passing)
}

// isCheck reports whether a block is that of the failed check, or none at all.
func (v *viewer) isCheck(b int) bool {
	return b == 0 || v.byDefinition(&divergence.Divergence{FailNext: trace.Event(b)})
}

// jump says which step separates failing from passing runs most. If there are
// several divergences, the curve is that of the first one's goroutine.
func (v *viewer) jump(points []point, best int, several bool) prose {
	of := "Of"
	if several {
		of = "Along the goroutine of divergence 1, of"
	}
	a, b := points[best-1], points[best]
	p := say(fmt.Sprintf("%s the %s that behave the same up to step %s, %d failed; ", of, plural(a.Failing+a.Passing, "run"), thousands(a.Prefix), a.Failing))
	p = p.text(fmt.Sprintf("of the %d that also take step %s", b.Failing+b.Passing, thousands(b.Prefix)))
	if at, ok := v.src.block(b.Block); ok {
		p = v.placeEnd(p.text(" ("), at).text(")")
	}
	return p.text(", ").bold(fmt.Sprint(b.Failing)).text(".")
}
