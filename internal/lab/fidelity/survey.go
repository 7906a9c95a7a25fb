package main

import (
	"math/rand/v2"
	"slices"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const perGoroutine = 8 // positions of a goroutine, and goroutines of a class

// surveyOf surveys a run.
func surveyOf(run *runner.Run, t *trace.Trace, seed uint64) *survey {
	s := &survey{draws: t.Draws}
	for _, o := range run.Outcomes {
		if o.Test != "" && o.Status == runner.Passed && top(o.Test) == o.Test && o.Nth == 0 {
			s.tests = append(s.tests, o.Test)
		}
	}
	r := rand.New(rand.NewPCG(seed, 0))
	classes := make(map[uint64]string)
	seen := make(map[uint64]int)
	for _, g := range t.Goroutines {
		s.events += g.Len()
		classes[g.Class] = g.Test
		if seen[g.Class]++; g.Test != "" && g.Class != 0 && seen[g.Class] <= perGoroutine {
			s.positions = append(s.positions, positionsOf(g, r)...)
		}
	}
	s.another = seesAnother(t.Draws, classes)
	return s
}

// positionsOf returns some positions of a goroutine, by its class.
func positionsOf(g *trace.Goroutine, r *rand.Rand) (list []position) {
	for range min(perGoroutine, g.Len()) {
		i := r.Int64N(g.Len())
		events, first, err := g.LoadAt(i)
		if err != nil || i-first >= int64(len(events)) {
			continue // not kept
		}
		if block, ok := events[i-first].Block(); ok && block > 0 {
			list = append(list, position{g.Test,
				freedom.Position{G: freedom.Goroutine{Class: g.Class}, Event: uint64(i), Block: uint32(block)}})
		}
	}
	return list
}

// seesAnother returns the top-level tests that see the clock of the kernel or of other processes.
// A machine has only one clock, so the program's must not differ from it.
func seesAnother(draws []trace.Draw, classes map[uint64]string) (tests []string) {
	for _, d := range draws {
		name := top(classes[d.Class])
		if (d.Kind == trace.ActProcess || d.Kind == trace.ActKernel) && name != "" && !slices.Contains(tests, name) {
			tests = append(tests, name)
		}
	}
	return tests
}

// An effect is what a dose did in a run, according to the trace.
type effect struct {
	acted bool // whether it did anything
	legal bool // whether no test saw what reveals it
}

// effectOf reads the effect of a plan.
func effectOf(p *freedom.Plan, t *trace.Trace) effect {
	e := effect{legal: true}
	for _, a := range t.Acts {
		e.acted = e.acted || a.Applied
	}
	for _, d := range t.Draws {
		for _, pin := range p.Of(freedom.Step.Chooses) {
			e.acted = e.acted || d.Kind == pin.Kind
		}
	}
	for _, set := range p.Of(freedom.Step.Sets) {
		e.acted = e.acted || set.Always() || slices.ContainsFunc(t.Draws, func(d trace.Draw) bool {
			return d.Kind == set.Kind && (set.At.Block == 0 || set.At.Block == d.Block)
		})
		if set.Differs() && slices.ContainsFunc(t.Draws, func(d trace.Draw) bool {
			return d.Kind == trace.ActProcess || d.Kind == trace.ActKernel
		}) {
			e.legal = false
		}
	}
	return e
}
