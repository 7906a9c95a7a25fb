package experiment

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// A side is the runs of a confirmation with one trial.
type side struct {
	trial *Trial
	count proof.Count
	want  int             // runs that must count
	held  []time.Duration // in the runs that count, by the longest stall
	keep  func(*Outcome)  // what to do with a run, may be nil
}

// add counts a run.
func (sd *side) add(o *Outcome, sig *runner.Signature) {
	before := sd.count.Of
	addRun(&sd.count, sd.trial, o, sig)
	if d := sd.trial.longestStall(o); sd.count.Of > before && d > 0 {
		sd.held = append(sd.held, d)
	}
}

// lasted returns how long goroutines were held, in two digits; 0 if none was.
func (sd *side) lasted() time.Duration {
	d := median(sd.held)
	return d.Round(twoDigits(d))
}

// confirm makes the runs of the confirmation, all kinds in turn, so that a machine
// that becomes slower meanwhile affects all alike.
func (s *search) confirm(f *Finding) error {
	if err := s.chooseSham(f); err != nil {
		return err
	}
	with, plain, sham, cure := sidesOf(f)
	if err := s.enoughOfCure(f, cure); err != nil {
		return err
	}
	sides := slices.DeleteFunc([]*side{with, plain, sham, cure}, func(sd *side) bool { return sd == nil })
	runs := 0
	for _, sd := range sides {
		runs += sd.want
	}
	if !s.affords(runs, with.trial) {
		return errSpent
	}
	if s.Confirming != nil {
		s.Confirming(true)
		defer s.Confirming(false)
	}
	err := s.takeTurns(f, sides)
	c := &f.Confirmed
	c.With, c.Plain, c.Held = with.count, plain.count, with.lasted() // as far as they were made
	if err != nil {
		return err
	}
	if sham != nil && c.Controls(sham.count) {
		c.Sham = sham.count
	} else {
		f.sham = nil
	}
	if cure != nil {
		c.Cure = cure.count
		if f.cureSite != nil && !f.Always && !(c.Cure.Acts() && s.cures(f)) {
			f.cure, f.cureSite, c.Cure = nil, nil, proof.Count{}
		}
	}
	f.Verdict = c.Verdict()
	return nil
}

// enoughOfCure has a hold that seems to cure made in so many runs that hardly ever all pass by chance: where few plain
// runs fail, proof.ConfirmRuns are no control.
func (s *search) enoughOfCure(f *Finding, cure *side) error {
	if cure == nil || f.cureSite == nil || f.Always {
		return nil
	}
	base, err := s.baseRate(&f.Sig)
	if err == nil {
		cure.want = max(proof.ConfirmRuns, min(s.passesInARow(base), mostOfCure))
	}
	return err
}

// cures reports whether the failure is rarer with the cure than with nothing changed, the recorded runs included, beyond chance.
// One of hundreds of positions may pass as many times in a row as one was chosen by.
func (s *search) cures(f *Finding) bool {
	plain, cure := f.Confirmed.Plain, f.Confirmed.Cure
	recorded := s.recorded(&f.Sig)
	plain.Failed, plain.Of = plain.Failed+recorded.Failed, plain.Of+recorded.Of
	return proof.More(plain, cure) && proof.Chance(plain, cure) < proof.ShamDiffers
}

// shownByCure reports whether a test fails nearly always with nothing changed, so that the perturbation can't be told
// from nothing, and passes with its cure: that alone is shown.
func (f *Finding) shownByCure() bool {
	c := &f.Confirmed
	return !f.Always && f.cureSite != nil && c.Cured() && c.Plain.FailsAlways() && proof.Chance(c.With, c.Plain) >= proof.ShamDiffers
}

// always returns the finding of what cures f.
func (f *Finding) always() *Finding {
	return &Finding{
		Proof: proof.Proof{Test: f.Test, Message: f.Message, Natural: true, Always: true, Found: f.Found},
		Sig:   f.Sig, cure: f.cure, cureSite: f.cureSite,
	}
}

// sidesOf returns what a finding is confirmed by; sham and cure are nil where it has none.
func sidesOf(f *Finding) (with, plain, sham, cure *side) {
	dosed, nothing := f.dosed(), f.plain
	with = &side{trial: &dosed, want: proof.ConfirmRuns, keep: func(o *Outcome) {
		if o.tells(&f.Sig) == tellsFailure {
			f.Traces.Fail = append(f.Traces.Fail, o)
		}
	}}
	plain = &side{trial: &nothing, want: proof.ConfirmRuns, keep: func(o *Outcome) {
		switch o.tells(&f.Sig) {
		case tellsPass:
			f.Traces.Pass = append(f.Traces.Pass, o)
		case tellsFailure:
			f.Traces.Plain = append(f.Traces.Plain, o)
		}
	}}
	if f.sham != nil {
		sham = &side{trial: f.sham, want: proof.ConfirmRuns}
	}
	if f.cure != nil {
		cure = &side{trial: f.cure, want: proof.ConfirmRuns}
	}
	return with, plain, sham, cure
}

// takeTurns makes runs of each side until each has enough that count, or won't have.
func (s *search) takeTurns(f *Finding, sides []*side) error {
	for round := 0; ; round++ {
		var todo []*side
		for _, sd := range sides {
			if wants(&sd.count, sd.want) > 0 {
				todo = append(todo, sd)
			}
		}
		if len(todo) == 0 {
			return nil
		}
		outs := make([]*Outcome, len(todo))
		err := s.each(s.ctx, len(todo), func(i int) (err error) {
			outs[i], err = s.runAgain(s.ctx, "confirm", *todo[i].trial, s.Traces && todo[i].keep != nil)
			return err
		})
		if err != nil {
			return err
		}
		for i, sd := range todo {
			sd.add(outs[i], &f.Sig)
			if sd.keep != nil && sd.trial.acted(outs[i]) {
				sd.keep(outs[i])
			}
		}
		s.tell("confirming", min(round+1, proof.ConfirmRuns), proof.ConfirmRuns)
	}
}

// chooseSham chooses the same perturbation at another site, unless f has one: a stall
// of the same length that was seen to pass, of the same goroutine if possible.
func (s *search) chooseSham(f *Finding) error {
	if f.sham != nil || !f.Trial.Plan.Does(perturb.Act.Holds) || len(f.sites) == 0 {
		return nil
	}
	all := append(slices.Clone(s.passed), s.p.Sites()...)
	rounds := shamRounds
	if f.cure != nil { // which shows what a sham does
		rounds = 1
	}
	for round := range 2 * rounds {
		own, tried := round%2 == 0, 0
		for _, site := range all {
			if f.inWindow(site) || own != (site.Class == f.sites[0].Class) || f.cureSite != nil && f.cureSite.Class == site.Class {
				continue
			}
			t := f.dosed()
			held := t.Plan.First(perturb.Act.Holds)
			t.Plan = t.Plan.Without(perturb.Act.Holds).With(held.Moved(site.position()))
			if is, err := s.shamIs(f, t); is || err != nil {
				return err
			}
			if tried++; tried == maxShams {
				break
			}
		}
	}
	return nil
}

const (
	maxShams   = 5 // sites of a goroutine, or of others, that are tried for a sham
	shamRounds = 3 // times that each of them is
)

// shamIs takes t as the sham, if a run of it passes, and reports whether it did.
func (s *search) shamIs(f *Finding, t Trial) (bool, error) {
	o, is, err := s.once(s.ctx, "sham", t, &f.Sig)
	if err != nil || is != tellsPass || !t.acted(o) || !t.met(o) {
		return false, err
	}
	f.sham = &t
	return true, nil
}

// inWindow reports whether a site lies in the window of f, as far as it is known.
func (f *Finding) inWindow(s Site) bool {
	for _, own := range f.sites {
		if own.Class == s.Class && own.Block == s.Block {
			return true
		}
	}
	w := f.window
	return w != nil && s.Class == w.First.Class && w.First.Event <= s.Event && s.Event <= w.Last.Event
}
