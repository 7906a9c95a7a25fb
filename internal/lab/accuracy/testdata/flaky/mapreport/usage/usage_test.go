package usage

import (
	"strings"
	"testing"
)

var march = []Record{
	{"maps", 3.5, 25},
	{"search", 12, 40},
	{"ads", 2, 10},
	{"search", 1, 20},
	{"mail", 8, 25},
}

func TestReport(t *testing.T) {
	want := `team    hours  GB
search  13     60
maps    3.5    25
mail    8      25
ads     2      10
`
	if got := Report(march); got != want {
		t.Errorf("report:\n%s\nwant:\n%s", got, want)
	}
}

func TestTotals(t *testing.T) {
	sum := 0
	for _, total := range Totals(march) {
		sum += total.GB
	}
	if sum != 120 {
		t.Errorf("all teams together use %d GB, want 120", sum)
	}
}

func TestEmptyReport(t *testing.T) {
	if got := Report(nil); strings.Count(got, "\n") != 1 {
		t.Errorf("report:\n%s\nwant the head only", got)
	}
}
