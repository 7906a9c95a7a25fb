package divergence

import (
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// A Run is one execution of the test under analysis.
type Run struct {
	N      int // number of the run, as shown to the user
	Failed bool
	Trace  *trace.Trace
}

// An Analysis is the result of comparing the runs of one test, for one failure signature.
type Analysis struct {
	Passing []int // numbers of the runs compared
	Failing []int

	// Chain leads from the earliest divergence that separates failing from passing runs to the
	// one nearest the failed check. It is empty if nothing separates them.
	Chain []*Divergence

	// Finished has the goroutines that worked side by side before the last divergence.
	Finished []Finished
	// Concurrent has the goroutines that may have run at the same time as failing runs came to a
	// divergence, in the order of the chain.
	Concurrent []Concurrent

	// Operands are the values of the deciding operands, if the traces have values. Data is where
	// the values first differ, or nil if unknown.
	Operands []OperandValues
	Data     *DataDivergence
	// Variety says how many different sequences of values each source had, up to where runs
	// diverged: by index in Input.Values.
	Variety map[int]Variety

	// Earlier says which tests decide the outcome by having run before this one; nil if none do.
	Earlier *Earlier
	// Before has the blocks of each top-level test that ran before this one in some runs and not
	// in others, in the order of their last visits.
	Before map[string][]int
	// Left has what those tests left behind, see [Leftover].
	Left []Leftover

	Warnings []error
}

// A Divergence is a point where failing runs leave every passing run: DIVERGENCE,
// Algorithm 1 (Ziftci and Cavalcanti 2020, section III-B), on one goroutine.
type Divergence struct {
	Goroutine *trace.Goroutine // in FailingRun
	// Class is the goroutine's class: its test, and the chain of go statements that led to it,
	// outermost first. It is empty for the test's own goroutine.
	Class []trace.Frame

	// OtherFailed says that in FailingRun another goroutine failed the check, or panicked.
	OtherFailed bool

	FailingRun int // the failing run shown: the median by position
	PassingRun int // the passing run that shares the longest prefix with it

	// CommonPrefix is the number of events that the two share. If benign differences before it
	// were skipped, it includes those of the failing run.
	CommonPrefix int64
	// Common holds the blocks of the common prefix that PassingRun ran too, in the order in which
	// they first ran, with how often each ran in FailingRun.
	Common []Count
	// Path is the call path at the end of the common prefix, outermost first.
	Path []Call
	// Callers are the functions of Path that had not returned, if somebody who knows the source says so.
	Callers []Step

	LastCommon trace.Event // 0 if the common prefix is empty
	PassNext   trace.Event // first event after it in the passing run; 0 if the goroutine ended there
	FailNext   trace.Event // the same in the failing run
	// Iteration is how many times LastCommon had run by then.
	Iteration int64

	// Exact says that FailingRun and PassingRun did the same up to there, event by event.
	// Otherwise differences that do not predict the outcome were skipped.
	Exact bool
	// PassTook counts the passing runs that were seen to go on with PassNext: right here or, in a
	// loop whose iterations have no partners, in some iteration. It is 0 if unknown.
	PassTook int
	// Left says that failing runs left a loop by FailNext, later: it does not follow LastCommon directly.
	Left bool

	// SamePath says that no way and no number of iterations separates failing from passing runs in this goroutine, up
	// to a failed check (FailNext is a check event). The difference is in the data, or in another goroutine.
	SamePath bool

	// Loop is the difference counted in a loop, or nil if failing runs took FailNext here. With it,
	// Table counts the runs for which Loop holds.
	Loop *Loop

	Table Table   // failing/passing runs x took FailNext here / did not
	P     float64 // Fisher's exact test on Table, two-sided, times the number of limits to choose from if Loop has one
}

// A Count is a block and how often it ran.
type Count struct {
	Block int
	N     int64
}

// A Call is a function on a call path: the function, an index in [trace.Sites.Funcs], and the block from which the
// next function on the path was called (for the last function: the last common block).
type Call struct {
	Func  int
	Block int
}

// A Step is a function on a call path, and where it was called from: zero if that is unknown, with line 0 if it is any
// of several lines.
type Step struct {
	Call
	From trace.Frame
}

// A Table is a 2x2 contingency table.
type Table = stats.Table
