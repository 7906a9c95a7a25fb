package freedom

import (
	"cmp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/trace"
)

var stallFreedom = Freedom{
	Name:     "stall",
	Varies:   "One goroutine, or each one of its class, is held at a position.",
	Legal:    goIndependent,
	Source:   spec + "Go_statements",
	Sites:    "positions",
	Dose:     "time held",
	Category: "concurrency",
	Where:    ByPosition,
	observe:  observeStall,
	Propose:  []*Proposer{{Guesses: proposeSelects}},
	Verbs:    Verbs{Opposites: holdTwo, Elsewhere: holdElsewhere, Partners: holdChoices, Narrow: narrowTimers},
}

// Stall holds every goroutine that a position selects when it comes there, or for a class only the first if first is
// set. With a dose of 0 the goroutine gives up the processor once. Each goroutine of a class has its own act.
func Stall(at Position, dose time.Duration, first bool) Step {
	return Step{Kind: trace.ActStall, At: at, Dose: dose, First: first}
}

// Hold holds a goroutine at a site; of a class, the first that comes there.
func Hold(site Site, dose time.Duration) Act[Site] {
	return Act[Site]{Kind: trace.ActStall, At: site, Dose: dose, First: site.G.Class != 0}
}

// HeldAt returns a hold at another site: of a class, of all if all of one are held.
func HeldAt(a Act[Site], site Site) Act[Site] {
	all := a.At.G.Class != 0 && !a.First
	a.At, a.First = site, site.G.Class != 0 && !all
	return a
}

const (
	heldSeeds    = 16 // seeds that are tried with a hold
	earlyOfClass = 6  // positions of a class at which another goroutine is held too
	earlyInAll   = 10 // of all
	earlyLonger  = 3  // times as long it is held
	maxShams     = 5  // places are tried at which an act should not matter
)

// holdTwo also holds a second goroutine, longer, so that it cannot overtake the first.
func holdTwo(a Act[Site], b Bench) (list [][]Act[Site]) {
	for sites := range b.Others(a.At) {
		for i := 0; i < len(sites); i += max(1, len(sites)/earlyOfClass) {
			list = append(list, []Act[Site]{a, Hold(sites[i], earlyLonger*a.Dose)})
			if len(list) == earlyInAll {
				return list
			}
		}
	}
	return list
}

// holdElsewhere holds the goroutine at other positions, and others at theirs.
func holdElsewhere(a Act[Site], b Bench) (list []Act[Site]) {
	for _, own := range []bool{true, false} {
		n := 0
		for _, site := range b.Sites() {
			if site.Block == a.At.Block || own != (site.Class == a.At.Class) || n == maxShams/2 {
				continue
			}
			n++
			list = append(list, HeldAt(a, site))
		}
	}
	return list
}

// holdChoices are the choices of a run, if it may make any: held, a goroutine may find several cases of a select ready.
func holdChoices(_ Act[Site], b Bench) (list []Act[Site]) {
	if !b.Chooses() {
		return nil
	}
	for i := range heldSeeds {
		list = append(list, Choices(b.Seed("pin", i)))
	}
	return list
}

// A stretch is a time of a goroutine between two events, or from its go statement to the first.
type stretch struct {
	measure  Measure
	id       trace.GoroutineID
	from, to key
}

const maxStretches = 600

// observeStall tells how long goroutines take: to begin, to wait, and between two waits.
func observeStall(r *Runs) (list []fact.Observation) {
	all, ends := make(map[stretch][]float64), make(map[stretch]float64)
	for i, x := range r.List {
		note := func(st stretch, from, to int64) {
			if to > x.cut {
				return
			}
			if all[st] == nil {
				all[st] = r.each(func(int, *Run) float64 { return nan })
			}
			all[st][i] = float64(to - from)
			ends[st] = max(ends[st], float64(to-x.start))
		}
		for id, s := range x.streams {
			s.stretches(id, note)
		}
	}
	var order []stretch
	for st := range all {
		order = append(order, st)
	}
	slices.SortFunc(order, func(a, b stretch) int {
		return cmp.Or(cmp.Compare(ends[a], ends[b]), cmp.Compare(a.id, b.id), cmp.Compare(a.from.block, b.from.block),
			cmp.Compare(a.from.hit, b.from.hit),
			cmp.Compare(a.to.block, b.to.block), cmp.Compare(a.to.hit, b.to.hit), cmp.Compare(a.measure, b.measure))
	})
	for _, st := range order[:min(len(order), maxStretches)] {
		s := &Seen{Measure: st.measure, At: []Place{r.place(st.id, st.from)}}
		list = append(list, fact.Observation{Kind: "stall", Shape: fact.Line, Values: all[st],
			Prefer: []float64{ends[st]}, What: s})
	}
	return list
}

// stretches calls note with the beginning of a goroutine, and with each wait and each time between two.
func (s *stream) stretches(id trace.GoroutineID, note func(st stretch, from, to int64)) {
	if len(s.events) == 0 {
		return
	}
	if b, ok := s.events[0].Block(); ok && !s.g.Root {
		note(stretch{Begins, id, key{b, 1}, key{}}, s.g.Start, s.lo[0])
	}
	hits, at := make(map[trace.Event]int), 0
	visit := func(pos int64) (key, bool) { // of the last event before a stamp
		for ; at < len(s.events) && int64(at) < pos; at++ {
			hits[s.events[at]]++
		}
		if pos == 0 || pos > int64(len(s.events)) {
			return key{}, false
		}
		b, ok := s.events[pos-1].Block()
		return key{b, hits[s.events[pos-1]]}, ok && hits[s.events[pos-1]] <= maxHits
	}
	var last key
	var was trace.Stamp
	for i, p := range s.g.Stamps {
		k, ok := visit(p.Pos)
		switch {
		case i == 0 || last == key{} || !ok:
		case p.GoesOn && !was.GoesOn:
			note(stretch{Waits, id, last, k}, was.Time, p.Time)
		case !p.GoesOn && was.GoesOn:
			note(stretch{Works, id, last, k}, was.Time, p.Time)
		}
		if was = p; !ok {
			k = key{}
		}
		last = k
	}
}
