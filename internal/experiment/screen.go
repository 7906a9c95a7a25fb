package experiment

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/ddmin"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
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
		return do(perturb.Yield(s.seed("yield", i), yieldDensity, 0))
	})
}

// screenSched runs one goroutine at a time, by random priorities.
func (s *search) screenSched() error {
	return s.screen("priorities", schedRuns, func(i int) Trial {
		return do(perturb.Sched(s.seed("sched", i), schedDensity))
	})
}

// screenStalls holds goroutines at random events, for random times: few of the events
// of a run, so that all stalls together take no longer than the test may.
func (s *search) screenStalls() error {
	return s.screen("random stalls", stallRuns, func(i int) Trial { return do(s.randomStalls(i)) })
}

// randomStalls returns the i-th act of screenStalls.
func (s *search) randomStalls(i int) perturb.Act {
	events := int64(1)
	for _, g := range s.p.Goroutines {
		events += g.length
	}
	density := max(1, min(512, 1024*stallsWanted[i%len(stallsWanted)]/events))
	number := max(1, events*density/1024)
	longest := []time.Duration{time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond}[i%4]
	longest = max(min(longest, 2*max(time.Second, 3*s.usualTime())/time.Duration(number)), minDose)
	return perturb.Yield(s.seed("stall", i), uint32(density), longest)
}

// stallsWanted is how many random stalls a run has, about.
var stallsWanted = []int64{3, 8, 20}

// screen makes n runs under random perturbations. What they did in a run that failed
// is reduced to the few places that matter; if that does not work, the perturbation
// itself is the finding.
func (s *search) screen(step string, n int, trial func(i int) Trial) error {
	if !s.concurrent() {
		return nil
	}
	if s.Share != nil {
		var trials []shared
		for i := range n {
			trials = append(trials, shared{Trial: trial(i)})
		}
		return s.scan(step, trials)
	}
	var outs []*Outcome
	var first []int // of each signature, the index of the first run that failed so
	for len(outs) < n {
		part, err := s.screenPart(step, len(outs), n, trial)
		if err != nil {
			return err
		}
		for _, o := range part {
			outs = append(outs, o)
			if !o.Ran || !o.Failed || s.known(o.Signature) {
				continue
			}
			if !slices.ContainsFunc(first, func(i int) bool { return outs[i].Signature == o.Signature }) {
				first = append(first, len(outs)-1)
			}
			if err := s.reduceActs(o); err != nil {
				return err
			}
		}
		s.tell(step, len(outs), n)
		if s.explained() {
			return nil
		}
	}
	for _, i := range first {
		s.random = append(s.random, randomFailure{trial(i), outs[i], countIn(outs, &outs[i].Signature), s.sofar()})
	}
	return nil
}

// screenPart makes the runs of a screen from the i-th on that can be made at once, of n.
func (s *search) screenPart(step string, i, n int, trial func(i int) Trial) ([]*Outcome, error) {
	part := make([]*Outcome, min(max(s.Parallel, 1), n-i))
	err := s.each(s.ctx, len(part), func(k int) (err error) {
		part[k], err = s.run(s.ctx, step, trial(i+k), false)
		return err
	})
	return part, err
}

// A randomFailure is what random perturbations brought, and how often.
type randomFailure struct {
	t     Trial
	o     *Outcome
	c     proof.Count
	found int // runs until then
}

// randomAfterAll makes findings of what random perturbations brought and nothing
// simpler did.
func (s *search) randomAfterAll() error {
	for f := s.nextRandom(); f != nil; f = s.nextRandom() {
		s.tried[f.Sig]++
		s.pending = f
		if err := s.conclude(f); err != nil {
			return err
		}
	}
	return nil
}

// nextRandom returns what random perturbations brought more often than it came without, and
// nothing else has explained; nil if there is none left.
func (s *search) nextRandom() *Finding {
	for len(s.random) > 0 {
		x := s.random[0]
		sig := x.o.Signature
		if !s.known(sig) && !s.hasFinding(sig) && proof.More(x.c, s.plainCount(&sig)) {
			f := &Finding{Proof: proof.Proof{Test: s.Test, Message: x.o.Message, Natural: s.natural(sig), Found: x.found}, Sig: sig, Trial: x.t, Screened: x.c}
			s.random = s.random[1:]
			return f
		}
		s.random = s.random[1:]
	}
	return nil
}

// unfinished returns what was provoked and has no verdict, nil if that is nothing. What random
// perturbations brought must have come so often that it is not by chance.
func (s *search) unfinished() *Finding {
	f := s.pending
	if f == nil {
		f = s.nextRandom()
	}
	for f != nil && f.Screened.Of > 0 && !proof.Differ(f.Screened, s.plainCount(&f.Sig)) {
		f = s.nextRandom()
	}
	if f == nil || f.chance || s.hasFinding(f.Sig) {
		return nil
	}
	return f
}

func (s *search) hasFinding(sig runner.Signature) bool {
	return slices.ContainsFunc(s.found, func(f *Finding) bool { return same(f.Sig, sig) })
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
			t.Plan.Acts = append(t.Plan.Acts, sites[i].stall(doses[i]))
		}
		return t
	}
	fails := func(list []int) (bool, error) { return s.failsInARow(trial(list), &o.Signature) }
	is, err := fails(idx)
	if err != nil {
		return err
	}
	if !is {
		if err := s.notAgain(o); err != nil || s.explained() {
			return err
		}
		return s.reduceSome(rareFailure{o, idx, trial, sites}, quick)
	}
	s.mu.Lock()
	s.grace = true
	s.mu.Unlock()
	least, err := ddmin.Least(idx, fails)
	if err != nil {
		return err
	}
	return s.reduced(o, trial, least, sites)
}

// maxSome is how many runs are reduced that failed under perturbations which do not bring that
// each time.
const maxSome = 2

// A rareFailure is what random stalls brought, and do not bring each time.
type rareFailure struct {
	o     *Outcome
	idx   []int // of the sites, all
	trial func([]int) Trial
	sites []Site
}

// reduceSome is reduceActs for what fails sometimes, and more often than plain runs: then a part
// is enough that can't be told to fail less often. Of a test that often fails by itself
// that would take too many runs. What can't be reduced within some is put off.
func (s *search) reduceSome(x rareFailure, within patience) error {
	if s.frequent(&x.o.Signature) || s.hasFinding(x.o.Signature) || s.some == maxSome {
		return nil
	}
	s.some++
	kept, err := neededOften(s, &x.o.Signature, x.idx, x.trial, within)
	if err != nil {
		return err
	}
	if kept == nil {
		if within == quick {
			s.rare = append(s.rare, x)
		}
		return nil
	}
	left := sitesAt(x.sites, kept)
	if done, err := s.oneOf(left, x.o); err != nil || done || len(left) > maxSimple {
		return err
	}
	f := &Finding{Proof: proof.Proof{Test: s.Test, Message: x.o.Message, Natural: s.natural(x.o.Signature), Found: s.sofar()}, Sig: x.o.Signature, Trial: x.trial(kept), sites: left}
	return s.concludeHeld(f)
}

// failsInARow reports whether a trial fails with a signature as often in a row as plain
// runs hardly ever do. Runs in which it did not act do not count.
func (s *search) failsInARow(t Trial, sig *runner.Signature) (bool, error) {
	need := s.inARow(sig)
	for c := (proof.Count{}); c.Of < need; {
		o, err := s.runAgain(s.ctx, "reduce", t, false)
		if err != nil {
			return false, err
		}
		if anyActed(o) {
			addRun(&c, &Trial{}, o, sig)
		} else {
			c.Missed++
		}
		if c.Failed < c.Of || c.Missed == maxMissed || lost(&c) {
			return false, nil
		}
	}
	return true, nil
}

func anyActed(o *Outcome) bool {
	return slices.ContainsFunc(o.Acts, func(a Act) bool { return a.Applied })
}

// maxSimple is how many stalls a finding may have that is looked for no further: most
// failures that timing decides take one or two.
const maxSimple = 2

// reduced makes a finding of the stalls that were left. If they are many, one of them
// may suffice if it is longer; else they wait for the case that nothing simpler is found.
func (s *search) reduced(o *Outcome, trial func([]int) Trial, list []int, sites []Site) error {
	if len(list) > 1 {
		done, err := s.oneOf(sitesAt(sites, list), o)
		if err != nil || done {
			return err
		}
		if list, err = needed(s, &o.Signature, list, trial); err != nil {
			return err
		}
	}
	left := sitesAt(sites, list)
	t := trial(list).each(func(a perturb.Act) perturb.Act { return a.Dosed(max(a.Dose, reduceDose)) })
	if len(left) > maxSimple {
		s.complex = append(s.complex, complexStalls{t, left, o})
		return nil
	}
	return s.several(t, left, o)
}

func sitesAt(all []Site, list []int) (out []Site) {
	for _, i := range list {
		out = append(out, all[i])
	}
	return out
}

// A complexStalls is stalls that are all needed.
type complexStalls struct {
	t     Trial
	sites []Site
	o     *Outcome
}

// oneOf tries single stalls, and reports whether one suffices.
func (s *search) oneOf(sites []Site, o *Outcome) (bool, error) {
	before := len(s.found)
	for _, site := range sites {
		t := do(site.stall(sweepDose))
		again, is, err := s.once(s.ctx, "one of", t, &o.Signature)
		if err != nil {
			return false, err
		}
		if is != tellsFailure {
			continue
		}
		if err := s.tried1(site, t, again); err != nil || len(s.found) > before {
			return len(s.found) > before, err
		}
	}
	return false, nil
}

// several makes a finding of stalls that it takes together.
func (s *search) several(t Trial, sites []Site, o *Outcome) error {
	f, err := s.provoked(t, sites, o)
	if f == nil || err != nil {
		return err
	}
	for _, stall := range t.Plan.Of(perturb.Act.Holds) {
		f.dose = max(f.dose, stall.Dose)
	}
	is, err := s.failsWith(f, f.dose)
	if err != nil {
		return err
	}
	return s.concludeStall(f, is)
}

// severalAfterAll makes findings of what took many stalls, or fails rarely with them, where
// nothing simpler was found.
func (s *search) severalAfterAll() error {
	rare := s.rare
	s.some, s.rare = 0, nil
	for _, x := range rare {
		if err := s.reduceSome(x, patient); err != nil {
			return err
		}
	}
	for _, c := range s.complex {
		if s.hasFinding(c.o.Signature) {
			continue
		}
		if err := s.several(c.t, c.sites, c.o); err != nil {
			return err
		}
	}
	return nil
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
