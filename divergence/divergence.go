package divergence

import "github.com/fdebug/fdebug/trace"

// A Run is one execution of the test under analysis.
type Run struct {
	N      int // number of the run, as shown to the user
	Failed bool
	Trace  *trace.Trace
}

// An Analysis is what comparing the runs of one test, for one failure
// signature, has shown.
type Analysis struct {
	Test    string
	Passing []int // numbers of the runs compared
	Failing []int

	// Chain is the way from the earliest divergence that separates failing
	// from passing runs to the one nearest the failed check. It is empty if
	// nothing separates them.
	Chain []*Divergence

	// OnlyFailing and OnlyPassing are goroutines that run instrumented code in
	// (nearly) all runs of one outcome and in (nearly) none of the other: in failing
	// runs before the failure; in passing runs at any time, and those of OnlyPassing
	// before the last divergence.
	OnlyFailing []GoroutineDiff
	OnlyPassing []GoroutineDiff

	// Alone says that in no run another goroutine of the test, or of what it is part of, can
	// run beside the test's own.
	Alone bool

	// Orders says which goroutines had come how far at a divergence, where that
	// predicts the outcome; at most three, the most telling first.
	Orders []Order

	// Finished is what goroutines did side by side before the last divergence.
	Finished []Finished
	// Concurrent is what other goroutines may have run at the same time as failing
	// runs came to a divergence, in the order of the chain.
	Concurrent []Concurrent

	// WaitTime is how long the goroutine that failed waited before the last
	// divergence of the chain, by block.
	WaitTimes []WaitTime

	// Operands says what the operands that decided were, if the traces have
	// values; Data is where the values first differ, nil if that is not known.
	Operands []OperandValues
	Data     *DataDivergence
	// Variety says how many different sequences of values each source had, up to
	// where runs diverged: by index in Input.Values.
	Variety map[int]Variety

	// Earlier says which tests decide by having run before this one, nil if none.
	Earlier *Earlier
	// Before is what each top-level test ran that some of the runs have before this one, and others
	// do not, in the order of the last time; nil if their order is the same.
	Before map[string][]int

	// Curve is P(fail | a run shares this much of the failing run's prefix)
	// along the main goroutine of Chain[0]; where it jumps, the failure was
	// decided.
	Curve []CurvePoint

	// Spectrum ranks blocks by the Ochiai coefficient, highest first. It is
	// the secondary view: it knows nothing of order.
	Spectrum []Score

	// Benign counts divergences that were skipped because passing runs
	// diverge from each other there just as often.
	Benign int

	Warnings []error
}

// A Divergence is a point where failing runs leave every passing run: DIVERGENCE,
// Algorithm 1 (Ziftci and Cavalcanti 2020, section III-B), on one goroutine.
type Divergence struct {
	Goroutine *trace.Goroutine // in FailingRun
	// Nth says which it is of Of that the same goroutine starts at the same place in
	// some run, from 1 in the order in which they are started; 0 if that is
	// not known, or if others start some of its class, of all of which there are Of. What is counted is of its counterparts, not of the others.
	Nth, Of int
	// Class is the goroutine's class: its test, and the chain of go statements
	// that led to it, outermost first. Empty for the test's own goroutine.
	Class []trace.Frame

	// OtherFailed says that in FailingRun another goroutine than this one failed the check, or panicked.
	OtherFailed bool

	// Runs holds the numbers of all failing runs that diverged here.
	Runs       []int
	FailingRun int // the failing run shown: the median by position
	PassingRun int // the passing run sharing the longest prefix with it

	// CommonPrefix is the number of events the two share. If there are benign
	// differences before it, which were skipped, it counts those of the failing
	// run among them; Skipped is how many times runs diverged before.
	CommonPrefix int64
	Skipped      int
	// Common holds the blocks of the common prefix, in the order in which they
	// were first run, each with the number of times it was in FailingRun: those that
	// PassingRun ran too.
	Common []Count
	// Path is the call path at the end of the common prefix, outermost first.
	Path []Call

	LastCommon trace.Event // 0 if the common prefix is empty
	PassNext   trace.Event // first event after it in the passing run; 0 if the goroutine ended there
	FailNext   trace.Event // likewise in the failing run
	// Iteration is how many times LastCommon had been run by then.
	Iteration int64

	// Exact says that FailingRun and PassingRun did the same up to there, event by
	// event; else differences that do not predict the outcome were left aside.
	Exact bool
	// Alike counts the runs that did what FailingRun did up to there, event by
	// event, it included.
	Alike Table
	// PassTook counts the passing runs that were seen to go on with PassNext: right
	// here, or in a loop whose iterations have no partners in some iteration. It is
	// 0 if that is not known.
	PassTook int
	// PassAlike counts the passing runs that did what one of the failing runs did up to
	// there, event by event; PassTook counts some or all of these. It is 0 if other
	// passing runs were followed too.
	PassAlike int
	// FailTook is the same for failing runs and FailNext. If Pooled it counts those that took it at
	// the Iteration that is shown, or at any if InLoop, whatever they do elsewhere: Table may have more.
	FailTook int
	// Pooled says that Table counts the runs that took FailNext after LastCommon
	// where others did not, at any visit, in any goroutine of the class.
	Pooled bool
	// InLoop says that the two sides went round a loop different numbers of times, so
	// that the iteration in which each went its way is its own. It is not set if all
	// went their way at the same visit of LastCommon.
	InLoop bool
	// Left says that FailNext is where failing runs left a loop, later on: it does
	// not come right after LastCommon.
	Left bool

	// SamePath says that no way or number of iterations tells failing from passing
	// runs in this goroutine up to a failed check (FailNext is a check event): the
	// difference lies in the data, or in another goroutine. Followed counts the
	// failing runs that did just what some passing run did up to there.
	// Resumed says that some failing run went on with PassNext after the check: then that
	// is the way of either outcome.
	SamePath bool
	Followed int
	Resumed  bool

	// Loop is what was counted of a loop; nil if it is that failing runs took
	// FailNext here. Then Table counts the runs that Loop says it of.
	Loop *Loop

	Table Table // failing/passing runs x took FailNext here / did not
	// Waited counts the runs that came here and waited before they went on.
	Waited Table
	// Woken has who ended waits of the goroutine before it came here, in whichever run.
	Woken []Wake
	P     float64 // Fisher's exact test on Table, two-sided; times the limits to choose from if Loop has one
	Time  int64   // when the failing run came here, nanoseconds since its process started

	Warnings []error
}

// Anywhere reports whether runs went their ways each at a visit of its own: what was counted is no
// word of what they did at others.
func (d *Divergence) Anywhere() bool { return d.Pooled || d.InLoop && !d.Left }

// A Count is a block and how often it was run.
type Count struct {
	Block int
	N     int64
}

// A Call is a function on a call path: the function, an index in
// [trace.Sites.Funcs], and the block from which the next function on the path
// was called (for the last function: the last common block).
type Call struct {
	Func  int
	Block int
}

// A GoroutineDiff is a goroutine found in runs of one outcome only.
type GoroutineDiff struct {
	Goroutine *trace.Goroutine // from Run
	Class     []trace.Frame
	Run       int
	Nth, Of   int   // which it is, as in Divergence
	Table     Table // failing/passing runs x has this goroutine by the time that counts / has not; of OnlyPassing only those of which that is known
	P         float64
}

// A Table is a 2x2 contingency table.
type Table struct {
	FailTaken, FailNot, PassTaken, PassNot int
}

// A CurvePoint says that of the runs which share the first Prefix events of
// the failing run, Failing fail and Passing pass.
type CurvePoint struct {
	Prefix           int64
	Failing, Passing int
	Block            int // the block the prefix ends with, 0 if it ends with a check
}

// A Score is a block's suspiciousness.
type Score struct {
	Block            int
	Ochiai           float64
	Failing, Passing int // runs that ran it
}
