package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// A dose is one application of one kind of perturbation to a package's tests.
type dose struct {
	kind, name string
	plan       freedom.Plan
	shuffle    int64    // seed of -shuffle, 0 for the order of the source
	each       []string // tests to run one by one; nil for all together
	skip       []string // tests for which it would not be legal
	race       bool     // with the race detector
}

// A survey says what an undisturbed run shows about a package's tests.
type survey struct {
	tests     []string // top-level tests that passed
	positions []position
	events    int64
	draws     []trace.Draw
	another   []string // tests that see a clock other than the program's own
}

// A position is a position that goroutines of a test came to.
type position struct {
	test string
	at   freedom.Position
}

const (
	stallsAtOnce = 48
	ordersAtOnce = 24
	holdAtMost   = 20 * time.Millisecond
	eachAtMost   = 12  // how many tests of a package run one by one
	fewFiles     = 256 // as in package experiment
)

// doseMakers makes the doses of each kind that has more than what experiments try.
// n is the number of doses that depend on the seed.
var doseMakers = map[string]func(s *survey, r *rand.Rand, n int) []dose{
	"stall": func(s *survey, r *rand.Rand, n int) (list []dose) {
		for i := range n {
			held := holdAtMost >> (2 * (i % 2))
			var p freedom.Plan
			for _, at := range sample(r, s.positions, stallsAtOnce) {
				p.Acts = append(p.Acts, freedom.Stall(at.at, held, true))
			}
			list = append(list, dose{name: fmt.Sprintf("%d positions, %v", len(p.Acts), held), plan: p})
		}
		return list
	},
	"order": func(s *survey, r *rand.Rand, n int) (list []dose) {
		for range n {
			p := freedom.Plan{Acts: s.orders(r)}
			list = append(list, dose{name: fmt.Sprintf("%d pairs", len(p.Acts)), plan: p})
		}
		return list
	},
	"select": pinDoses(trace.ActSelect),
	"map":    pinDoses(trace.ActMap),
	"rand":   pinDoses(trace.ActRand),
	"clock":  clockDoses,
	"timer": func(s *survey, _ *rand.Rand, _ int) (list []dose) {
		for _, by := range []time.Duration{5 * time.Millisecond, 30 * time.Millisecond, 120 * time.Millisecond} {
			list = append(list, s.forAskers(trace.ActTimer, by.String()+" late", func(b uint32) freedom.Step {
				return freedom.Late(b, by)
			})...)
		}
		return list
	},
	"gc": func(s *survey, r *rand.Rand, n int) []dose {
		list := []dose{setting("off", freedom.Collector(freedom.GCOff)),
			setting("often", freedom.Collector(freedom.GCOften))}
		for range n {
			var p freedom.Plan
			for _, at := range sample(r, s.positions, stallsAtOnce) {
				p.Acts = append(p.Acts, freedom.Step{Kind: trace.ActGC, At: at.at})
			}
			list = append(list, dose{name: fmt.Sprintf("%d positions", len(p.Acts)), plan: p})
		}
		return list
	},
	"read": func(s *survey, _ *rand.Rand, _ int) (list []dose) {
		for _, most := range []int64{1, 16} {
			list = append(list, s.forAskers(trace.ActRead, fmt.Sprintf("at most %d bytes", most),
				func(b uint32) freedom.Step { return freedom.Most(b, most) })...)
		}
		return list
	},
	"limits": limitDoses,
	"tests": func(s *survey, r *rand.Rand, n int) []dose {
		list := []dose{{name: "alone", each: sample(r, s.tests, eachAtMost)}}
		for range n {
			list = append(list, dose{name: "shuffled", shuffle: 1 + r.Int64N(1<<40)})
		}
		return list
	},
	"race": func(*survey, *rand.Rand, int) []dose { return []dose{{name: "race detector", race: true}} },
}

// doses returns the doses of a kind for a seed.
func (s *survey) doses(kind string, seed uint64, n int) []dose {
	r := rand.New(rand.NewPCG(seed, uint64(len(kind))<<8|uint64(kind[0])))
	makes := doseMakers[kind]
	if makes == nil {
		makes = tried(freedom.Of(kind))
	}
	list := makes(s, r, n)
	for i := range list {
		list[i].kind = kind
	}
	return slices.DeleteFunc(list, func(d dose) bool { return !d.does() })
}

// seeded offers one seed, and nothing else.
type seeded struct {
	freedom.Bench
	seed uint64
}

func (s seeded) Seed(string, int) uint64 { return s.seed }

// tried makes n doses of what experiments try where it is asked for, from seeds.
func tried(k *freedom.Freedom) func(*survey, *rand.Rand, int) []dose {
	return func(s *survey, r *rand.Rand, n int) (list []dose) {
		for i := range n {
			seed := seeded{seed: uint64(r.Int64())}
			list = append(list, s.forAskers(k.Act(), "tried", func(b uint32) freedom.Step {
				acts := k.Tries(b, seed)
				return acts[i%len(acts)]
			})...)
		}
		return list
	}
}

// does reports whether a dose does anything at all: a package without goroutines has no orders.
func (d *dose) does() bool {
	return d.race || d.shuffle != 0 || d.each != nil || len(d.plan.Acts) > 0
}

func pinDoses(kind trace.ActKind) func(*survey, *rand.Rand, int) []dose {
	return func(s *survey, r *rand.Rand, n int) (list []dose) {
		if !s.asks(kind) {
			return nil
		}
		for range n {
			list = append(list, dose{name: "a seed", plan: planOf(freedom.Pin(kind, r.Uint64(), 0))})
		}
		return list
	}
}

// clockDoses leaves out the tests that see another clock where the program's clock differs from
// the kernel's.
func clockDoses(s *survey, r *rand.Rand, n int) (list []dose) {
	if !s.asks(trace.ActClock) {
		return nil
	}
	for _, unit := range []time.Duration{10 * time.Millisecond, 100 * time.Millisecond, time.Second} {
		phase := time.Duration(r.Int64N(int64(unit)))
		d := setting(fmt.Sprintf("phase of %v", unit), freedom.StartAt(unit, phase))
		d.each = sample(r, s.tests, eachAtMost/3)
		list = append(list, d)
	}
	for _, zone := range []string{"America/Los_Angeles", "Asia/Kolkata", "Pacific/Kiritimati"} {
		list = append(list, setting(zone, freedom.Zone(zone)))
	}
	for _, grain := range []time.Duration{time.Microsecond, time.Millisecond, 16 * time.Millisecond} {
		list = append(list, setting("resolution of "+grain.String(), freedom.Grain(grain)))
	}
	year := time.Now().Year()
	for _, day := range []time.Time{
		time.Date(year+(4-year%4)%4, 2, 29, 12, 0, 0, 0, time.UTC), time.Date(year, 12, 31, 23, 59, 59, 0, time.Local),
		time.Date(year+1, 3, 31, 12, 0, 0, 0, time.Local),
	} {
		list = append(list, setting(day.Format(time.DateOnly), freedom.Date(day)))
	}
	for i := range list {
		if list[i].plan.Does(freedom.Step.Differs) {
			list[i].skip = s.another
		}
	}
	return list
}

func limitDoses(s *survey, _ *rand.Rand, _ int) []dose {
	list := []dose{setting("few files", freedom.FewFiles())}
	list = append(list, s.forAskers(trace.ActLimits, "ports taken", func(b uint32) freedom.Step {
		return freedom.Ports(b, freedom.PortTaken)
	})...)
	for _, m := range freedom.Machines() {
		if s.asks(m.Asks()) {
			list = append(list, setting(m.What.String(), m))
		}
	}
	return list
}

func setting(name string, set freedom.Step) dose { return dose{name: name, plan: planOf(set)} }

func planOf(acts ...freedom.Step) freedom.Plan { return freedom.Plan{Acts: acts} }

// asks reports whether the tests made a request of a kind.
func (s *survey) asks(kind trace.ActKind) bool {
	return slices.ContainsFunc(s.draws, func(d trace.Draw) bool { return d.Kind == kind })
}

// forAskers returns one dose that sets something for each block that makes requests of the kind.
func (s *survey) forAskers(kind trace.ActKind, name string, set func(b uint32) freedom.Step) []dose {
	var d dose
	for _, x := range s.draws {
		if x.Kind == kind && x.Block != 0 && !d.plan.Does(func(a freedom.Step) bool { return a.At.Block == x.Block }) {
			d.plan.Acts = append(d.plan.Acts, set(x.Block))
		}
	}
	d.name = fmt.Sprintf("%s at %d blocks", name, len(d.plan.Acts))
	return []dose{d}
}

// orders returns pairs of positions of two goroutines of one test.
func (s *survey) orders(r *rand.Rand) (list []freedom.Step) {
	byTest := make(map[string][]position)
	for _, p := range s.positions {
		byTest[top(p.test)] = append(byTest[top(p.test)], p)
	}
	for _, p := range sample(r, s.positions, len(s.positions)) {
		others := byTest[top(p.test)]
		if o := others[r.IntN(len(others))]; o.at.G != p.at.G && len(list) < ordersAtOnce {
			list = append(list, freedom.Order(p.at, o.at, holdAtMost))
		}
	}
	return list
}

// sample returns at most n of a list, in random order.
func sample[T any](r *rand.Rand, list []T, n int) []T {
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:min(n, len(list))]
}

// top returns the name of the top-level test.
func top(test string) string {
	name, _, _ := strings.Cut(test, "/")
	return name
}
