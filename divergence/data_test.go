package divergence

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A data divergence has one value for each run: that of the occurrence that decides, the smallest
// of all, or the keys in their order.
func TestDataSeen(t *testing.T) {
	for _, c := range []struct {
		name, pass, fail string
		site             int
		passing, failing []string // what each run has, in order; used three times
	}{
		{"a number", "[60x6 70x3 80x3 90x3]", "[5x6 10x3 20x3 30x3]", 2,
			[]string{"60", "60", "70", "80", "90"}, []string{"5", "5", "10", "20", "30"}},
		{"the first key", `["a"x18]`, `["b"x18]`, 3,
			slices.Repeat([]string{`"a" "b"`}, 6), slices.Repeat([]string{`"b" "a"`}, 6)},
		{"the least of two", "[50x18]", "[1x9 2x9]", 2,
			[]string{"50 90", "70 50", "50 60", "90 50", "50 80", "61 50"}, []string{"1 60", "70 2", "1 90", "80 2", "1 99", "65 2"}},
	} {
		var runs []Run
		for range 3 {
			for i, text := range append(slices.Clone(c.passing), c.failing...) {
				runs = append(runs, valueRun(len(runs)+1, i >= len(c.passing), series1(c.site, strings.Fields(text)...)...))
			}
		}
		d := analyzeValues(t, runs).Data
		if d == nil {
			t.Errorf("%s: no data divergence", c.name)
			continue
		}
		pass, fail := fmt.Sprint(texts(d.Passing)), fmt.Sprint(texts(d.Failing))
		if pass != c.pass || fail != c.fail {
			t.Errorf("%s: rule %s, occurrence %d: %s and %s, want %s and %s", c.name, d.Rule, d.Nth, pass, fail, c.pass, c.fail)
		}
	}
}
