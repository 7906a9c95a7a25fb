package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/stats"
)

// counts are the outcomes of a test.
type counts struct {
	Runs, Passed, Failed, Skipped, NotRun int
	Provoked                              int // among Failed
	ByChild                               int // among NotRun: a subtest failed that has a page of its own
}

// rounds returns the runs that rates count: those that all packages had. Where these are too few to show that a test
// is flaky, and all runs do, rates count all.
func rounds(runs []finding.Run) []finding.Run {
	list := slices.DeleteFunc(slices.Clone(runs), func(r finding.Run) bool { return r.Extra })
	if len(list) == 0 || count(runs).flaky() && !count(list).flaky() {
		return runs
	}
	return list
}

// extra counts the others.
func extra(runs []finding.Run) counts {
	if n := len(rounds(runs)); n < len(runs) {
		return count(slices.DeleteFunc(slices.Clone(runs), func(r finding.Run) bool { return !r.Extra }))
	}
	return counts{}
}

// count counts the outcomes of runs.
func count(runs []finding.Run) counts {
	c := counts{Runs: len(runs)}
	for _, r := range runs {
		switch {
		case r.Status == finding.Passed:
			c.Passed++
		case r.Status == finding.Skipped:
			c.Skipped++
		case r.Status.Failing():
			c.Failed++
			if r.Provoked != "" {
				c.Provoked++
			}
		default:
			if c.NotRun++; r.ByChild {
				c.ByChild++
			}
		}
	}
	return c
}

// decided is the number of runs that passed or failed: the denominator of the rate. A run
// that skipped the test says nothing of it.
func (c counts) decided() int { return c.Passed + c.Failed }

// none is the number of runs that did not come to the test, or skipped it.
func (c counts) none() int { return c.Skipped + c.NotRun - c.ByChild }

// flaky reports whether the test both passed and failed.
func (c counts) flaky() bool { return c.Passed > 0 && c.Failed > 0 }

// allProvoked reports whether all failing runs were made to fail.
func (c counts) allProvoked() bool { return c.Failed > 0 && c.Provoked == c.Failed }

// badge is the state of a test for people.
func badge(t *finding.Test) string {
	if s := t.State(); s != finding.Failing {
		return string(s)
	}
	return "broken"
}

// onlyPlainFailed reports whether a test failed in control runs alone.
func onlyPlainFailed(t *finding.Test) bool {
	return count(t.Runs).Failed == 0 && count(t.Plain).Failed > 0
}

// rate says how often the test failed.
func (v *viewer) rate() (list []say.Sentence) {
	c := count(v.t.Runs)
	if c.allProvoked() {
		return []say.Sentence{v.provoked()}
	}
	r := count(rounds(v.t.Runs))
	n := r.decided()
	if n == 0 && c.Provoked > 0 {
		return []say.Sentence{v.provoked()}
	}
	if n == 0 {
		return nil
	}
	lo, hi := stats.Wilson(r.Failed, n)
	list = append(list, say.Rate.With(say.Count(r.Failed), say.Count(n), say.Percent(share(r.Failed, n)),
		say.Low(lo), say.Percent(hi)))
	if none := r.none(); none > 0 {
		list = append(list, say.NoOutcome.With(say.Count(none)))
	}
	if p := count(v.t.Plain); p.decided() > 0 {
		without := say.WithoutRec.With(say.Count(p.Failed), say.Count(p.decided()))
		if list = append(list, without); recorderActs(v.r, v.t) > 0 {
			list = slices.Insert(list[:len(list)-1], 0, without)
		}
	}
	if v.t.State() != finding.Recorder && recorderActs(v.r, v.t) != 0 {
		list = append(list, say.RecorderActs.With())
	}
	return list
}

// share returns k of n as a part of one, and 0 if there are none to count.
func share(k, n int) float64 { return float64(k) / float64(max(1, n)) }

// provoked stands where the rate would, of a test that fdebug has made to fail.
func (v *viewer) provoked() say.Sentence {
	if len(v.t.Verdicts) == 0 {
		x := v.t.Seen()
		return say.Seen.With(say.Count(x.Perturbed.Failed), say.Count(x.Perturbed.Of), say.Count(x.Plain.Failed),
			say.Count(x.Plain.Of))
	}
	with, plain := v.t.Verdicts[0].Proof.Confirmed.With, v.t.Verdicts[0].Proof.Confirmed.Plain
	return say.Provoked.With(say.Count(with.Failed), say.Count(with.Of), say.Count(plain.Failed), say.Count(plain.Of))
}

// recorderActs compares how often a test failed in recorded runs and in control runs, without the recorder: 1 if it did
// so significantly more often with it, -1 if less often, else 0. Where each run drew an order of the tests, the few
// orders of the control runs may be what differs.
func recorderActs(r *finding.Result, t *finding.Test) int {
	with, without := count(t.Runs), count(t.Plain)
	table := stats.Table{FailTaken: with.Failed, FailNot: with.Passed, PassTaken: without.Failed,
		PassNot: without.Passed}
	if r.Options.Shuffle == "on" || with.decided() == 0 || without.decided() == 0 || table.Fisher() > stats.Strong {
		return 0
	}
	return cmp.Compare(share(with.Failed, with.decided()), share(without.Failed, without.decided()))
}

// Rate says how often failed of n runs is, with its confidence interval (Wilson): "24%, 95%
// CI 14–37%". n is at least 1.
func Rate(failed, n int) string {
	lo, hi := stats.Wilson(failed, n)
	return say.RateAlone.With(say.Percent(share(failed, n)), say.Low(lo), say.Percent(hi)).String()
}

// warning returns a warning of the comparison. What is said of the number of runs leaves out
// those for values, which are compared among themselves.
func (v *viewer) warning(f *finding.Failure, err error) string {
	s := v.clean.Line(err.Error(), 500)
	switch {
	case errors.Is(err, divergence.ErrOneFailing) && f.ForValues.Failed > 0:
		s += fmt.Sprintf(" was compared; %d more failed so in the runs for values", f.ForValues.Failed)
	case errors.Is(err, divergence.ErrOnePassing) && f.ForValues.Passed > 0:
		s += fmt.Sprintf(" was compared; %d more passed in the runs for values", f.ForValues.Passed)
	}
	return s
}

// plural returns "1 run" or "3 runs".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %ss", say.Thousands(int64(n)), one)
}
