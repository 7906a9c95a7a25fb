package history

import (
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/score"
)

// Percent prints a rate with two digits.
func Percent(p float64) string {
	switch {
	case p >= 0.995:
		return "100 %"
	case p >= 0.0995:
		return fmt.Sprintf("%.0f %%", 100*p)
	case p >= 0.00995:
		return fmt.Sprintf("%.1f %%", 100*p)
	}
	return fmt.Sprintf("%.2g %%", 100*p)
}

// Rate prints the rate of a score, "-" if there is none.
func Rate(s *score.Score) string {
	if s.NoFlake {
		return "-"
	}
	return Percent(s.Rate)
}

// Interval prints the interval of a rate, "-" if there is none.
func Interval(s *score.Score) string {
	if s.NoFlake {
		return "-"
	}
	return strings.TrimSuffix(Percent(s.Low), " %") + "-" + Percent(s.High)
}

// PerWeek prints an impact.
func PerWeek(impact float64) string {
	switch {
	case impact == 0:
		return "-"
	case impact >= 10:
		return fmt.Sprintf("%.0f", impact)
	}
	return fmt.Sprintf("%.2g", impact)
}

// Short names a commit by its first seven digits.
func (t *Tally) Short(i int32) string {
	if i < 0 || int(i) >= len(t.Commits) {
		return "?"
	}
	hash := t.Commits[i].Hash
	return hash[:min(7, len(hash))]
}

// Sentences say what is known of a test, a sentence each.
func (t *Tally) Sentences(r *Ranked) (list []string) {
	s := &r.Score
	if s.NoFlake {
		return t.neverFlaky(r)
	}
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	failed := fmt.Sprintf("%d of %s failed", s.Failed, text.Plural(s.Runs, "run"))
	rate := fmt.Sprintf("%s of them (%s)", Percent(s.Rate), Interval(s))
	silence := text.Plural(s.Gone.Silence, "run") + " since the last failure"
	switch r.State {
	case Broken:
		say("%s; the last all did, the others in %s (%s)", failed, Percent(s.Rate), Interval(s))
	case Gone:
		say("%s; failed until then in %s", failed, rate)
	default:
		say("%s; fails now in %s", failed, rate)
		if r.Weekly > 0 {
			say("runs a week: %.3g; failures a week: %s", r.Weekly, PerWeek(r.Impact))
		}
	}
	if since := t.since(s); since != "" {
		say("%s", since)
	}
	if s.Mixed > 0 {
		say("passed and failed at %s", text.Plural(s.Mixed, "commit"))
	}
	say("%s between failing and passing from one run to the next", text.Plural(s.Flips, "change"))
	if s.Broken > 0 {
		say("%s left out in which it always failed: broken then, not flaky", text.Plural(s.Broken, "run"))
	}
	switch {
	case r.State == Broken: // silence is of the other runs
	case r.State == Gone:
		say("gone: %s; if it still happened, so many would have a chance of %s", silence, Percent(s.Gone.Chance))
	case s.Gone.Silence > 0:
		say("%s: not enough to say that it is gone (chance %s)", silence, Percent(s.Gone.Chance))
	}
	return list
}

// neverFlaky says what is known of a test that failed only while it always failed.
func (t *Tally) neverFlaky(r *Ranked) []string {
	s := &r.Score
	list := []string{fmt.Sprintf("%d of %s failed, all of them while every run did: broken, not flaky",
		s.Failed, text.Plural(s.Runs, "run"))}
	if r.State == Mended {
		list = append(list, fmt.Sprintf("mended: it has passed in the %s since", text.Plural(s.Gone.Silence, "run")))
	}
	return list
}

// since says with which commit it began.
func (t *Tally) since(s *score.Score) string {
	c := s.Since
	switch {
	case c.Commit < 0:
		return ""
	case c.Before >= 0.5:
		return fmt.Sprintf("since %s, the first commit with runs of it, or before", t.Short(c.Commit))
	case c.From == c.Failed:
		return fmt.Sprintf("since %s", t.Short(c.Failed))
	}
	return fmt.Sprintf("since about %s: between %s and %s (95 %%)", t.Short(c.Commit),
		t.Short(c.From), t.Short(c.Failed))
}

// Extent says what the history is of; plural counts things.
func (t *Tally) Extent(plural func(n int, what string) string) string {
	days := t.Oldest.Format(time.DateOnly)
	if to := t.Newest.Format(time.DateOnly); to != days {
		days += " to " + to
	}
	return fmt.Sprintf("%s of %s in %s, of %s, %s", plural(t.Results, "result"), plural(t.Known, "test"),
		plural(t.Runs, "run"), plural(len(t.Commits), "commit"), days)
}

// OneLine returns the message of a failure: the first of some texts that says anything, on one line.
func OneLine(texts ...string) string {
	for _, t := range texts {
		if t = strings.Join(strings.Fields(t), " "); t != "" {
			return t
		}
	}
	return "failed without a message"
}
