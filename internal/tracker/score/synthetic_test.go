package score

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A truth says how a synthetic history was made.
type truth struct {
	rate    float64 // while it fails
	perRun  float64 // runs of the test for each commit, on average
	start   int     // first commit that fails; 0 for a test that was flaky from the beginning
	end     int     // first commit that does not fail any more; the number of commits if it never stops
	commits int
}

// ongoing reports whether it still happens.
func (t *truth) ongoing() bool { return t.end == t.commits }

// synthetic makes the history of one test:
//
//   - 60 to 400 commits, 1 to 10 a day, evenly spaced in each history;
//   - 2 to 40 runs a commit on average, log-uniform, their number Poisson;
//   - a failure probability of 1 % to 50 %, log-uniform, the same from start to end;
//   - in one of five it was there from the beginning, else it starts with any commit in the
//     first nine tenths;
//   - in three of ten it ends with any later commit, else it goes on.
//
// Runs are independent.
func synthetic(r *rand.Rand) ([]Point, truth) {
	logUniform := func(low, high float64) float64 { return low * math.Exp(r.Float64()*math.Log(high/low)) }
	t := truth{rate: logUniform(0.01, 0.5), perRun: logUniform(2, 40), commits: 60 + r.IntN(341)}
	if r.IntN(5) > 0 {
		t.start = 1 + r.IntN(t.commits*9/10)
	}
	t.end = t.commits
	if r.IntN(10) < 3 {
		t.end = t.start + 1 + r.IntN(t.commits-t.start)
	}
	step := 24 * 60 / logUniform(1, 10)
	var points []Point
	for c := range t.commits {
		minute := int32(1_000_000 + float64(c)*step)
		for range poisson(r, t.perRun) {
			p := Point{Minute: minute, Commit: int32(c), Runs: 1}
			if c >= t.start && c < t.end && r.Float64() < t.rate {
				p.Failed = 1
			}
			if n := len(points); n > 0 && p.Failed == 0 && points[n-1].Failed == 0 && points[n-1].Commit == p.Commit {
				points[n-1].Runs++
				continue
			}
			points = append(points, p)
		}
	}
	return points, t
}

func poisson(r *rand.Rand, mean float64) int {
	n, left := 0, math.Exp(-mean)
	for p := r.Float64(); p > left; p *= r.Float64() {
		n++
	}
	return n
}

func failed(points []Point) bool {
	for _, p := range points {
		if p.Failed > 0 {
			return true
		}
	}
	return false
}

// A share counts cases.
type share struct{ yes, of int }

func (s *share) add(yes bool) {
	s.of++
	if yes {
		s.yes++
	}
}

func (s share) rate() float64 { return float64(s.yes) / float64(max(1, s.of)) }

// TestSynthetic scores histories whose truth is known: intervals cover as promised, the commit of
// the beginning is found, and what goes on does not count as gone.
func TestSynthetic(t *testing.T) {
	const histories = 3000
	r := rand.New(rand.NewPCG(1, 2))
	var covered, coveredGone, since, sinceIn, wrong, found share
	for range histories {
		points, truth := synthetic(r)
		if !failed(points) {
			continue // nobody asks
		}
		s := Of(points, 0)
		inside := s.Low <= truth.rate && truth.rate <= s.High
		if truth.ongoing() {
			covered.add(inside)
			wrong.add(s.Gone.Yes)
		} else {
			found.add(s.Gone.Yes)
			if s.Gone.Yes {
				coveredGone.add(inside)
			}
		}
		if truth.start > 0 {
			since.add(abs(int(s.Since.Commit)-truth.start) <= 3)
			sinceIn.add(int(s.Since.From) <= truth.start && truth.start <= int(s.Since.Failed))
		}
	}
	t.Logf("rate of what goes on within its interval: %.1f %% of %d", 100*covered.rate(), covered.of)
	t.Logf("rate of what is gone within its interval: %.1f %% of %d", 100*coveredGone.rate(), coveredGone.of)
	t.Logf("since within 3 commits: %.1f %% of %d; within its range: %.1f %%", 100*since.rate(), since.of, 100*sinceIn.rate())
	t.Logf("goes on, but reported as gone: %.2f %% of %d", 100*wrong.rate(), wrong.of)
	t.Logf("gone, and reported so: %.1f %% of %d", 100*found.rate(), found.of)
	if c := covered.rate(); c < 0.93 || c > 0.97 {
		t.Errorf("95 %% intervals cover in %.1f %%", 100*c)
	}
	if c := coveredGone.rate(); c < 0.93 || c > 0.97 {
		t.Errorf("of what is gone, 95 %% intervals cover in %.1f %%", 100*c)
	}
	if since.rate() < 0.8 {
		t.Errorf("since is within 3 commits in %.1f %%", 100*since.rate())
	}
	if wrong.rate() > 0.01 {
		t.Errorf("gone is wrong in %.2f %%", 100*wrong.rate())
	}
}

func abs(n int) int { return max(n, -n) }
