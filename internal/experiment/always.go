package experiment

import (
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
)

// alwaysFails reports whether all plain runs failed in one way.
func (s *search) alwaysFails() bool {
	for _, o := range s.plain {
		if o.Ran && (!o.Failed || !same(o.Signature, s.plain[0].Signature)) {
			return false
		}
	}
	return s.plain[0].Ran
}

// whatPasses looks for what makes a test pass that always fails: a seed of its random
// choices, a directory in which nothing was left behind, or a goroutine that is held.
func (s *search) whatPasses() error {
	for i := range pinSeeds {
		if done, err := s.passesWith(do(perturb.Pins(s.seed("pin", i))...), nil); err != nil || done {
			return err
		}
	}
	for _, what := range []perturb.Aspect{perturb.TempFresh, perturb.HomeFresh} {
		if done, err := s.passesWith(do(perturb.Machine(what)), nil); err != nil || done {
			return err
		}
	}
	sites := s.p.Sites()
	for i, site := range sites {
		done, err := s.passesWith(do(site.stall(sweepDose)), &sites[i])
		if err != nil || done {
			return err
		}
		s.tell("what passes", i+1, len(sites))
	}
	return nil
}

// passesWith makes a finding of a trial with which the test passes.
func (s *search) passesWith(t Trial, site *Site) (bool, error) {
	sig := s.plain[0].Signature
	is, acts, err := s.always(s.ctx, "passes", t, &sig, false, 3)
	if err != nil || !is || !acts {
		return false, err
	}
	f := &Finding{
		Proof: proof.Proof{Test: s.Test, Message: s.plain[0].Message, Natural: true, Always: true, Found: s.sofar()},
		Sig:   sig, cure: &t, cureSite: site,
	}
	return true, s.conclude(f)
}
