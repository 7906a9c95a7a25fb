// Package perturb is the catalogue of perturbations: things that may vary by themselves between
// two runs of a correct program, and that fdebug varies on purpose. Each kind has its own file,
// which says what makes it legal. A test that fails under one has a latent flake.
//
// A [Plan] says what happens to one run. The process reads it from a file that FDEBUG_PERTURB
// names (encode.go). The process's trace says what happened then ([trace.Trace.Acts],
// [trace.Trace.Draws]).
package perturb

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Kind is one freedom that programs have to cope with.
type Kind struct {
	Name   string // "stall"
	Varies string // what varies, in one sentence
	Legal  string // the sentence that makes it legal
	Source string // the source of that sentence
	Sites  string // where it can be applied: "positions", "blocks that draw"
	Dose   string // the quantity that can vary; "" for none
	// Category is that of flakes whose outcome it decides, "" if it decides none by itself.
	Category string
	Asked    bool // programs ask for it, and a survey lists where
	// Tries returns what is tried at a block that asks for it; nil if there is nothing.
	Tries   func(block uint32, g Guess) []Act
	aspects []aspect
}

// A Guess is what acts are made of where nothing is known.
type Guess struct {
	Dose time.Duration
	Seed func(i int) int64
}

// Kinds returns the catalogue, in the order in which help prints it.
func Kinds() []Kind {
	return []Kind{stallKind, orderKind, yieldKind, schedKind, selectKind, mapKind, randKind, clockKind, timerKind, gcKind, readKind, dirKind, limitsKind, testsKind, raceKind}
}

// KindOf returns the kind with a name, the zero Kind if there is none.
func KindOf(name string) Kind {
	for _, k := range Kinds() {
		if k.Name == name {
			return k
		}
	}
	return Kind{}
}

// Act returns the kind of its acts, 0 if they are no part of a plan.
func (k Kind) Act() trace.ActKind { return trace.KindOf(k.Name) }

const (
	spec          = "https://go.dev/ref/spec#"
	goIndependent = `"A 'go' statement starts the execution of a function call as an independent concurrent thread of control": nothing says when it makes progress.`
)
