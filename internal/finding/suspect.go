package finding

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A Cause is the kind of flake a test is, and how that is known.
type Cause struct {
	Category   string   // "async-wait": a category of result.json, and the name of its advice
	Confidence float64  // 0..1
	Evidence   []string // a sentence for each experiment, the deciding one first
	Why        string   // one sentence in terms of the code, "" if there is none
}

// A Suspect is a place where the cause lies, not only where it surfaces.
type Suspect struct {
	File       string // relative to the module root
	Start, End int    // lines
	Score      float64
	Why        string
}

// A Repro is a recipe that makes the failure happen.
type Repro struct {
	File       string // of the replay file, relative to the module root
	Kind       string // "pin", "delay", "order" or "env"
	Reproduced int    // confirmed failures with the same signature ...
	Of         int    // ... of this many tries
	What       string // in words: "delays queue.go:48 by 4 ms", "" if there is nothing to add
}

// An Order is a pair of events of two goroutines whose order goes with the
// outcome: A came before B in PassBefore of PassOf passing runs, and in
// FailBefore of FailOf failing runs.
type Order struct {
	A, B               trace.Frame
	PassBefore, PassOf int
	FailBefore, FailOf int
	// Found is what the comparison of traces has to say of it: A is then an
	// event of the goroutine that was late or early, B where the runs part. It
	// is needed for the picture.
	Found *divergence.Order
	Event divergence.Missed // A, and what was counted of it
}

// Count fills in the counts from the table of Event.
func (o *Order) Count(t divergence.Table) {
	o.PassBefore, o.PassOf = t.PassNot, t.PassNot+t.PassTaken
	o.FailBefore, o.FailOf = t.FailNot, t.FailNot+t.FailTaken
	if !o.Found.Late {
		o.PassBefore, o.FailBefore = t.PassTaken, t.FailTaken
	}
}
