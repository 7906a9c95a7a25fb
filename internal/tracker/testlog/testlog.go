// Package testlog reads files of test results: what go test -json writes, and JUnit XML as
// gotestsum, go-junit-report and Maven Surefire write it.
//
// Files are read as streams, a run of one package or suite at a time. They need not be
// well-formed. What cannot be understood is a [Problem], and the rest is kept.
//
// # What counts as one run
//
// In go test -json a run lasts from the start of a package to its end. If a package starts again,
// that is another run, as in retries by gotestsum --rerun-fails. The output of fdebug run -json
// has attributes of the package where a run begins. In JUnit a run is a testsuite with testcases
// of its own. A test that appears several times in it (-count, retries) was executed several
// times. The elements flakyFailure and rerunFailure are executions that failed.
//
// If a process dies, its package ends without a result for a test. Then the test named by the
// panic, the list of running tests or the stack is blamed, or else the running ones. If the file
// itself ends too soon, the running tests have no result. A result from go test's cache is not a
// run. A package that did not build has none.
//
// # Which run is the same
//
// A run of go test -json is identified by its package and its first time stamp, which has
// nanoseconds: see [Key]. The times of JUnit are in seconds. So a run of JUnit is identified by
// its whole content, together with commit, job and attempt. What is read twice gets the same key.
//
// # Time
//
// A time that is missing, before the year 2000 or more than a day after now is replaced with
// Options.Time. One without a zone is UTC.
package testlog

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// Attributes of a package with which fdebug run -json reports that a run begins: with the
// recorder, or without it.
const (
	recordedRun = "fdebug.run"
	plainRun    = "fdebug.plain"
)

// Options has what is not in the file.
type Options struct {
	// Identity distinguishes results with equal content: commit, job and attempt.
	Identity string
	Time     time.Time // for results without a time
	Now      time.Time // no result is much newer
}

// A Report is what was read.
type Report struct {
	Runs     int
	Results  int
	Cached   int // packages whose results go test took from its cache
	NotBuilt int // packages that did not build
	Problems []Problem
	More     int // further problems
}

// A Problem is something that could not be understood.
type Problem struct {
	line int
	text string
}

func (p Problem) String() string { return fmt.Sprintf("%d: %s", p.line, p.text) }

// maxProblems is how many problems are reported.
const maxProblems = 20

func (r *Report) problem(line int, format string, args ...any) {
	if len(r.Problems) == maxProblems {
		r.More++
		return
	}
	r.Problems = append(r.Problems, Problem{line, fmt.Sprintf(format, args...)})
}

// ErrFormat is returned for a file with no results of either kind.
var ErrFormat = errors.New("neither go test -json nor JUnit XML")

// Read reads a file and calls add for each run, whose keys and names are set. An error of add
// ends it. Read returns such errors, [ErrFormat] and those of in.
func Read(in io.Reader, o Options, add func(*history.Run) error) (*Report, error) {
	s := &sink{o: o, add: add, report: &Report{}}
	return s.report, s.read(in)
}

// read reads a file of either format.
func (s *sink) read(in io.Reader) error {
	b := bufio.NewReaderSize(in, 64<<10)
	head, err := b.Peek(4 << 10)
	if err != nil && err != io.EOF && len(head) == 0 {
		return err
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	switch {
	case bytes.HasPrefix(head, []byte("<")):
		err = readJUnit(b, s)
	case bytes.Contains(head, []byte(`"Action"`)) || bytes.HasPrefix(head, []byte("{")):
		err = readJSON(b, s)
	default:
		return ErrFormat
	}
	if err == nil && s.report.Runs == 0 && s.report.Cached+s.report.NotBuilt == 0 && !s.known {
		err = ErrFormat
		if len(s.report.Problems) > 0 {
			err = fmt.Errorf("%w: %v", ErrFormat, s.report.Problems[0])
		}
	}
	return err
}

// A sink is where runs go.
type sink struct {
	o      Options
	add    func(*history.Run) error
	report *Report
	known  bool // something of the format was seen
	keeps  bool // failures, in failed
	failed []*runner.Seen
}

// results turns the outcomes of a run into results, and keeps its failures.
func (s *sink) results(t *runner.Transcript, outcomes []*runner.Outcome) []history.Result {
	if s.keeps {
		s.failed = append(s.failed, t.Seen(outcomes)...)
	}
	return Results(outcomes)
}

func (s *sink) put(r *history.Run) error {
	s.report.Runs++
	for i := range r.Results {
		if r.Results[i].Test != "" {
			s.report.Results++
		}
	}
	return s.add(r)
}

// time returns t, or Options.Time if t can't be right.
func (s *sink) time(t time.Time) time.Time {
	if t.Year() < 2000 || t.After(s.o.Now.Add(24*time.Hour)) {
		return s.o.Time
	}
	return t
}

// Key identifies a run of a package by its beginning, to the nanosecond.
func Key(pkg string, started time.Time) string {
	return key("go", pkg, started.UTC().Format(time.RFC3339Nano))
}

// key makes a key from what identifies a run.
func key(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Results turns the outcomes of a run into results. It leaves out tests that were not run, or
// failed only because a subtest did.
func Results(outcomes []*runner.Outcome) []history.Result {
	list := make([]history.Result, 0, len(outcomes))
	for _, o := range outcomes {
		if o.Status == runner.NotRun || o.ByChild {
			continue
		}
		// clocks may go back
		r := history.Result{Test: o.Test, Status: history.Status(o.Status), Elapsed: max(0, o.Elapsed)}
		if o.Status.Failing() {
			r.Signature, r.Message = o.Signature.String(), o.Message
		}
		list = append(list, r)
	}
	return list
}
