package score

import (
	"math"
	"strings"
	"testing"
)

// history makes points from a picture: "." is a run that passed, "F" one that failed, "|" the
// next commit, "w" a week without runs.
func history(picture string) []Point {
	var points []Point
	commit, minute := int32(0), int32(1_000_000)
	for _, c := range picture {
		switch c {
		case '|':
			commit++
			minute += 60
		case 'w':
			minute += 7 * 24 * 60
		case '.', 'F':
			p := Point{Minute: minute, Commit: commit, Runs: 1}
			if c == 'F' {
				p.Failed = 1
			}
			points = append(points, p)
		}
	}
	return points
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-3 }

// Jeffreys' interval for 5 in 20 is 10.2 to 46.4 %: Brown, Cai and DasGupta's method, from the
// quantiles of Beta(5.5, 15.5).
func TestRate(t *testing.T) {
	s := Of(history("F...F....F..F...F..."), 0)
	if s.Runs != 20 || s.Failed != 5 || !near(s.Rate, 0.25) || !near(s.Low, 0.102) || !near(s.High, 0.464) {
		t.Errorf("%+v", s)
	}
}

// A run counts half for each half-life: for one failure a half-life ago and one pass now, the
// rate is 0.5/1.5.
func TestHalfLife(t *testing.T) {
	s := Of([]Point{{Minute: 1_000_000, Runs: 1, Failed: 1}, {Minute: 1_000_000 + int32(HalfLife.Minutes()), Runs: 1}}, 0)
	if !near(s.Rate, 1.0/3) {
		t.Errorf("rate %v", s.Rate)
	}
}

// Two commits with a run each; the first failure is in the second commit. If it began with the
// first commit, there is one failure in two runs: B(1.5, 1.5) = 0.3927. Otherwise there is one in
// one: B(1.5, 0.5) = 1.5708. The posterior is 0.2 and 0.8.
func TestSince(t *testing.T) {
	s := Of(history(".|F"), 0).Since
	if s.Commit != 1 || s.From != 0 || s.Failed != 1 || !near(s.Before, 0.2) {
		t.Errorf("%+v", s)
	}
}

// An unknown commit does not count.
func TestSinceUnknown(t *testing.T) {
	points := history("..F..F")
	for i := range points {
		points[i].Commit = -1
	}
	if s := Of(points, 0); s.Since.Commit != -1 || s.Mixed != 0 {
		t.Errorf("%+v", s)
	}
}

func TestCounts(t *testing.T) {
	s := Of(history("..F.|..|F|.F"), 0)
	if s.Flips != 5 || s.Mixed != 2 { // .F F. .F F. .F; the first commit and the last
		t.Errorf("%d flips, %d commits with both", s.Flips, s.Mixed)
	}
}

func TestGone(t *testing.T) {
	clean := func(n int) string { return strings.Repeat(".", n) }
	for _, c := range []struct {
		name, picture string
		want          bool
	}{
		// Of three failures the later two are among the first 10 of 10+s runs: 10*9 of
		// (10+s)(9+s), which is below 1 % from s = 86 on (96*95 = 9120).
		{"three in eleven, 85 since", "F....F....F|" + clean(85), false},
		{"three in eleven, 86 since", "F....F....F|" + clean(86), true},
		{"of the same commit", "F....F....F" + clean(500), false},
		{"four in 55 of one session", "..FF.FF" + clean(48), false},
		{"and some of the next commit", "..FF.FF" + clean(48) + "|..........", false},
		// Now the span is 98, for three failures: 98*97 of (98+s)(97+s) is below 1 % from s = 878
		// on; the gap of 97 is shorter than that.
		{"a longer gap", "FF" + clean(96) + "F|" + clean(870), false},
		{"and more runs", "FF" + clean(96) + "F|" + clean(890), true},
		// One failure says nothing about gaps. Beta(1.5, 0.5) gives s runs without failure a
		// chance of about 0.64 / sqrt(s)^3: 0.00056 for 100, but they were all today.
		{"one, and many since", "F" + clean(100), false},
		{"one, 91 days ago, and many since", "F" + strings.Repeat("w", 13) + clean(100), true},
		{"one, 91 days ago, and few since", "F" + strings.Repeat("w", 13) + clean(3), false},
		{"goes on", clean(500) + "F", false},
	} {
		if got := Of(history(c.picture), 0).Gone; got.Yes != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

// What is broken for a while is not a flake, however often it ran then.
func TestBroken(t *testing.T) {
	flaky := strings.Repeat("...................F", 5)
	s := Of(history(flaky+strings.Repeat("F", 30)+flaky), 0)
	if s.Broken != 31 || s.BrokenNow || !near(s.Rate, 9.0/199) { // the failure before it is part of the streak
		t.Errorf("%+v", s)
	}
	s = Of(history(strings.Repeat(".", 50)+"|"+strings.Repeat("F", 20)), 0)
	if s.Broken != 20 || !s.BrokenNow {
		t.Errorf("broken to the end: %+v", s)
	}
	if !s.NoFlake || s.Rate != 0 || s.Since.Commit != -1 || s.Gone.Yes || s.Gone.Silence != 0 {
		t.Errorf("it passed before it was broken: %+v", s)
	}
	s = Of(history(strings.Repeat(".", 50)+"|"+strings.Repeat("F", 8)+"|"+strings.Repeat(".", 90)), 0)
	if !s.NoFlake || s.BrokenNow || s.Broken != 8 || s.Gone.Yes || s.Gone.Silence != 90 {
		t.Errorf("broken at one commit, and mended at the next: %+v", s)
	}
	s = Of(history("F.FFF..F.F.F"), 0)
	if s.Broken != 0 {
		t.Errorf("a test that fails half of the time: %+v", s)
	}
}

// BenchmarkOf scores a test with 2000 runs that fails in 2 % of them.
func BenchmarkOf(b *testing.B) {
	points := history(strings.Repeat("..................................................|", 40))
	for i := range points {
		if i%50 == 17 {
			points[i].Failed = 1
		}
	}
	for b.Loop() {
		Of(points, 0)
	}
}
