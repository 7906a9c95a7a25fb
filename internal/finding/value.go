package finding

import "github.com/fdebug/fdebug/trace"

// A Value is an operand that decided a branch or a check.
type Value struct {
	Expr   string // "q.done"
	At     trace.Frame
	Source string // where the nondeterminism came from: "math/rand", "" if unknown
	// Passing and Failing are the values seen, the most frequent first.
	Passing, Failing []Seen
}

// A Seen is one value and the runs that had it.
type Seen struct {
	Text string
	Runs []int
}

// A DataDivergence is where the data of failing runs parted from that of
// passing runs: a value that enters from outside at At, and goes with the outcome.
type DataDivergence struct {
	Expr   string // "rand.IntN(100)"
	At     trace.Frame
	Source string // "math/rand", "map order"
	Why    string // what it was in runs of either outcome, to follow the place: "was at least 50 in ..."
	// Sure is false if the runs do not show that it goes with the outcome: what
	// decided is computed from it, and it differed from run to run.
	Sure bool
	// Passing and Failing are the values that it rests on, one for each run, the
	// most frequent first; none if it is not sure. Which says which of the values
	// of At they are: "the key in iteration 1". Limit is between the outcomes, if
	// they are numbers that one was found for.
	Which            string
	Passing, Failing []Seen
	Limit            *Limit
}

// A Limit lies between the values of two outcomes: no run had a value between
// Below and From.
type Limit struct {
	Below float64 `json:"below"` // the greatest value seen below it
	From  float64 `json:"from"`  // the least value seen from it on
}
