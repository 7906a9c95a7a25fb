package tracker

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/internal/tracker/score"
)

// printTable prints one line for each test that has failed.
func (j *History) printTable() {
	w := j.Stdout
	fmt.Fprintln(w, j.extent())
	if len(j.list) == 0 {
		fmt.Fprintln(w, "none has failed")
		return
	}
	fmt.Fprintln(w)
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tw, "FAILS\t95 %%\tRUNS\tA WEEK\tSINCE\tLAST\tSTATE\tTREND\tTEST\n")
	for i := range j.list {
		r := &j.list[i]
		fmt.Fprintf(tw, "%s\t%s\t%d/%d\t%s\t%s\t%s\t%s\t%s\t%s\n",
			history.Rate(&r.Score), history.Interval(&r.Score), r.Score.Failed, r.Score.Runs, history.PerWeek(r.Impact),
			j.tally.Short(r.Score.Since.Commit), j.ago(r.Score.Last), r.State, j.spark(r.Points), testTitle(r))
	}
	tw.Flush()
}

// extent describes what the history covers.
func (j *History) extent() string {
	if j.tally.Runs == 0 {
		return text.Plural(j.tally.Sessions, "session") + " without runs of tests"
	}
	has := "have"
	if len(j.tally.Tests) == 1 {
		has = "has"
	}
	return fmt.Sprintf("%s: %s %s failed", j.tally.Extent(text.Plural), text.Plural(len(j.tally.Tests), "test"), has)
}

func testTitle(r *history.Ranked) string {
	if r.Name == "" {
		return r.Package + " (package: TestMain or initialisation)"
	}
	return r.Package + " " + r.Name
}

// ago says how long ago a minute was.
func (j *History) ago(minute int32) string {
	d := j.Now.Sub(history.FromMinute(minute))
	switch {
	case d < time.Hour:
		return fmt.Sprintf("%d min", max(0, int(d.Minutes())))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d d", int(d.Hours()/24))
}

// sparks is how many parts a trend divides the time into.
const sparks = 12

var bars = []rune("▁▂▃▄▅▆▇█")

// spark draws the rate over time: the lowest bar is no failure, the highest the worst part, and a
// point is a part without runs.
func (j *History) spark(points []score.Point) string {
	parts, worst := j.tally.Trend(points, sparks)
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.Runs == 0:
			b.WriteRune('·')
		case p.Failed == 0:
			b.WriteRune(bars[0])
		default:
			b.WriteRune(bars[max(1, int(p.Rate()/worst*float64(len(bars)-1)))])
		}
	}
	return b.String()
}

// printTests prints everything known about the requested tests.
func (j *History) printTests() {
	w := j.Stdout
	fmt.Fprintln(w, j.extent())
	for i := range j.list {
		fmt.Fprintln(w)
		j.printTest(w, &j.list[i])
	}
}

func (j *History) printTest(w io.Writer, r *history.Ranked) {
	s := &r.Score
	fmt.Fprintf(w, "%s  %s  %s\n", r.State, testTitle(r), j.spark(r.Points))
	for _, line := range j.tally.Sentences(r) {
		fmt.Fprintf(w, "    %s\n", line)
	}
	var said []string
	for _, sign := range r.Signatures {
		said = append(said, history.OneLine(sign.Message, sign.Text))
	}
	said = text.Apart(said, 120)
	for i, sign := range r.Signatures {
		sub := j.scoreOf(r, sign)
		fmt.Fprintf(w, "    %s\n", said[i])
		fmt.Fprintf(w, "      %s of %s%s, last %s ago%s\n", text.Plural(sign.Failures, "failure"),
			text.Plural(s.Runs, "run"), rateWords(&sub), j.ago(sub.Last), overWord(&sub))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "    %s = %s\n", n.Key, text.Clip(history.OneLine(n.Value), 100))
	}
	for _, v := range r.Verdicts {
		fmt.Fprintf(w, "    experiment: %s by %s%s, %d of %s failed\n", v.Class, v.Kind, at(v.Place), v.Failed,
			text.Plural(v.Of, "run"))
	}
}

func at(place string) string {
	if place == "" {
		return ""
	}
	return " at " + place
}

// rateWords describes the rate of one way to fail, now or until it was over.
func rateWords(s *score.Score) string {
	if s.NoFlake {
		return ""
	}
	when := "now"
	if s.Gone.Yes {
		when = "until then"
	}
	return fmt.Sprintf(" (%s %s, %s)", when, history.Rate(s), history.Interval(s))
}

func overWord(s *score.Score) string {
	if s.Gone.Yes {
		return ", gone"
	}
	return ""
}

func (j *History) scoreOf(r *history.Ranked, s *history.Signature) score.Score {
	return j.tally.ScoreOf(r.Test, s)
}
