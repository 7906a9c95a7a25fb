package analyze

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
)

// categorize says which category each verdict on a test is of, and which one the test looks like without a proof.
func categorize(t *finding.Test) {
	t.Looks = ""
	digits := lastDigits(t)
	for i := range t.Verdicts {
		v := &t.Verdicts[i]
		v.Category = category(t, v, digits)
	}
	if v := t.Verdicts; len(v) == 0 || v[0].Category == "" {
		t.Looks = looksLike(t, digits)
	}
}

// category returns the category of a verdict: that of the proof alone, unless the failures of the test say more.
func category(t *finding.Test, v *finding.Verdict, digits bool) string {
	first, alone := firstOf(t, v), categoryOf(&v.Proof)
	switch {
	case v.Proof.Within(): // it is about what goroutines share, whatever was late
		return alone
	case first != nil && first.Category() == "timeout", t.Deadlock(v) != nil: // whatever brought it about
		return "timeout"
	case alone != "" && v.Kind() == "map" && digits:
		return "floating-point"
	case alone == "concurrency" && first != nil && slices.Contains([]string{"io", "network"}, first.Category()):
		return first.Category()
	case alone != "concurrency" || v.Proof.Law.Kind != "":
		return alone
	case first != nil && first.Category() == "async-wait" && first.InTest():
		return "async-wait"
	}
	return alone
}

// firstOf returns the place that is first of a verdict's, nil if there is none.
func firstOf(t *finding.Test, v *finding.Verdict) *finding.Suspect {
	list := t.Suspects()
	if i := slices.IndexFunc(list, func(s finding.Suspect) bool { return s.Verdict == v }); i >= 0 {
		return &list[i]
	}
	return nil
}

// looksLike guesses at the category: what the failure says is surer than where the runs
// differ, since it is about the outcome itself.
func looksLike(t *finding.Test, digits bool) string {
	for _, f := range t.Failures {
		if f.Late { // whatever it says, the test did not wait for it
			return "async-wait"
		}
		for _, m := range messages {
			if m.text.MatchString(f.Message) {
				return m.category
			}
		}
	}
	if digits {
		return "floating-point"
	}
	for _, s := range t.Suspects() {
		if c := s.Category(); c != "" && s.Class > finding.Hint {
			return c
		}
	}
	return ""
}

// messages are what failures of some categories say, whoever words them: errors of the
// operating system and of the Go runtime.
var messages = []struct {
	text     *regexp.Regexp
	category string
}{
	{regexp.MustCompile(`(?i)too many open files|pool (is )?exhausted|out of memory`), "resource-leak"},
	{regexp.MustCompile(
		`(?i)address already in use|connection refused|connection reset by peer|no such host|network is unreachable`),
		"network"},
	{regexp.MustCompile(`all goroutines are asleep`), "timeout"},
	{regexp.MustCompile(`in goroutine after \S+ has completed`), "async-wait"},
	{regexp.MustCompile(`(?i)executable file not found|exec format error|permission denied`), "environment"},
	{regexp.MustCompile(`(?i)unexpected EOF|no such file or directory|file already closed`), "io"},
	{regexp.MustCompile(`concurrent map (read|write|iteration)|WARNING: DATA RACE`), "concurrency"},
}

// rounding is how far numbers may lie apart, against their size, that differ only for
// rounding.
const rounding = 1e-9

// lastDigits reports whether the values of an operand that decided are floating
// point numbers that differ in all runs together by no more than rounding makes.
func lastDigits(t *finding.Test) bool {
	return slices.ContainsFunc(t.Failures, func(f *finding.Failure) bool {
		return slices.ContainsFunc(f.Values, func(v finding.Value) bool {
			return nearlyEqual(slices.Concat(v.Passing, v.Failing))
		})
	})
}

// nearlyEqual reports whether values differ, and lie no farther apart than rounding makes.
func nearlyEqual(list []finding.Seen) bool {
	lo, hi, fraction := math.Inf(1), math.Inf(-1), false
	for _, s := range list {
		x, err := strconv.ParseFloat(strings.TrimSpace(s.Text), 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
		lo, hi, fraction = min(lo, x), max(hi, x), fraction || strings.ContainsAny(s.Text, ".e")
	}
	return fraction && lo < hi && hi-lo <= rounding*max(math.Abs(lo), math.Abs(hi))
}

// categoryOf returns the category of Luo et al. that a proof is one of, "" without a
// proof. Other tests need no proof if the test fails often enough after them. For choices, what was chosen says it, and
// the law where goroutines meet: what the test's own goroutine does before another one is what it does not wait for (Luo
// et al. 2014, §3.1.1).
func categoryOf(p *proof.Proof) string {
	told := p.Verdict == proof.Proved || p.Verdict == proof.Reproduced && p.Kind() == "tests"
	if !told {
		return ""
	}
	switch kind := p.Kind(); {
	case kind == "tests" && strings.Contains(p.Message, syscall.EMFILE.Error()): // what they left open
		return "resource-leak"
	case p.Law.Kind == proof.LawDeadline, p.Law.Kind == proof.LawTimers:
		return "timeout"
	case p.Law.Kind == proof.LawOrder && p.At[0].Goroutine.Root() && !p.At[1].Goroutine.Root():
		return "async-wait"
	}
	return p.CategoryOfKind()
}
