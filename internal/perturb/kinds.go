// Package perturb is the catalogue of perturbations: things that may vary by themselves between
// two runs of a correct program, and that fdebug varies on purpose. Each kind has its own file,
// which says what makes it legal. A test that fails under one has a latent flake.
//
// A [Plan] says what happens to one run. The process reads it from a file that FDEBUG_PERTURB
// names (encode.go). The process's trace says what happened then ([trace.Trace.Acts],
// [trace.Trace.Draws]).
package perturb

// A Kind is one freedom that programs have to cope with.
type Kind struct {
	Name   string // "stall"
	Varies string // what varies, in one sentence
	Legal  string // the sentence that makes it legal
	Source string // the source of that sentence
	Sites  string // where it can be applied: "positions", "blocks that draw"
	Dose   string // the quantity that can vary; "" for none
}

// Kinds returns the catalogue, in the order in which help prints it.
func Kinds() []Kind {
	return []Kind{stallKind, orderKind, yieldKind, schedKind, selectKind, mapKind, randKind, clockKind, timerKind, gcKind, readKind, dirKind, limitsKind, testsKind, raceKind}
}

const (
	spec          = "https://go.dev/ref/spec#"
	goIndependent = `"A 'go' statement starts the execution of a function call as an independent concurrent thread of control": nothing says when it makes progress.`
)
