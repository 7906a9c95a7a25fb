package report

import (
	"fmt"
	"math"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A lanesView is the picture of an order: a passing run above a failing one,
// two goroutines each, on one time axis that begins where the goroutine that
// diverged was started. Across it is in per cent, so that text keeps its size on
// a narrow screen; down it is in pixels.
type lanesView struct {
	ID     string // of the arrow head
	Height int
	Groups []laneGroup
	Ticks  []tick
	Key    []laneKey
}

// A laneKey says what a sign of the picture means.
type laneKey struct {
	Sign string
	What say.Sentence
}

type laneGroup struct {
	Label, Class string
	Y            int
	Lanes        [2]laneRow // the goroutine that was late or early; the one that diverges
	Arrow        *laneArrow // from the earlier to the later mark, nil if one is missing
}

// A laneRow is one goroutine: bars where it ran, a line while it existed, and a
// mark at what matters.
type laneRow struct {
	Name           string
	Y              int // of the line
	NameY, MarkY   int // of the texts
	From, To       string
	Bars           []laneBar
	Mark           string // x, "" if it is not in the picture
	MarkX, Anchor  string // of the text at the mark
	MarkText       string
	Dot            bool // a dot, not an upright line
	BarTop, Bottom int
}

type laneBar struct{ X, W string }

type laneArrow struct {
	X1, X2 string
	Y1, Y2 int
}

type tick struct{ X, Anchor, Label string }

const (
	groupHeight = 132
	axisHeight  = 30
	upperLane   = 60  // y of the lines in a group
	lowerLane   = 88  // the same of the other goroutine
	maxBars     = 300 // of one goroutine
	nameLength  = 44  // of a goroutine's name in the picture; the text below has all of it
)

// A laneScale maps time since the anchor was started to the width of the picture.
type laneScale struct{ end time.Duration }

// at returns the place of a time, from 1 to 97: the last tick needs room.
func (s laneScale) at(d time.Duration) float64 {
	return 1 + 96*min(max(float64(d)/float64(s.end), 0), 1)
}

func perCent(x float64) string { return fmt.Sprintf("%.1f%%", x) }

// anchor says at which end a text at x has to begin to stay in the picture.
func anchor(x float64) string {
	switch {
	case x < 33:
		return "start"
	case x > 67:
		return "end"
	}
	return "middle"
}

// lanes draws an order.
func (v *viewer) lanes(f *finding.Failure, o finding.Order) *lanesView {
	found := o.Found
	sides := []struct {
		run         divergence.OrderRun
		at          int64
		class, word string
	}{{found.Pass, o.Event.PassAt, "pass", "passing"}, {found.Fail, o.Event.FailAt, "fail", "failing"}}
	s := laneScale{1}
	for _, x := range sides {
		s.end = max(s.end, window(x.run, x.at))
	}
	n := laneNames{v.laneName(found.Class), v.laneName(v.anchorClass(f, found)), v.placeName(v.framePlace(o.A)),
		v.placeName(v.framePlace(o.B))}
	w := &lanesView{
		Height: len(sides)*groupHeight + axisHeight, Ticks: s.ticks(),
		Key: []laneKey{{"●", say.Of(v.Line(o.A))}, {"|", say.Of(v.Line(o.B))}},
	}
	for i, x := range sides {
		label := fmt.Sprintf("%s run %d", x.word, x.run.Run)
		w.Groups = append(w.Groups, s.group(x.run, x.at, n,
			laneGroup{Label: label, Class: x.class, Y: i * groupHeight}))
	}
	return w
}

// laneName names a goroutine by where it was started.
func (v *viewer) laneName(class []trace.Frame) string {
	if len(class) == 0 {
		return v.testName()
	}
	if at, own := v.src.Frame(class[len(class)-1]); own {
		return "started at " + v.placeName(at)
	}
	return v.funcName(class[len(class)-1].Func)
}

// anchorClass is that of the goroutine that diverges.
func (v *viewer) anchorClass(f *finding.Failure, o *divergence.Order) []trace.Frame {
	if f.Analysis == nil || o.Divergence < 0 || o.Divergence >= len(f.Analysis.Chain) {
		return nil
	}
	return f.Analysis.Chain[o.Divergence].Class
}

// laneNames are the names of what is in the picture.
type laneNames struct {
	other, anchor string // goroutines
	event, look   string // places: what the other has run, where the anchor diverges
}

// group draws one run.
func (s laneScale) group(r divergence.OrderRun, event int64, n laneNames, g laneGroup) laneGroup {
	seen, happened := sinceStart(r, event)
	look := anchorTime(r)
	up, down := s.lane(r.Other, r.Anchor.Start, g.Y+upperLane), s.lane(r.Anchor, r.Anchor.Start, g.Y+lowerLane)
	up.Name, up.NameY, up.MarkY, up.Dot = listing.Clip(n.other, nameLength), g.Y+32, g.Y+upperLane-12, true
	down.Name, down.NameY, down.MarkY = listing.Clip(n.anchor, nameLength), g.Y+lowerLane+34, g.Y+lowerLane+18
	down.mark(s.at(look), n.look)
	if happened {
		up.mark(s.at(seen), n.event)
		g.Arrow = &laneArrow{up.Mark, down.Mark, up.Y + 7, down.Y - 10}
		if seen > look {
			g.Arrow = &laneArrow{down.Mark, up.Mark, down.Y - 10, up.Y + 9}
		}
	} else {
		up.MarkX, up.Anchor, up.MarkText = "97%", "end", n.event+" not run"
	}
	g.Lanes = [2]laneRow{up, down}
	return g
}

func (row *laneRow) mark(x float64, text string) {
	row.Mark, row.MarkX, row.Anchor, row.MarkText = perCent(x), perCent(x), anchor(x), text
}

// window is how much time the picture of a run needs.
func window(r divergence.OrderRun, event int64) time.Duration {
	end := anchorTime(r)
	if t, ok := sinceStart(r, event); ok {
		end = max(end, t)
	}
	return end + end/12
}

// anchorTime is when the goroutine came to where the runs part, after it was started.
func anchorTime(r divergence.OrderRun) time.Duration {
	lo, _ := r.Anchor.Between(max(r.AnchorPos-1, 0))
	return time.Duration(max(lo-r.Anchor.Start, 0))
}

// sinceStart is when the other goroutine's event happened, on the same clock.
func sinceStart(r divergence.OrderRun, event int64) (time.Duration, bool) {
	if r.Other == nil || event < 0 || event >= r.Other.Len() {
		return 0, false
	}
	lo, _ := r.Other.Between(event)
	return time.Duration(lo - r.Anchor.Start), true
}

// lane draws when a goroutine ran, as its stamps tell.
func (s laneScale) lane(g *trace.Goroutine, zero int64, y int) laneRow {
	row := laneRow{Y: y, BarTop: y - 4, Bottom: y + 9}
	if g == nil {
		return row
	}
	at := func(t int64) float64 { return s.at(time.Duration(t - zero)) }
	last := zero + int64(s.end)
	if g.End != 0 {
		last = min(last, g.End)
	}
	row.From, row.To = perCent(at(g.Start)), perCent(at(last))
	from, running := at(g.Start), true
	add := func(to float64) {
		if n := len(row.Bars); n < maxBars && to >= from {
			row.Bars = append(row.Bars, laneBar{perCent(from), perCent(max(to-from, 0.3))})
		}
	}
	for _, x := range g.Stamps {
		switch {
		case x.GoesOn && !running:
			from, running = at(x.Time), true
		case !x.GoesOn && running:
			add(at(x.Time))
			running = false
		}
		if x.Time > last {
			break
		}
	}
	if running {
		add(at(last))
	}
	return row
}

// ticks divides the axis into two to five round parts.
func (s laneScale) ticks() []tick {
	step := math.Pow(10, math.Floor(math.Log10(float64(s.end))))
	for float64(s.end)/step > 5 {
		step *= 2
	}
	if float64(s.end)/step < 2 {
		step /= 2
	}
	var out []tick
	for t := 0.0; t <= float64(s.end); t += step {
		x := s.at(time.Duration(t))
		a := "middle"
		if x < 8 || x > 92 {
			a = anchor(x)
		}
		out = append(out, tick{perCent(x), a, say.TwoDigits(time.Duration(t))})
	}
	return out
}
