package experiment

import (
	"slices"

	"github.com/fdebug/fdebug/internal/proof"
)

// maxKept is how many runs of a kind are kept as evidence. A comparison gains little by more.
const maxKept = 10

// A keptKey is the reason for which runs are kept: a failure by its name, or "" for passing with nothing perturbed.
type keptKey struct{ test, failure string }

// Keeps reports whether the trace of a run is kept though nobody asked for it: the first runs that fail in each way are
// evidence, and they are compared with the first that pass with nothing perturbed.
func (e *Experimenter) Keeps(t *Trial, o *Outcome) bool {
	key, is := keptAs(e.Test, t.Done(o), o)
	return e.Traces && is && len(e.Log.keptOf(key)) < maxKept
}

// keptAs returns the reason for which a run is kept in which something was done, if there is one.
func keptAs(test, done string, o *Outcome) (keptKey, bool) {
	switch {
	case o.Failed:
		return keptKey{test, nameOf(o.Signature)}, true
	case o.Ran && done == "":
		return keptKey{test, ""}, true
	}
	return keptKey{}, false
}

func (l *Log) keptOf(key keptKey) []*Outcome {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept[key]
}

// keep notes a run whose trace was kept.
func (l *Log) keep(rec *LogLine) {
	key, is := keptAs(rec.Test, rec.Kind, rec.Outcome)
	if is && rec.Is != proof.TellsNothing && rec.Outcome.Run != nil {
		l.kept[key] = append(l.kept[key], rec.Outcome)
	}
}

// untouched makes plain runs until a failure that came with something perturbed, and has no verdict, comes without, or
// so many pass that it would have, were it as frequent. Of a test that is known to fail by itself nobody asks.
func (b *bench) untouched() error {
	b.mu.Lock()
	b.grace = false
	b.mu.Unlock()
	for _, x := range b.Failures() {
		sig := x.Signature
		if b.Natural != nil || b.knownLimit(sig) || slices.ContainsFunc(b.found, func(f *Finding) bool { return x.Is(f.Sig) }) {
			continue
		}
		for n := x.Plain; n.Failed+x.Before == 0 && n.Of+n.Other+n.None < x.enough(); {
			o, err := b.run(b.ctx, Trial{}, false)
			if err != nil {
				return err
			}
			addRun(&n, &Trial{}, o, &sig)
		}
	}
	return nil
}

// enough is how many plain runs show that a failure is less frequent in them: three times as many as it came in once.
func (x *Failure) enough() int {
	return x.Perturbed.Of * min(3, x.Perturbed.Failed) / max(1, x.Perturbed.Failed)
}
