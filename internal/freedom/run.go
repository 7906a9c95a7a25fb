package freedom

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

const (
	maxStreams = 64      // goroutines that are looked at
	maxEvents  = 8192    // of one of them, the first
	maxAll     = 1 << 16 // of all in a run
	maxHits    = 3       // visits of a block that are told apart
	tailChunks = 2       // of a stream that are searched for a failed check
	perEvent   = 200     // nanoseconds that an event takes about
)

// A stream is what a goroutine did first.
type stream struct {
	g      *trace.Goroutine
	events []trace.Event
	whole  bool        // these are all
	at     []int64     // when each was, about: by what came before it alone
	lo, hi []int64     // between which times it was
	visits map[key]int // number of the event
}

// A key is a visit of a block by any goroutine.
type key struct {
	block int
	hit   int // from 1
}

// A visited is a visit of a goroutine that most runs have.
type visited struct {
	id trace.GoroutineID
	key
	at int64 // after the start of the test, about: the mean of the runs
}

// mostVisit returns the visits that count in most runs, the earliest first. i is the number of the event.
func (r *Runs) mostVisit(counts func(x *Run, s *stream, k key, i int) bool) (list []visited) {
	type seen struct {
		runs int
		at   int64 // of all together
	}
	all := make(map[visited]*seen)
	for _, x := range r.List {
		for id, s := range x.streams {
			for k, i := range s.visits {
				if !counts(x, s, k, i) {
					continue
				}
				v := visited{id: id, key: k}
				if all[v] == nil {
					all[v] = &seen{}
				}
				all[v].runs++
				all[v].at += s.at[i] - x.start
			}
		}
	}
	for v, s := range all {
		if 4*s.runs >= 3*len(r.List) {
			v.at = s.at / int64(s.runs)
			list = append(list, v)
		}
	}
	slices.SortFunc(list, func(a, b visited) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.id, b.id), cmp.Compare(a.block, b.block),
			cmp.Compare(a.hit, b.hit))
	})
	return list
}

// load reads the traces.
func (r *Runs) load() error {
	r.ids = r.known()
	for _, x := range r.List {
		x.cut, x.streams = math.MaxInt64, make(map[trace.GoroutineID]*stream)
		if x.Trace == nil {
			continue
		}
		if err := r.loadRun(x); err != nil {
			return err
		}
	}
	r.readings = r.findReadings()
	return nil
}

// known returns the goroutines that most runs have, the earliest first.
func (r *Runs) known() []trace.GoroutineID {
	type seen struct {
		runs  int
		start int64
	}
	all, traced := make(map[trace.GoroutineID]*seen), 0
	for _, x := range r.List {
		if x.Trace == nil {
			continue
		}
		traced++
		for _, g := range r.goroutines(x) {
			s := all[g.ID]
			if s == nil {
				s = &seen{}
				all[g.ID] = s
			}
			s.runs, s.start = s.runs+1, s.start+g.Start
		}
	}
	var list []trace.GoroutineID
	for id, s := range all {
		if s.start /= int64(s.runs); 2*s.runs >= traced {
			list = append(list, id)
		}
	}
	slices.SortFunc(list, func(a, b trace.GoroutineID) int {
		return cmp.Or(cmp.Compare(all[a].start, all[b].start), cmp.Compare(a, b))
	})
	return list[:min(len(list), maxStreams)]
}

// goroutines returns those of the top-level test, since its subtests may run side by side.
func (r *Runs) goroutines(x *Run) []*trace.Goroutine {
	return slices.DeleteFunc(x.Trace.GoroutinesOf(trace.TopTest(r.Test)), func(g *trace.Goroutine) bool {
		return g.Len() == 0 || g.Nth > 0
	})
}

func (r *Runs) loadRun(x *Run) error {
	for _, t := range x.Trace.Tests {
		if t.Name == r.Test && t.Nth == 0 {
			x.start = t.Start
		}
	}
	left := maxAll
	for _, g := range r.goroutines(x) {
		if !slices.Contains(r.ids, g.ID) || x.streams[g.ID] != nil {
			continue
		}
		s, err := newStream(g, min(maxEvents, left))
		if err != nil {
			return err
		}
		left -= len(s.events)
		x.streams[g.ID] = s
		if g.Root && g.Test == r.Test {
			x.root = s
		}
	}
	if !x.Failed {
		return nil
	}
	return r.cut(x)
}

// cut finds out when a run failed.
func (r *Runs) cut(x *Run) error {
	for _, g := range x.Trace.GoroutinesOf(r.Test) {
		for i := max(0, len(g.Chunks)-tailChunks); i < len(g.Chunks); i++ {
			events, err := g.Load(i, nil)
			if errors.Is(err, trace.ErrNotKept) {
				continue
			} else if err != nil {
				return err
			}
			first := g.Len()
			for _, c := range g.Chunks[i:] {
				first -= int64(c.Len)
			}
			for j, e := range events {
				if k, _, ok := e.Check(); ok && k != trace.CheckSkip {
					at, _ := g.Between(first + int64(j))
					x.cut = min(x.cut, at)
					break
				}
			}
		}
	}
	return nil
}

func newStream(g *trace.Goroutine, most int) (*stream, error) {
	s := &stream{g: g, whole: true, visits: make(map[key]int)}
	for i, c := range g.Chunks {
		if len(s.events)+c.Len > most || !c.Kept {
			s.whole = false
			break
		}
		events, err := g.Load(i, nil)
		if err != nil {
			return nil, err
		}
		s.events = append(s.events, events...)
	}
	s.times()
	hits := make(map[trace.Event]int)
	for i, e := range s.events {
		hits[e]++
		if b, ok := e.Block(); ok && hits[e] <= maxHits {
			s.visits[key{b, hits[e]}] = i
		}
	}
	return s, nil
}

// times finds out when each event was.
func (s *stream) times() {
	n := len(s.events)
	s.at, s.lo, s.hi = make([]int64, n), make([]int64, n), make([]int64, n)
	for i := 0; i < n; {
		lo, hi := s.g.Between(int64(i))
		_, to := s.g.Burst(int64(i))
		for j := i; j < min(int(to), n); j++ {
			// Not by the end of the burst, which is the failed check in failing runs.
			s.lo[j], s.hi[j], s.at[j] = lo, hi, min(hi, lo+perEvent*int64(j-i))
		}
		i = max(int(to), i+1)
	}
}

// place returns a place of a goroutine.
func (r *Runs) place(id trace.GoroutineID, k key) Place {
	p := Place{Site: SiteAt(id, uint32(k.block), k.hit)}
	p.Span, _ = r.Sites.Pos(k.block)
	for _, x := range r.List {
		if s := x.streams[id]; s != nil {
			p.Class = s.g.Class
		}
	}
	return p
}

// each returns an observation of each run.
func (r *Runs) each(f func(i int, x *Run) float64) []float64 {
	list := make([]float64, len(r.List))
	for i, x := range r.List {
		list[i] = f(i, x)
	}
	return list
}

func bit(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

var nan = math.NaN()
