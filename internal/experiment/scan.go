package experiment

import (
	"cmp"
	"encoding/json"
	"hash/fnv"
	"slices"

	"github.com/fdebug/fdebug/internal/proof"
)

// Where several processes share the trials of a search, each makes its own and notes their
// outcomes in its log; none looks into failures. A process with all of these logs as one
// calls Find as ever: the trials are not made again, and their failures are looked into.

// A shared is a trial that is made in one of several processes.
type shared struct {
	Trial
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
		o, err := b.run(b.ctx, x.Trial, false)
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
