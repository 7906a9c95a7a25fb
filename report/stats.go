package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// counts are the outcomes of a test.
type counts struct {
	Runs, Passed, Failed, Skipped, NotRun int
	Timeouts, Crashes                     int // among Failed
	ByChild                               int // among NotRun
	Provoked                              int // among Failed
	Alone                                 int // among Provoked, with nothing changed
}

// rounds returns the runs that rates count: those that all packages had, unless there are none.
func rounds(runs []finding.Run) []finding.Run {
	list := slices.DeleteFunc(slices.Clone(runs), func(r finding.Run) bool { return r.Extra })
	if len(list) == 0 {
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
			if r.Provoked == finding.Alone {
				c.Alone++
			}
		default:
			c.NotRun++
		}
		if r.ByChild {
			c.ByChild++
		}
		switch r.Status {
		case finding.Timeout:
			c.Timeouts++
		case finding.Crashed:
			c.Crashes++
		}
	}
	return c
}

// decided is the number of runs that passed or failed: the denominator of the
// rate. A run that skipped the test says nothing of it.
func (c counts) decided() int { return c.Passed + c.Failed }

// flaky reports whether the test both passed and failed.
func (c counts) flaky() bool { return c.Passed > 0 && c.Failed > 0 }

// allProvoked reports whether all failing runs were made to fail.
func (c counts) allProvoked() bool { return c.Failed > 0 && c.Provoked == c.Failed }

// rate returns "24 %, 95 % CI 14–37 %".
func (c counts) rate() string {
	n := c.decided()
	if n == 0 {
		return ""
	}
	return Rate(c.Failed, n)
}

// Rate says how often failed of n runs is, with its confidence interval (Wilson):
// "24 %, 95 % CI 14–37 %". n is at least 1.
func Rate(failed, n int) string {
	lo, hi := divergence.Wilson(failed, n)
	return fmt.Sprintf("%s, 95 %% CI %s", percent(float64(failed)/float64(n)), percentRange(lo, hi))
}

// runsToTrust returns how many runs without failure make it a 1 % coincidence
// that the test still fails with probability p.
func runsToTrust(p float64) int {
	if p <= 0 || p >= 1 {
		return 1
	}
	return int(math.Ceil(math.Log(0.01) / math.Log(1-p)))
}

// percent returns p as the eye wants it: one decimal only where it matters.
func percent(p float64) string { return number(100*p) + " %" }

func percentRange(lo, hi float64) string {
	return number(100*lo) + "–" + number(100*hi) + " %"
}

func number(v float64) string {
	if v > 0 && v < 9.95 && math.Abs(v-math.Round(v)) >= 0.05 || v > 99 && v < 99.95 {
		return fmt.Sprintf("%.1f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// pValue returns a p-value in words.
func pValue(p float64) string {
	switch {
	case p < 1e-4:
		return fmt.Sprintf("p = %.0e", p)
	case p < 0.01:
		return fmt.Sprintf("p = %.4f", p)
	}
	return fmt.Sprintf("p = %.2f", p)
}

// plural returns "1 run" or "3 runs".
func plural(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%s %ss", thousands(int64(n)), one)
}

// thousands returns n with commas.
func thousands(n int64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// ordinal returns "1st", "2nd", "11th".
func ordinal(n int64) string {
	suffix := "th"
	if n%100 < 11 || n%100 > 13 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return thousands(n) + suffix
}
