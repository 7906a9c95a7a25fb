package runner

import (
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Status is the outcome of a test in one run. The values are spelled as in
// package report, which this package may not import.
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

// An Outcome is what became of one execution of one test.
type Outcome struct {
	// Test is the full name, "TestX/case_3". "" stands for the package itself:
	// initialisation, TestMain, and failures that belong to no test.
	Test    string        `json:"test"`
	Nth     int           `json:"nth,omitempty"` // which execution of it in this process, 0 but for -count and -cpu
	Status  Status        `json:"status"`
	Elapsed time.Duration `json:"elapsed_ns"` // to 10 ms, as the test says it; 0 if it took less
	// ByChild is set if the test failed and a subtest of it did too, and nothing
	// says that it has a failure of its own: no failed check in its output, and no dump.
	ByChild bool `json:"by_child,omitempty"`
	// Shared is set if the process died while several tests were running, and
	// nothing says whose fault it was: each of them is then marked as crashed.
	Shared bool `json:"shared,omitempty"`
	// Late is set if the test itself passed, and then a goroutine that it had
	// started and left behind took part in a data race, or ended the process.
	Late bool `json:"late,omitempty"`
	// Output is what the test printed, the middle left out if it is long. It
	// is kept for tests that failed only.
	Output string `json:"output,omitempty"`
	// Dump is the panic text or goroutine dump that the process ended with.
	Dump string `json:"dump,omitempty"`
	// Message is the failure in the test's own words.
	Message   string    `json:"message,omitempty"`
	Signature Signature `json:"signature,omitzero"`
}

// An Exit says how a process ended.
type Exit struct {
	Code   int    `json:"code"`             // -1 if it was ended by a signal
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

// Alone is what [Run.Provoked] has of a run that failed in an experiment which changed nothing.
const Alone = "alone"

// A Run is one execution of a test binary.
type Run struct {
	Package string `json:"package"` // import path
	N       int    `json:"n"`       // 1..E among traced runs, 1..K among controls
	Control bool   `json:"control,omitempty"`
	// Provoked says which perturbation the run was subjected to, [Alone] of one that failed
	// in an experiment with none, "" of others with none.
	Provoked string `json:"provoked,omitempty"`
	// For is the top-level test that it was made for, with no other or with those that
	// experiments have run before it; "" if it was made for all.
	For     string        `json:"for,omitempty"`
	Started time.Time     `json:"started"`
	Wall    time.Duration `json:"wall_ns"`
	CPU     time.Duration `json:"cpu_ns"` // user and system time
	Exit    Exit          `json:"exit"`
	// Overrun is set if it was stopped because it took so much longer than others.
	Overrun *Overrun `json:"overrun,omitempty"`
	aside   bool     // stopped before it was known how long others take
	// Outcomes has one element for each execution of a test, in the order in
	// which they started.
	Outcomes []*Outcome `json:"outcomes"`
	// Shuffle is the seed the test binary reported with -shuffle, "" if none.
	Shuffle string `json:"shuffle,omitempty"`
	// Seed is what the random choices of a recorded run follow from: the order of
	// maps, the cases of select, math/rand. 0 if they were free.
	Seed uint64 `json:"seed,omitempty"`
	// Traces are the compacted trace files, relative to the run directory: the
	// test process first, then the processes it started from its own binary.
	Traces []string `json:"traces,omitempty"`
	// Tail is the end of all that was printed, kept if the run failed.
	Tail     string   `json:"tail,omitempty"`
	Warnings []string `json:"warnings,omitempty"`
	// Races are the reports of the race detector, with -race: the first few of those that
	// came while a test ran, and RacesCut says that there were more.
	Races    []string `json:"races,omitempty"`
	RacesCut bool     `json:"races_cut,omitempty"`
	// DiskFull is set if a warning is about a disk that is full, or may be.
	DiskFull bool `json:"disk_full,omitempty"`
	// Untraced is set if there were traces, which were not kept because there are so many.
	Untraced bool `json:"untraced,omitempty"`

	noTests bool // the binary says that no test matched
}

// Clone returns a copy: what failed is explained anew when all runs are known.
func (r *Run) Clone() *Run {
	c := *r
	c.Outcomes = nil
	for _, o := range r.Outcomes {
		x := *o
		c.Outcomes = append(c.Outcomes, &x)
	}
	return &c
}

// Failed reports whether any test, or the package itself, failed in the run.
func (r *Run) Failed() bool {
	for _, o := range r.Outcomes {
		if o.Status.Failing() {
			return true
		}
	}
	return false
}

// Outcome returns the outcome of the named test: its first failing execution
// if there is one, else the last; nil if the run never came to it.
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

// ranTests reports whether the run came to any test at all.
func (r *Run) ranTests() bool {
	for _, o := range r.Outcomes {
		if o.Test != "" {
			return true
		}
	}
	return false
}

// A Signature identifies a failure from run to run.
type Signature struct {
	Test    string      `json:"test"`
	Frame   trace.Frame `json:"frame,omitzero"` // first place in user code, zero if unknown
	Message string      `json:"message"`        // masked
}

// Place returns "file.go:12", or "" if the place is unknown. The directory is
// left out, so that signatures of two checkouts are alike.
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

// baseName is filepath.Base for names of either kind of slash, since a trace
// may be read on another system than it was written on.
func baseName(file string) string {
	return file[strings.LastIndexAny(file, `/\`)+1:]
}

// parentOf returns the name of the test that name is a subtest of, "" if none.
func parentOf(name string) string {
	i := strings.LastIndexByte(name, '/')
	return name[:max(i, 0)]
}
