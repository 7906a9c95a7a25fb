package freedom

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// What of several numbers decides.
const (
	only     Among = iota // there are no others
	anyLeast              // the least of them
	anyMost               // the greatest
	twice                 // whether two are equal
	taken                 // the case of a select, by its line, that is taken: in a visit, or in any
	nth                   // one of them: their number is added
)

// An Among says what of several numbers a range is about.
type Among int

// Any reports whether one of them suffices, Twice whether two that are equal do, Taken whether it is about a case of a
// select, and Nth which one has to be it, from 1.
func (o Among) Any() bool   { return o == anyLeast || o == anyMost }
func (o Among) Twice() bool { return o == twice }
func (o Among) Taken() bool { return o == taken }
func (o Among) Nth() int    { return max(0, int(o-nth)+1) }

// of returns the value that decides of some numbers: one of them, or how many have an equal one.
func (o Among) of(list []int64) int64 {
	switch {
	case o == anyLeast:
		return slices.Min(list)
	case o == anyMost:
		return slices.Max(list)
	case o == twice:
		slices.Sort(list)
		return int64(len(list) - len(slices.Compact(list)))
	case o == only:
		return list[0]
	}
	return list[o-nth]
}

const (
	maxLone  = 4          // numbers that are tried one by one
	maxNear  = 11         // halvings of the limit for two values to be as good as one
	maxTail  = 64         // the part at the end of all values that is tried first
	maxSeeds = 4_000_000  // that are tried for one with a value
	maxDrawn = 64_000_000 // numbers that they give
	// Floats is how many numbers Float64 returns: its results are parts of it.
	Floats  = 1 << 53
	exactly = 43 // bits of them to which an edge is known
)

// A drawer is a goroutine and a place at which it draws.
type drawer struct {
	kind  trace.ActKind
	id    trace.GoroutineID
	block int
}

// number is a draw of the probe runtime.
func (d drawer) number(seed uint64, ordinal uint32) uint64 {
	mix := trace.Mix
	return mix(mix(mix(seed+uint64(d.kind), uint64(d.id)), uint64(d.block)), uint64(ordinal))
}

// A dice is a place that draws, by a seed, and what of it may decide.
type dice struct {
	drawer
	act   Act[Site]
	count int // numbers of a run
	value func(seed uint64) int64
	rnd   *rand.Rand
}

// numbers are a dice that draws some from 0 up to a limit.
type numbers struct {
	dice
	most int64 // the limit
	Among
	result func(x uint64) int64
}

// drawnBy returns how a function of math/rand makes a result below a limit of a number, nil if that is not known.
func drawnBy(function string, limit int64) func(x uint64) int64 {
	pow2 := limit&(limit-1) == 0
	switch function {
	case "Intn", "Int31n", "Int63n":
		return func(x uint64) int64 {
			if limit > math.MaxInt32 || function == "Int63n" {
				return int64(x&math.MaxInt64) % limit
			}
			return intn(x, limit)
		}
	case "v2.IntN", "v2.Int64N", "v2.UintN", "v2.Uint64N", "v2.N", "v2.Int32N", "v2.Uint32N":
		return func(x uint64) int64 {
			if hi, _ := bits.Mul64(x, uint64(limit)); !pow2 {
				return int64(hi)
			}
			return int64(x & uint64(limit-1))
		}
	case "Float64":
		return func(x uint64) int64 { return int64(x << 1 >> 11) }
	case "v2.Float64":
		return func(x uint64) int64 { return int64(x << 11 >> 11) }
	}
	return nil
}

// values returns the numbers by a seed.
func (d *numbers) values(seed uint64) []int64 {
	list := make([]int64, d.count)
	for i := range list {
		list[i] = d.result(d.number(seed, uint32(i+1)))
	}
	return list
}

// seed returns one that gives a value for which is returns true, 0 if none is found.
func (d *dice) seed(is func(v int64) bool) uint64 {
	for range min(maxSeeds, maxDrawn/d.count) {
		if s := d.rnd.Uint64(); is(d.value(s)) {
			return s
		}
	}
	return 0
}

// acts returns some that give such a value, nil if not enough are found.
func (d *dice) acts(n int, is func(v int64) bool) (list [][]Act[Site]) {
	for range n {
		s := d.seed(is)
		if s == 0 {
			return nil
		}
		list = append(list, []Act[Site]{d.act.Seeded(s)})
	}
	return list
}

func diceOf(a Act[Site], b Bench, id trace.GoroutineID, count int) dice {
	return dice{drawer: drawer{a.Kind, id, a.At.Block}, act: a, count: count,
		rnd: rand.New(rand.NewPCG(b.Seed("law", 0), 2))}
}

// narrowRand finds which of the numbers that a place draws decides, and with which values.
func narrowRand(a Act[Site], passes bool, b Bench, fails Fails) *Law {
	if a.What == AllChoices {
		return narrowMap(a, passes, b, fails)
	}
	id, count := b.Drawer(a.Kind, a.At.Block)
	function, limit := b.Random(a.At.Block)
	if strings.HasSuffix(function, "Float64") {
		limit = Floats
	}
	d := &numbers{dice: diceOf(a, b, id, count), most: limit, result: drawnBy(function, limit)}
	d.value = func(seed uint64) int64 { return d.of(d.values(seed)) }
	if passes || count == 0 || d.result == nil || limit < 2 {
		return nil
	}
	lone := []Among{only}
	if count > 1 {
		lone = []Among{twice, anyLeast, anyMost}
		for i := range min(count, maxLone) {
			lone = append(lone, nth+Among(i))
		}
	}
	for _, d.Among = range lone {
		own := d.value(a.Seed)
		low, high, ok := d.known(own, b.Outcomes())
		near := func(v int64) bool { return max(v-own, own-v) <= d.most>>maxNear }
		if ok && (d.Among != twice || own > 0) && (count == 1 || d.fails(d.acts(inUnit, near), fails)) {
			return d.law(own, low, high, fails)
		}
	}
	return nil
}

// known returns the values nearest to one with which the test fails, on either side, with which it passed in runs by other
// seeds. ok is false if it failed with one beyond these, or passed with this one: then something else decides.
func (d *numbers) known(own int64, failed map[uint64]bool) (low, high int64, ok bool) {
	low, high = -1, d.most
	for seed, fails := range failed {
		switch v := d.value(seed); {
		case fails:
		case v <= own:
			low = max(low, v)
		default:
			high = min(high, v)
		}
	}
	for seed, fails := range failed {
		if v := d.value(seed); fails && (v <= low || v >= high) {
			return low, high, false
		}
	}
	return low, high, low < own
}

// fails reports whether the test does with each of some acts, if there are any.
func (d *dice) fails(acts [][]Act[Site], fails Fails) bool {
	return len(acts) > 0 && fails(acts...)
}

// law returns the law of what decides, which has a value with which the test fails, between two with which it passes.
func (d *numbers) law(own, low, high int64, fails Fails) *Law {
	r := Range{Unit: d.most, From: own, To: own + 1, Of: d.Among}
	if d.Among == twice {
		r.From, r.To = 1, int64(d.count)
	} else {
		r.From, r.To = d.edge(own, low, fails)+1, d.edge(own, high, fails)
	}
	if d.Among == anyLeast && r.From > 0 || d.Among == anyMost && r.To < d.most {
		return nil // that all of them are so is another law
	}
	in := func(v int64) bool { return r.From <= v && v < r.To }
	return d.lawOf(r, in, func(v int64) bool { return !in(v) })
}

// lawOf returns the law of values with which the test fails, and others with which it passes.
func (d *dice) lawOf(r Range, fails, passes func(v int64) bool) *Law {
	l := &Law{Range: r, Fails: d.acts(inLaw, fails), Passes: d.acts(inLaw, passes)}
	if len(l.Fails)*len(l.Passes) == 0 {
		return nil
	}
	return l
}

// edge returns the value nearest to one with which the test fails with which it does not, up or down to one with which it
// does not: by halves, but mostly it fails up to the end of all values. It is known as well as seeds are found for them.
func (d *numbers) edge(in, out int64, fails Fails) int64 {
	way := int64(1)
	if out < in {
		way = -1
	}
	between := func(from, to int64) uint64 {
		return d.seed(func(v int64) bool { return way*v >= way*from && way*v <= way*to && v != in && v != out })
	}
	if out < 0 || out == d.most {
		if s := between(out-(out-in)/maxTail-way, out-way); s != 0 && fails([]Act[Site]{d.act.Seeded(s)}) {
			return out
		} else if s != 0 {
			out = d.value(s)
		}
	}
	for way*(out-in) > max(1, d.most/Floats<<exactly) {
		s := between(in+(out-in)/4, out-(out-in)/4)
		if s == 0 {
			s = between(in, out)
		}
		if s == 0 {
			break
		}
		if v := d.value(s); fails([]Act[Site]{d.act.Seeded(s)}) {
			in = v
		} else {
			out = v
		}
	}
	return out
}
