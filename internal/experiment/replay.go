package experiment

import (
	"errors"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Proof describes a finding of the experimenter. What the caller knows better, it
// sets: Fdebug, Go, Platform, Module, Package and Build.
func (e *Experimenter) Proof(f *Finding) *proof.Proof {
	fd := newFinder(e.Sites, e.Source, e.profileOf)
	p := &proof.Proof{
		Version: proof.Version, Test: f.Test, Message: f.Message, Verdict: f.Verdict.String(), Artefact: f.Artefact, Limit: f.Limit,
		Signature: proof.Signature{Test: f.Signature.Test, File: f.Signature.Frame.File, Line: f.Signature.Frame.Line, Message: f.Signature.Message},
		Smallest:  f.Smallest, Before: f.Trial.Before, Needs: f.Needs, Suite: f.Trial.Suite, Shuffle: f.Trial.Shuffle,
		Confirmed: f.Confirmed.proof(), Natural: f.Natural, Always: f.Always, At: fd.around(f), Runs: f.Runs, Kept: f.Kept, Took: f.Took,
	}
	if rel, ok := e.Sites.Rel(f.Signature.Frame.File); ok {
		p.Signature.File = rel
	}
	for _, k := range f.Decides {
		p.Decides = append(p.Decides, k.String())
	}
	p.Plan, p.Elsewhere = fd.acts(ptr(f.dosed()), f.Sites), fd.acts(f.sham, nil)
	for i, a := range p.Plan {
		if f.Smallest > 0 && (a.Holds() || a.What == perturb.TimerLate) {
			p.Plan[i].Dose = f.Smallest
		}
	}
	sites := f.Sites
	if f.CureSite != nil {
		sites = []Site{*f.CureSite}
	}
	p.Opposite = fd.acts(f.Cure, sites)
	if w := f.Window; w != nil {
		p.FromStart = w.FromBeginning
	}
	if e := f.Early; e != nil {
		p.Early = &proof.Early{At: fd.place(e.Site), Dose: f.both(&e.Site).Plan.Of(perturb.Act.Holds)[1].Dose, Held: proof.Count(e.Held)}
	}
	return p
}

func (c *Confirmation) proof() proof.Confirmation {
	p := proof.Confirmation{With: proof.Count(c.With), Plain: proof.Count(c.Plain), Held: c.Held}
	if c.Sham != nil {
		p.Sham = proof.Count(*c.Sham)
	}
	if c.Cure != nil {
		p.Cure = proof.Count(*c.Cure)
	}
	return p
}

// ConfirmationOf returns the counts that a proof has.
func ConfirmationOf(p *proof.Proof) *Confirmation {
	c := &p.Confirmed
	x := &Confirmation{With: Count(c.With), Plain: Count(c.Plain), Held: c.Held}
	if sham := Count(c.Sham); sham != (Count{}) {
		x.Sham = &sham
	}
	if cure := Count(c.Cure); cure != (Count{}) {
		x.Cure = &cure
	}
	return x
}

// acts describes what is done in a trial, which may be nil. Of what holds goroutines, or
// collects garbage, sites are the places, in that order, as far as they are known.
func (fd *finder) acts(t *Trial, sites []Site) (list proof.Acts) {
	if t == nil {
		return nil
	}
	for _, a := range t.Plan.Acts {
		x := proof.Act{Kind: a.Kind.String(), What: a.What, Seed: a.Seed, Per1024: a.Per1024, Value: a.Value, Unit: a.Unit, Text: a.Text, Dose: a.Dose}
		switch {
		case a.Everywhere():
		case (a.Holds() || a.Collects()) && len(sites) > 0:
			x.At, sites = ptr(fd.place(sites[0])), sites[1:]
		default:
			x.At = ptr(fd.place(siteAt(a.At)))
		}
		if a.Holds() && x.At.Goroutine != nil {
			x.At.Goroutine.First = a.First
		}
		if a.Orders() {
			x.Until = ptr(fd.place(siteAt(a.Until)))
		}
		list = append(list, x)
	}
	return list
}

// siteAt returns a position as a site. Nothing else is known about it.
func siteAt(at perturb.Position) Site {
	return Site{G: at.G, Event: int64(at.Event), Block: int(at.Block), Hit: int(at.Hit), ByHit: at.Event == 0}
}

// around returns the places of a finding beside those at which its trial acts: the events of an
// order, the ends of a window, or where is asked for what is set, or chosen what matters.
func (fd *finder) around(f *Finding) (list []proof.Place) {
	plan := f.Trial.Plan
	named := plan.Does(func(a perturb.Act) bool { return a.Chooses() && !a.Everywhere() })
	switch {
	case f.Ordered != nil:
		return []proof.Place{fd.place(f.Ordered.First), fd.place(f.Ordered.Then)}
	case f.Window != nil:
		return []proof.Place{fd.place(f.Window.First), fd.place(f.Window.Last)}
	case plan.Does(perturb.Act.Holds), !plan.Does(perturb.Act.Sets) && (named || !plan.Does(perturb.Act.Chooses)):
		return nil
	}
	for _, b := range f.blocks {
		list = append(list, fd.place(Site{Block: b}))
	}
	return list
}

// SignatureOf returns the failure that is to come again.
func SignatureOf(p *proof.Proof) runner.Signature {
	return runner.Signature{Test: p.Signature.Test, Message: p.Signature.Message, Frame: p.Signature.Frame()}
}

// exact returns the trial of a proof in a build of the same hash, with holds n times as long as
// sufficed.
func exact(p *proof.Proof, n float64) Trial {
	t, _ := trialOf(p, n, func(p proof.Place) (Site, error) {
		s := Site{Block: p.Block, Event: p.Event, Hit: p.Hit}
		if g := p.Goroutine; g != nil {
			s.G = perturb.Goroutine{ID: trace.GoroutineID(g.ID), Class: g.Class}
		}
		return s, nil
	})
	return t
}

// trialOf makes the trial of a proof, with places as find has them. A place that was found
// again in other code is told by how often the goroutine came there before.
func trialOf(p *proof.Proof, n float64, find func(proof.Place) (Site, error)) (t Trial, err error) {
	t = Trial{Before: p.Before, Suite: p.Suite, Shuffle: p.Shuffle}
	at := func(p *proof.Place) perturb.Position {
		s, e := find(*p)
		err = errors.Join(err, e)
		if p.Goroutine == nil {
			return perturb.Position{Block: uint32(s.Block)}
		}
		pos := s.position()
		if s.Event == 0 {
			pos.Hit = uint32(s.Hit)
		}
		return pos
	}
	for _, a := range p.Plan {
		t.Plan.Acts = append(t.Plan.Acts, a.Perturb(times(a.Dose, n), at))
	}
	return t, err
}

// inOtherCode returns the trial in other code, whose plain runs are profiled first. The
// error is a [GoneError] if a place is not there any more.
func (e *Experimenter) inOtherCode(r *proof.Proof, p *profile, n float64) (Trial, error) {
	return trialOf(r, n, newFinder(e.Sites, e.Source, p).find)
}
