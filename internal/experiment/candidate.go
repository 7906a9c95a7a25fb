package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// A Candidate is a trial that failed once, in a process that had a share of the trials and
// did not look into it.
type Candidate struct {
	Step    string  `json:"step"`
	Trial   Trial   `json:"trial"`
	Site    *Site   `json:"site,omitempty"` // that it is about, nil for none
	Outcome Outcome `json:"outcome"`        // of the run that failed, without its trace
}

const (
	// maxCandidates is how many trials of one step that failed in one way are kept. Where
	// plain runs fail often, most of them failed by chance.
	maxCandidates = 100
	maxItems      = 10_000 // ways to fail that are kept
)

type candidateKey struct {
	test, step string
	sig        runner.Signature
}

// note keeps a run as a candidate if it is one of a shared trial.
func (m *LogMerger) note(rec *logLine) {
	c := Candidate{Step: rec.Step, Site: rec.Site, Outcome: *rec.Outcome}
	if rec.Trial == nil || !slices.Contains(scanned, rec.Step) {
		return
	}
	c.Trial = *rec.Trial
	c.Outcome.Trace, c.Outcome.Run = "", nil
	if len(c.Outcome.Acts) > maxReduced {
		c.Outcome.Acts = nil
	}
	key := candidateKey{rec.Test, rec.Step, rec.Outcome.Signature}
	if m.found[key]++; m.found[key] > maxCandidates || c.check() != nil {
		return
	}
	i := slices.IndexFunc(m.items, func(x Item) bool {
		return x.Test == rec.Test && same(x.Candidates[0].Outcome.Signature, c.Outcome.Signature)
	})
	if i < 0 {
		if len(m.items) == maxItems {
			return
		}
		i = len(m.items)
		m.items = append(m.items, Item{Test: rec.Test})
	}
	m.items[i].Candidates = append(m.items[i].Candidates, c)
}

// confirmSteps looks into the candidates, those of the same step as they come: first what
// is told soonest, which is choices and single stalls.
func (s *search) confirmSteps(res *Result) error {
	res.step = "candidates"
	if s.alwaysFails() {
		res.step, res.Complete = "", true
		return nil
	}
	list := slices.Clone(s.Candidates)
	slices.SortStableFunc(list, func(a, b Candidate) int { return rank(a.Step) - rank(b.Step) })
	for i := range list {
		if err := s.confirmOne(&list[i]); err != nil {
			return err
		}
		s.tell(res.step, i+1, len(list))
		if s.explained() {
			break
		}
	}
	for _, last := range []func() error{s.severalAfterAll, s.randomAfterAll} {
		if s.explained() {
			break
		}
		if err := last(); err != nil {
			return err
		}
	}
	res.step, res.Complete = "", true
	return nil
}

// rank puts random perturbations after all others, because little can be said of them.
func rank(step string) int {
	switch step {
	case "yields", "priorities", "random stalls":
		return len(scanned)
	}
	return slices.Index(scanned, step)
}

// confirmOne does with a candidate what a search does that has made its run.
func (s *search) confirmOne(c *Candidate) error {
	plan, o := &c.Trial.Plan, &c.Outcome
	switch {
	case s.known(o.Signature):
		return nil
	case plan.Does(perturb.Act.Holds) && c.Site != nil:
		return s.tried1(*c.Site, c.Trial, o)
	case plan.Does(perturb.Act.AtRandom):
		if err := s.reduceActs(o); err != nil || s.hasFinding(o.Signature) {
			return err
		}
		s.random = append(s.random, randomFailure{c.Trial, o, proof.Count{Failed: 1, Of: 1}, s.sofar()})
		return nil
	case plan.Does(perturb.Act.Chooses):
		return s.confirmPins(plan.First(perturb.Act.Chooses).Seed, o)
	}
	return nil
}

// confirmPins looks into a seed that failed, once there is one that passes.
func (s *search) confirmPins(seed uint64, o *Outcome) error {
	if err := s.pinned(seed, o); err != nil || len(s.failing) == 0 || s.seeded {
		return err
	}
	s.seeded = true // where none of these passes, others of as many hardly will
	return s.pins("pins", 0, pinSeeds)
}
