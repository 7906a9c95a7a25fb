// Package perturb is the catalogue of perturbations. These are things that may vary by
// themselves between two runs of a correct program. fdebug varies them on purpose. Each kind lies in a file of its own, with what makes it legal. A test
// that fails under one has a latent flake.
//
// A [Plan] says what happens to one run. The process reads it from a file that
// FDEBUG_PERTURB names (encode.go). What then happened is in the process's
// trace ([trace.Trace.Acts], [trace.Trace.Draws]).
package perturb

// A Kind is one freedom that programs have to cope with.
type Kind struct {
	Name   string // "stall"
	Varies string // what varies, one sentence
	Legal  string // the sentence that makes it legal
	Source string // where that sentence stands
	Sites  string // what it can be done at: "positions", "blocks that draw"
	Dose   string // of what there can be more or less, "" for nothing
}

// Kinds returns the catalogue, in the order in which help prints it.
func Kinds() []Kind {
	return []Kind{stallKind, orderKind, yieldKind, schedKind, selectKind, mapKind, randKind, clockKind, timerKind, gcKind, readKind, dirKind, limitsKind, testsKind, raceKind}
}

const (
	spec          = "https://go.dev/ref/spec#"
	goIndependent = `"A 'go' statement starts the execution of a function call as an independent concurrent thread of control": nothing says when it makes progress.`
)
