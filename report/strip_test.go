package report

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
)

func stripOf(t *testing.T, in valueInput) *strip {
	t.Helper()
	s, ok := newStrip(in)
	if !ok {
		t.Fatalf("no strip of %v and %v", in.passing, in.failing)
	}
	return s
}

// Passing runs had 0 and 10, failing ones 20 twice and 30: on one axis from 0
// to 30, which is drawn from 2.5 % to 97.5 %, with a line halfway from 10 to 20.
func TestStrip(t *testing.T) {
	s := stripOf(t, valueInput{passing: numbersSeen(10, 0), failing: numbersSeen(20, 20, 30)})
	dots := func(list numbers) string {
		var parts []string
		for _, d := range s.dots(list) {
			parts = append(parts, d.X+" "+d.Title)
		}
		return strings.Join(parts, "; ")
	}
	axis := s.axis()
	for _, c := range []struct{ what, got, want string }{
		{"passing", dots(s.pass), "2.5% 0 in 1 run; 34.2% 10 in 1 run"},
		{"failing", dots(s.fail), "65.8% 20 in 2 runs; 97.5% 30 in 1 run"},
		{"limit", axis.Limit, "50.0%"},
		{"between", axis.Between, "┊ 10–20"},
		{"ends", axis.Least + " " + axis.Most, "0 30"},
		{"passing as text", s.text(s.pass), "•·······•···┊············"},
		{"failing as text", s.text(s.fail), "············┊····•······•"},
		{"failing in words", s.fail.words(), "20 ×2, 30 ×1"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", c.what, c.got, c.want)
		}
	}
}

// Where the outcomes overlap there is no line, unless a hypothesis has set one.
func TestStripLimit(t *testing.T) {
	in := valueInput{passing: numbersSeen(1, 5), failing: numbersSeen(3, 9)}
	if s := stripOf(t, in); s.axis().Limit != "" || s.axis().Between != "" {
		t.Errorf("a line at %s: %s", s.axis().Limit, s.axis().Between)
	}
	in.limit = &finding.Limit{Below: 5, From: 9}
	if got := stripOf(t, in).axis().Limit; got != fmt.Sprintf("%.1f%%", 2.5+95*6.0/8) {
		t.Errorf("the line is at %s", got)
	}
}

// However many values there are, the picture has no more than 64 dots for each
// outcome, which stand for all runs.
func TestStripBounded(t *testing.T) {
	var many []int
	for i := range 5000 {
		many = append(many, i)
	}
	s := stripOf(t, valueInput{passing: numbersSeen(many...), failing: numbersSeen(-5)})
	dots := s.dots(s.pass)
	if len(dots) > stripBins {
		t.Errorf("%d dots", len(dots))
	}
	runs := 0
	for _, d := range dots {
		n := 0
		if _, err := fmt.Sscanf(d.Title[strings.LastIndex(d.Title, " in ")+4:], "%d run", &n); err != nil {
			t.Errorf("%v in %q", err, d.Title)
		}
		runs += n
	}
	if runs != 5000 {
		t.Errorf("the dots stand for %d runs of 5000", runs)
	}
	if got, want := s.pass.words(), "0–4999"; got != want {
		t.Errorf("in words: %s, want %s", got, want)
	}
}

// What can't be drawn on an axis is not: texts, and numbers that are all the
// same or too far apart. What can be is drawn within it.
func TestStripExtremes(t *testing.T) {
	seen := func(texts ...string) (list []finding.Seen) {
		for i, s := range texts {
			list = append(list, finding.Seen{Text: s, Runs: []int{i + 1}})
		}
		return list
	}
	for _, c := range []struct {
		pass, fail []string
		drawn      bool
	}{
		{[]string{`"a"`}, []string{"1"}, false},
		{[]string{"1"}, []string{"1"}, false},
		{[]string{"nil", "2"}, []string{"1"}, false},
		{[]string{"NaN"}, []string{"1"}, false},
		{[]string{"+Inf"}, []string{"1"}, false},
		{nil, []string{"1"}, false},
		{[]string{"0"}, []string{"5e-324"}, false},
		{[]string{"9007199254740993"}, []string{"9007199254740992"}, false}, // the same float64
		{[]string{"1"}, []string{"1.0000000000000002"}, true},
		{[]string{fmt.Sprint(-math.MaxFloat64)}, []string{fmt.Sprint(math.MaxFloat64), "0"}, true},
		{[]string{"12ms", "1.5s"}, []string{"2µs"}, true},
	} {
		s, ok := newStrip(valueInput{passing: seen(c.pass...), failing: seen(c.fail...)})
		if ok != c.drawn {
			t.Errorf("%v and %v: drawn %v, want %v", c.pass, c.fail, ok, c.drawn)
		}
		if !ok {
			continue
		}
		for _, d := range append(s.dots(s.pass), s.dots(s.fail)...) {
			var x float64
			if _, err := fmt.Sscanf(d.X, "%f%%", &x); err != nil || !(x >= 2.5 && x <= 97.5) {
				t.Errorf("%v and %v: a dot at %s", c.pass, c.fail, d.X)
			}
		}
	}
}

// A period has a dot for each recorded run where in it the test began, failing ones apart, and where experiments have
// let it begin: 5 ms and 65 ms of 70 ms lie at 9.3% and 90.7% between the margins of 2.5%.
func TestPeriod(t *testing.T) {
	at := func(ms int64) time.Time { return time.Unix(0, 70e6*1000+ms*1e6) }
	v := newViewer(&finding.Result{})
	v.f = &finding.Failure{Begun: []finding.Begun{{At: at(5)}, {At: at(35)}, {At: at(65), Failed: true}, {At: at(66 + 70), Failed: true}}}
	d := &finding.Verdict{Proof: proof.Proof{
		Plan:     proof.Acts{{Kind: "clock", What: freedom.ClockPhase, Value: 65e6, Unit: 70e6}},
		Opposite: proof.Acts{{Kind: "clock", What: freedom.ClockPhase, Value: 5e6, Unit: 70e6}},
	}}
	x := v.proofOf(d)
	w := v.phase(x)
	if got, want := fmt.Sprint(w.Set), "[{9.3%  5 ms} {90.7%  65 ms}]"; got != want {
		t.Errorf("set %s, want %s", got, want)
	}
	for i, want := range []string{"[{9.3% 3.7 5 ms in 1 run} {50.0% 3.7 35 ms in 1 run}]", "[{90.7% 3.7 65 ms in 1 run} {92.1% 3.7 66 ms in 1 run}]"} {
		if got := fmt.Sprint(w.Sides[i].Dots); got != want {
			t.Errorf("%s: %s, want %s", w.Sides[i].Word, got, want)
		}
	}
	if d.Proof.Always = true; v.phase(x).Set[0].Title != "65 ms" {
		t.Error("what fails and what passes are not told apart")
	}
	if v.period(0) != nil {
		t.Error("a period of nothing")
	}
}
