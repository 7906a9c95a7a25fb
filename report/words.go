package report

import (
	"errors"
	"fmt"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// This file turns findings into sentences. It claims only what the data says:
// "passing run 12 did", not "passing runs do".

func verdict(c counts) string {
	switch {
	case c.flaky():
		return "flaky"
	case c.Failed > 0:
		return "failing"
	}
	return "passing"
}

// testVerdict is the verdict on a test: one that failed only without the recorder is flaky too.
func testVerdict(t *finding.Test) string {
	c := count(t.Runs)
	if onlyPlainFailed(t) && c.Passed+count(t.Plain).Passed > 0 {
		return "flaky"
	}
	return verdict(c)
}

// onlyPlainFailed reports whether a test failed in control runs alone.
func onlyPlainFailed(t *finding.Test) bool {
	return count(t.Runs).Failed == 0 && count(t.Plain).Failed > 0
}

// headline returns "12 of 50 runs failed".
func headline(c counts) prose {
	n := c.decided()
	switch {
	case n == 0:
		return say("No run passed or failed")
	case c.Failed == n && n > 1:
		return say("All ").bold(thousands(int64(n))).text(" runs failed")
	}
	return prose{}.bold(fmt.Sprintf("%s of %s", thousands(int64(c.Failed)), plural(n, "run"))).text(" failed")
}

// extraRuns says how many more runs of the package were made than of others, and failed.
func extraRuns(runs []finding.Run) []prose {
	c := extra(runs)
	if c.decided() == 0 {
		return nil
	}
	return []prose{say(fmt.Sprintf("In more runs of this package %d of %d failed.", c.Failed, c.decided()))}
}

// Counted returns how often a test failed, of how many runs, in the rounds that all packages had, and
// in the runs that only its package had beyond them.
func Counted(t *finding.Test) (inRounds, beyond Tally) {
	return count(rounds(t.Runs)).tally(), extra(t.Runs).tally()
}

// A Tally is how many runs of some failed.
type Tally struct{ Failed, Of int }

func (c counts) tally() Tally { return Tally{c.Failed, c.decided()} }

// details are what the reader must know to trust the rate.
func (v *viewer) details(c counts) []prose {
	var out []prose
	if c.Skipped > 0 {
		out = append(out, say(plural(c.Skipped, "run")+" skipped the test and "+doNot(c.Skipped)+" count."))
	}
	if c.ByChild > 0 {
		out = append(out, say(fmt.Sprintf("In %s only a subtest of it failed, which is listed by itself.", plural(c.ByChild, "run"))))
	}
	if n := c.NotRun - c.ByChild; n > 0 {
		out = append(out, say(fmt.Sprintf("%s did not come to it, or not to its end: another test ended the process.", plural(n, "run"))))
	}
	if c.Timeouts > 0 {
		out = append(out, say(fmt.Sprintf("%s hung and %s stopped.", plural(c.Timeouts, "failing run"), was(c.Timeouts))))
	}
	if c.Crashes > 0 {
		out = append(out, say(fmt.Sprintf("%s ended the whole process.", plural(c.Crashes, "failing run"))))
	}
	if p := count(v.t.Plain); p.decided() > 0 {
		out = append(out, say(fmt.Sprintf("Without the recorder it failed in %d of %s (%s).",
			p.Failed, plural(p.decided(), "control run"), p.rate())))
	}
	if s := RecorderChanges(v.r, v.t); s != "" {
		out = append(out, say(s))
	}
	if s := experimentsDiffer(v.t); s != "" {
		out = append(out, say(s))
	}
	if s := valuesDiffer(v.t); s != "" {
		out = append(out, say(s))
	}
	return append(out, v.related(v.t)...)
}

// ratesDiffer is the largest p at which a page says that a test failed more often in some runs than in others. A page
// compares up to three pairs: at 0.05 it would say so on one page in seven where the rate is the same.
const ratesDiffer = 0.01

// RecorderChanges says that a test failed significantly more or less often in
// control runs, without the recorder, than in the others; "" if it did not, or if each
// run drew an order of the tests: then the few orders of the control runs, drawn with
// other seeds, may be what differs.
func RecorderChanges(r *finding.Result, t *finding.Test) string {
	if r.Options.Shuffle == "on" {
		return ""
	}
	with, without := count(t.Runs), count(t.Plain)
	table := divergence.Table{FailTaken: with.Failed, FailNot: with.Passed, PassTaken: without.Failed, PassNot: without.Passed}
	if with.decided() == 0 || without.decided() == 0 || table.Fisher() > ratesDiffer {
		return ""
	}
	word := "less"
	if with.Failed*without.decided() > without.Failed*with.decided() {
		word = "more"
	}
	return fmt.Sprintf("With the recorder it failed %s often: in %d of %s, against %d of %s (Fisher's exact test: %s). What is said of it holds for runs with the recorder.",
		word, with.Failed, plural(with.decided(), "run"), without.Failed, plural(without.decided(), "control run"), pValue(table.Fisher()))
}

// valuesDiffer says that a test failed significantly more or less often in the runs that
// recorded values, or passed in none, so that there is nothing to compare.
func valuesDiffer(t *finding.Test) string {
	values, c := divergence.Table{}, count(t.Runs)
	failed := 0
	for _, f := range t.Failures {
		if f.ForValues == (finding.Outcomes{}) {
			continue // it did not come again, or was not looked at
		}
		values.FailTaken, values.FailNot = values.FailTaken+f.ForValues.Failed, f.ForValues.Passed
		failed += len(f.Runs)
	}
	values.PassTaken, values.PassNot = failed, c.Passed
	switch n := values.FailTaken + values.FailNot; {
	case values.FailTaken == 0 || c.Passed == 0:
		return ""
	case values.FailNot == 0:
		return fmt.Sprintf("In the runs that record values it never passed: it failed in %d of %d, against %d of %s. Values could not be compared.",
			values.FailTaken, n, failed, plural(failed+c.Passed, "recorded run"))
	case values.Fisher() <= ratesDiffer:
		word := "less"
		if values.FailTaken*(failed+c.Passed) > failed*n {
			word = "more"
		}
		return fmt.Sprintf("In the runs that record values it failed %s often: in %d of %d, against %d of %s (Fisher's exact test: %s).",
			word, values.FailTaken, n, failed, plural(failed+c.Passed, "recorded run"), pValue(values.Fisher()))
	}
	return ""
}

// experimentsDiffer says that with nothing changed a test failed significantly more or
// less often in the runs of the experiments than in those that were recorded.
func experimentsDiffer(t *finding.Test) string {
	if len(t.Verdicts) == 0 || len(t.Verdicts[0].Tests()) > 0 { // whose runs have other tests in them
		return ""
	}
	d := &t.Verdicts[0]
	c := count(t.Runs)
	failed, all := 0, c.decided()
	for _, f := range t.Failures { // experiments count what fails at one place, in whatever words
		if d.About(f) {
			failed += len(f.Runs)
		}
	}
	if failed == 0 || d.Proof.Confirmed.Plain.Of == 0 || c.Provoked > 0 {
		return ""
	}
	table := divergence.Table{FailTaken: d.Proof.Confirmed.Plain.Failed, FailNot: d.Proof.Confirmed.Plain.Of - d.Proof.Confirmed.Plain.Failed, PassTaken: failed, PassNot: all - failed}
	if table.Fisher() > ratesDiffer {
		return ""
	}
	alone := ", which are of this test alone,"
	if t.Alone != "" { // it was seen to fail so elsewhere too
		alone = ""
	}
	word := "less"
	if d.Proof.Confirmed.Plain.Failed*all > failed*d.Proof.Confirmed.Plain.Of {
		word = "more"
	}
	return fmt.Sprintf("In the runs of the experiments%s it failed %s often with nothing changed: in %d of %d, against %d of %d recorded runs (Fisher's exact test: %s).",
		alone, word, d.Proof.Confirmed.Plain.Failed, d.Proof.Confirmed.Plain.Of, failed, all, pValue(table.Fisher()))
}

// warning returns a warning of the comparison. What is said of the number of runs
// leaves out those for values, which are compared among themselves.
func (v *viewer) warning(f *finding.Failure, err error) string {
	s := v.clean.line(err.Error(), 500)
	switch {
	case errors.Is(err, divergence.ErrOneFailing) && f.ForValues.Failed > 0:
		s += fmt.Sprintf(" was compared; %d more failed so in the runs for values", f.ForValues.Failed)
	case errors.Is(err, divergence.ErrOnePassing) && f.ForValues.Passed > 0:
		s += fmt.Sprintf(" was compared; %d more passed in the runs for values", f.ForValues.Passed)
	}
	return s
}

func doNot(n int) string {
	if n == 1 {
		return "does not"
	}
	return "do not"
}

func was(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// fewFailed is how many failing runs, with none that passed, say that a test always fails: of one that passes in
// half of its runs, one in 32 times that many fail in a row.
const fewFailed = 5

// happened tells in about three sentences what the failing runs did that
// passing runs did not.
func (v *viewer) happened(f *finding.Failure) []prose {
	a := f.Analysis
	switch {
	case a == nil && count(v.t.Runs).Passed == 0 && raced(f):
		return []prose{say("No run passed with the race detector, so there is nothing to compare the failing runs with. Without -race the test may pass.")}
	case a == nil && count(v.t.Runs).Passed == 0:
		p := say("No run passed, so there is nothing to compare the failing runs with. ")
		if n := count(v.t.Runs).Failed; n < fewFailed {
			return []prose{p.text("Whether it always fails, " + plural(n, "run") + " can't tell: more do (-n).")}
		}
		return []prose{p.text("A test that always fails is broken, not flaky: start from its message.")}
	case f.LeftOut != "":
		return []prose{say("These failing runs were not compared with the passing ones: " + v.clean.line(f.LeftOut, 300) + ". ").code("fdebug report").text(" compares them, however long it takes.")}
	case a == nil:
		return []prose{say("The failing runs could not be compared with passing ones.")}
	case len(a.Chain) == 0 && v.t.Name == "":
		out := []prose{say("Tests are compared, goroutine by goroutine; what is left of a package, its initialisation and TestMain, is not.")}
		if f.Dump != "" {
			out = append(out, v.seeDump(f))
		}
		return out
	case len(a.Chain) == 0:
		rest := "The difference is in the data, or in when another goroutine did something."
		if a.Alone {
			rest = "The difference is in the data."
		}
		out := []prose{say("No branch and no number of iterations was found that predicts the outcome, in any goroutine of the test. " + rest)}
		if f.Dump != "" {
			out = append(out, v.seeDump(f))
		}
		if a.Benign > 0 {
			out = append(out, say(fmt.Sprintf("Left aside: %s where passing runs differ from each other just as much.", plural(a.Benign, "place"))))
		}
		return out
	}
	out := v.divergence(a.Chain[0])
	if f.Dump != "" {
		out = append(out, v.seeDump(f))
	}
	if n := len(a.Chain); n > 1 {
		p := say(more(n-1, a.Chain[n-1].SamePath))
		if last, _, _ := v.ends(a.Chain[n-1]); last != nil {
			out = append(out, v.placeEnd(p, *last).text("."))
		}
	}
	return out
}

func (v *viewer) seeDump(f *finding.Failure) prose {
	return say("The dump of goroutines on this page shows where " + dumped(f).who + " when the process ended.")
}

// more begins to say where the last of n more divergences is; or, where the last is none, up to where.
func more(n int, samePath bool) string {
	switch {
	case samePath && n > 1:
		return fmt.Sprintf("%s listed below; of the goroutine that failed no way tells the outcome, up to ", are(n-1))
	case samePath:
		return "Of the goroutine that failed no way tells the outcome, up to "
	case n == 1:
		return "A second divergence is at "
	}
	return fmt.Sprintf("%d more divergences are listed below, the last at ", n)
}

// are begins to say of n more divergences.
func are(n int) string {
	if n == 1 {
		return "A second divergence is"
	}
	return fmt.Sprintf("%d more divergences are", n)
}
