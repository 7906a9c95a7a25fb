package experiment

import "github.com/fdebug/fdebug/internal/proof"

// maxKept is how many runs of a kind are kept as evidence. A comparison gains little by more.
const maxKept = 10

// A keptKey says of what runs are kept: of a failure by its name, or of runs that pass with nothing perturbed for "".
type keptKey struct{ test, failure string }

// Keeps reports whether the trace of a run is kept though nobody asked for it: the first runs that fail in each way are
// evidence, and the first that pass with nothing perturbed are what they are compared with.
func (e *Experimenter) Keeps(t *Trial, o *Outcome) bool {
	key, is := keptAs(e.Test, t.Done(o), o)
	return e.Traces && is && len(e.Log.keptOf(key)) < maxKept
}

// keptAs returns of what a run is kept in which something was done, if it is.
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
func (l *Log) keep(rec *logLine) {
	key, is := keptAs(rec.Test, rec.Kind, rec.Outcome)
	if is && rec.Is != proof.TellsNothing && rec.Outcome.Run != nil {
		l.kept[key] = append(l.kept[key], rec.Outcome)
	}
}
