package search

import (
	"context"
	"errors"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// An Act is one thing that is done to a run. Only its freedom knows its meaning. Acts are
// compared with ==. Embed [Whole] for methods that an act does not have.
type Act interface {
	// Parts returns acts that together did what this one did in a run, nil if it is one.
	Parts(done any) []Act
	// Without returns the act that takes its place in a plan where it is left out, nil for none.
	Without() Act
	// Weaker returns the act with the next smaller dose, nil if it has none.
	Weaker() Act
	// Between returns the act with a dose halfway to that of a weaker one, nil if they hardly differ.
	Between(weaker Act) Act
	// Surely returns the act with the dose that a proof is given if this one suffices.
	Surely() Act
	// Moved returns the act n places further in the program, or back; nil if there is no such place.
	Moved(n int) Act
	// Opposites returns the act turned round: plans that may make the test pass in its place, the best first.
	Opposites() []Plan
	// Elsewhere returns the same act where it should not matter, the best first.
	Elsewhere() []Act
	// Narrower returns acts that may do the same, and tell more of the program: the best first.
	Narrower() []Act
	// Partners returns acts that it may take besides, where this one suffices only sometimes.
	Partners() []Act
	// Narrow returns the law of an act of a find, or of what it took the place of if it makes the test pass; nil if none is
	// found. It asks whether the test fails with each of some plans.
	Narrow(f *Found, fails func(...Plan) (bool, error)) (*Law, error)
}

// Whole is embedded in acts that can't be refined.
type Whole struct{}

// Parts and the others are those of an act that has none.
func (Whole) Parts(any) []Act   { return nil }
func (Whole) Without() Act      { return nil }
func (Whole) Weaker() Act       { return nil }
func (Whole) Between(Act) Act   { return nil }
func (Whole) Moved(int) Act     { return nil }
func (Whole) Opposites() []Plan { return nil }
func (Whole) Elsewhere() []Act  { return nil }
func (Whole) Narrower() []Act   { return nil }
func (Whole) Partners() []Act   { return nil }

func (Whole) Narrow(*Found, func(...Plan) (bool, error)) (*Law, error) { return nil, nil }

// A Plan has the acts done to a run. The nil Plan has none.
type Plan []Act

// A Proposer proposes plans of one freedom: of something that two runs of a correct program may do differently.
type Proposer interface {
	// Propose returns the proposals: from facts of runs that were made, acts that set the whole
	// freedom at once, and each single act that can be tried.
	Propose() []Proposal
}

// A Proposal is a guess at the plan that decides.
type Proposal struct {
	Fails  Plan    // makes the test fail, if it is right
	Passes []Plan  // make it pass, if it is right
	Prior  float64 // probability that it is right, as far as is known before
}

// An Outcome is the result of a run.
type Outcome struct {
	Is      proof.Tells // of failures of any kind
	Failure string      // names the way in which it failed, "" if it did not
	Unmet   bool        // the plan acted, but the order it waited for did not come about
	Done    any         // for Act.Parts
	Took    time.Duration
}

// Tells classifies a run by a failure, or by any if it is "".
func (o *Outcome) Tells(failure string) proof.Tells {
	if o.Is == proof.TellsFailure && failure != "" && o.Failure != failure {
		return proof.TellsOther
	}
	return o.Is
}

// shows is Tells, but a plan whose awaited order did not come about has not acted.
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

// A Found is a result of the search.
type Found struct {
	Failure   string
	Plan      Plan // makes the test fail; nil if it fails anyway
	Opposite  Plan // makes it pass; nil if none is known
	Elsewhere Plan // a control: the same where it should not matter
	// First and Last are how far the act of Plan can be moved, nil if that was not looked for.
	First, Last Act
	Law         *Law // what decides; nil if no more is known than the acts
	Always      bool // the test fails nearly always: Opposite decides
	Confirmed   proof.Confirmation
	Verdict     proof.Verdict
	Tried       proof.Count // runs of the search with the plan that was refined to this
	// Shown are outcomes of the confirmation, with the plan and without it.
	Shown, Plain []Outcome
}

// Decides returns the plan that decides.
func (f *Found) Decides() Plan {
	if f.Always {
		return f.Opposite
	}
	return f.Plan
}
