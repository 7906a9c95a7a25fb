package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/ddmin"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

var drawKinds = []trace.ActKind{trace.ActSelect, trace.ActMap, trace.ActRand}

// A place where a choice is made by chance.
type drawSite struct {
	kind  trace.ActKind
	block uint32
}

// screenPins makes all random choices follow seeds. If a seed fails again and again,
// and others pass, the outcome depends on a choice. Only pinned runs tell who chooses.
func (s *search) screenPins() error {
	if s.notDraws {
		return nil
	}
	return s.pins("pins", 0, pinSeeds)
}

// morePins does it with many more seeds, for choices that hardly ever fall like that.
func (s *search) morePins() error { return s.pins("more pins", pinSeeds, morePinSeeds) }

func (s *search) pins(step string, from, to int) error {
	pinned := func(i int) Trial { return do(perturb.Pins(s.seed("pin", i))...) }
	if s.Share != nil {
		return s.scanPins(step, from, to, pinned)
	}
	batch := max(s.Parallel, 1)
	for i := from; i < to; i += batch {
		n := min(batch, to-i)
		outs := make([]*Outcome, n)
		err := s.each(s.ctx, n, func(k int) (err error) {
			outs[k], err = s.first(step, pinned(i+k))
			return err
		})
		if err != nil {
			return err
		}
		for k, o := range outs {
			if err := s.pinned(s.seed("pin", i+k), o); err != nil {
				return err
			}
		}
		s.tell(step, i+n-from, to-from)
		if len(s.p.Draws) == 0 || s.explained() {
			return nil
		}
	}
	return nil
}

// scanPins makes this process's share of pinned runs. Whether the program draws at all is
// for each process to find out, by the first of them.
func (s *search) scanPins(step string, from, to int, trial func(i int) Trial) error {
	if from == 0 {
		if _, err := s.scanOne(step, shared{Trial: trial(0)}); err != nil {
			return err
		}
		from = 1
	}
	if len(s.p.Draws) == 0 {
		return nil
	}
	var trials []shared
	for i := from; i < to; i++ {
		trials = append(trials, shared{Trial: trial(i)})
	}
	return s.scan(step, trials)
}

// pinned looks at the outcome of a run with a seed.
func (s *search) pinned(seed uint64, o *Outcome) error {
	s.p.addDraws(o.Draws)
	switch {
	case !o.Ran:
	case !o.Failed:
		s.passSeeds = append(s.passSeeds, seed)
	case !s.known(o.Signature) && !s.napped(o.Signature):
		s.failing = append(s.failing, pinFailure{seed, o})
	}
	list := s.failing
	s.failing = nil
	for _, x := range list {
		pass, err := s.passingSeed(&x.o.Signature)
		if err != nil {
			return err
		}
		if pass == 0 {
			s.failing = append(s.failing, x)
		} else if err := s.isolate(x.seed, pass, x.o); err != nil {
			return err
		}
	}
	return nil
}

// A passing is a seed with which one failure stays away.
type passing struct {
	seed  uint64       // 0 if none is known
	draws []trace.Draw // of a run with it
	asked int          // of passSeeds
}

// passingSeed returns a seed with which failures of a signature stay away each time, 0 if none is known.
func (s *search) passingSeed(sig *runner.Signature) (uint64, error) {
	p := s.passing[*sig]
	if p == nil {
		p = &passing{}
		s.passing[*sig] = p
	}
	for p.seed == 0 && p.asked < len(s.passSeeds) {
		seed := s.passSeeds[p.asked]
		p.asked++
		t := do(perturb.Pins(seed)...)
		o, is, err := s.once(s.ctx, "pins again", t, sig)
		if err != nil {
			return 0, err
		}
		s.p.addDraws(o.Draws)
		if is != tellsPass {
			continue
		}
		if ok, _, err := s.always(s.ctx, "pins again", t, sig, false, 2); err != nil {
			return 0, err
		} else if ok {
			p.seed, p.draws = seed, o.Draws
		}
	}
	return p.seed, nil
}

// A pinFailure is a seed with which a run failed.
type pinFailure struct {
	seed uint64
	o    *Outcome
}

// isolate finds the choices that decide, given a seed that failed and one that passes.
func (s *search) isolate(fail, pass uint64, o *Outcome) error {
	f, err := s.failsEachTime(fail, o)
	if f == nil || err != nil {
		return err
	}
	return s.isolateIn(f, fail, pass, o)
}

// failsEachTime returns a finding if a seed that failed does so again and again, else nil.
func (s *search) failsEachTime(seed uint64, o *Outcome) (*Finding, error) {
	f, err := s.provoked(do(perturb.Pins(seed)...), nil, o)
	if f == nil && err == nil {
		s.unexplained = append(s.unexplained, pinFailure{seed, o})
	}
	return f, err
}

// isolateIn finds the choices that decide, of a finding that depends on them.
func (s *search) isolateIn(f *Finding, fail, pass uint64, o *Outcome) error {
	f.failing, f.passing = fail, pass
	is := &isolation{s: s, f: f, all: s.drawSites(o)}
	if err := is.find(); err != nil {
		return err
	}
	f.Nap = s.isNap(f)
	if err := s.conclude(f); err != nil {
		return err
	}
	return is.joint()
}

// drawSites returns the blocks that make choices, in plain runs or in that one.
func (s *search) drawSites(o *Outcome) []drawSite {
	var list []drawSite
	for _, d := range append(slices.Clone(s.p.Draws), o.Draws...) {
		x := drawSite{d.Kind, d.Block}
		if draws(d.Kind) && d.Block != 0 && !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	return list
}

// maxHintedDraws is how many single blocks are tried because hints name them.
const maxHintedDraws = 3

// hintedDraws returns those that hints are about, in their order. One that is alone
// needs no hint.
func (s *search) hintedDraws(all []drawSite) []drawSite {
	var list []drawSite
	for _, h := range s.hints() {
		for _, x := range all {
			if h.Draw && h.touches(s.Sites, int(x.block)) && !slices.Contains(list, x) && len(all) > 1 {
				list = append(list, x)
			}
		}
	}
	return list[:min(len(list), maxHintedDraws)]
}

// An isolation narrows down which draws decide.
type isolation struct {
	s   *search
	f   *Finding
	all []drawSite
}

// find looks for the fewest draws that decide whatever all others give. Where there
// are none, the others follow the passing seed, and draws that decide then are looked
// for: first their kinds, then their blocks.
func (is *isolation) find() error {
	for _, x := range is.s.hintedDraws(is.all) {
		if ok, err := is.least([]drawSite{x}, false); err != nil || ok {
			return err
		}
	}
	if ok, err := is.least(is.all, false); err != nil || ok {
		return err
	}
	f := is.f
	kinds, err := is.kinds()
	if err != nil {
		return err
	}
	if kinds == nil {
		return is.flip() // of all kinds together
	}
	f.Trial, f.Decides = kindTrial(kinds, f.failing, f.passing), names(kinds)
	f.cure = ptr(kindTrial(kinds, f.passing, f.passing))
	var sites []drawSite
	for _, x := range is.all {
		if slices.Contains(kinds, x.kind) {
			sites = append(sites, x)
		}
	}
	if ok, err := is.least(sites, true); err != nil || ok {
		return err
	}
	return is.flip()
}

// least finds the fewest of some draws that suffice, and reports whether they do. With
// rest all others follow the passing seed, else they are left to chance.
func (is *isolation) least(sites []drawSite, rest bool) (bool, error) {
	f := is.f
	if len(sites) == 0 {
		return false, nil
	}
	fails := func(list []drawSite) (bool, error) {
		return is.fails(blockTrial(list, f.failing, f.passing, rest), rest)
	}
	if ok, err := fails(sites); err != nil || !ok {
		return false, err
	}
	least, err := ddmin.Least(sites, fails)
	if err != nil {
		return false, err
	}
	least, err = needed(is.s, &f.Sig, least, func(list []drawSite) Trial { return blockTrial(list, f.failing, f.passing, rest) })
	if err != nil {
		return false, err
	}
	is.decide(least, rest)
	return true, nil
}

// decide makes the finding one of some draws.
func (is *isolation) decide(least []drawSite, rest bool) {
	f := is.f
	f.Trial = blockTrial(least, f.failing, f.passing, rest)
	f.cure = ptr(blockTrial(least, f.passing, f.passing, rest))
	f.blocks = nil
	for _, x := range least {
		f.blocks = append(f.blocks, int(x.block))
	}
	is.sham(least)
}

// sham gives the failing seed to draws that do not matter: of the same kind if there
// are any, of all others else. Where nothing else draws there is none.
func (is *isolation) sham(least []drawSite) {
	var same, other []drawSite
	for _, x := range is.all {
		if slices.Contains(least, x) || !is.drawsAnyway(x) || is.s.initializes(x) {
			continue
		}
		if x.kind == least[0].kind {
			same = append(same, x)
		} else {
			other = append(other, x)
		}
	}
	if same == nil {
		same = other
	}
	if same != nil { // all others are free, what decides too
		is.f.sham = ptr(blockTrial(same[:1], is.f.failing, is.f.passing, false))
	}
}

// initializes reports whether a choice is made by the initialization of a package: before the test
// begins another one says nothing of the test.
func (s *search) initializes(x drawSite) bool {
	if !s.Sites.Has(int(x.block)) {
		return false
	}
	return trace.InInit(s.Sites.Funcs[s.Sites.Blocks[x.block].Func].Name)
}

// drawsAnyway reports whether a choice is made in a run that passes: what only failing
// runs come to would make a sham that acts in no others.
func (is *isolation) drawsAnyway(x drawSite) bool {
	p := is.s.passing[is.f.Sig]
	return p != nil && slices.ContainsFunc(p.draws, func(d trace.Draw) bool { return d.Kind == x.kind && d.Block == x.block })
}

// kinds returns the fewest kinds of draws that bring the failure, nil if it takes all.
func (is *isolation) kinds() ([]trace.ActKind, error) {
	var present []trace.ActKind
	for _, k := range drawKinds {
		if slices.ContainsFunc(is.all, func(x drawSite) bool { return x.kind == k }) {
			present = append(present, k)
		}
	}
	var sets [][]trace.ActKind
	for _, k := range present {
		sets = append(sets, []trace.ActKind{k})
	}
	for i := range present {
		for j := range i {
			sets = append(sets, []trace.ActKind{present[j], present[i]})
		}
	}
	for _, set := range sets {
		trial := func(list []trace.ActKind) Trial { return kindTrial(list, is.f.failing, is.f.passing) }
		if ok, err := is.fails(trial(set), true); err != nil {
			return nil, err
		} else if ok {
			return needed(is.s, &is.f.Sig, set, trial)
		}
	}
	return nil, nil
}

// fails reports whether a trial always fails. What is left to chance may decide in one
// run of two: then it takes more runs to be seen.
func (is *isolation) fails(t Trial, pinned bool) (bool, error) {
	sig := &is.f.Sig
	n := is.s.inARow(sig)
	if !pinned {
		n = max(n, 8)
	}
	ok, _, err := is.s.always(is.s.ctx, "isolate", t, sig, true, n)
	return ok, err
}

// names returns the names of kinds.
func names(kinds []trace.ActKind) (list []string) {
	for _, k := range kinds {
		list = append(list, k.String())
	}
	return list
}

// kindTrial gives one seed to some kinds and another one to all others.
func kindTrial(kinds []trace.ActKind, seed, others uint64) Trial {
	pins := perturb.Pins(others)
	for i := range pins {
		if slices.Contains(kinds, pins[i].Kind) {
			pins[i].Seed = seed
		}
	}
	return do(pins...)
}

// blockTrial gives one seed to the draws of some blocks and, with rest, another one to
// all others; else those are left to chance.
func blockTrial(sites []drawSite, seed, others uint64, rest bool) Trial {
	var pins []perturb.Act
	for _, k := range drawKinds {
		for _, x := range sites {
			if x.kind == k {
				pins = append(pins, perturb.Pin(k, seed, x.block))
			}
		}
	}
	if rest {
		pins = append(pins, perturb.Pins(others)...)
	}
	return do(pins...)
}

func ptr[T any](v T) *T { return &v }
