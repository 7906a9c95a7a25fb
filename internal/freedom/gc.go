package freedom

import (
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// GC is when garbage is collected. What a run allocates has a say in it.
type gc struct{}

func (gc) Name() string  { return "gc" }
func (gc) Legal() string { return legal("gc") }

const maxMoments = 200 // events before which collections are counted

// Observe tells at each moment how many collections the test has had, and how recently the last one began, in
// events of the goroutine: at equal progress, or it would tell how long a run was.
func (f gc) Observe(r *Runs) (list []fact.Observation) {
	began, some := make([][]*trace.Note, len(r.List)), false
	for i, x := range r.List {
		began[i] = x.notes(trace.ActGC)
		some = some || len(began[i]) > 0
	}
	if !some {
		return nil
	}
	for _, m := range r.moments() {
		add := func(aspect Aspect, value func(s *stream, i int, x *Run, began []*trace.Note) float64) {
			s := &Seen{Freedom: f, Aspect: aspect, At: []Place{r.place(m.id, m.key)}}
			list = append(list, fact.Observation{Kind: f.Name(), Shape: fact.Line, Prefer: []float64{float64(m.at)}, What: s, Values: r.each(func(run int, x *Run) float64 {
				s := x.streams[m.id]
				if s == nil {
					return nan
				}
				i, ok := s.visits[m.key]
				if n := len(began[run]); !ok || s.lo[i] > x.cut || n >= trace.MostNotes && s.hi[i] > began[run][n-1].Time {
					return nan
				}
				return value(s, i, x, began[run])
			})})
		}
		add(HowMany, func(s *stream, i int, x *Run, began []*trace.Note) (n float64) {
			for _, c := range began {
				n += bit(c.Time >= x.start && s.progress(c, x) <= i)
			}
			return n
		})
		add(Recent, func(s *stream, i int, x *Run, began []*trace.Note) float64 {
			for _, c := range slices.Backward(began) {
				if at := s.progress(c, x); at <= i {
					return float64(at - i)
				}
			}
			return float64(-1 - i)
		})
	}
	return list
}

// progress returns how many events a goroutine had written when a collection began: exactly, if it began it itself.
func (s *stream) progress(n *trace.Note, x *Run) int {
	if n.Goroutine > 0 && x.Trace.Goroutines[n.Goroutine-1] == s.g {
		return int(n.Event)
	}
	at, _ := slices.BinarySearch(s.at, n.Time)
	return at
}

// moments returns the visits that most runs make; of many, some of the whole test.
func (r *Runs) moments() []visited {
	list := r.mostVisit(func(*Run, *stream, key, int) bool { return true })
	n := min(len(list), maxMoments)
	for i := range n {
		list[i] = list[i*len(list)/n]
	}
	return list[:n]
}

// Set has garbage collected often, or not at all.
func (gc) Set(f *fact.Fact) (fails, passes [][]perturb.Act) {
	often, off := [][]perturb.Act{{perturb.Collector(perturb.GCOften)}}, [][]perturb.Act{{perturb.Collector(perturb.GCOff)}}
	if f.Outside {
		return often, off
	}
	return off, often
}
