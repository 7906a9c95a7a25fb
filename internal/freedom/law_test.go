package freedom

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// Edges are found in few runs, and exactly where they are round.
func TestEdge(t *testing.T) {
	const hour, day = 3600, 24 * 3600
	steps := []int64{hour, 60, 1}
	for _, c := range []struct {
		name         string
		in, from, to int64 // the test fails in [from, to)
		most         int64
		steps        []int64
		want         int64
		ok           bool
		runs         int // at most
	}{
		{"up to midnight", 23*hour + 3599, 22 * hour, day, 2 * day, steps, day, true, 2},
		{"from ten", 23*hour + 3599, 22 * hour, day, 0, steps, 22 * hour, true, 5},
		{"from a quarter past", 12 * hour, 6*hour + 900, day, 0, steps, 6*hour + 900, true, 13},
		{"to a second", 12 * hour, 0, 17*hour + 1234, day, steps, 17*hour + 1234, true, 24},
		{"everywhere", 5 * hour, 0, day, day, steps, day, false, 7},
		{"a number", 7, 0, 46656, 1 << 30, []int64{1}, 46656, true, 34},
		{"one number", 7, 7, 8, 10, []int64{1}, 8, true, 1},
		{"one number, down", 7, 7, 8, 0, []int64{1}, 7, true, 1},
	} {
		runs := 0
		got, ok := edge(c.in, c.most, 1, c.steps, func(v int64) bool {
			runs++
			return c.from <= v && v < c.to
		})
		if got != c.want || ok != c.ok || runs > c.runs {
			t.Errorf("%s: %d, %v after %d runs; want %d, %v after %d", c.name, got, ok, runs, c.want, c.ok, c.runs)
		}
	}
}

// A time is as far into a period as that says, and others that are as far are found.
func TestPeriod(t *testing.T) {
	at := time.Date(2028, 2, 29, 22, 30, 1, 5e6, time.UTC)
	const day = int64(24 * time.Hour)
	clock := 22*int64(time.Hour) + 30*int64(time.Minute) + 1005e6
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct {
		Period
		want int64
	}{
		{Period(time.Second), 5e6}, {Period(time.Minute), 1005e6}, {Period(time.Hour), 30*60e9 + 1005e6}, {say.Day, clock},
		{say.Week, 2*day + clock}, {say.MonthEnd, clock - day}, {say.Month, 28*day + clock}, {say.Year, 59*day + clock},
	} {
		if got := c.into(at); got != c.want {
			t.Errorf("%v: %v, want %v", c.Period, got, c.want)
		}
		for range 20 {
			if got := c.at(c.want, at, rnd).UTC(); c.into(got) != c.want {
				t.Errorf("%v: %v is not so far into it", c.Period, got)
			}
		}
	}
}

// A dial is a bench that knows no more than the time.
type dial struct {
	Bench
	now time.Time
}

func (d dial) Now() time.Time                                      { return d.now }
func (d dial) Seed(string, int) uint64                             { return 1 }
func (d dial) Durations(least, most time.Duration) []time.Duration { return nil }

// The period of the clock that decides is found with its edges, in so many runs.
func TestClockLaw(t *testing.T) {
	now := time.Date(2026, 11, 29, 6, 7, 8, 9e6, time.Local)
	newYear := time.Date(2026, 12, 31, 23, 59, 59, 0, time.Local)
	leap := time.Date(2028, 2, 29, 12, 0, 0, 0, time.Local)
	const hour, day = int64(time.Hour), say.Day
	for _, c := range []struct {
		name  string
		found Step
		fails func(t time.Time) bool
		want  Range
		runs  int // at most
	}{
		{"at night", Date(newYear), func(t time.Time) bool { return t.Hour() >= 22 }, Range{Unit: day, From: 22 * hour, To: 24 * hour}, 35},
		{"from half past ten", Date(newYear), func(t time.Time) bool { return t.Hour()*60+t.Minute() >= 22*60+30 },
			Range{Unit: day, From: 22*hour + hour/2, To: 24 * hour}, 45},
		{"on Thursday", Instant(newYear), func(t time.Time) bool { return t.Weekday() == time.Thursday },
			Range{Unit: say.Week, From: 4 * day, To: 5 * day}, 35},
		{"the last day of a month", Date(newYear), func(t time.Time) bool { return t.AddDate(0, 0, 1).Day() == 1 },
			Range{Unit: say.MonthEnd, From: -day, To: 0}, 35},
		{"on the 31st", Date(newYear), func(t time.Time) bool { return t.Day() == 31 }, Range{Unit: say.Month, From: 30 * day, To: 31 * day}, 35},
		{"on 29 February", Date(leap), func(t time.Time) bool { return t.Month() == 2 && t.Day() == 29 },
			Range{Unit: say.Year, From: 59 * day, To: 60 * day}, 40},
		{"late in a second", StartAt(time.Second, 999*time.Millisecond), func(t time.Time) bool { return t.Nanosecond() >= 997e6 },
			Range{Unit: 1e9, From: 997e6, To: 1e9}, 35},
		{"late in a second, which is set", Instant(newYear.Add(999 * time.Millisecond)), func(t time.Time) bool { return t.Nanosecond() >= 950e6 },
			Range{Unit: 1e9, From: 950e6, To: 1e9}, 60},
		{"before noon", Date(newYear), func(t time.Time) bool { return t.Year() > 2026 }, Range{}, 30},
	} {
		runs := 0
		l := narrowClock(Lift(c.found)[0], false, dial{now: now}, func(plans ...[]Act[Site]) bool {
			for _, p := range plans {
				runs++
				if !c.fails(time.Unix(0, p[0].Value)) {
					return false
				}
			}
			return true
		})
		if l == nil {
			l = &Law{}
		}
		if l.Range != c.want || runs > c.runs {
			t.Errorf("%s: %+v after %d runs, want %+v after %d", c.name, l.Range, runs, c.want, c.runs)
		}
		t.Logf("%s: %d runs", c.name, runs)
		for i := range l.Fails {
			if !c.fails(time.Unix(0, l.Fails[i][0].Value)) {
				t.Errorf("%s: passes at %v", c.name, time.Unix(0, l.Fails[i][0].Value))
			}
			if c.fails(time.Unix(0, l.Passes[i][0].Value)) {
				t.Errorf("%s: fails at %v", c.name, time.Unix(0, l.Passes[i][0].Value))
			}
		}
	}
}

// A cup is a bench of a test that draws.
type cup struct {
	dial
	count    int
	function string
	limit    int64
	cases    []int
	known    map[uint64]bool
}

func (c cup) Drawer(trace.ActKind, int) (trace.GoroutineID, int) { return 7, c.count }
func (c cup) Random(int) (string, int64)                         { return c.function, c.limit }
func (c cup) Cases(int) []int                                    { return c.cases }
func (c cup) Outcomes() map[uint64]bool                          { return c.known }

// What of several numbers decides is found, with the values, in so many runs.
func TestRandLaw(t *testing.T) {
	for _, c := range []struct {
		name     string
		function string
		limit    int64
		count    int
		fails    func(list []int64) bool
		want     Range
		runs     int // at most
	}{
		{"seven", "v2.IntN", 10, 1, func(l []int64) bool { return l[0] == 7 }, Range{Unit: 10, From: 7, To: 8}, 8},
		{"below", "Intn", 1000, 1, func(l []int64) bool { return l[0] < 130 }, Range{Unit: 1000, To: 130}, 20},
		{"above", "v2.Int64N", 1000, 1, func(l []int64) bool { return l[0] >= 700 }, Range{Unit: 1000, From: 700, To: 1000}, 20},
		{"between", "v2.N", 1 << 20, 1, func(l []int64) bool { return l[0] >= 7e5 && l[0] < 9e5 }, Range{Unit: 1 << 20, From: 7e5, To: 9e5}, 40},
		{"one of sixteen is short", "v2.Int64N", 36 * 36 * 36 * 36, 16, func(l []int64) bool { return slices.Min(l) < 46656 },
			Range{Unit: 36 * 36 * 36 * 36, To: 46656, Of: anyLeast}, 40},
		{"one of four is long", "v2.IntN", 100, 4, func(l []int64) bool { return slices.Max(l) > 89 },
			Range{Unit: 100, From: 90, To: 100, Of: anyMost}, 40},
		{"two of four are equal", "Intn", 20, 4, func(l []int64) bool { slices.Sort(l); return len(slices.Compact(l)) < 4 },
			Range{Unit: 20, From: 1, To: 4, Of: twice}, 20},
		{"the second", "v2.IntN", 6, 2, func(l []int64) bool { return l[1] == 3 }, Range{Unit: 6, From: 3, To: 4, Of: nth + 1}, 40},
		{"a float", "Float64", Floats, 1, func(l []int64) bool { return l[0] >= Floats/20*17 }, Range{}, 20},
		{"a sum", "v2.IntN", 6, 2, func(l []int64) bool { return l[0]+l[1] > 8 }, Range{}, 20},
		{"a limit that is not known", "v2.IntN", 0, 1, func(l []int64) bool { return l[0] > 8 }, Range{}, 0},
	} {
		d := &numbers{dice: dice{drawer: drawer{trace.ActRand, 7, 3}, count: c.count}, result: drawnBy(c.function, cmp.Or(c.limit, 12))}
		outcome := func(seed uint64) bool { return c.fails(d.values(seed)) }
		known, found := make(map[uint64]bool), uint64(0)
		for seed := uint64(1); len(known) < 40 || found == 0; seed++ {
			if known[seed] = outcome(seed); known[seed] {
				found = seed
			}
		}
		runs := 0
		l := narrowRand(Chooser{trace.ActRand, 3}.at(found), false, cup{dial{}, c.count, c.function, c.limit, nil, known}, func(plans ...[]Act[Site]) bool {
			for _, p := range plans {
				if runs++; !outcome(p[0].Seed) {
					return false
				}
			}
			return true
		})
		if l == nil {
			l = &Law{}
		}
		if c.limit == Floats && l.To == Floats && l.From >= Floats/20*17-Floats>>10 {
			continue
		}
		if l.Range != c.want || runs > c.runs {
			t.Errorf("%s: %+v after %d runs, want %+v after %d", c.name, l.Range, runs, c.want, c.runs)
		}
		t.Logf("%s: %d runs", c.name, runs)
		for i := range l.Fails {
			if !outcome(l.Fails[i][0].Seed) || outcome(l.Passes[i][0].Seed) {
				t.Errorf("%s: seeds %d and %d", c.name, l.Fails[i][0].Seed, l.Passes[i][0].Seed)
			}
		}
	}
}

// The case of a select that decides is found, and the visit if it is not any.
func TestSelectLaw(t *testing.T) {
	lines := []int{30, 20, 10} // of cases that receive
	chance := rand.New(rand.NewPCG(1, 2))
	takes := func(n int) func([]int) bool { return func(l []int) bool { return slices.Contains(l, n) } }
	for _, c := range []struct {
		name  string
		ready [][]int // cases, by visit
		fails func(taken []int) bool
		want  Range
		runs  int // at most
	}{
		{"one of two", [][]int{{0, 1}}, takes(1), Range{Of: taken, From: 20, To: 21}, 12},
		{"one of three", [][]int{{0, 1, 2}}, takes(2), Range{Of: taken, From: 10, To: 11}, 12},
		{"not the first", [][]int{{0, 1, 2}}, func(l []int) bool { return l[0] > 0 }, Range{}, 20},
		{"in any visit", [][]int{{0, 1}, {0, 1}, {0, 1}}, takes(0), Range{Of: taken, From: 30, To: 31}, 12},
		{"in the second visit", [][]int{{0, 1}, {0, 1}}, func(l []int) bool { return l[1] == 1 },
			Range{Unit: 2, Of: taken, From: 20, To: 21}, 20},
		{"an order of both", [][]int{{0, 1}, {0, 1}}, func(l []int) bool { return l[0] != l[1] }, Range{}, 20},
		{"something else", [][]int{{0}}, func([]int) bool { return chance.IntN(2) == 0 }, Range{}, 20},
	} {
		n := len(c.ready) * (len(lines) - 1)
		x := make([]*arm, len(lines))
		for i := range x {
			x[i] = &arm{dice: dice{drawer: drawer{trace.ActSelect, 7, 3}, count: n}, cases: len(lines), number: i}
		}
		outcome := func(seed uint64) bool {
			var taken []int
			for visit, ready := range c.ready {
				taken = append(taken, slices.MinFunc(ready, func(a, b int) int {
					return cmp.Compare(x[a].ranks(seed)[visit], x[b].ranks(seed)[visit])
				}))
			}
			return c.fails(taken)
		}
		known, found := make(map[uint64]bool), uint64(0)
		for seed := uint64(1); len(known) < 40 || found == 0; seed++ {
			if known[seed] = outcome(seed); known[seed] {
				found = seed
			}
		}
		runs := 0
		l := narrowSelect(Chooser{trace.ActSelect, 3}.at(found), false, cup{dial{}, n, "", 0, lines, known}, func(plans ...[]Act[Site]) bool {
			return !slices.ContainsFunc(plans, func(p []Act[Site]) bool { runs++; return !outcome(p[0].Seed) })
		})
		if l == nil {
			l = &Law{}
		}
		if l.Range != c.want || runs > c.runs {
			t.Errorf("%s: %+v after %d runs, want %+v after %d", c.name, l.Range, runs, c.want, c.runs)
		}
		for i := range l.Fails {
			if !outcome(l.Fails[i][0].Seed) || outcome(l.Passes[i][0].Seed) {
				t.Errorf("%s: seeds %d and %d", c.name, l.Fails[i][0].Seed, l.Passes[i][0].Seed)
			}
		}
	}
}

// A shelf is a bench of a test that ranges over maps, each in a random order.
type shelf struct {
	dial
	rng   *rand.Rand
	maps  []string // the keys of each
	fails func(orders []string) bool
}

func (s *shelf) Seed(string, int) uint64 { return s.rng.Uint64() }

func (s *shelf) Walk(a Act[Site]) (w Walk, ok bool) {
	var orders []string
	for _, keys := range s.maps {
		for try := 0; ; try++ {
			order := []byte(keys)
			s.rng.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
			var list []Key
			var hashes []uint64
			for _, k := range order {
				list, hashes = append(list, Key{uint64(k), string(k)}), append(hashes, uint64(k))
			}
			if settings := a.keySettings(0); a.Unit != 0 && try < 1000 {
				var chain []uint64
				for _, x := range settings {
					chain = append(chain, uint64(x.Value))
				}
				if trace.Comes(hashes, chain) != (a.Unit > 0) {
					continue
				}
			}
			w.Ranges, orders = append(w.Ranges, list), append(orders, string(order))
			break
		}
	}
	w.Failed = s.fails(orders)
	return w, true
}

// Which keys of a map decide is found, in most of 100 searches, and never others that fail as surely.
func TestMapLaw(t *testing.T) {
	before := func(x, y string) func([]string) bool {
		return func(l []string) bool { return strings.Index(l[0], x) < strings.Index(l[0], y) }
	}
	for _, c := range []struct {
		name  string
		maps  []string
		fails func(orders []string) bool
		want  Range
		right int // of 100 searches, at least
	}{
		{"one of two", []string{"ab"}, before("b", "a"), Range{Of: InOrder, Key: "b", Before: "a"}, 95},
		{"a pair of five", []string{"abcde"}, before("d", "b"), Range{Of: InOrder, Key: "d", Before: "b"}, 95},
		{"a pair of twelve", []string{"abcdefghijkl"}, before("c", "a"), Range{Of: InOrder, Key: "c", Before: "a"}, 95},
		{"the first", []string{"abcd"}, func(l []string) bool { return l[0][0] == 'c' }, Range{Of: FirstIs, Key: "c"}, 90},
		{"not the first", []string{"abc"}, func(l []string) bool { return l[0][0] != 'c' }, Range{Of: FirstIsNot, Key: "c"}, 90},
		{"the last", []string{"abcde"}, func(l []string) bool { return l[0][4] == 'a' }, Range{Of: LastIs, Key: "a"}, 90},
		{"three of five", []string{"abcde"}, func(l []string) bool { return !before("a", "c")(l) || !before("c", "e")(l) },
			Range{Of: OutOfOrder, Key: "a", Before: "c, e"}, 80},
		{"three of five, failing", []string{"abcde"}, func(l []string) bool { return before("a", "c")(l) && before("c", "e")(l) },
			Range{Of: InOrder, Key: "a", Before: "c, e"}, 80},
		{"another map before", []string{"xyz", "abc"}, func(l []string) bool { return before("b", "a")(l[1:]) },
			Range{Of: InOrder, Key: "b", Before: "a"}, 95},
		{"one of two first", []string{"abcd"}, func(l []string) bool { return l[0][0] < 'c' }, Range{}, 100},
		{"a sum", []string{"abcdef"}, func(l []string) bool { return (l[0][0]*3+l[0][1]*5+l[0][2])%2 == 0 }, Range{}, 100},
		{"two maps differ", []string{"abc", "abc"}, func(l []string) bool { return l[0] != l[1] }, Range{}, 100},
		{"something else", []string{"abcd"}, func(l []string) bool { return l[0][0] < 'c' == (l[0][3] > 'b') }, Range{}, 100},
	} {
		right, wrong := 0, 0
		for seed := range uint64(100) {
			s := &shelf{rng: rand.New(rand.NewPCG(seed, 3)), maps: c.maps, fails: c.fails}
			l := narrowMap(Chooser{trace.ActMap, 3}.at(1), false, s, nil)
			if l == nil {
				l = &Law{}
			}
			confirmed := 0
			for i := range l.Fails {
				with, _ := s.Walk(l.Fails[i][0])
				without, _ := s.Walk(l.Passes[i][0])
				if with.Failed && !without.Failed {
					confirmed++
				}
			}
			if l.To = 0; confirmed < len(l.Fails) {
				l.Range = Range{}
			}
			switch l.Range {
			case c.want:
				right++
			case Range{}:
			default:
				wrong++
				t.Logf("%s: %+v", c.name, l.Range)
			}
		}
		t.Logf("%s: %d right, %d wrong", c.name, right, wrong)
		if right < c.right || wrong > 0 {
			t.Errorf("%s: %d right, %d wrong, want %d right", c.name, right, wrong, c.right)
		}
	}
}

// A kitchen is a bench of a test that sets timers, at some blocks, and sleeps at others.
type kitchen struct {
	dial
	timers []uint32
	sleeps []Site
}

func (k kitchen) Askers(trace.ActKind) []uint32 { return k.timers }
func (k kitchen) Waits(bool) []Site             { return k.sleeps }

// Of timers and sleeps the two are found whose order decides, whichever of them was late.
func TestTimersLaw(t *testing.T) {
	const ms = time.Millisecond
	sleeps := []Site{{Block: 7, Hit: 1, G: Goroutine{ID: 2}}, {Block: 9, Hit: 1, G: Goroutine{ID: 3}}}
	for _, c := range []struct {
		name  string
		found Act[Site]
		fails func(late map[int]time.Duration) bool
		want  []int // blocks
		runs  int   // at most
	}{
		{"a client and a server", Lift(Late(4, 12*ms))[0], func(late map[int]time.Duration) bool { return late[4] > late[9] }, []int{4, 9}, 16},
		{"two sleeps", Hold(sleeps[1], 30*ms), func(late map[int]time.Duration) bool { return late[7] >= late[9]+5*ms }, []int{7, 9}, 20},
		{"a context and a timer", Hold(sleeps[0], 30*ms), func(late map[int]time.Duration) bool { return late[5] > late[4] }, []int{5, 4}, 20},
		{"a ticker and a sleep of its multiple", Hold(sleeps[0], 60*ms), func(late map[int]time.Duration) bool {
			return late[4] > late[7] || late[7] >= late[4]+20*ms
		}, []int{4, 7}, 20},
		{"one alone", Lift(Late(4, 12*ms))[0], func(late map[int]time.Duration) bool { return late[4] > 0 }, nil, 30},
	} {
		runs := 0
		fails := func(p []Act[Site]) bool {
			runs++
			late := make(map[int]time.Duration)
			for _, a := range p {
				late[a.At.Block] = a.Takes()
			}
			return c.fails(late)
		}
		l := narrowTimers(c.found, false, kitchen{dial{}, []uint32{4, 5}, sleeps}, func(plans ...[]Act[Site]) bool {
			return !slices.ContainsFunc(plans, func(p []Act[Site]) bool { return !fails(p) })
		})
		if l == nil {
			l = &Law{Passes: [][]Act[Site]{nil}}
		}
		var blocks []int
		for _, a := range l.Passes[0] {
			blocks = append(blocks, a.At.Block)
		}
		if !slices.Equal(blocks, c.want) || runs > c.runs {
			t.Errorf("%s: %v after %d runs, want %v after %d", c.name, blocks, runs, c.want, c.runs)
		}
		if len(l.Fails) > 0 && (!fails(l.Fails[0]) || fails(l.Passes[0])) {
			t.Errorf("%s: %v, %v", c.name, l.Fails, l.Passes)
		}
	}
}
