package experiment

import (
	"errors"
	"slices"

	"github.com/fdebug/fdebug/internal/ddmin"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// heldSeeds are tried for choices with which a hold fails each time.
const heldSeeds = 8

// concludeHeld confirms a hold, with the choices that it needs if there are any.
func (s *search) concludeHeld(f *Finding) error {
	if f.Trial.Plan.Does(perturb.Act.Chooses) {
		if err := s.neededChoices(f); err != nil {
			return err
		}
	}
	if err := s.conclude(f); err != nil {
		return err
	}
	return s.withChoices(f)
}

// withChoices looks for the choices that a hold needs which fails in some runs and not in all:
// of a select, say, that has two cases ready because of it. What both make fail each time
// takes the place of the finding.
func (s *search) withChoices(f *Finding) error {
	with := f.Confirmed.With
	if f.Verdict != proof.Reproduced || f.Confirmed.Sufficient() || f.Trial.Plan.Does(perturb.Act.Chooses) || !f.Trial.Plan.Does(perturb.Act.Holds) || f.cureSite != nil {
		return nil
	}
	if draws, err := s.drawsWhile(f); err != nil || !draws {
		return err
	}
	n := runsUntil(with.Failed, with.Of, 0.002/heldSeeds)
	for i := range heldSeeds {
		next := *f
		next.sham, next.Confirmed, next.Traces = nil, proof.Confirmation{}, Traces{}
		next.failing = s.seed("held", i)
		next.Trial = next.Trial.choosing(perturb.Pins(next.failing)...)
		is, acts, err := s.always(s.ctx, "choices", next.dosed(), &f.Sig, true, n)
		if err != nil {
			return err
		}
		if !is || !acts {
			continue
		}
		if err := s.neededChoices(&next); err != nil {
			return err
		}
		if err := s.conclude(&next); err != nil || next.Verdict != proof.Proved {
			return err
		}
		*f = next
		return nil
	}
	return nil
}

// drawsWhile reports whether random choices are made in a run with the hold of a finding: a
// select with one case ready in plain runs chooses in none of them.
func (s *search) drawsWhile(f *Finding) (bool, error) {
	o, err := s.run(s.ctx, "choices", f.dosed().choosing(perturb.Pins(s.seed("held", 0))...), false)
	return err == nil && len(s.drawSites(o)) > 0, err
}

// neededChoices leaves, of a hold that was found with all choices following a seed, the
// choices that it needs, and finds others for them with which the test passes. A hold that
// fails without any keeps none. Where those that it needs are of no block, as the keys of
// hashes, all stay.
func (s *search) neededChoices(f *Finding) error {
	if f.failing == 0 {
		f.failing = f.Trial.Plan.First(perturb.Act.Chooses).Seed
	}
	o, err := s.run(s.ctx, "choices", f.dosed(), false)
	if err != nil {
		return err
	}
	held := f.dosed()
	trial := func(list []drawSite, seed uint64) Trial {
		return held.choosing(blockTrial(list, seed, 0, false).Plan.Acts...)
	}
	fails := func(list []drawSite) (bool, error) {
		ok, _, err := s.always(s.ctx, "choices", trial(list, f.failing), &f.Sig, true, max(s.inARow(&f.Sig), 8))
		return ok, err
	}
	if ok, err := fails(nil); err != nil || ok {
		if ok {
			f.Trial = f.Trial.choosing()
		}
		return err
	}
	sites := slices.DeleteFunc(s.drawSites(o), func(x drawSite) bool { return !drewIn(o, x) })
	if ok, err := fails(sites); err != nil || !ok || len(sites) == 0 {
		return err
	}
	least, err := ddmin.Least(sites, fails)
	if err != nil {
		return err
	}
	f.Trial = f.Trial.choosing(blockTrial(least, f.failing, 0, false).Plan.Acts...)
	f.blocks = nil
	for _, x := range least {
		f.blocks = append(f.blocks, int(x.block))
	}
	return s.otherChoices(f, func(seed uint64) Trial { return trial(least, seed) })
}

// drewIn reports whether a choice was made in a run.
func drewIn(o *Outcome, x drawSite) bool {
	return slices.ContainsFunc(o.Draws, func(d trace.Draw) bool { return d.Kind == x.kind && d.Block == x.block })
}

// otherChoices looks for a seed with which the same hold passes: its cure.
func (s *search) otherChoices(f *Finding, trial func(seed uint64) Trial) error {
	if f.cure != nil {
		return nil
	}
	for i := range heldSeeds {
		seed := s.seed("held other", i)
		t := trial(seed)
		passes, acts, err := s.always(s.ctx, "choices", t, &f.Sig, false, max(s.inARow(&f.Sig), 8))
		if err != nil && !errors.Is(err, errSpent) {
			return err
		}
		if passes && acts {
			f.cure, f.cureSite, f.passing = &t, nil, seed
			return nil
		}
	}
	return nil
}
