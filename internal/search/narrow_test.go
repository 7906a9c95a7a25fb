package search

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/proof"
)

// A dialled world fails where a dial is set from one value to another, and in a share of the runs in which it is not.
type dialled struct {
	slow
	base float64
}

func (w *dialled) Run(_ context.Context, plans []Plan, _ bool) (outs []Outcome, err error) {
	for _, p := range plans {
		o := Outcome{Is: proof.TellsPass, Done: p}
		fails := w.rng.Float64() < w.base
		if len(p) > 0 {
			at := p[0].(dial).at
			fails = (w.from <= at && at < w.to) != (w.rng.Float64() < noise)
		}
		if fails {
			o.Is, o.Failure = proof.TellsFailure, "x_test.go:7"
		}
		outs = append(outs, o)
	}
	return outs, nil
}

// A dial sets it, to one of 100 values.
type dial struct {
	Whole
	at  int
	rng *rand.Rand
}

func (a dial) Surely() Act { return a }

func (a dial) Narrow(_ *Found, fails func(...Plan) (bool, error)) (*Law, error) {
	edge := func(way int) (int, error) {
		for n := 1; n < 100; n++ {
			b := dial{at: (a.at + 100 + way*n) % 100}
			if is, err := fails(Plan{b}, Plan{b}); !is || err != nil {
				return a.at + way*n, err
			}
		}
		return a.at + way*100, nil
	}
	last, err := edge(-1)
	to, err2 := edge(1)
	if err != nil || err2 != nil || to-last > 99 {
		return nil, cmp.Or(err, err2)
	}
	l := &Law{Says: [2]int{(last + 101) % 100, (to + 100) % 100}}
	for range 20 {
		l.Fails = append(l.Fails, Plan{dial{at: (last + 101 + a.rng.IntN(to-last-1)) % 100}})
		l.Passes = append(l.Passes, Plan{dial{at: (to + a.rng.IntN(101+last-to) + 100) % 100}})
	}
	return l, nil
}

// Both edges of what decides are found and confirmed. Where the act decides nothing, or a law would take too many runs,
// there is none.
func TestNarrow(t *testing.T) {
	const n = 100
	for _, c := range []struct {
		from, to    int
		base        float64
		right, runs int // laws at least, runs in the median at most
	}{
		{47, 55, 0, 90, 130}, {47, 55, 0.2, 90, 230}, {47, 55, 0.6, 80, 230}, {50, 51, 0.01, 90, 130},
		{0, 100, 0, 0, 400}, {0, 0, 0.3, 0, 400}, {10, 90, 0, 0, 400},
	} {
		t.Run(fmt.Sprint(c.from, c.to, c.base), func(t *testing.T) {
			right, runs := 0, []int{}
			for seed := range uint64(n) {
				rng := rand.New(rand.NewPCG(seed, 5))
				w := &dialled{slow{from: c.from, to: c.to, left: 1 << 60, rng: rng}, c.base}
				s := &Search{Runner: w, Proposers: []Proposer{proposals{{Fails: Plan{dial{at: 50, rng: rng}}, Prior: 0.1}}}}
				f, err := s.Find(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				runs = append(runs, s.runs)
				switch {
				case f == nil || f.Law == nil:
				case f.Law.Says != [2]int{c.from, c.to}:
					t.Errorf("seed %d: %v", seed, f.Law.Says)
				case f.Verdict != proof.Proved || f.Opposite == nil:
					t.Errorf("seed %d: %v, cure %v", seed, f.Verdict, f.Confirmed.Cure)
				default:
					right++
				}
			}
			slices.Sort(runs)
			t.Logf("%d of %d right, %d runs", right, n, runs[n/2])
			if right < c.right || c.right == 0 && right > 0 || runs[n/2] > c.runs {
				t.Errorf("%d of %d right, %d runs", right, n, runs[n/2])
			}
		})
	}
}

// A late act is as a hold at one position, or at none.
type late struct {
	Whole
	where int
}

func (a late) Surely() Act      { return a }
func (a late) Elsewhere() []Act { return []Act{hold{at: 3, dose: 30}} }
func (a late) Narrower() []Act {
	return []Act{hold{at: 20, dose: 30}, hold{at: 40, dose: 30}}
}

// delaying runs fail with a late act, and with a hold where it is as one.
type delaying struct{ slow }

func (w *delaying) Run(_ context.Context, plans []Plan, _ bool) (outs []Outcome, err error) {
	for _, p := range plans {
		o := Outcome{Is: proof.TellsPass, Done: p}
		if slices.ContainsFunc(p, func(a Act) bool {
			h, is := a.(hold)
			return !is || h.at == w.from && h.dose >= 10
		}) {
			o.Is, o.Failure = proof.TellsFailure, "x_test.go:7"
		}
		outs = append(outs, o)
	}
	return outs, nil
}

// A narrower act that does the same is what is found, as weak as suffices; where none does, the act stays.
func TestNarrower(t *testing.T) {
	for _, where := range []int{20, 40, -1} {
		w := &delaying{slow{from: where}}
		s := &Search{Runner: w, Proposers: []Proposer{proposals{{Fails: Plan{late{where: where}}, Prior: 0.02}}}}
		f, err := s.Find(t.Context())
		if err != nil || f == nil || f.Verdict != proof.Proved {
			t.Fatalf("%d: %+v, %v", where, f, err)
		}
		if h, is := f.Plan[0].(hold); is != (where >= 0) || is && (h.at != where || h.dose > 30) {
			t.Errorf("%d: found %+v", where, f.Plan)
		}
	}
}
