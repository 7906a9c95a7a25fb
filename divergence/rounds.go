package divergence

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A Loop is the difference between runs that repeat a loop different numbers of times, if no edge
// taken only by failing runs separates them: either a number of iterations or an edge not
// taken. The tables decide which: in a loop that polls, neither.
type Loop struct {
	Header int // the block that begins each iteration
	// Limit is a number of iterations: failing runs made at least as many if More, and fewer if
	// not, and passing runs the opposite. It is 0 if runs were counted by whether they went from
	// LastCommon to PassNext, which failing runs did in no iteration.
	Limit int64
	More  bool
	// Passing is how many passing runs could be followed through the loop, or are known not to
	// contradict. Table says nothing about the rest.
	Passing int
}

// followed fills in how many passing runs could be followed through a loop. strays is the number
// of others about which something is known.
func (l *Loop) followed(laps []lap, strays int) *Loop {
	l.Passing = strays
	for _, x := range laps {
		if !x.m.failed {
			l.Passing++
		}
	}
	return l
}

// An aspect is the kind of difference that a candidate is about.
type aspect uint8

const (
	wayTaken   aspect = iota // an edge that failing runs took
	wayMissing               // an edge that they took in no iteration of a loop
	iterations               // the number of iterations of a loop
)

// A lap is the stretch of one run in a loop, from the iteration in which runs first diverged to where all meet again.
type lap struct {
	m        *member
	from, to int64
	base     int64 // iterations before, the same in all runs
	n        int64 // iterations in all
}

// judgeRounds looks for a difference of the streams of a loop if no edge of failing runs is one: an edge that they
// took in no iteration, or the number of iterations. The set and the number of iterations of each run count from
// where the current iteration began; runs may have diverged earlier in the loop.
func (w *walker) judgeRounds(ms []*member, n *callStack, j junction, set edgeSet, rounds []int64) {
	l := &n.loops[j.loop]
	if l.start == nil || w.lost {
		return
	}
	laps, known := make([]lap, len(ms)), edgeSet{}
	again := slices.ContainsFunc(ms, func(m *member) bool { return l.start[m.run] != l.at[m.run] })
	if again {
		set = edgeSet{}
	}
	first := w.members[l.before.run]
	base := known.collect(n.code, &first.cursor, first.run, l.before.from, min(l.before.to, first.end), nil)
	for i, m := range ms {
		laps[i] = lap{m: m, from: l.start[m.run], to: j.pos[i], base: base}
		if laps[i].from < 0 {
			return // where it began is unknown
		}
		end := laps[i].to
		if j.inner {
			end++
		}
		if laps[i].n = base + rounds[i]; !again {
			continue
		}
		laps[i].n = base + set.collect(n.code, &m.cursor, m.run, laps[i].from, min(end, m.end), known)
	}
	if !w.judgeMissing(set, laps, l.header) {
		w.judgeCounts(laps, l.header)
	}
}

// maxMissingWays is how many edges that failing runs did not take are examined closely, in one loop.
const maxMissingWays = 4

// judgeMissing enters the edges that passing runs took in some iteration and failing runs in
// none. Edges back to the head of the loop are left to the count.
func (w *walker) judgeMissing(set edgeSet, laps []lap, header trace.Event) bool {
	seen := false
	looked := 0
	died := w.died(laps)
	for _, s := range set.steps() {
		if s.next == header || isCheck(s.next) || looked == maxMissingWays {
			continue
		}
		with := make(map[int]bool)
		for _, p := range set[s] {
			with[p.run] = true
		}
		for _, x := range w.diedBefore(died, laps, set[s], with) {
			with[x.m.run] = true // or would have: it can't be told
		}
		t, lone := w.without(laps, with)
		if t.FailTaken+t.PassTaken == 0 {
			continue
		}
		e := edge{class: w.lane.class, last: s.last, next: s.next, of: wayMissing}
		w.evidenceTable.edge(e).visits++
		if lone >= 0 {
			w.evidenceTable.novel(e.branchPoint(), lone)
		}
		if _, ok := w.tells(t, 1); !ok {
			continue
		}
		followed := t
		t = never(t, w.strays(laps, header), s)
		p, ok := w.tells(t, 1)
		if !ok {
			continue
		}
		looked++
		loop := (&Loop{Header: int(header)}).followed(laps, t.PassTaken-followed.PassTaken)
		seen = w.sightMissing(e, t, p, s, laps, set[s], with, loop) || seen
	}
	return seen
}

// died returns the laps of failing runs whose process ended while they were in the loop, because
// of another goroutine.
func (w *walker) died(laps []lap) (list []lap) {
	for _, x := range laps {
		if x.m.failed && !x.m.cut && x.to >= x.m.end && w.lane.streams[x.m.run].End == 0 {
			list = append(list, x)
		}
	}
	return list
}

// diedBefore returns the laps in died that ended in an earlier iteration than the first one in which a passing run
// took an edge. list has the places of the edge, and with has the runs that took it.
func (w *walker) diedBefore(died, laps []lap, list []place, with map[int]bool) (before []lap) {
	for _, x := range died {
		if !with[x.m.run] {
			before = append(before, x)
		}
	}
	if len(before) == 0 {
		return nil // no need to read anything
	}
	needed := int64(math.MaxInt64)
	for _, x := range laps {
		i := slices.IndexFunc(list, func(p place) bool { return p.run == x.m.run })
		if i >= 0 && !x.m.failed {
			needed = min(needed, x.base+edgeSet{}.collect(w.code, &x.m.cursor, x.m.run, x.from, list[i].pos, nil))
		}
	}
	return slices.DeleteFunc(before, func(x lap) bool { return needed == math.MaxInt64 || x.n >= needed })
}

// tells returns the p-value of a count in a loop, times the number of limits to choose
// from, and whether it separates failing from passing runs.
func (w *walker) tells(t Table, limits int) (p float64, ok bool) {
	p = min(1, w.evidenceTable.fact.Fisher(t)*float64(limits))
	return p, t.Excess() > 0 && stats.Share(t.PassTaken, t.PassNot) <= maxPassShare &&
		(p <= stats.Chance || t.Perfect())
}

// without counts the runs that did not take an edge. lone is the only passing run that did not,
// or -1 if there is no such run.
func (w *walker) without(laps []lap, with map[int]bool) (t Table, lone int) {
	fail, pass := 0, 0
	lone = -1
	passes := 0
	for _, x := range laps {
		if !x.m.failed {
			passes++
		}
		switch {
		case with[x.m.run]:
		case x.m.failed:
			fail++
		default:
			pass++
			lone = x.m.run
		}
	}
	if pass != 1 || passes < 2 {
		lone = -1
	}
	return w.evidenceTable.table(fail, pass), lone
}

// sightMissing makes a candidate of an edge that failing runs did not take. They part where they
// last came to its beginning. If one of them never came there, they diverged before.
func (w *walker) sightMissing(e edge, t Table, p float64, s step, laps []lap, list []place,
	with map[int]bool, loop *Loop) bool {
	x := &candidate{lane: w.lane, table: t, p: p, passes: w.passing(list),
		taken: newRunSet(64 * len(w.evidenceTable.fail))}
	ways := make(map[trace.Event]int)
	nexts := make(map[int]trace.Event)
	for _, lap := range laps {
		if with[lap.m.run] {
			continue
		}
		x.taken.add(lap.m.run)
		if !lap.m.failed {
			continue
		}
		pos, next, ok := w.lastStep(lap, s.last)
		if !ok {
			return false
		}
		x.fails = append(x.fails, place{lap.m.run, pos})
		nexts[lap.m.run] = next
		ways[next]++
	}
	if len(x.passes) == 0 || len(x.fails) == 0 {
		return false
	}
	x.passNext, x.loop = s.next, loop
	x.edge, x.instead = e, commonest(ways, cmp.Compare)
	x.fails = slices.DeleteFunc(x.fails, func(f place) bool { return nexts[f.run] != x.instead })
	w.evidenceTable.add(x)
	return true
}

// lastStep returns where a run last left the given block in a loop, and for what; 0 if its stream ends there.
func (w *walker) lastStep(x lap, last trace.Event) (pos int64, next trace.Event, ok bool) {
	n := callStack{code: w.code}
	open := false // whether the last event was that block
	for start, win := range x.m.windows(x.from, x.to) {
		for i, e := range win {
			if n.before(e) == last && last != 0 {
				pos, next, ok = start+int64(i), e, true
			}
			n.step(e, int32(x.m.run), start+int64(i))
			open = e == last
		}
	}
	if open { // the junction follows directly
		return x.to, x.m.peekAt(x.to), true
	}
	return pos, next, ok
}

// commonest returns the key with the highest count, of several the first in order. There must be a key.
func commonest[K comparable](count map[K]int, order func(a, b K) int) K {
	return slices.MinFunc(slices.Collect(maps.Keys(count)), func(a, b K) int {
		return cmp.Or(cmp.Compare(count[b], count[a]), order(a, b))
	})
}

// judgeCounts looks for a number of iterations that separates failing from passing runs. It takes
// the limit with the smallest p-value, times the number of limits.
func (w *walker) judgeCounts(laps []lap, header trace.Event) {
	limits := limitsOf(laps)
	if len(limits) == 0 {
		return
	}
	e := edge{class: w.lane.class, last: header, next: header, of: iterations}
	w.evidenceTable.edge(e).visits++
	w.novelCounts(laps, e)
	var best *candidate
	for _, k := range limits {
		for _, more := range []bool{false, true} {
			followed := w.counted(laps, k, more)
			if _, ok := w.tells(followed, len(limits)); !ok {
				continue
			}
			t := against(followed, w.strays(laps, header), k, more)
			if p, ok := w.tells(t, len(limits)); ok && (best == nil || p < best.p) {
				loop := (&Loop{Header: int(header), Limit: k, More: more}).followed(laps,
					t.PassTaken-followed.PassTaken)
				best = &candidate{edge: e, lane: w.lane, table: t, p: p, loop: loop}
			}
		}
	}
	if best != nil && w.sightCount(best, laps) {
		w.evidenceTable.add(best)
	}
}

// limitsOf returns the numbers of iterations that divide laps in two: each number except the
// greatest, plus one, which is the first iteration that they do not share.
func limitsOf(laps []lap) []int64 {
	limits := make([]int64, 0, len(laps))
	for _, x := range laps {
		limits = append(limits, x.n+1)
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	return limits[:len(limits)-1]
}

// counted returns the table of the runs that made at least k iterations, or fewer.
func (w *walker) counted(laps []lap, k int64, more bool) Table {
	fail, pass := 0, 0
	for _, x := range laps {
		switch {
		case (x.n >= k) != more:
		case x.m.failed:
			fail++
		default:
			pass++
		}
	}
	return w.evidenceTable.table(fail, pass)
}

// novelCounts notes the runs whose number of iterations is outside the range of all (other)
// passing runs. In a polling loop, that of some passing run is too.
func (w *walker) novelCounts(laps []lap, e edge) {
	var passes []int64
	for _, x := range laps {
		if !x.m.failed {
			passes = append(passes, x.n)
		}
	}
	slices.Sort(passes)
	if len(passes) < 2 {
		return
	}
	lo, hi := passes[0], passes[len(passes)-1]
	lone := func(n int64) bool {
		return n == lo && passes[1] > lo || n == hi && passes[len(passes)-2] < hi
	}
	for _, x := range laps {
		if x.m.failed && (x.n < lo || x.n > hi) || !x.m.failed && lone(x.n) {
			w.evidenceTable.novel(e.branchPoint(), x.m.run)
		}
	}
}

// sightCount fills in where a count shows: runs with fewer iterations leave the loop where those
// with more begin another one.
func (w *walker) sightCount(s *candidate, laps []lap) bool {
	s.taken = newRunSet(64 * len(w.evidenceTable.fail))
	header := trace.Event(s.loop.Header)
	inside := w.insideLoop(laps, header)
	var exits, rounds []turn
	for _, x := range laps {
		if (x.n >= s.loop.Limit) == s.loop.More {
			s.taken.add(x.m.run)
		}
		t, ok := w.turnOf(x, s.loop.Limit, header, inside)
		switch {
		case !ok:
			return false
		case x.n >= s.loop.Limit:
			rounds = append(rounds, t)
		default:
			exits = append(exits, t)
		}
	}
	fails, passes := exits, rounds
	if s.loop.More {
		fails, passes = rounds, exits
	}
	fails = slices.DeleteFunc(fails, func(t turn) bool { return !t.failed })
	passes = slices.DeleteFunc(passes, func(t turn) bool { return t.failed })
	if len(fails) == 0 || len(passes) == 0 {
		return false
	}
	way := commonestTurn(fails)
	s.from, s.instead = way.last, way.next
	s.passNext = commonestTurn(passes).next
	for _, t := range fails {
		if t.step == way {
			s.fails = append(s.fails, t.place)
		}
	}
	for _, t := range passes {
		s.passes = append(s.passes, t.place)
	}
	return true
}

// A turn is where a run repeated a loop once more or left it.
type turn struct {
	step
	place
	failed bool
}

func commonestTurn(list []turn) step {
	count := make(map[step]int)
	for _, t := range list {
		count[t.step]++
	}
	return commonest(count, step.compare)
}

// insideLoop returns the blocks of a loop's function from which some run went on to another
// iteration. At any other block a run has left the loop.
func (w *walker) insideLoop(laps []lap, header trace.Event) map[trace.Event]bool {
	inside := map[trace.Event]bool{header: true}
	for _, x := range laps {
		var round []trace.Event // since the last header
		x.each(w.code, func(_ int64, _, e trace.Event, depth int) bool {
			switch {
			case depth > 1 || isCheck(e):
			case e != header:
				round = append(round, e)
			default:
				for _, b := range round {
					inside[b] = true
				}
				round = round[:0]
			}
			return true
		})
	}
	return inside
}

// each calls f with the events of a lap, until f returns false: with the position of each, the
// last block of the loop's function before it, and the depth of calls from there, 1 for the
// function itself. It reports whether it came to the end.
func (x *lap) each(code *code, f func(pos int64, last, e trace.Event, depth int) bool) bool {
	n := callStack{code: code}
	end := x.from
	for start, win := range x.m.windows(x.from, x.to) {
		for i, e := range win {
			var last trace.Event
			if len(n.frames) > 0 {
				last = n.frames[0].last
			}
			n.step(e, int32(x.m.run), start+int64(i))
			if !f(start+int64(i), last, e, len(n.frames)) {
				return true
			}
		}
		end = start + int64(len(win))
	}
	return end >= x.to
}

// turnOf returns where a run began its k-th iteration of a loop. If it made fewer, turnOf returns where it left the
// loop: at the first block after its last iteration that is not inside, or where all meet again if that comes first.
func (w *walker) turnOf(x lap, k int64, header trace.Event, inside map[trace.Event]bool) (turn, bool) {
	t := turn{place: place{x.m.run, x.to}, failed: x.m.failed}
	seen, began := x.base, false
	var end trace.Event // the last block of the function
	whole := x.each(w.code, func(pos int64, last, e trace.Event, depth int) bool {
		if isCheck(e) || depth > 1 {
			return true
		}
		switch end = e; {
		case e == header:
			if seen++; seen == k {
				t.step, t.pos, began = step{last, e}, pos, true
				return false
			}
			t.step, t.pos = step{}, x.to
		case !inside[e] && t.last == 0:
			t.step, t.pos = step{last, e}, pos
		}
		return true
	})
	switch {
	case !whole:
		return t, false
	case began || t.last != 0:
		return t, true
	}
	t.last, t.next = end, x.m.peekAt(x.to)
	return t, true
}
