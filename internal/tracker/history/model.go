// Package history keeps what became of tests over time. It has sessions of runs, with their
// commit and environment, and the outcome of each test in each run. It has the signatures of
// failures and the verdicts of experiments. Traces are no part of it.
//
// [Open] gives the [DB] in a file of the store directory; package postgres has the [Log]
// on a server. [Read] makes the [Tally] that scores are computed from.
package history

import (
	"time"
)

// A Source says where a session comes from.
type Source string

const (
	FromRun    Source = "run"    // fdebug run
	FromHunt   Source = "hunt"   // fdebug hunt
	FromImport Source = "import" // a file of results, of CI most likely
)

// A Session is runs that were made at one time, of one state of the code, in one
// environment: those of one command, or of one job of CI.
type Session struct {
	// Key names the session for ever: what is added twice counts once.
	Key     string
	Source  Source
	Started time.Time
	Commit  Commit `json:",omitzero"`
	Branch  string `json:",omitzero"` // "" if unknown, as all that follows
	Job     string `json:",omitzero"` // "linux/test", and the like
	Attempt int    `json:",omitzero"` // of the job, from 1; 0 if unknown
	// Reports is where its reports are, with slashes, below the directory in which they
	// are collected: "example.com/m/20261122-120000-abcdefgh".
	Reports string      `json:",omitzero"`
	Env     Environment `json:",omitzero"`
}

// A Commit is the state of the code.
type Commit struct {
	Hash string    // "" if unknown
	Time time.Time `json:",omitzero"` // when it was committed, zero if unknown
	// Modified is set if the tree had changes that were not committed.
	Modified bool `json:",omitzero"`
}

// An Environment is what tests ran on.
type Environment struct {
	Go       string `json:",omitzero"` // "go1.26.8"
	Platform string `json:",omitzero"` // "linux/amd64, 2 CPUs, GOMAXPROCS=2"
	CI       string `json:",omitzero"` // "GitHub Actions", "" outside of any
}

// A Kind says under which conditions a run was made.
type Kind string

const (
	Plain    Kind = "plain"    // as go test runs it
	Recorded Kind = "recorded" // with probes
	Provoked Kind = "provoked" // perturbed, or chosen by its outcome: it says nothing of how often a test fails
)

// A Run is one execution of the test binary of a package.
type Run struct {
	// Key names the run for ever, as a session's does.
	Key     string
	Package string // import path, or the suite's name
	Kind    Kind
	Started time.Time
	// Unfinished is set if nothing says how it ended: the file ends before.
	Unfinished bool
	Results    []Result
	Notes      []Note
}

// A Note is what a test says of itself: an attribute of t.Attr, or the directory of
// its artifacts. The latest of each test and key is kept.
type Note struct{ Test, Key, Value string }

// A Status is the outcome of one execution of a test.
type Status string

const (
	Passed  Status = "pass"
	Skipped Status = "skip"
	Failed  Status = "fail"
	Timeout Status = "timeout" // counts as failed
	Crashed Status = "crash"   // counts as failed
)

// Failing reports whether s counts as a failure.
func (s Status) Failing() bool { return s == Failed || s == Timeout || s == Crashed }

// A Result is one execution of one test. A test that failed only because a subtest
// did has none: nothing is said of the test itself.
type Result struct {
	Test    string // full name, "TestX/case"; "" for the package itself
	Status  Status
	Elapsed time.Duration
	// Signature is the stable text of a failure; Message is the failure in the
	// test's own words; the first few hundred bytes are kept.
	Signature string
	Message   string
}

// A Verdict is what experiments of a session have shown of a test.
type Verdict struct {
	Package   string `json:"package,omitzero"`
	Test      string `json:"test,omitzero"`
	Class     string `json:"class"`              // "proved", "reproduced"
	Kind      string `json:"kind"`               // of the perturbation
	Category  string `json:"category,omitzero"`  // of the flake, "" if that does not follow
	Signature string `json:"signature,omitzero"` // of the failure that it brings
	Place     string `json:"place,omitzero"`     // where the cause is: "file.go:12", "" if unknown
	Failed    int    `json:"failed"`             // with the perturbation
	Of        int    `json:"of"`
}
