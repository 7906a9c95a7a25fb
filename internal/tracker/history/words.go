package history

import (
	"fmt"
	"strings"

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
func (t *Tally) Sentences(r *Ranked) []string {
	s := &r.Score
	when := "fails now"
	if r.State == Gone {
		when = "failed until then"
	}
	if s.NoFlake {
		return t.neverFlaky(r)
	}
	list := []string{fmt.Sprintf("%d of %s failed; %s in %s of them (%s)", s.Failed, plural(s.Runs, "run"), when, Percent(s.Rate), Interval(s))}
	if r.State == Broken {
		list[0] = fmt.Sprintf("%d of %s failed; the last all did, the others in %s (%s)", s.Failed, plural(s.Runs, "run"), Percent(s.Rate), Interval(s))
	}
	if r.Weekly > 0 && r.State != Gone && r.State != Broken {
		list = append(list, fmt.Sprintf("runs a week: %.3g; failures a week: %s", r.Weekly, PerWeek(r.Impact)))
	}
	if since := t.since(s); since != "" {
		list = append(list, since)
	}
	if s.Mixed > 0 {
		list = append(list, fmt.Sprintf("passed and failed at %s", plural(s.Mixed, "commit")))
	}
	list = append(list, fmt.Sprintf("%s between failing and passing from one run to the next", plural(s.Flips, "change")))
	if s.Broken > 0 {
		list = append(list, fmt.Sprintf("%s left out in which it always failed: broken then, not flaky", plural(s.Broken, "run")))
	}
	switch {
	case r.State == Broken: // silence is of the other runs
	case r.State == Gone:
		list = append(list, fmt.Sprintf("gone: %s since the last failure; if it still happened, so many would have a chance of %s", plural(s.Gone.Silence, "run"), Percent(s.Gone.Chance)))
	case s.Gone.Silence > 0:
		list = append(list, fmt.Sprintf("%s since the last failure: not enough to say that it is gone (chance %s)", plural(s.Gone.Silence, "run"), Percent(s.Gone.Chance)))
	}
	return list
}

// neverFlaky says what is known of a test that failed only while it always failed.
func (t *Tally) neverFlaky(r *Ranked) []string {
	s := &r.Score
	list := []string{fmt.Sprintf("%d of %s failed, all of them while every run did: broken, not flaky", s.Failed, plural(s.Runs, "run"))}
	if r.State == Mended {
		list = append(list, fmt.Sprintf("mended: it has passed in the %s since", plural(s.Gone.Silence, "run")))
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
	return fmt.Sprintf("since about %s: between %s and %s (95 %%)", t.Short(c.Commit), t.Short(c.From), t.Short(c.Failed))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
