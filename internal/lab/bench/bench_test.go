package main

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func sample(values ...float64) *samples { return &samples{values: values} }

func TestQuantile(t *testing.T) {
	for _, c := range []struct {
		values     []float64
		q1, q2, q3 float64
	}{
		{nil, 0, 0, 0},
		{[]float64{7}, 7, 7, 7},
		{[]float64{4, 1, 3, 2}, 1.75, 2.5, 3.25}, // sorted 1 2 3 4; places .75, 1.5, 2.25
		{[]float64{50, 10, 20, 40, 30}, 20, 30, 40},
	} {
		s := sample(c.values...)
		if got := [3]float64{s.quantile(.25), s.median(), s.quantile(.75)}; got != [3]float64{c.q1, c.q2, c.q3} {
			t.Errorf("quartiles of %v: %v, want %v %v %v", c.values, got, c.q1, c.q2, c.q3)
		}
	}
	if got := (*samples)(nil).median(); got != 0 {
		t.Errorf("median of none = %v", got)
	}
}

// Half of the distance between the quartiles 20 and 40, over the median 30.
func TestSpread(t *testing.T) {
	if got := sample(50, 10, 20, 40, 30).spread(); math.Abs(got-1./3) > 1e-12 {
		t.Errorf("spread %v, want 1/3", got)
	}
}

// The second round was slow for both; the ratio of medians would be 3/1.
func TestOver(t *testing.T) {
	got := sample(2, 20, 3).over(sample(1, 10, 1))
	if diff := cmp.Diff([]float64{2, 2, 3}, got.values); diff != "" {
		t.Error(diff)
	}
	if got.ratio() != "2.00×" {
		t.Errorf("ratio %q", got.ratio())
	}
	if got := (*samples)(nil).over(sample(1)).ratio(); got != "-" {
		t.Errorf("ratio of none %q", got)
	}
}

func TestCells(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{sample(0.0123).seconds(), "12.3 ms ± 0%"},
		{sample(90, 100, 110).seconds(), "100 s ± 5%"}, // quartiles 95 and 105
		{sample().seconds(), "-"},
		{size(999), "999 B"},
		{size(46_100), "46.1 kB"},
		{size(400_000_000), "400 MB"},
		{size(4_000_000_000), "4.00 GB"},
		{count(12), "12"},
		{count(99_950_000), "100M"},
		{count(1500), "1.50k"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestParseTime(t *testing.T) {
	wall, cpu, err := parseTime([]byte("=== RUN\nkernel parse 120 450 7\nPASS\n"))
	if wall != 120 || cpu != 450 || err != nil {
		t.Errorf("got %d, %d, %v; want 120, 450", wall, cpu, err)
	}
	for _, bad := range []string{"", "PASS", "kernel parse x 4", "kernel parse 3"} {
		if _, _, err := parseTime([]byte(bad)); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

// Two rounds: 51 and 102 seconds for 50 runs, with 2 and 4 for the first one.
func TestEach(t *testing.T) {
	w := &way{few: *sample(2, 4), many: *sample(51, 102)}
	if diff := cmp.Diff([]float64{1, 2}, w.each(50).values); diff != "" {
		t.Error(diff)
	}
}

func TestTable(t *testing.T) {
	tab := newTable("name", "a|b")
	tab.row("x", "1")
	tab.row("longer", "2.00×")
	tab.note("n = %d", 3)
	text := "name    a|b\nx       1\nlonger  2.00×\nn = 3\n"
	if diff := cmp.Diff(text, tab.text()); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	markdown := "| name | a\\|b |\n|---|--:|\n| x | 1 |\n| longer | 2.00× |\n\nn = 3\n"
	if diff := cmp.Diff(markdown, tab.markdown()); diff != "" {
		t.Errorf("markdown (-want +got):\n%s", diff)
	}
}

// Plain takes 1 s and 2 s, traced twice as long, atomic four times; 1e9 events. One event costs 1
// s / 1e9 in the first round and 2 s / 1e9 in the second.
func TestVariantTable(t *testing.T) {
	vs := []*variant{{name: "plain"}, {name: "atomic"}, {name: "traced"}, {name: "race"}}
	tab := newVariantTable("kernel", vs)
	tab.add(&subject{name: "k", events: 1e9, times: map[string]*samples{
		"plain": sample(1, 2), "atomic": sample(4, 8), "traced": sample(2, 4),
	}}, true)
	tab.add(&subject{name: "w", events: 10, times: map[string]*samples{
		"plain": sample(1), "atomic": sample(1), "traced": sample(1),
	}}, false)
	want := [][]string{
		{"k", "1.50 s ± 17%", "4.00×", "2.00×", "-", "1000M", "1.50 ± 0.25", "0.50×", "2"},
		{"w", "1.00 s ± 0%", "1.00×", "1.00×", "-", "10", "-", "1.00×", "1"},
		{"median", "", "2.50×", "1.50×", "-", "", "1.50", "0.75×", ""},
	}
	if diff := cmp.Diff(want, tab.finish().rows); diff != "" {
		t.Error(diff)
	}
}

func TestChosen(t *testing.T) {
	all := []string{"a", "b"}
	if got, err := (&bench{}).chosen(all); err != nil || len(got) != 2 {
		t.Errorf("no arguments: %v, %v", got, err)
	}
	if got, err := (&bench{args: []string{"b"}}).chosen(all); err != nil || len(got) != 1 {
		t.Errorf("b: %v, %v", got, err)
	}
	if _, err := (&bench{args: []string{"c"}}).chosen(all); err == nil {
		t.Error("c: no error")
	}
}

// Each way is announced in each round, because a table takes minutes.
func TestProgress(t *testing.T) {
	var log strings.Builder
	b := &bench{log: &log, rounds: 1}
	nothing := func(*target, int) [][]string { return nil }
	ways := []*way{{name: "one", commands: nothing}, {name: "two", commands: nothing}}
	if err := b.compareWays(t.Context(), &target{name: "quick"}, ways); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(log.String(), "\n"), "\n")
	slices.Sort(lines[:2]) // they take turns in random order
	slices.Sort(lines[2:])
	want := []string{
		"bench: quick, to warm up: one", "bench: quick, to warm up: two",
		"bench: quick, round 1 of 1: one", "bench: quick, round 1 of 1: two",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}
