package experiment

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const (
	yieldRuns = 20
	schedRuns = 20
	stallRuns = 30
	pinSeeds  = 8

	morePinSeeds = 200

	yieldDensity = 64 // events in 1024
	stallDensity = 8
	schedDensity = 16
)

// seed returns the i-th seed of a step.
func (s *search) seed(step string, i int) uint64 {
	r := rand.New(rand.NewPCG(s.Seed, uint64(i)))
	for _, c := range step {
		r = rand.New(rand.NewPCG(r.Uint64(), uint64(c)))
	}
	return r.Uint64()
}

// screenYields gives up the processor at random events.
func (s *search) screenYields() error {
	return s.screen("yields", yieldRuns, func(i int) Trial {
		return Trial{Plan: perturb.Plan{Yield: &perturb.Yield{Seed: s.seed("yield", i), Per1024: yieldDensity}}}
	})
}

// screenSched runs one goroutine at a time, by random priorities.
func (s *search) screenSched() error {
	return s.screen("priorities", schedRuns, func(i int) Trial {
		return Trial{Plan: perturb.Plan{Sched: &perturb.Sched{Seed: s.seed("sched", i), Per1024: schedDensity}}}
	})
}

// screenStalls holds goroutines at random events, for random times, of which the
// longest is drawn a run.
func (s *search) screenStalls() error {
	return s.screen("random stalls", stallRuns, func(i int) Trial {
		longest := []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond}[i%4]
		return Trial{Plan: perturb.Plan{Yield: &perturb.Yield{Seed: s.seed("stall", i), Per1024: stallDensity << (i % 3), Stalls: longest}}}
	})
}

// screen makes n runs under random perturbations. What they did in a run that failed
// is reduced to the few places that matter; if that does not work, the perturbation
// itself is the finding.
func (s *search) screen(step string, n int, trial func(i int) Trial) error {
	if !s.concurrent() {
		return nil
	}
	first := make(map[runner.Signature]int) // index of the first run that failed so
	var counts []struct {
		sig runner.Signature
		c   Count
	}
	outs := make([]*Outcome, n)
	for i := 0; i < n; i += max(s.Parallel, 1) {
		part := outs[i:min(i+max(s.Parallel, 1), n)]
		err := s.each(s.ctx, len(part), func(k int) (err error) {
			part[k], err = s.run(s.ctx, step, trial(i+k), false)
			return err
		})
		if err != nil {
			return err
		}
		for k, o := range part {
			if !o.Ran || !o.Failed || s.known(o.Signature) {
				continue
			}
			if _, ok := first[o.Signature]; !ok {
				first[o.Signature] = i + k
				counts = append(counts, struct {
					sig runner.Signature
					c   Count
				}{sig: o.Signature})
			}
			if err := s.reduceActs(o); err != nil {
				return err
			}
		}
		s.tell(step, i+len(part), n)
		if s.explained() {
			return nil
		}
	}
	for _, x := range counts {
		t := trial(first[x.sig])
		if s.known(x.sig) || s.hasFinding(x.sig) {
			continue
		}
		for _, o := range outs {
			x.c.add(&Trial{}, o, &x.sig)
		}
		var plain Count
		for _, o := range s.plain {
			plain.add(&Trial{}, o, &x.sig)
		}
		if !more(x.c, plain) {
			continue
		}
		s.tried[x.sig]++
		f := &Finding{Test: s.Test, Signature: x.sig, Message: outs[first[x.sig]].Message, Natural: s.natural(x.sig), Trial: t, Found: s.Runs()}
		if err := s.conclude(f); err != nil {
			return err
		}
	}
	return nil
}

func (s *search) hasFinding(sig runner.Signature) bool {
	return slices.ContainsFunc(s.found, func(f *Finding) bool { return same(f.Signature, sig) })
}

// concurrent reports whether more than one goroutine ran code with probes: else there
// is no order that could differ.
func (s *search) concurrent() bool { return len(s.p.Goroutines) > 1 }

const (
	maxReduced = 400                   // acts of a run that are looked into
	reduceDose = 10 * time.Millisecond // for what was only a yield
)

// reduceActs turns what perturbations did in a failing run into stalls, and leaves out
// what does not matter for the failure.
func (s *search) reduceActs(o *Outcome) error {
	sites, doses := stallsOf(o)
	if len(sites) == 0 || len(sites) > maxReduced {
		return nil
	}
	idx := make([]int, len(sites))
	for i := range idx {
		idx[i] = i
	}
	trial := func(list []int) Trial {
		var t Trial
		for _, i := range list {
			t.Plan.Stalls = append(t.Plan.Stalls, sites[i].stall(doses[i]))
		}
		return t
	}
	need := s.inARow(&o.Signature)
	fails := func(list []int) (bool, error) {
		t := trial(list)
		n, missed := 0, 0
		for n < need {
			again, err := s.run(s.ctx, "reduce", t, false)
			if err != nil {
				return false, err
			}
			if !again.Ran || !anyActed(again) {
				if missed++; missed == maxMissed {
					return false, nil
				}
				continue
			}
			if !again.Failed || !same(again.Signature, o.Signature) {
				return false, nil
			}
			n++
		}
		return true, nil
	}
	if is, err := fails(idx); err != nil || !is {
		return err
	}
	s.mu.Lock()
	s.grace = true
	s.mu.Unlock()
	least, err := ddmin(idx, fails)
	if err != nil {
		return err
	}
	return s.reduced(o, trial(least), least, sites)
}

func anyActed(o *Outcome) bool {
	return slices.ContainsFunc(o.Acts, func(a Act) bool { return a.Applied })
}

// reduced makes a finding of the stalls that were left.
func (s *search) reduced(o *Outcome, t Trial, list []int, sites []Site) error {
	var left []Site
	for i, k := range list {
		left = append(left, sites[k])
		t.Plan.Stalls[i].Dose = max(t.Plan.Stalls[i].Dose, reduceDose)
	}
	f, err := s.provoked(t, left, o)
	if f == nil || err != nil {
		return err
	}
	for _, stall := range t.Plan.Stalls {
		f.Dose = max(f.Dose, stall.Dose)
	}
	if is, err := s.failsWith(f, f.Dose); err != nil {
		return err
	} else if is {
		if err := s.stallDetails(f); err != nil {
			return err
		}
	}
	return s.conclude(f)
}

// stallsOf returns where perturbations acted in a run, each goroutine and block once.
func stallsOf(o *Outcome) (sites []Site, doses []time.Duration) {
	type key struct {
		id    trace.GoroutineID
		block uint32
	}
	seen := make(map[key]bool)
	for _, a := range o.Acts {
		k := key{a.ID, a.Block}
		if !a.Applied || a.ID == 0 || a.Block == 0 || a.Block>>31 != 0 || seen[k] {
			continue
		}
		seen[k] = true
		sites = append(sites, Site{G: perturb.Goroutine{ID: a.ID}, Event: a.Event, Block: int(a.Block), Class: a.Class, Test: a.Test})
		doses = append(doses, max(time.Duration(a.Held), reduceDose))
	}
	return sites, doses
}
