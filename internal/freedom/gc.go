package freedom

import (
	"regexp"
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

var gcFreedom = Freedom{
	Name:     "gc",
	Varies:   "When garbage is collected: at a position, much more often, or not before 2 GiB are in use. Finalizers, cleanups, weak pointers and sync.Pool depend on it.",
	Legal:    `"The finalizer is scheduled to run at some arbitrary time after the program can no longer reach the object to which obj points. There is no guarantee that finalizers will run before a program exits". "Any item stored in the Pool may be removed automatically at any time without notification."`,
	Source:   "https://pkg.go.dev/runtime#SetFinalizer; https://pkg.go.dev/sync#Pool",
	Sites:    "positions",
	Category: "resource-leak",
	Where:    ByAnswers,
	Prior:    0.005, // 4 of the 35
	Propose:  []*Proposer{{Guesses: proposeCollections}},
	Verbs:    collectVerbs,
	observe:  observeGC,
	set:      setGC,
	aspects: []aspect{
		{what: GCOff, name: "off", tells: less,
			says: say.Setting{Cause: say.Decides(say.Without, say.Called("garbage collection")), With: say.BarNotCollected, Cure: say.BarCollected, Mark: say.BarNotCollected,
				Fix: []say.Template{say.FixCollect}}, opposites: always(Collector(GCOften)),
			env: func(Step, string) []string { return []string{"GOGC=off", "GOMEMLIMIT=" + offMemory} }},
		{what: GCOften, name: "often", tells: more, says: collecting, opposites: always(Collector(GCOff)),
			env: func(Step, string) []string { return []string{"GOGC=1"} }},
	},
}

// collecting is said where garbage that is collected decides.
var collecting = say.Setting{Cause: say.Decides(say.GCRuns), With: say.BarCollected, Cure: say.BarNotCollected,
	Mark: say.MarkCollects, Fix: []say.Template{say.FixCollect}}

// Aspects of the collector.
const (
	GCOff   Aspect = iota + 32 // garbage is collected only by runtime.GC, up to offMemory
	GCOften                    // whenever memory has grown by one percent
)

// Collector sets when the collector runs.
func Collector(what Aspect) Step { return Step{Kind: trace.ActGC, What: what} }

// collectVerbs are those of the collector, and of one collection.
var collectVerbs = Verbs{Parts: setParts, Opposites: collectOpposites, Elsewhere: pause, Narrower: pause}

// collectOpposites is that none is collected.
func collectOpposites(a Act[Site], b Bench) [][]Act[Site] {
	if a.Collects() {
		return [][]Act[Site]{Lift(Collector(GCOff))}
	}
	return setOpposites(a, b)
}

// pause is one in place of a collection, longer than most take: if the test fails with that too, the cause is the time
// that a collection takes, in which others go on.
func pause(a Act[Site], _ Bench) []Act[Site] {
	if a.Collects() {
		return []Act[Site]{Hold(a.At, usualDose)}
	}
	return nil
}

var collectorWords = regexp.MustCompile(
	`\b(SetFinalizer|AddCleanup|sync\.Pool|weak\.|unique\.|ReadMemStats|ReadGCStats|FreeOSMemory)`)

// proposeCollections has no garbage collected, much, and some at one position, where the code depends on it: first where
// other goroutines would notice a hold, then everywhere.
func proposeCollections(f *Freedom, b Bench) []Guess {
	if !b.Mentions(collectorWords) {
		return nil
	}
	list := each(f.Prior, Collector(GCOff), Collector(GCOften))
	for _, site := range b.Everywhere() {
		a := Act[Site]{Kind: f.Act(), At: site, First: site.G.Class != 0}
		list = append(list, Guess{Fails: []Act[Site]{a}, Prior: f.Prior})
	}
	return list
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
func setGC(f *fact.Fact) (fails, passes [][]Step) {
	often, off := [][]Step{{Collector(GCOften)}}, [][]Step{{Collector(GCOff)}}
	if f.Outside {
		return often, off
	}
	return off, often
}
