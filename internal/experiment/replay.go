package experiment

import (
	"errors"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Proof returns the proof of a finding of the experimenter, with the acts and their places. The caller
// sets the rest: Fdebug, Go, Platform, Module, Package and Build.
func (e *Experimenter) Proof(f *Finding) *proof.Proof {
	fd := newFinder(e.Sites, e.Source, e.profileOf)
	p := f.Proof
	p.Version, p.Test, p.At = proof.Version, f.Test, fd.around(f)
	p.Before, p.Shuffle = f.Trial.Before, f.Trial.Shuffle
	p.Signature = proof.Signature{Test: f.Sig.Test, File: f.Sig.Frame.File, Line: f.Sig.Frame.Line,
		Message: f.Sig.Message}
	if rel, ok := e.Sites.Rel(f.Sig.Frame.File); ok {
		p.Signature.File = rel
	}
	p.Plan, p.Elsewhere = fd.acts(ptr(f.dosed()), f.sites), fd.acts(f.sham, nil)
	for i, a := range p.Plan {
		if f.Smallest > 0 && a.Takes() > 0 {
			p.Plan[i].Dose = f.Smallest
		}
	}
	p.Opposite = fd.acts(f.cure, f.cures)
	if f.after != nil {
		p.Law.After = ptr(fd.place(*f.after))
		p.Law.After.Path = f.called[*f.after]
	}
	f.routes(&p)
	return &p
}

// routes notes by which calls goroutines come to the two events of an order, or draw.
func (f *Finding) routes(p *proof.Proof) {
	for _, at := range p.Places() {
		if at.Goroutine == nil {
			at.Path = f.called[Site{Block: at.Block}]
		}
	}
	if f.ordered != nil {
		p.At[0].Path, p.At[1].Path = f.called[f.ordered.First], f.called[f.ordered.Then]
	}
}

// span returns the lines of a block, zero if it is none.
func (fd *finder) span(b int) proof.Span {
	if b == 0 {
		return proof.Span{}
	}
	span, _ := fd.sites.Pos(b)
	return span
}

// acts describes the acts of a trial, which may be nil. sites are the places at which these hold
// goroutines, or collect garbage, in that order, as far as they are known.
func (fd *finder) acts(t *Trial, sites []Site) (list proof.Acts) {
	if t == nil {
		return nil
	}
	for _, a := range t.Plan.Acts {
		x := freedom.Map(a, func(at freedom.Position) *proof.Place { return ptr(fd.place(freedom.SiteOf(at))) })
		if (a.Holds() || a.Collects()) && len(sites) > 0 {
			x.At, sites = ptr(fd.place(sites[0])), sites[1:]
		}
		if a.Holds() && x.At.Goroutine != nil {
			x.At.Goroutine.First = a.First
		}
		list = append(list, x)
	}
	return list
}

// around returns the places of a finding beside those at which its trial acts: the events of an
// order, the ends of a window, or the blocks that ask for a setting, or make the choice that matters.
func (fd *finder) around(f *Finding) (list []proof.Place) {
	plan := f.Trial.Plan
	named := plan.Does(func(a freedom.Step) bool { return a.Chooses() && !a.Everywhere() })
	switch {
	case f.ordered != nil:
		return []proof.Place{fd.place(f.ordered.First), fd.place(f.ordered.Then)}
	case f.window != nil:
		return []proof.Place{fd.place(f.window.First), fd.place(f.window.Last)}
	case f.Law.Kind == proof.LawTimers:
	case plan.Does(freedom.Step.Holds), !plan.Does(freedom.Step.Sets) && (named || !plan.Does(freedom.Step.Chooses)):
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

// exact returns the trial of a proof in a build of the same hash, with holds n times as long as sufficed.
func exact(p *proof.Proof, n float64) Trial {
	t, _ := trialOf(p, n, func(p proof.Place) (Site, error) {
		s := Site{Block: p.Block, Event: p.Event, Hit: p.Hit}
		if g := p.Goroutine; g != nil {
			s.G = freedom.Goroutine{ID: trace.GoroutineID(g.ID), Class: g.Class}
		}
		return s, nil
	})
	return t
}

// trialOf makes the trial of a proof, with places as find has them. A place that was found again in other code is
// told by how often the goroutine came there before. The error is a [GoneError] if one is not there any more.
func trialOf(p *proof.Proof, n float64, find func(proof.Place) (Site, error)) (t Trial, err error) {
	t = Trial{Before: p.Before, Shuffle: p.Shuffle}
	at := func(p *proof.Place) freedom.Position {
		s, e := find(*p)
		err = errors.Join(err, e)
		if p.Goroutine == nil {
			return freedom.Position{Block: uint32(s.Block)}
		}
		pos := s.Position()
		if s.Event == 0 {
			pos.Hit = uint32(s.Hit)
		}
		return pos
	}
	for _, a := range p.Plan {
		x := freedom.Map(a, at)
		if a.Takes() > 0 && a.Dose > 0 {
			x.Dose = 0 // a timer has it as its value
			x = x.Dosed(times(a.Dose, n))
		}
		t.Plan.Acts = append(t.Plan.Acts, x)
	}
	return t, err
}
