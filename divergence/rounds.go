package divergence

import (
	"cmp"
	"maps"
	"slices"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A Loop is the number of iterations of a loop in which runs differ, if no edge taken only by failing runs separates
// them. The tables decide: in a loop that polls, it does not.
type Loop struct {
	Header int // the block that begins each iteration
	// Limit is a number of iterations: failing runs made at least as many if More, and fewer if
	// not, and passing runs the opposite.
	Limit int64
	More  bool
	// Passing is how many passing runs could be followed through the loop. Table says nothing about the rest.
	Passing int
}

// An aspect is the kind of difference that a candidate is about.
type aspect uint8

const (
	wayTaken   aspect = iota // an edge that failing runs took
	iterations               // the number of iterations of a loop
)

// A lap is the stretch of one run in a loop, from the iteration in which runs first diverged to where all meet again.
type lap struct {
	m        *member
	from, to int64
	base     int64 // iterations before, the same in all runs
	n        int64 // iterations in all
}

// judgeRounds looks for a number of iterations that separates runs if no edge of failing runs does. The number of each
// run counts from where the current iteration began; runs may have diverged earlier in the loop.
func (w *walker) judgeRounds(ms []*member, n *callStack, j junction, rounds []int64) {
	l := &n.loops[j.loop]
	if l.start == nil || w.lost {
		return
	}
	laps, known := make([]lap, len(ms)), edgeSet{}
	again := slices.ContainsFunc(ms, func(m *member) bool { return l.start[m.run] != l.at[m.run] })
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
		laps[i].n = base + edgeSet{}.collect(n.code, &m.cursor, m.run, laps[i].from, min(end, m.end), known)
	}
	w.judgeCounts(laps, l.header)
}

// tells returns the p-value of a count in a loop, times the number of limits to choose
// from, and whether it separates failing from passing runs.
func (w *walker) tells(t Table, limits int) (p float64, ok bool) {
	p = min(1, w.evidenceTable.fact.Fisher(t)*float64(limits))
	return p, t.Excess() > 0 && stats.Share(t.PassTaken, t.PassNot) <= maxPassShare &&
		(p <= stats.Chance || t.Perfect())
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
	passed := func(m *member) bool {
		return m != nil && !m.failed && !slices.ContainsFunc(laps, func(x lap) bool { return x.m == m })
	}
	if len(limits) == 0 || slices.ContainsFunc(w.members, passed) {
		return // of a passing run that went another way it is not known
	}
	e := edge{class: w.lane.class, last: header, next: header, of: iterations}
	w.evidenceTable.edge(e).visits++
	w.novelCounts(laps, e)
	followed := 0
	for _, x := range laps {
		if !x.m.failed {
			followed++
		}
	}
	var best *candidate
	for _, k := range limits {
		for _, more := range []bool{false, true} {
			t := w.counted(laps, k, more)
			if p, ok := w.tells(t, len(limits)); ok && (best == nil || p < best.p) {
				best = &candidate{edge: e, lane: w.lane, table: t, p: p, loop: &Loop{int(header), k, more, followed}}
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
