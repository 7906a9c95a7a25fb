package divergence

import (
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A stray is a passing run that went another way before a loop, or left it before it could be compared. It is unknown
// which of its iterations correspond to those of other runs. But an edge that it took in no visit to the loop, it did
// not take between the place where it went its way and the place where all meet again.
type stray struct {
	stretch
	most int64   // iterations in one visit of the loop
	took edgeSet // all its edges
}

// A stretch is a part of a stream.
type stretch struct{ from, to int64 }

// strays returns the passing runs of the lane that are not among laps. It reads them from where they went another
// way, once for each loop there, so call it only when something depends on them.
func (w *walker) strays(laps []lap, header trace.Event) (list []*stray) {
	if w.strayed[header] == nil {
		if w.strayed == nil {
			w.strayed = make(map[trace.Event][]*stray)
		}
		w.strayed[header] = make([]*stray, len(w.members))
	}
	byRun := w.strayed[header]
	for run, m := range w.members {
		if m == nil || m.failed || slices.ContainsFunc(laps, func(x lap) bool { return x.m == m }) {
			continue
		}
		on := stretch{0, m.end}
		if w.aside != nil && w.aside[run] != nil {
			on = *w.aside[run]
		}
		if s := byRun[run]; s == nil || s.stretch != on {
			byRun[run] = &stray{stretch: on, took: edgeSet{}}
			byRun[run].read(w.code, m, header)
		}
		if s := byRun[run]; s.most >= 0 {
			list = append(list, s)
		}
	}
	return list
}

// setAside notes that all of ms except those in group go other ways until all meet again. It
// returns a function that undoes that.
func (w *walker) setAside(ms, group []*member, j junction) (undo func()) {
	before := w.aside
	w.aside = make([]*stretch, len(w.members))
	copy(w.aside, before)
	for i, m := range ms {
		if !slices.Contains(group, m) {
			w.aside[m.run] = &stretch{m.pos, min(j.pos[i], m.end)}
		}
	}
	return func() { w.aside = before }
}

// read fills in the edges and iterations of a run; most is -1 if not all of it was kept.
func (s *stray) read(code *code, m *member, header trace.Event) {
	s.took.collect(code, &m.cursor, m.run, s.from, s.to, nil)
	n := callStack{code: code}
	visits := make(map[int32]int64) // iterations by frame
	end := s.from
	for start, win := range m.windows(s.from, s.to) {
		for i, e := range win {
			pos := start + int64(i)
			n.step(e, int32(m.run), pos)
			if e != header || len(n.loops) == 0 {
				continue
			}
			l := &n.loops[len(n.loops)-1]
			if l.cur.from == pos {
				visits[l.frame] = 0
			}
			visits[l.frame]++
			s.most = max(s.most, visits[l.frame])
		}
		end = start + int64(len(win))
	}
	if end < s.to {
		s.most = -1
	}
}

// against adds to a table the strays that contradict it: those that made fewer than k iterations too, or as many.
func against(t Table, strays []*stray, k int64, more bool) Table {
	for _, s := range strays {
		if (s.most >= k) == more {
			t.PassTaken++
			t.PassNot--
		}
	}
	return t
}

// never adds to a table the strays that did not take an edge either.
func never(t Table, strays []*stray, e step) Table {
	for _, s := range strays {
		if len(s.took[e]) == 0 {
			t.PassTaken++
			t.PassNot--
		}
	}
	return t
}
