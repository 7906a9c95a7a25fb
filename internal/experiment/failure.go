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
	Kinds     []KindCount   // of the search, in which it failed with something perturbed
	Again     int           // perturbed runs that failed so, and are no part of the search
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

// A KindCount counts the runs with perturbations of some kinds. Of is 0 for those of
// other processes. Only the ones that failed are known.
type KindCount struct {
	Kind string
	proof.Count
}

// Is reports whether a signature is that of the failure.
func (x *Failure) Is(sig runner.Signature) bool { return same(x.Signature, sig) }

// ByItself reports whether it came in a run in which nothing was perturbed.
func (x *Failure) ByItself() bool { return x.Plain.Failed+x.Before > 0 }

// Made returns how many of the runs failed that it first came in: those of the search or,
// if there are none, those that looked into another failure.
func (x *Failure) Made() proof.Count {
	var c proof.Count
	for _, s := range x.Kinds {
		c.Failed, c.Of = c.Failed+s.Failed, c.Of+max(s.Failed, s.Of)
	}
	if c.Of == 0 {
		c = proof.Count{Failed: x.Again + x.Before, Of: x.Again + x.Before}
	}
	return c
}

// Failures returns the ways in which the test failed in runs of the log and as candidates.
func (e *Experimenter) Failures() (list []*Failure) {
	if e.Log != nil {
		list = e.Log.Failures(e.Test)
	}
	for i := range e.Candidates {
		c := &e.Candidates[i]
		x := find(list, c.Outcome.Signature)
		if x == nil {
			x = &Failure{Signature: c.Outcome.Signature, Message: c.Outcome.Message}
			list = append(list, x)
		}
		kind := c.Trial.Kind()
		at := slices.IndexFunc(x.Kinds, func(s KindCount) bool { return s.Of == 0 && s.Kind == kind })
		if at < 0 {
			at = len(x.Kinds)
			x.Kinds = append(x.Kinds, KindCount{Kind: kind})
		}
		x.Kinds[at].Failed++
		x.hold(heldIn(&c.Outcome))
	}
	return list
}

// A tallyKey is the key by which runs are counted.
type tallyKey struct {
	test, kind    string // kind is "" where nothing was perturbed
	again, missed bool
}

// A tally counts the runs that came to the test, and those that failed by how they did.
type tally struct {
	tallyKey
	of     int
	failed []*Failure // with Again as the number of them
}

// count adds a run to the tallies.
func (l *Log) count(rec *LogLine) {
	o := rec.Outcome
	if rec.Is == proof.TellsNothing {
		return
	}
	key := tallyKey{rec.Test, rec.Kind, rec.Again, rec.Is == proof.TellsMissed}
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
	x.Again++
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
		n = f.Again
		x.Held = min(x.Held, f.Held)
		x.hold(f.held)
	}
	if t.kind != "" {
		x.Perturbed.Failed, x.Perturbed.Of = x.Perturbed.Failed+n, x.Perturbed.Of+t.of
	}
	switch {
	case t.missed && t.kind == "":
		x.Before += n
	case t.kind == "":
		x.Plain.Failed, x.Plain.Of = x.Plain.Failed+n, x.Plain.Of+t.of
	case t.again || t.missed:
		x.Again += n
	case n > 0:
		x.Kinds = append(x.Kinds, KindCount{t.kind, proof.Count{Failed: n, Of: t.of}})
	}
}
