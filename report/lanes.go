package report

import (
	"fmt"
	"math"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// An orderView is an order that goes with the outcome: in words, and as a
// picture of one passing above one failing run.
type orderView struct {
	Said  []prose
	Lanes *lanesView
}

// A lanesView is the picture: two runs, two goroutines each, on one time axis
// that begins where the goroutine that parted was started.
type lanesView struct {
	Height int
	Groups []laneGroup
	Ticks  []tick
	Text   []string // the same in words
	Label  string
}

type laneGroup struct {
	Label, Class string
	Y            int
	Lanes        [2]laneRow // the goroutine that was late or early; the one that parted
	Arrow        string     // path from the earlier to the later
}

// A laneRow is one goroutine: bars where it ran, a line while it existed.
type laneRow struct {
	Name       string
	Y          int
	Line       string // path
	Bars       []laneBar
	Mark       string // x of what matters on this lane, "" if it is not in the picture
	MarkTitle  string
	MarkCircle bool
}

type laneBar struct{ X, W string }

type tick struct{ X, Label string }

const (
	laneWidth   = 600.0
	laneHeight  = 30
	groupHeight = 24 + 2*laneHeight
	maxBars     = 300
)

// orders says which goroutine had come how far.
func (v *viewer) orders(f *Failure) []orderView {
	var out []orderView
	for _, o := range f.Orders {
		if o.Found == nil {
			out = append(out, orderView{Said: []prose{v.cameBefore(o)}})
			continue
		}
		out = append(out, orderView{Said: v.orderSaid(f, o), Lanes: v.lanes(o)})
	}
	return out
}

// cameBefore says which event came before which.
func (v *viewer) cameBefore(o Order) prose {
	a, b := v.framePlace(o.A), v.framePlace(o.B)
	p := say(fmt.Sprintf("In %d of %s ", o.PassBefore, plural(o.PassOf, "passing run")))
	p = v.codeAt(v.place(p, a), a).text(" came before ")
	p = v.codeAt(v.place(p, b), b)
	return p.text(fmt.Sprintf("; in failing runs that was so in %d of %d.", o.FailBefore, o.FailOf))
}

// orderSaid is the order in sentences.
func (v *viewer) orderSaid(f *Failure, o Order) []prose {
	found := o.Found
	t := found.Table
	passHad, passOf := t.PassNot, t.PassNot+t.PassTaken
	failHad, failOf := t.FailNot, t.FailNot+t.FailTaken
	if !found.Late {
		passHad, failHad = t.PassTaken, t.FailTaken
	}
	a, b := v.framePlace(o.A), v.framePlace(o.B)
	p := say(share(passHad, passOf, "passing run") + " ").add(v.otherName(found)).text(" had run ")
	p = v.codeWithPlace(p, a).text(" when ")
	p = v.codeWithPlace(p.text(v.anchorName(f, found)+" came to "), b)
	p = p.text("; " + lower(share(failHad, failOf, "failing run")) + " it had.")
	out := []prose{p}
	if slow := slowSide(found); slow.Other != nil {
		if at, ok := slow.Last.Block(); ok && at != 0 {
			if where, ok := v.src.block(at); ok {
				word := "failing"
				if !found.Late {
					word = "passing"
				}
				out = append(out, v.codeWithPlace(say(fmt.Sprintf("In %s run %d it was at ", word, slow.Run)), where).text(" then. Both orders were seen, so nothing in the program enforces one."))
			}
		}
	} else {
		out = append(out, say("Both orders were seen, so nothing in the program enforces one."))
	}
	return out
}

// share says in how many runs: "In all 35 passing runs", "In none of the 15".
func share(k, n int, what string) string {
	switch {
	case k == n && n == 1:
		return "In the one " + what
	case k == n:
		return "In all " + plural(n, what)
	case k == 0 && n == 1:
		return "In the one " + what + " not so:"
	case k == 0:
		return "In none of the " + plural(n, what)
	}
	return fmt.Sprintf("In %d of %s", k, plural(n, what))
}

func lower(s string) string { return "i" + s[1:] }

func slowSide(o *divergence.Order) divergence.OrderRun {
	if o.Late {
		return o.Fail
	}
	return o.Pass
}

// otherName names the goroutine that was late or early.
func (v *viewer) otherName(o *divergence.Order) prose {
	g := o.Pass.Other
	if g == nil {
		g = o.Fail.Other
	}
	if g == nil {
		return say("another goroutine")
	}
	if g.Root {
		return say("the test's own goroutine")
	}
	if len(o.Class) > 0 {
		if at, own := v.src.frame(o.Class[len(o.Class)-1]); own {
			return v.place(say("the goroutine started at "), at)
		}
	}
	if g.Entry.Func != "" {
		return say("the goroutine of ").code(v.funcName(g.Entry.Func))
	}
	return say("another goroutine")
}

func (v *viewer) anchorName(f *Failure, o *divergence.Order) string {
	if d := f.Analysis.Chain[o.Divergence]; len(d.Class) == 0 {
		return "the test"
	}
	return "the goroutine that parted"
}

// lanes draws an order.
func (v *viewer) lanes(o Order) *lanesView {
	found := o.Found
	runs := []struct {
		side  divergence.OrderRun
		class string
		word  string
	}{{found.Pass, "pass", "passing"}, {found.Fail, "fail", "failing"}}
	end := time.Duration(1)
	for _, r := range runs {
		end = max(end, window(r.side, o.Event))
	}
	scale := func(d time.Duration) float64 { return laneWidth * float64(d) / float64(end) }
	w := &lanesView{Height: len(runs)*groupHeight + 24, Ticks: ticks(end)}
	other, at := v.otherName(found).Plain(), v.framePlace(o.A)
	event := v.placeName(at)
	for i, r := range runs {
		g := laneGroup{Label: fmt.Sprintf("%s run %d", r.word, r.side.Run), Class: r.class, Y: i * groupHeight}
		seen, happened := sinceStart(r.side, o.Event)
		look := anchorTime(r.side)
		g.Lanes[0] = lane(r.side.Other, r.side.Anchor.Start, scale, end, g.Y+24)
		g.Lanes[0].Name = other
		if happened && seen <= end {
			g.Lanes[0].Mark = coord(scale(seen))
			g.Lanes[0].MarkTitle, g.Lanes[0].MarkCircle = event, true
		}
		g.Lanes[1] = lane(r.side.Anchor, r.side.Anchor.Start, scale, end, g.Y+24+laneHeight)
		g.Lanes[1].Name = "where the runs part"
		g.Lanes[1].Mark = coord(scale(look))
		g.Lanes[1].MarkTitle = v.placeName(v.framePlace(o.B))
		g.Arrow = arrow(g, seen <= look)
		w.Groups = append(w.Groups, g)
		w.Text = append(w.Text, laneText(g.Label, event, seen, look, happened))
	}
	w.Label = w.Text[0] + "; " + w.Text[1]
	return w
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
	if r.Other == nil || event >= r.Other.Len() {
		return 0, false
	}
	lo, _ := r.Other.Between(event)
	return time.Duration(max(lo-r.Anchor.Start, 0)), true
}

// lane draws when a goroutine ran, as its stamps tell.
func lane(g *trace.Goroutine, zero int64, scale func(time.Duration) float64, end time.Duration, y int) laneRow {
	row := laneRow{Y: y}
	if g == nil {
		return row
	}
	at := func(t int64) float64 { return min(max(scale(time.Duration(t-zero)), 0), laneWidth) }
	last := zero + int64(end)
	if g.End != 0 {
		last = min(last, g.End)
	}
	row.Line = fmt.Sprintf("M%.1f %dH%.1f", at(g.Start), y+laneHeight-8, at(last))
	from, running := at(g.Start), true
	add := func(to float64) {
		if n := len(row.Bars); n < maxBars && to >= from {
			row.Bars = append(row.Bars, laneBar{coord(from), coord(max(to-from, 1.5))})
		}
	}
	for _, s := range g.Stamps {
		switch {
		case s.GoesOn && !running:
			from, running = at(s.Time), true
		case !s.GoesOn && running:
			add(at(s.Time))
			running = false
		}
		if s.Time > last {
			break
		}
	}
	if running {
		add(at(last))
	}
	return row
}

func coord(x float64) string { return fmt.Sprintf("%.1f", x) }

// arrow joins the two marks of a run, from the earlier to the later.
func arrow(g laneGroup, eventFirst bool) string {
	if g.Lanes[0].Mark == "" {
		return ""
	}
	top, bottom := g.Lanes[0].Y+laneHeight-2, g.Lanes[1].Y+laneHeight-14
	if eventFirst {
		return fmt.Sprintf("M%s %dL%s %d", g.Lanes[0].Mark, top, g.Lanes[1].Mark, bottom)
	}
	return fmt.Sprintf("M%s %dL%s %d", g.Lanes[1].Mark, bottom, g.Lanes[0].Mark, top)
}

func laneText(label, event string, seen, look time.Duration, happened bool) string {
	if !happened {
		return fmt.Sprintf("%s: parted at %s; %s had not been run by the end", label, short(look), event)
	}
	if seen <= look {
		return fmt.Sprintf("%s: %s at %s, then parted at %s", label, event, short(seen), short(look))
	}
	return fmt.Sprintf("%s: parted at %s, then %s at %s", label, short(look), event, short(seen))
}

// short rounds a duration to what a reader wants to know.
func short(d time.Duration) string {
	unit := time.Duration(1)
	for unit*1000 <= d {
		unit *= 10
	}
	return d.Round(unit).String()
}

// ticks divides the axis into two to five round parts.
func ticks(end time.Duration) []tick {
	step := math.Pow(10, math.Floor(math.Log10(float64(end))))
	for float64(end)/step > 5 {
		step *= 2
	}
	if float64(end)/step < 2 {
		step /= 2
	}
	var out []tick
	for t := 0.0; t <= float64(end); t += step {
		out = append(out, tick{coord(laneWidth * t / float64(end)), short(time.Duration(t))})
	}
	return out
}
