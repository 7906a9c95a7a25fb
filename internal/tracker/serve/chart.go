package serve

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/score"
)

// A spark is the rate over the time of the history, in sparkParts parts.
type spark struct {
	Fail string // path of the bars
	Base string // path below the parts in which it ran
	Text string
}

const (
	sparkParts = 24
	sparkHigh  = 20 // height of the worst part
	sparkWide  = 4  // width of a part
)

func (snap *snapshot) spark(points []score.Point) spark {
	parts, worst := snap.tally.Trend(points, sparkParts)
	some, ran := 0, 0
	var fail, base strings.Builder
	for i, p := range parts {
		if p.Runs > 0 {
			ran++
			fmt.Fprintf(&base, "M%d 21h3", i*sparkWide)
		}
		if p.Failed > 0 {
			some++
			h := max(2, int(p.Rate()/worst*sparkHigh+0.5))
			fmt.Fprintf(&fail, "M%d 20v-%dh3v%dz", i*sparkWide, h, h)
		}
	}
	return spark{fail.String(), base.String(),
		fmt.Sprintf("Failed in %d of %d parts of the time in which it ran; %s in the worst.", some, ran,
			history.Percent(worst))}
}

// A chart is the rate of one test, commit by commit.
type chart struct {
	Bars   []bar
	Lines  []gridline
	Since  *span // in which it began, nil if that is not known
	Marks  []mark
	First  string // what stands below the left and the right end
	Last   string
	Height int
	Merged bool // a bar is of more than one commit
	Days   bool // no commit is known: bars are of days
}

// A bar is the runs of one commit, or of several in a row.
type bar struct {
	X, W         string // in percent, as all X
	Y, H         int
	Low, High    int    // y of the interval
	Mid          string // x of it
	Title        string
	Commits      string // "1a2b3c4", "1a2b3c4 to 5d6e7f8"
	From         time.Time
	Runs, Failed int
	Rate         string

	first, last int32 // commits, -1 if unknown
}

// A gridline has a label.
type gridline struct {
	Y     int
	Label string
}

// A span is from one place to another.
type span struct{ X, W, Text string }

// A mark is where something was shown.
type mark struct{ X, Text, Letter string }

const (
	maxBars   = 60
	fewBars   = 10  // that there are, if there are so many commits
	barRuns   = 10  // that a bar has on average, or else its height says little
	chartHigh = 140 // of a bar as high as the axis
	chartTop  = 24  // above that there is room for marks
)

// chart draws a test's runs.
func (snap *snapshot) chart(r *history.Ranked, verdicts []verdict) *chart {
	c := &chart{Height: chartTop + chartHigh}
	c.Bars, c.Merged = snap.bars(r.Points)
	if len(c.Bars) == 0 {
		return nil
	}
	c.Days = !slices.ContainsFunc(c.Bars, func(b bar) bool { return b.first >= 0 })
	top := 0.0
	for _, b := range c.Bars {
		top = max(top, float64(b.Failed)/float64(b.Runs))
	}
	axis := 1.0
	for _, a := range []float64{0.02, 0.05, 0.1, 0.2, 0.3, 0.5} {
		if top <= a {
			axis = a
			break
		}
	}
	for i := range c.Bars {
		c.Bars[i].place(i, len(c.Bars), axis)
	}
	for _, part := range []float64{0, 0.5, 1} {
		c.Lines = append(c.Lines, gridline{chartTop + int((1-part)*chartHigh), history.Percent(part * axis)})
	}
	c.Lines[0].Label = "0"
	c.First = snap.end(c.Bars[0].first, c.Bars[0].From)
	c.Last = snap.end(c.Bars[len(c.Bars)-1].last, history.FromMinute(r.Points[len(r.Points)-1].Minute))
	c.Since = snap.sinceSpan(c.Bars, r.Score.Since)
	for _, v := range verdicts {
		if i := snap.barOf(c.Bars, v); i >= 0 {
			text := v.Started.Format(time.DateOnly) + ": " + verdictText(v.Verdict)
			c.Marks = append(c.Marks, mark{c.Bars[i].Mid, text, "◆"})
		}
	}
	return c
}

// bars puts the runs of each commit into a bar, or of several where they are too many.
// Runs of unknown commits are taken by the day.
func (snap *snapshot) bars(points []score.Point) (list []bar, merged bool) {
	type unit struct{ from, to int }
	var units []unit
	for i, p := range points {
		if i > 0 {
			q := points[i-1]
			if p.Commit == q.Commit && (p.Commit >= 0 || p.Minute/1440 == q.Minute/1440) {
				units[len(units)-1].to = i + 1
				continue
			}
		}
		units = append(units, unit{i, i + 1})
	}
	runs := 0
	for _, p := range points {
		runs += int(p.Runs)
	}
	n := min(maxBars, len(units), max(fewBars, runs/barRuns))
	for i := range n {
		from, to := units[i*len(units)/n].from, units[(i+1)*len(units)/n-1].to
		list = append(list, snap.bar(points[from:to]))
	}
	return list, len(units) > n
}

func (snap *snapshot) bar(points []score.Point) bar {
	b := bar{first: -1, last: -1, From: history.FromMinute(points[0].Minute)}
	for _, p := range points {
		b.Runs += int(p.Runs)
		b.Failed += int(p.Failed)
		if p.Commit >= 0 {
			b.last = p.Commit
			if b.first < 0 {
				b.first = p.Commit
			}
		}
	}
	switch {
	case b.first < 0:
		b.Commits = "not of a commit"
	case b.first == b.last:
		b.Commits = snap.tally.Short(b.first)
	default:
		b.Commits = snap.tally.Short(b.first) + " to " + snap.tally.Short(b.last)
	}
	b.Rate = history.Percent(float64(b.Failed) / float64(b.Runs))
	if b.Failed == 0 {
		b.Rate = "0"
	}
	b.Title = fmt.Sprintf("%s, %s: %d of %s failed", b.Commits, b.From.Format(time.DateOnly), b.Failed,
		plural(b.Runs, "run"))
	return b
}

// place computes where a bar is: the i-th of n, on an axis up to a rate.
func (b *bar) place(i, n int, axis float64) {
	at := func(p float64) int { return chartTop + int((1-min(1, p/axis))*chartHigh+0.5) }
	slot := 100 / float64(n)
	wide := min(0.8*slot, 5)
	mid := (float64(i) + 0.5) * slot
	b.X, b.W, b.Mid = percentOf(mid-wide/2), percentOf(wide), percentOf(mid)
	b.Y = at(float64(b.Failed) / float64(b.Runs))
	b.H = chartTop + chartHigh - b.Y
	lo, hi := stats.Wilson(b.Failed, b.Runs)
	b.Low, b.High = at(lo), at(hi)
}

func percentOf(x float64) string { return fmt.Sprintf("%.2f%%", x) }

// end names an end of the axis.
func (snap *snapshot) end(commit int32, t time.Time) string {
	if commit < 0 {
		return t.Format(time.DateOnly)
	}
	return snap.tally.Short(commit) + ", " + t.Format(time.DateOnly)
}

// sinceSpan is the bars in which a test began to fail, with 95 %.
func (snap *snapshot) sinceSpan(bars []bar, c score.Since) *span {
	if c.Commit < 0 || c.Before >= 0.5 {
		return nil
	}
	from, to := slices.IndexFunc(bars, func(b bar) bool { return b.last >= c.From }), lastUpTo(bars, c.Failed)
	if from < 0 || to < from {
		return nil
	}
	wide := 100 / float64(len(bars))
	text := fmt.Sprintf("It began between %s and %s (95 %%)", snap.tally.Short(c.From), snap.tally.Short(c.Failed))
	if c.From == c.Failed {
		text = "It began with " + snap.tally.Short(c.Failed)
	}
	return &span{percentOf(float64(from) * wide), percentOf(float64(to-from+1) * wide), text}
}

// barOf returns the index of the bar that a verdict belongs to: of its commit, or of the
// time at which it was reached.
func (snap *snapshot) barOf(bars []bar, v verdict) int {
	i := slices.IndexFunc(snap.tally.Commits, func(c history.Commit) bool { return c.Hash == v.Commit.Hash })
	if i >= 0 && !v.Commit.Modified {
		return lastUpTo(bars, int32(i))
	}
	at := -1
	for k, b := range bars {
		if !b.From.After(v.Started) {
			at = k
		}
	}
	return at
}

// lastUpTo returns the index of the last bar that begins with a commit or an earlier one, -1 for none.
func lastUpTo(bars []bar, commit int32) int {
	at := -1
	for i, b := range bars {
		if b.first >= 0 && b.first <= commit {
			at = i
		}
	}
	return at
}

func verdictText(v history.Verdict) string {
	text := v.Class
	if v.Category != "" {
		text = kindText(v.Category) + " · " + text
	}
	text += " by " + v.Kind
	if v.Place != "" {
		text += " at " + v.Place
	}
	return fmt.Sprintf("%s, %d of %s failed", text, v.Failed, plural(v.Of, "run"))
}
