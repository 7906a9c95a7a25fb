package search

import (
	"context"
	"errors"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// An Act is one thing that is done to a run. Only its freedom knows what it is. Acts are
// compared with ==. Embed [Whole] for what an act does not have.
type Act interface {
	// Parts returns acts that together did what this one did in a run, nil if it is one.
	Parts(done any) []Act
	// Without is what stands in a plan where the act is left out, nil for nothing.
	Without() Act
	// Weaker returns the act with the next smaller dose, nil if it has none.
	Weaker() Act
	// Between returns the act with a dose halfway to that of a weaker one, nil if they hardly differ.
	Between(weaker Act) Act
	// Surely returns the act with the dose that a proof is given if this one suffices.
	Surely() Act
	// Moved returns the act n places further in the program, or back; nil if there is no such place.
	Moved(n int) Act
	// Opposites returns the act turned round: what may make the test pass in its place, the best first.
	Opposites() []Plan
	// Guesses returns other acts that may. Where plain runs seldom fail, one of many passes by chance.
	Guesses() []Plan
	// Elsewhere returns the same act where it should not matter, the best first.
	Elsewhere() []Act
	// Partners returns acts that it may take besides, where this one suffices only sometimes.
	Partners() []Act
}

// Whole is embedded in acts that can't be refined.
type Whole struct{}

// Parts, Without, Weaker, Between, Moved, Opposites, Guesses, Elsewhere and Partners are those of an act that has none.
func (Whole) Parts(any) []Act   { return nil }
func (Whole) Without() Act      { return nil }
func (Whole) Weaker() Act       { return nil }
func (Whole) Between(Act) Act   { return nil }
func (Whole) Moved(int) Act     { return nil }
func (Whole) Opposites() []Plan { return nil }
func (Whole) Guesses() []Plan   { return nil }
func (Whole) Elsewhere() []Act  { return nil }
func (Whole) Partners() []Act   { return nil }

// A Plan is what is done to a run. The nil Plan is nothing.
type Plan []Act

// A Proposer proposes plans of one freedom: of something that two runs of a correct program may do differently.
type Proposer interface {
	// Propose returns what may decide: facts of runs that were made, acts that set the whole
	// freedom at once, and each single act that can be tried.
	Propose() []Proposal
}

// A Proposal is a guess at what decides.
type Proposal struct {
	Fails  Plan    // makes the test fail, if it is right
	Passes []Plan  // make it pass, if it is right
	Prior  float64 // probability that it is right, as far as is known before
}

// An Outcome is what became of a run.
type Outcome struct {
	Is      proof.Tells // what it tells of failures of any kind
	Failure string      // names the way in which it failed, "" if it did not
	Unmet   bool        // the plan acted, and what it waited for did not come about
	Done    any         // for Act.Parts
	Took    time.Duration
}

// Tells says what a run tells of a failure, or of any if it is "".
func (o *Outcome) Tells(failure string) proof.Tells {
	if o.Is == proof.TellsFailure && failure != "" && o.Failure != failure {
		return proof.TellsOther
	}
	return o.Is
}

// shows is Tells of a run in which what was waited for came about: else the plan has not acted.
func (o *Outcome) shows(failure string) proof.Tells {
	if is := o.Tells(failure); is < proof.TellsOther || !o.Unmet {
		return is
	}
	return proof.TellsMissed
}

// A Runner makes runs.
type Runner interface {
	// Run makes a run of each plan, side by side where that is allowed. A verdict rests on fresh
	// ones: these overlap with nothing else. It returns ErrSpent when the time is up.
	Run(ctx context.Context, plans []Plan, fresh bool) ([]Outcome, error)
	// Left is for how long runs may still begin.
	Left() time.Duration
}

// ErrSpent says that there is no time for another run.
var ErrSpent = errors.New("no time is left for runs")

// A Tally counts runs that had nothing done to them.
type Tally struct {
	Passed int
	Failed map[string]int // by failure
}

// A Found is what the search has found.
type Found struct {
	Failure   string
	Plan      Plan // makes the test fail; nil if it fails anyway
	Opposite  Plan // makes it pass; nil if none is known
	Elsewhere Plan // a control: the same where it should not matter
	// First and Last are how far the act of Plan can be moved, nil if that was not looked for.
	First, Last Act
	Always      bool // the test fails nearly always: Opposite decides
	Confirmed   proof.Confirmation
	Verdict     proof.Verdict
	Tried       proof.Count // runs of the search with what was refined to this
	others      float64     // by which factor other proposals of the freedom become less likely, if it is not proved
	// Shown are outcomes of the confirmation, with the plan and without it.
	Shown, Plain []Outcome
}
