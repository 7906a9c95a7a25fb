package hang

import (
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// maxEvents is the length up to which streams are read as a whole: 16 MB.
const maxEvents = 4 << 20

// A state is a goroutine that waits at a moment.
type state struct {
	g      *trace.Goroutine
	pos    int64 // how many events it had written
	block  int   // the last of them, 0 if it is none
	reason string
	since  time.Duration // how long it had waited, 0 if that means nothing: in a bubble of package synctest
}

const (
	durable  = " (durable)"   // after a reason: in a bubble of package synctest
	inBubble = "synctest.Run" // a test waits for its bubble, in which the test goes on
)

// statesAt returns the goroutines of the test that wait at a moment.
func (f *finder) statesAt(m *moment) []*state {
	if m.looked {
		return m.states
	}
	m.looked = true
	for _, g := range m.Trace.Goroutines {
		if s := f.stateOf(m, g); s != nil {
			m.states = append(m.states, s)
		}
	}
	return m.states
}

// stateOf returns the wait that a goroutine is in at a moment, nil if it is not
// waiting then, or has nothing to do with the test.
func (f *finder) stateOf(m *moment, g *trace.Goroutine) *state {
	if !f.ours(g) || g.End != 0 && g.End <= m.time || g.Start > m.time {
		return nil
	}
	n := stampsBy(g, m.time)
	if n == 0 || g.Stamps[n-1].GoesOn {
		return nil
	}
	last := g.Stamps[n-1]
	if m.Failed && last.Pos != g.Len() && (!f.left || n == len(g.Stamps)) {
		return nil // it went on, which the stamps have no room for
	}
	if m.kind == finding.HangLocks && (!lockWait(m.Trace.Reason(last)) || last.Time > f.testEnd(m.Trace)) {
		return nil // whoever waits for anything else need not have to do with it, nor who came later
	}
	if m.Trace.Reason(last) == inBubble || g.Root && f.inSubtest(m, g) {
		return nil
	}
	reason, bubble := strings.CutSuffix(m.Trace.Reason(last), durable)
	s := &state{g: g, pos: last.Pos, block: blockAt(g, last.Pos-1), reason: reason}
	if !bubble {
		s.since = time.Duration(m.time - last.Time)
	}
	return s
}

// stampsBy counts the stamps of a goroutine up to a time.
func stampsBy(g *trace.Goroutine, time int64) int {
	n := len(g.Stamps)
	for n > 0 && g.Stamps[n-1].Time > time {
		n--
	}
	return n
}

// inSubtest reports whether a test's goroutine waits for a subtest of it, which
// has a goroutine of its own.
func (f *finder) inSubtest(m *moment, g *trace.Goroutine) bool {
	for _, t := range m.Trace.Tests {
		if strings.HasPrefix(t.Name, g.Test+"/") && (t.End == 0 || t.End > m.time) && t.Start < m.time {
			return true
		}
	}
	return false
}

// A visit is one time that a goroutine ran a block, and its wait there.
type visit struct {
	pos         int64 // how many events it had written with the block
	park, until int64 // of the wait, 0: it did not wait; until is 0 if the wait did not end
	past        bool  // it went on, with another event or by ending
}

// A visitKey is a question to visits, a visitList the answer: streams are long, and many waits are of one goroutine.
type visitKey struct {
	g      *trace.Goroutine
	block  int
	before int64
}

type visitList struct {
	list []visit
	ok   bool
}

func (f *finder) visits(g *trace.Goroutine, block int, before int64) ([]visit, bool) {
	k := visitKey{g, block, before}
	v, known := f.visited[k]
	if !known {
		v.list, v.ok = visits(g, block, before)
		f.visited[k] = v
	}
	return v.list, v.ok
}

// visits returns the visits of a block that began before the given time. ok is
// false if the stream can't be read as a whole.
func visits(g *trace.Goroutine, block int, before int64) (list []visit, ok bool) {
	events, ok := eventsOf(g)
	if !ok {
		return nil, false
	}
	st := g.Stamps
	for i, e := range events {
		if b, isBlock := e.Block(); !isBlock || b != block {
			continue
		}
		v := visit{pos: int64(i + 1), past: i+1 < len(events) || g.End != 0}
		for len(st) > 0 && st[0].Pos < v.pos {
			st = st[1:]
		}
		for k := 0; k < len(st) && st[k].Pos == v.pos; k++ {
			switch s := st[k]; {
			case !s.GoesOn && v.park == 0:
				v.park = s.Time
			case s.GoesOn && v.park != 0:
				v.until = s.Time
			}
		}
		// A test that passed went on; its goroutine may not have got round to
		// ending before the process did.
		v.past = v.past || v.until != 0 || g.Root
		if earliest, _ := g.Between(int64(i)); max(v.park, earliest) > before {
			break
		}
		list = append(list, v)
	}
	return list, true
}

// eventsOf returns the whole stream of a goroutine.
func eventsOf(g *trace.Goroutine) ([]trace.Event, bool) {
	n := g.Len()
	if n > maxEvents {
		return nil, false
	}
	all := make([]trace.Event, 0, n)
	var buf []trace.Event
	for i := range g.Chunks {
		var err error
		if buf, err = g.Load(i, buf); err != nil {
			return nil, false
		}
		all = append(all, buf...)
	}
	return all, true
}

// blockAt returns the block that event i of a stream is, or the one before it if
// it is a failed check; 0 if it is not known.
func blockAt(g *trace.Goroutine, i int64) int {
	events, first, err := g.LoadAt(i)
	if err != nil || i-first >= int64(len(events)) {
		return 0
	}
	for k := i - first; k >= 0; k-- {
		if b, ok := events[k].Block(); ok {
			return b
		}
	}
	return 0
}
