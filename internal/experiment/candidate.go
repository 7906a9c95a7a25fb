package experiment

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"slices"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/search"
)

// Where several processes share the trials of a search, each makes its own and notes their
// outcomes in its log; none looks into failures. A process with all of these logs as one
// calls Find as ever: the trials are not made again, and their failures are looked into.

// A Candidate is a trial that failed once, in a process that had a share of the trials and did not look into it.
type Candidate struct {
	Trial   Trial   `json:"trial"`
	Site    *Site   `json:"site,omitempty"` // that it is about, nil for none
	Outcome Outcome `json:"outcome"`        // of the run that failed, without its trace
}

// CandidateOf returns the candidate in a line of a log that has a trial, or why there is none.
func CandidateOf(rec *LogLine) (Candidate, error) {
	c := Candidate{Trial: *rec.Trial, Site: rec.Site, Outcome: *rec.Outcome}
	c.Outcome.Trace, c.Outcome.Run = "", nil
	if len(c.Outcome.Acts) > maxReduced {
		c.Outcome.Acts = nil
	}
	return c, c.check()
}

// proposeCandidates proposes the trials that failed in other processes: choices and single holds, which are told
// soonest.
func (b *bench) proposeCandidates() (list []search.Proposal) {
	for i := range b.Candidates {
		c := &b.Candidates[i]
		if plan := b.planOf(c); plan != nil {
			list = append(list, search.Proposal{Fails: plan, Prior: freedom.Lesser(ofCandidate, i)})
		}
	}
	return list
}

// planOf returns the trial of a candidate as a plan of a search.
func (b *bench) planOf(c *Candidate) search.Plan {
	for _, a := range c.Trial.Plan.Acts {
		switch {
		case a.Holds() && c.Site != nil:
			h := b.hold(*c.Site, a.Dose)
			h.First = a.First
			return search.Plan{h}
		case a.Chooses():
			return search.Plan{b.act(freedom.Choices(a.Seed))}
		}
	}
	return nil
}

// A shared is a trial that is made in one of several processes.
type shared struct {
	Trial
	site  *Site // that it is about, nil for none
	prior float64
}

// scan makes this process's share of the trials that do not depend on other runs: choices and holds, the
// most probable first.
func (b *bench) scan(res *Result) error {
	res.Complete = true
	if b.AlwaysFails() {
		return nil // nothing that this could bring
	}
	list := b.shared()
	err := b.each(b.ctx, len(list), func(i int) error {
		x := &list[i]
		o, err := b.runNoted(b.ctx, LogLine{Trial: &x.Trial, Site: x.site}, x.Trial, false)
		if err != nil {
			return err
		}
		b.mu.Lock()
		if x.tells(o, nil) == proof.TellsFailure {
			res.Failed++
		}
		b.mu.Unlock()
		b.tell(Progress{Doing: x.Kind(), Done: i + 1, Of: len(list)})
		return nil
	})
	res.Complete = err == nil
	return err
}

// shared returns the trials of this process.
func (b *bench) shared() (list []shared) {
	for _, of := range b.freedoms() {
		if !of.(proposer).shared {
			continue
		}
		for i, p := range of.Propose() {
			if x := (shared{Trial: b.trial(p.Fails), prior: p.Prior / float64(1+i)}); len(p.Fails) == 1 && b.mine(&x.Trial) {
				if a := p.Fails[0].(act); a.Holds() {
					x.site = &a.At
				}
				list = append(list, x)
			}
		}
	}
	slices.SortStableFunc(list, func(x, y shared) int { return cmp.Compare(y.prior, x.prior) })
	return list
}

// mine reports whether a trial is this process's share. All processes divide the trials alike.
func (b *bench) mine(t *Trial) bool {
	data, err := json.Marshal(t)
	if err != nil {
		return false
	}
	h := fnv.New64a()
	h.Write([]byte(b.Test + "\n"))
	h.Write(data)
	return b.Share(h.Sum64())
}
