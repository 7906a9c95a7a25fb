package law

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"
)

// A program is a simulated test: what each of its goroutines does, one after the other.
type program struct {
	routines [][]op
	class    []uint64 // of the routines; those from its end on are each of their own
	law      Law      // what decides: kind, and steps by goroutine, block and hit
	// With its goroutine held before at for dose it fails.
	at   Step
	dose time.Duration
}

// An op is what a goroutine does between two of its positions.
type op struct {
	block int
	takes time.Duration         // at most; half of it at least
	can   func(w *world) bool   // it waits until this is so; nil if it need not wait
	limit time.Duration         // it waits no longer; 0 for ever
	do    func(w *world, g int) // what it changes, nil for nothing
}

// A world is a run of a program.
type world struct {
	vars   map[string]int
	local  []int           // one variable of each goroutine
	waits  []time.Duration // since when a goroutine can go on as soon as it is let; 0 if it is not there yet
	failed bool
	over   bool // a limit was over in the op that is being done
	now    time.Duration
}

// sim makes runs of a program.
type sim struct {
	p   *program
	rnd *rand.Rand
}

// A gated is a goroutine of a run.
type gated struct {
	next    int // of its ops
	at      time.Duration
	since   time.Duration // it has been at the wait that it is at
	waiting int           // waits at its position that are over
	course  Course
}

const waitLimit = 100 * time.Millisecond

func (s *sim) step(g, i int) Step {
	if i >= len(s.p.routines[g]) {
		return Step{G: Goroutine(g + 1)}
	}
	b := s.p.routines[g][i].block
	hit := 0
	for _, o := range s.p.routines[g][:i+1] {
		if o.block == b {
			hit++
		}
	}
	return Step{G: Goroutine(g + 1), Block: b, Hit: hit}
}

// run makes a run with waits, and with one goroutine taking longer before a step.
func (s *sim) run(waits []Wait, hold Step, dose time.Duration) (w *world, list []*gated, o Outcome, from, to time.Duration) {
	w = &world{vars: make(map[string]int), local: make([]int, len(s.p.routines)), waits: make([]time.Duration, len(s.p.routines))}
	for range s.p.routines {
		list = append(list, &gated{})
	}
	reached := func(until Step) bool { // it is before it or past it
		g := list[until.G-1]
		for i := range g.next + 1 {
			if s.step(int(until.G-1), i).is(until) {
				return true
			}
		}
		return false
	}
	for n, g := range list {
		g.course = append(g.course, s.step(n, 0))
	}
	for {
		best, when, act := -1, time.Duration(1<<62), 0
		for n, g := range list {
			if g.next >= len(s.p.routines[n]) {
				continue
			}
			at, kind := s.ready(w, g, n, waits, reached)
			if hold.Block != 0 && to == 0 && s.step(n, g.next).is(hold) && len(waits) == 0 {
				at = max(g.at, g.since)
			}
			if at < when {
				best, when, act = n, at, kind
			}
		}
		if best < 0 || when >= 1<<61 {
			w.failed = w.failed || best >= 0 // a deadlock
			break
		}
		w.now = max(w.now, when)
		g := list[best]
		if act != doOp { // a wait of a plan is over
			k := pending(g, s.step(best, g.next), waits)
			o.Acted = append(o.Acted, k)
			if act == waitUnmet {
				o.Unmet, o.Expired = append(o.Unmet, k), append(o.Expired, k)
			}
			g.waiting++
			g.since = w.now
			continue
		}
		if hold.Block != 0 && to == 0 && s.step(best, g.next).is(hold) {
			from, g.at, g.since = w.now, w.now+dose, w.now+dose
			to = g.at
			continue
		}
		s.do(w, g, best)
	}
	o.Failed, o.Passed = w.failed, !w.failed
	return w, list, o, from, to
}

const (
	doOp = iota
	waitMet
	waitUnmet
)

// pending returns the number of the wait at which a goroutine is, -1 if it is at none.
func pending(g *gated, at Step, waits []Wait) int {
	n := 0
	for k, x := range waits {
		if x.At.is(at) {
			if n == g.waiting {
				return k
			}
			n++
		}
	}
	return -1
}

// ready says when a goroutine does what next.
func (s *sim) ready(w *world, g *gated, n int, waits []Wait, reached func(Step) bool) (time.Duration, int) {
	if k := pending(g, s.step(n, g.next), waits); k >= 0 {
		if reached(waits[k].Until) {
			return max(g.at, g.since), waitMet
		}
		return max(g.at, g.since) + waitLimit, waitUnmet
	}
	o := s.p.routines[n][g.next]
	if o.can != nil {
		w.waits[n] = max(g.at, g.since)
	}
	switch {
	case o.can == nil || o.can(w):
		return max(g.at, g.since), doOp
	case o.limit > 0:
		return max(g.at, g.since) + o.limit, doOp
	}
	return 1 << 61, doOp
}

func (s *sim) do(w *world, g *gated, n int) {
	o := s.p.routines[n][g.next]
	w.over = o.can != nil && !o.can(w)
	over := w.over
	if o.do != nil {
		o.do(w, n)
	}
	takes := o.takes/2 + time.Duration(s.rnd.Int64N(int64(o.takes/2)+1))
	g.next++
	g.at, g.waiting = w.now+takes, 0
	g.since = g.at
	step := s.step(n, g.next)
	step.At, step.Timer = int64(g.at), over
	g.course = append(g.course, step)
}

// Held makes runs with a hold.
func (s *sim) Held(_ context.Context, at Step, gates []Wait) (*Held, error) {
	if at.G == 0 {
		at = s.p.at
	}
	for n := range 60 {
		if n == 6 {
			gates = nil
		}
		_, list, o, from, to := s.run(gates, at, s.p.dose)
		if !o.Failed || to == 0 {
			continue
		}
		h := &Held{From: int64(from), To: int64(to), Class: make(map[Goroutine]uint64)}
		for n, g := range list {
			if h.Class[Goroutine(n+1)] = uint64(n + 100); n < len(s.p.class) {
				h.Class[Goroutine(n+1)] = s.p.class[n]
			}
			if Goroutine(n+1) == at.G {
				h.G = s.full(n, g)
				h.At = h.G.index(at)
			} else {
				h.Others = append(h.Others, s.full(n, g))
			}
		}
		return h, nil
	}
	return nil, nil
}

// full returns all that a goroutine does, also where a deadlock cut it short.
func (s *sim) full(n int, g *gated) Course {
	c := slices.Clone(g.course)
	for i := len(c); i <= len(s.p.routines[n]); i++ {
		step := s.step(n, i)
		step.At = Never
		c = append(c, step)
	}
	return c
}

func (s *sim) Wait(_ context.Context, waits []Wait) (Outcome, error) {
	_, _, o, _, _ := s.run(waits, Step{}, 0)
	return o, nil
}

func (s *sim) Hold(_ context.Context, at Step) (Outcome, error) {
	_, _, o, _, _ := s.run(nil, at, s.p.dose)
	return o, nil
}

// plain is the rate at which a program fails by itself.
func (s *sim) plainRate() float64 {
	failed := 0
	for range 200 {
		if _, _, o, _, _ := s.run(nil, Step{}, 0); o.Failed {
			failed++
		}
	}
	return float64(failed) / 200
}
