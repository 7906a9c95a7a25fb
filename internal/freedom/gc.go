package freedom

import (
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/trace"
)

var gcFreedom = Freedom{
	Name:     "gc",
	Varies:   "When garbage is collected: at a position, much more often, or not before 2 GiB are in use. Finalizers, cleanups, weak pointers and sync.Pool depend on it.",
	Legal:    `"The finalizer is scheduled to run at some arbitrary time after the program can no longer reach the object to which obj points. There is no guarantee that finalizers will run before a program exits". "Any item stored in the Pool may be removed automatically at any time without notification."`,
	Source:   "https://pkg.go.dev/runtime#SetFinalizer; https://pkg.go.dev/sync#Pool",
	Sites:    "positions",
	Category: "resource-leak",
	observe:  observeGC,
	set:      setGC,
	aspects: []aspect{
		{what: GCOff, name: "off", opposites: always(Collector(GCOften)),
			env: func(Act, string) []string { return []string{"GOGC=off", "GOMEMLIMIT=" + offMemory} }},
		{what: GCOften, name: "often", opposites: always(Collector(GCOff)),
			env: func(Act, string) []string { return []string{"GOGC=1"} }},
	},
}

// Aspects of the collector.
const (
	GCOff   Aspect = iota + 32 // garbage is collected only by runtime.GC, up to offMemory
	GCOften                    // whenever memory has grown by one percent
)

// Collector sets when the collector runs.
func Collector(what Aspect) Act { return Act{Kind: trace.ActGC, What: what} }

// Collect collects garbage at a position, twice, so that pools are empty too.
func Collect(at Position) Act {
	return Act{Kind: trace.ActGC, At: at, First: at.G.Class != 0}
}

// offMemory is how much memory a process may use before garbage is collected after all. A hunt
// must not take all of the machine's memory.
const offMemory = "2GiB"

const maxMoments = 200 // events before which collections are counted

// observeGC tells at each moment how many collections the test has had, and how recently the last one began, in
// events of the goroutine: at equal progress, or it would tell how long a run was. What a run allocates has a say in
// it.
func observeGC(r *Runs) (list []fact.Observation) {
	began, some := make([][]*trace.Note, len(r.List)), false
	for i, x := range r.List {
		began[i] = x.notes(trace.ActGC)
		some = some || len(began[i]) > 0
	}
	if !some {
		return nil
	}
	for _, m := range r.moments() {
		add := func(what Measure, value func(s *stream, i int, x *Run, began []*trace.Note) float64) {
			s := &Seen{Measure: what, At: []Place{r.place(m.id, m.key)}}
			list = append(list, fact.Observation{Kind: "gc", Shape: fact.Line, Prefer: []float64{float64(m.at)},
				What: s, Values: r.each(func(run int, x *Run) float64 {
					s := x.streams[m.id]
					if s == nil {
						return nan
					}
					i, ok := s.visits[m.key]
					if n := len(began[run]); !ok || s.lo[i] > x.cut ||
						n >= trace.MostNotes && s.hi[i] > began[run][n-1].Time {
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

// setGC has garbage collected often, or not at all.
func setGC(f *fact.Fact) (fails, passes [][]Act) {
	often, off := [][]Act{{Collector(GCOften)}}, [][]Act{{Collector(GCOff)}}
	if f.Outside {
		return often, off
	}
	return off, often
}
