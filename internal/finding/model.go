// Package finding is the model of what was found out about the tests of a run. It has
// outcomes, comparisons, waits, values, and places where the cause may lie. It is typed data.
// Reasons know their sentences, as templates of package say. Package report fills these in, and no
// decision rests on how something is worded.
package finding

import (
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A Result is what one `fdebug run` found: the input of every report.
type Result struct {
	Command  []string // as the user typed it: "fdebug", "run", "./...", "-n", "50"
	Options  Options  // what of it a rerun needs
	Version  string   // of fdebug
	Go       string   // "go1.26.8"
	Module   string   // path of the main module
	Platform string   // "linux/amd64, GOMAXPROCS=2"
	Started  time.Time
	Elapsed  time.Duration
	Sites    *trace.Sites
	// Source returns the content of an instrumented file, by its path relative
	// to the module root, as it was when the tests were built.
	Source func(path string) ([]byte, error)
	Tests  []*Test
	// Passing is how many other top-level tests passed in every run that came to them.
	Passing int
	// Notes is the user's own Markdown (-note FILE.md), "" if none.
	Notes string
	// Executions is how many runs all packages had that were run, 0 if unknown, and Asked how
	// many were to be made.
	Executions, Asked int
	// NeverRun are the packages, by import path, that there was no time to run.
	NeverRun []string
	// NoTimeForValues is set if values were to be recorded, and the time was up before.
	NoTimeForValues bool
	// Home is the home directory to show as "~". Paths that look like
	// somebody's home are shortened even if it is "".
	Home string
	// Environ is the environment ("NAME=value"). The values of variables that are
	// named like secrets are shown nowhere.
	Environ  []string
	Warnings []string // "interrupted after 31 of 50 runs", "-p 4 changed the failure rate"
}

// A Test is one test (the smallest subtest that is flaky or failing) of one package.
type Test struct {
	Package string // import path
	Name    string // "TestX/case_3"
	Runs    []Run  // every execution, in order
	Plain   []Run  // control runs of the binary without instrumentation
	// PlainFailure is the first of Plain that failed, nil if none did.
	PlainFailure *PlainFailure
	// Failures has one element for each distinct signature, the most frequent first.
	Failures []*Failure
	Warnings []string

	// Races are what the race detector saw in runs of the test that were made with
	// it after the others, the most frequent first.
	Races []Race

	// Alike are the other subtests of its test that fail in the very same runs, see Relate.
	Alike []*Test

	// Alone is a -run pattern for its top-level test, with which it was seen to fail; "" if other tests ran in the
	// process each time.
	Alone string
	Seed  string // of -shuffle, of a run that failed; "" if tests were not shuffled

	// Verdicts are what experiments have shown, the best first; at most one for a
	// signature. Absent parts are left out of all reports.
	Verdicts []Verdict
	// Tried is how far the experiments with it came, nil if there was nothing to try, or
	// if the run is of a version that did not keep that.
	Tried *Tried
	// Looks is the category that a test without a verdict looks like; "" if nothing speaks for one.
	Looks string
}

// A PlainFailure is what is kept of a control run that failed: it has no trace.
type PlainFailure struct {
	Run     int    `json:"run"`              // its number among the control runs
	Message string `json:"message"`          // in the test's own words
	Output  string `json:"output,omitempty"` // of the test in that run, cut to a bounded length
	Dump    string `json:"dump,omitempty"`   // goroutine dump of a timeout or crash, "" if none
}

// Suspects returns those of the most frequent failure that has any.
func (t *Test) Suspects() []Suspect {
	for _, f := range t.Failures {
		if len(f.Suspects) > 0 {
			return f.Suspects
		}
	}
	return nil
}

// A Status is the outcome of a test in one run.
type Status string

const (
	Passed  Status = "pass"
	Failed  Status = "fail"
	Skipped Status = "skip"
	NotRun  Status = "not run" // not reached: an earlier test ended the process; or see Run.ByChild
	Timeout Status = "timeout" // counts as failed
	Crashed Status = "crash"   // counts as failed: panic, fatal error, os.Exit or signal while it ran
)

// Failing reports whether s counts as a failure.
func (s Status) Failing() bool { return s == Failed || s == Timeout || s == Crashed }

// A Run is the outcome of a test in one execution of its binary.
type Run struct {
	N int // 1..E
	// Extra is set if not all packages had a run of that number: it was made because a run of
	// this package had failed, or since there was time. Rates leave it out.
	Extra   bool
	Status  Status
	Elapsed time.Duration
	// Provoked is the kind of perturbation that the run was subjected to, [Alone] of one that failed in
	// an experiment with none; "" if none.
	Provoked string
	Failure  int // index in Test.Failures, -1 if it did not fail
	// ByChild is set if a subtest failed that has a page of its own: the
	// run says nothing of this test. Its status is NotRun.
	ByChild bool
}

// A Wording is what a failed check said in some runs.
type Wording struct {
	Text string
	Runs int
}

// SeenIn is in how many runs of experiments a failure came.
type SeenIn struct {
	Perturbed Count `json:"perturbed"` // with something perturbed
	Plain     Count `json:"plain"`     // with nothing perturbed
	Before    int   `json:"before"`    // runs that failed so before what was to be done was: they count on no side
}

// Outcomes counts runs.
type Outcomes struct{ Failed, Passed int }

// A Failure is one way in which a test fails: all runs with one signature.
type Failure struct {
	Signature string    `json:"signature"` // stable text: test, first frame in user code, masked message
	Message   string    `json:"message"`   // the failure message of the first such run, as the test wrote it
	Output    string    `json:"-"`         // the test's output in that run, cut to a bounded length
	Wordings  []Wording `json:"-"`         // what other runs said at the same place, the most frequent first
	// MoreWordings is how many others were left out.
	MoreWordings int         `json:"-"`
	Frame        trace.Frame `json:"-"` // where it failed, zero if unknown
	Dump         string      `json:"-"` // goroutine dump of a timeout or crash, "" if none
	Late         bool        `json:"-"` // the test had passed when a goroutine that it had started ended the process
	Runs         []int       `json:"runs"`
	// Seen is how often it came in experiments, if these have no verdict on it; else nil.
	Seen     *SeenIn              `json:"seen,omitempty"`
	Analysis *divergence.Analysis `json:"-"` // nil if there is no passing run to compare with, or see LeftOut
	// LeftOut says why it was not compared with the passing runs though there are
	// some: "the time budget was spent". "" if it was.
	LeftOut string `json:"left_out,omitempty"`
	// ValuesLeftOut says the same of the values that were recorded.
	ValuesLeftOut string `json:"values_left_out,omitempty"`

	// Stacks are the call stacks of check events in Analysis, merged over its
	// runs. Without them a failed check is shown at Frame.
	Stacks map[uint32][]trace.Frame `json:"-"`
	Values []Value                  `json:"values,omitempty"`
	// ForValues counts the runs that recorded values and failed like this, and
	// those that passed: they come on top of Test.Runs. If none had this signature,
	// they failed at the same check in other words.
	ForValues Outcomes         `json:"-"`
	Data      []DataDivergence `json:"data,omitempty"`
	Facts     []Fact           `json:"-"`              // what the recorded runs show, the best first
	Hang      *Hang            `json:"hang,omitempty"` // who waited for what, nil if the failing runs did not hang
	// Suspects are places where the cause may lie: at most five are shown, the
	// best first.
	Suspects []Suspect `json:"-"`
}
