package experiment

import (
	"encoding/json"
	"hash/fnv"
	"slices"
)

// Where several processes share the trials of a search, each makes its own and notes in
// its log what became of them; none looks into what fails. Who has all of these logs as
// one, calls Find as ever: the trials are not made again, and what failed is looked into.

// scanned are the steps whose trials do not depend on what others have shown: those are
// shared.
var scanned = []string{"pins", "stalls", "classes", "later visits", "yields", "priorities", "more pins", "random stalls", "long stalls"}

// scanSteps makes this process's share of the trials of each step.
func (s *search) scanSteps(res *Result) error {
	if s.alwaysFails() {
		res.Complete = true // nothing that a sweep could bring
		return nil
	}
	for _, step := range s.order() {
		if !slices.Contains(scanned, step.name) || len(s.Only) > 0 && !slices.Contains(s.Only, step.name) || !s.tries(step.name) {
			continue
		}
		res.step = step.name
		if err := step.do(); err != nil {
			return err
		}
	}
	res.step, res.Complete = "", true
	return nil
}

// A shared is a trial of a step whose trials are shared.
type shared struct {
	Trial
	site *Site // that it is about, nil for none
}

// scan makes those of the trials of a step that are this process's share.
func (s *search) scan(step string, trials []shared) error {
	mine := slices.DeleteFunc(trials, func(t shared) bool { return !s.mine(step, &t.Trial) })
	batch := max(s.Parallel, 1)
	for i := 0; i < len(mine); i += batch {
		part := mine[i:min(i+batch, len(mine))]
		err := s.each(s.ctx, len(part), func(k int) error {
			_, err := s.scanOne(step, part[k])
			return err
		})
		if err != nil {
			return err
		}
		s.tell(step, i+len(part), len(mine))
	}
	return nil
}

// scanOne makes a shared trial, and takes from its run what later steps of a scan depend
// on: whether the program draws at all.
func (s *search) scanOne(step string, t shared) (*Outcome, error) {
	o, err := s.runNoted(s.ctx, logLine{Step: step, Trial: &t.Trial, Site: t.site}, t.Trial, false)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.p.addDraws(o.Draws)
	if o.Ran && o.Failed {
		s.scanFailed++
	}
	return o, nil
}

// mine reports whether a trial is this process's share. What it depends on is the same in
// all of them.
func (s *search) mine(step string, t *Trial) bool {
	data, err := json.Marshal(t)
	if err != nil {
		return false
	}
	h := fnv.New64a()
	h.Write([]byte(s.Test + "\n" + step + "\n"))
	h.Write(data)
	return s.Share(h.Sum64())
}
