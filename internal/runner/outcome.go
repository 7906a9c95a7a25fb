package runner

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/ginkgo"
	"github.com/fdebug/fdebug/trace"
)

// A Status is the outcome of a test in one run. The values are spelled as in package report,
// which this package may not import.
type Status string

const (
	Passed  Status = "pass"
	Failed  Status = "fail"
	Skipped Status = "skip"
	NotRun  Status = "not run" // not reached, or cut off when another test ended the process
	Timeout Status = "timeout" // counts as failed
	Crashed Status = "crash"   // counts as failed: panic, fatal error, os.Exit or signal while it ran
)

// Failing reports whether s counts as a failure.
func (s Status) Failing() bool { return s == Failed || s == Timeout || s == Crashed }

// known reports whether s is one of the above.
func (s Status) known() bool {
	return s.Failing() || s == Passed || s == Skipped || s == NotRun
}

// An Outcome is the result of one execution of one test.
type Outcome struct {
	// Test is the full name, "TestX/case_3". "" stands for the package itself:
	// initialisation, TestMain, and failures that belong to no test.
	Test string `json:"test"`
	// which execution of it in this process; above 0 only with -count and -cpu
	Nth     int           `json:"nth,omitempty"`
	Status  Status        `json:"status"`
	Elapsed time.Duration `json:"elapsed_ns"` // to 10 ms, as the test reports it; 0 if it took less
	// ByChild is set if the test failed together with a subtest, and nothing shows a failure of
	// its own: no failed check in its output, and no dump.
	ByChild bool `json:"by_child,omitempty"`
	// Shared is set if the process died while several tests were running, and nothing shows whose
	// fault it was. Each of them is then marked as crashed.
	Shared bool `json:"shared,omitempty"`
	// Late is set if the test itself passed, and then a goroutine that it had left behind ended
	// the process.
	Late bool `json:"late,omitempty"`
	// At is where the recorder saw a check fail, innermost first, if the output does not tell.
	At []trace.Frame `json:"at,omitempty"`
	// Output is the output of the test, without the middle if it is long. It is kept only for
	// tests that failed.
	Output string `json:"output,omitempty"`
	// Dump is the panic text or goroutine dump that the process ended with.
	Dump string `json:"dump,omitempty"`
	// Message is the failure in the test's own words.
	Message   string    `json:"message,omitempty"`
	Signature Signature `json:"signature,omitzero"`
}

// An Exit says how a process ended.
type Exit struct {
	Code   int    `json:"code"`             // -1 if a signal ended it
	Signal string `json:"signal,omitempty"` // "killed", "segmentation fault"
	// TimedOut is set if it was ended because it exceeded the limit.
	TimedOut bool `json:"timed_out,omitempty"`
}

func (e Exit) String() string {
	if e.Signal != "" {
		return "signal: " + e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Alone is the [Run.Provoked] of a run that failed in an experiment without a perturbation.
const Alone = "alone"

// A Run is one execution of a test binary.
type Run struct {
	Package string `json:"package"` // import path
	N       int    `json:"n"`       // 1..E among traced runs, 1..K among controls
	Control bool   `json:"control,omitempty"`
	// Provoked names the perturbation of the run. It is [Alone] for a run that failed in an
	// experiment with none, and "" for other runs with none.
	Provoked string `json:"provoked,omitempty"`
	// For is the top-level test that the run was made for, alone or after tests that experiments
	// ran before it; "" if it was made for all.
	For string `json:"for,omitempty"`
	// Whole is set if all tests of the package ran, where others are of some that fdebug chose.
	Whole bool `json:"whole,omitempty"`
	// when its trace began, as the process saw it; without one when the process was started
	Started time.Time     `json:"started"`
	Wall    time.Duration `json:"wall_ns"`
	CPU     time.Duration `json:"cpu_ns"` // user and system time
	Exit    Exit          `json:"exit"`
	// Overrun is set if the run was stopped because it took so much longer than others.
	Overrun *Overrun `json:"overrun,omitempty"`
	// Stuck is set if the run was stopped because nothing could end the waits of its tests.
	Stuck bool `json:"stuck,omitempty"`
	// Outcomes has one element for each execution of a test, in the order in which they started.
	Outcomes []*Outcome `json:"outcomes"`
	// Shuffle is the seed that the test binary reported with -shuffle, or "".
	Shuffle string `json:"shuffle,omitempty"`
	// Seed determines the random choices of a recorded run: the order of maps, the cases of
	// select, math/rand. It is 0 if they were free.
	Seed uint64 `json:"seed,omitempty"`
	// Period is the period of the wall clock within which the start of the process was drawn, 0 if it
	// was started at once.
	Period time.Duration `json:"period_ns,omitempty"`
	waited time.Duration // for that
	// Traces are the compacted trace files, relative to the run directory: first that of the test
	// process, then those of processes it started from its own binary.
	Traces   []string `json:"traces,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Cut is set if the output ends before the last word of the tests, PASS or FAIL.
	Cut bool `json:"cut,omitempty"`
	// Races are the reports of the race detector, with -race: the first few while each test ran.
	Races []string `json:"races,omitempty"`
	// DiskFull is set if a warning says that the disk is full, or may be.
	DiskFull bool `json:"disk_full,omitempty"`
	// Untraced is set if there were traces that were not kept because there are so many.
	Untraced bool `json:"untraced,omitempty"`

	noTests bool // the binary says that no test matched
}

// Failed reports whether any test, or the package itself, failed in the run.
func (r *Run) Failed() bool {
	return slices.ContainsFunc(r.Outcomes, func(o *Outcome) bool { return o.Status.Failing() })
}

// Outcome returns the outcome of the named test: its first failing execution if there is one,
// else the last; nil if the run did not reach it.
func (r *Run) Outcome(test string) *Outcome {
	var last *Outcome
	for _, o := range r.Outcomes {
		if o.Test != test {
			continue
		}
		if o.Status.Failing() {
			return o
		}
		last = o
	}
	return last
}

// HasSpecs reports whether a test is a suite that ran specs.
func (r *Run) HasSpecs(suite string) bool {
	return slices.ContainsFunc(r.Outcomes, func(o *Outcome) bool {
		return suite != "" && ginkgo.SuiteOf(o.Test) == suite
	})
}

// noneRan reports whether no test ran in any recorded run, although all went well.
func (p *Package) noneRan() bool {
	return p.Traced != nil && len(p.Runs) > 0 && !slices.ContainsFunc(p.Runs, func(r *Run) bool {
		return r.ranTests() || !r.Exit.ok() || len(r.Traces) == 0
	})
}

// ranTests reports whether the run reached any test.
func (r *Run) ranTests() bool {
	return slices.ContainsFunc(r.Outcomes, func(o *Outcome) bool { return o.Test != "" })
}

// A Signature identifies a failure from run to run.
type Signature struct {
	Test    string      `json:"test"`
	Frame   trace.Frame `json:"frame,omitzero"` // first place in user code, zero if unknown
	Message string      `json:"message"`        // masked
}

// Place returns "file.go:12", or "" if the place is unknown. It leaves out the directory, so that
// signatures from two checkouts are equal.
func (s Signature) Place() string {
	if s.Frame.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", baseName(s.Frame.File), s.Frame.Line)
}

// String returns the signature as one line of stable text.
func (s Signature) String() string {
	parts := []string{s.Test}
	if s.Test == "" {
		parts[0] = "(package)"
	}
	if p := s.Place(); p != "" {
		parts = append(parts, p)
	}
	return strings.Join(append(parts, s.Message), ": ")
}

// baseName is filepath.Base for names with either kind of slash, because a trace may be read on
// another system than the one it was written on.
func baseName(file string) string {
	return file[strings.LastIndexAny(file, `/\`)+1:]
}

// parentOf returns the name of the test that contains the subtest or spec name, or "".
func parentOf(name string) string {
	i := strings.LastIndexByte(name, '/')
	if i < 0 {
		return ginkgo.SuiteOf(name)
	}
	return name[:i]
}
