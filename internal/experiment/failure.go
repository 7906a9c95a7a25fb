package experiment

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A Failure is a way in which a test failed in runs of the log, explained or not.
type Failure struct {
	Signature runner.Signature
	Message   string        // of the first
	Plain     proof.Count   // runs in which nothing was perturbed
	Perturbed proof.Count   // and in which something was, for any purpose
	Before    int           // runs that failed so before the plan acted: they count on no side
	Held      time.Duration // for how long goroutines were held at least in the runs that failed so

	Kept   []*Outcome // runs that failed so, with their traces
	Passed []*Outcome // runs of the test that passed with nothing perturbed, with theirs

	held map[int]int // by block: in how many of the perturbed runs a goroutine was held there
}

// HeldAt returns the block at which goroutines were held in most of the runs, 0 if they were in none.
func (x *Failure) HeldAt() (block int) {
	for b, n := range x.held {
		if most := x.held[block]; n > most || n == most && b < block {
			block = b
		}
	}
	return block
}

// hold notes where goroutines were held in runs.
func (x *Failure) hold(held map[int]int) {
	if x.held == nil {
		x.held = make(map[int]int)
	}
	for b, n := range held {
		x.held[b] += n
	}
}

// heldIn returns the blocks at which a plan, and not chance, held goroutines in a run.
func heldIn(o *Outcome) map[int]int {
	held := make(map[int]int)
	for _, a := range o.Acts {
		if a.Applied && (a.Kind == trace.ActStall || a.Kind == trace.ActOrder) && a.Block != 0 && a.Block>>31 == 0 {
			held[int(a.Block)] = 1
		}
	}
	return held
}

// Is reports whether a signature is that of the failure.
func (x *Failure) Is(sig runner.Signature) bool { return same(x.Signature, sig) }

// ByItself reports whether it came in a run in which nothing was perturbed.
func (x *Failure) ByItself() bool { return x.Plain.Failed+x.Before > 0 }

// Failures returns the ways in which the test failed in runs of the log.
func (e *Experimenter) Failures() []*Failure {
	if e.Log == nil {
		return nil
	}
	return e.Log.Failures(e.Test)
}

// A tallyKey is the key by which runs are counted.
type tallyKey struct {
	test              string
	perturbed, missed bool
}

// A tally counts the runs that came to the test, and those that failed by how they did.
type tally struct {
	tallyKey
	of     int
	failed []*Failure // with Perturbed.Failed as the number of them
}

// count adds a run to the tallies.
func (l *Log) count(rec *LogLine) {
	o := rec.Outcome
	if rec.Is == proof.TellsNothing {
		return
	}
	key := tallyKey{rec.Test, rec.Kind != "", rec.Is == proof.TellsMissed}
	t := l.tally[key]
	if t == nil {
		t = &tally{tallyKey: key}
		l.tally[key] = t
		l.tallies = append(l.tallies, t)
	}
	if t.of++; !o.Failed {
		return
	}
	x := find(t.failed, o.Signature)
	if x == nil {
		x = &Failure{Signature: o.Signature, Message: o.Message, Held: o.heldFor()}
		t.failed = append(t.failed, x)
	}
	x.Perturbed.Failed++
	x.Held = min(x.Held, o.heldFor())
	x.hold(heldIn(o))
}

func find(list []*Failure, sig runner.Signature) *Failure {
	if i := slices.IndexFunc(list, func(x *Failure) bool { return x.Is(sig) }); i >= 0 {
		return list[i]
	}
	return nil
}

// Failures returns the ways in which a test failed in runs of the log, in the order in which they came.
func (l *Log) Failures(test string) (list []*Failure) {
	l.mu.Lock()
	defer l.mu.Unlock()
	own := slices.DeleteFunc(slices.Clone(l.tallies), func(t *tally) bool { return t.test != test })
	for _, t := range own {
		for _, f := range t.failed {
			if find(list, f.Signature) == nil {
				list = append(list, &Failure{Signature: f.Signature, Message: f.Message, Held: f.Held})
			}
		}
	}
	for _, x := range list {
		for _, t := range own {
			x.add(t)
		}
		x.Kept, x.Passed = l.kept[keptKey{test, nameOf(x.Signature)}], l.kept[keptKey{test, ""}]
	}
	return list
}

// add adds the runs of a tally. In one in which nothing acted nothing was perturbed; but that is known only since it
// failed so soon, so it is none of the plain ones.
func (x *Failure) add(t *tally) {
	n := 0
	if f := find(t.failed, x.Signature); f != nil {
		n = f.Perturbed.Failed
		x.Held = min(x.Held, f.Held)
		x.hold(f.held)
	}
	switch {
	case t.perturbed:
		x.Perturbed.Failed, x.Perturbed.Of = x.Perturbed.Failed+n, x.Perturbed.Of+t.of
	case t.missed:
		x.Before += n
	default:
		x.Plain.Failed, x.Plain.Of = x.Plain.Failed+n, x.Plain.Of+t.of
	}
}
