package divergence

import "github.com/fdebug/fdebug/trace"

// A stray is a passing run that went another way before a loop, or left it earlier than it
// could be compared. Which of its iterations would be the partners of those of other runs is
// not known; but what it did in none of all its visits to the loop, it did not do there.
type stray struct {
	most int64   // iterations in one visit of the loop
	took edgeSet // all its edges
}

// strays returns the passing runs of the lane that are not among laps. They are read from
// end to end, once for each loop, so only where something depends on them.
func (w *walker) strays(laps []lap, header trace.Event) []stray {
	if list, ok := w.strayed[header]; ok {
		return w.missing(list, laps)
	}
	byRun := make([]*stray, len(w.members))
	for run, m := range w.members {
		if m == nil || m.failed {
			continue
		}
		if s := (&stray{took: edgeSet{}}); s.read(w.code, m, header) {
			byRun[run] = s
		}
	}
	if w.strayed == nil {
		w.strayed = make(map[trace.Event][]*stray)
	}
	w.strayed[header] = byRun
	return w.missing(byRun, laps)
}

// missing returns the strays of the runs that are not among laps.
func (w *walker) missing(byRun []*stray, laps []lap) (list []stray) {
	followed := make(map[int]bool, len(laps))
	for _, x := range laps {
		followed[x.m.run] = true
	}
	for run, s := range byRun {
		if s != nil && !followed[run] {
			list = append(list, *s)
		}
	}
	return list
}

// read fills in what a run did; it reports false if not all of it was kept.
func (s *stray) read(code *code, m *member, header trace.Event) bool {
	s.took.collect(code, &m.cursor, m.run, 0, m.end, nil)
	var c cursor
	c.view(&m.cursor)
	c.pos = 0
	n := callStack{code: code}
	visits := make(map[int32]int64) // iterations by frame
	for c.pos < m.end {
		win := c.window(m.end)
		if len(win) == 0 {
			return false
		}
		for i, e := range win {
			pos := c.pos + int64(i)
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
		c.pos += int64(len(win))
	}
	return true
}

// against adds to a table the strays that contradict it: those that went round fewer than k
// times too, or as often.
func against(t Table, strays []stray, k int64, more bool) Table {
	for _, s := range strays {
		if (s.most >= k) == more {
			t.PassTaken++
			t.PassNot--
		}
	}
	return t
}

// never adds to a table the strays that did not take an edge either.
func never(t Table, strays []stray, e step) Table {
	for _, s := range strays {
		if len(s.took[e]) == 0 {
			t.PassTaken++
			t.PassNot--
		}
	}
	return t
}
