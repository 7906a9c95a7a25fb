package ciout

import (
	"errors"
	"io/fs"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/lab/verdicttest"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const (
	queue = "example.com/m/queue"
	token = "s3cr3t-t0ken"
	// A name as a subtest can have it: markup of all formats, a workflow command, a
	// terminal escape.
	hostile = "TestAlways/<a>&\"b\"|::add-mask::x,y%\x1b[31m\n##[error]@all"
)

var began = time.Date(2026, 5, 4, 12, 30, 0, 0, time.UTC)

// fixture is a report on six runs and three control runs of two packages; one
// does not build. Each test of the other is in another state.
func fixture() *Report {
	drain := &finding.Test{
		Package: queue, Name: "TestDrain",
		Runs:         []finding.Run{failed(1), passed(2), failed(3), passed(4), failed(5), passed(6)},
		Plain:        []finding.Run{passed(1), failed(2), passed(3)},
		PlainFailure: &finding.PlainFailure{Run: 2, Message: "got odd"},
		Failures: []*finding.Failure{{
			Signature: "TestDrain: queue_test.go:13: got odd", Message: "got odd", Output: "    queue_test.go:13: got odd\n",
			Frame: trace.Frame{File: "/home/gopher/m/queue/queue_test.go", Line: 13}, Runs: []int{1, 3, 5},
		}},
		Verdicts: []finding.Verdict{verdicttest.Verdict{
			Class: finding.Proved, Signature: "TestDrain: queue_test.go:13: got odd", Proof: proof.Proof{Plan: verdicttest.Named("stall"), Smallest: 2 * time.Millisecond, Runs: 90, Confirmed: proof.Confirmation{Held: 10 * time.Millisecond, With: finding.Count{Failed: 20, Of: 20}, Plain: finding.Count{Of: 20}, Sham: finding.Count{Of: 20}}},
			Window: []finding.Span{{File: "queue/queue.go", Start: 12, End: 12}, {File: "queue/queue.go", Start: 14, End: 14}},
		}.Make()},
	}
	always := &finding.Test{
		Package: queue, Name: hostile,
		Runs: []finding.Run{failed(1), failed(2), failed(3), failed(4), failed(5), {N: 6, Status: finding.Timeout, Failure: 1}},
		Failures: []*finding.Failure{{
			Message: "key " + token + " </failure>]]> in /home/gopher/m/x\x1b[0m\x00", Runs: []int{1, 2, 3, 4, 5},
			Frame: trace.Frame{File: "/home/gopher/m/queue/queue_test.go", Line: 21}, Output: "::set-output name=x::" + token + "\n##[group]\xff\n",
		}, {Message: "it hung", Runs: []int{6}, Dump: "goroutine 1 [select]:\n"}},
	}
	plain := &finding.Test{
		Package: queue, Name: "TestPlain",
		Runs:         []finding.Run{passed(1), passed(2), passed(3), passed(4), passed(5), passed(6)},
		Plain:        []finding.Run{failed(1), passed(2), passed(3)},
		PlainFailure: &finding.PlainFailure{Run: 1, Message: "only sometimes"},
	}
	p := &runner.Package{Target: runner.Target{ImportPath: queue}}
	for n := 1; n <= 6; n++ {
		p.Runs = append(p.Runs, execution(n, false))
	}
	for n := 1; n <= 3; n++ {
		p.Controls = append(p.Controls, execution(n, true))
	}
	broken := &runner.Package{Target: runner.Target{ImportPath: "example.com/m/broken"}, Err: errors.New("broken.go:3:1: syntax error")}
	empty := &runner.Package{Target: runner.Target{ImportPath: "example.com/m/empty"}, NoTestFiles: true}
	result := &finding.Result{
		Go: "go1.26.8", Module: "example.com/m", Platform: "linux/amd64, 2 CPUs", Started: began, Elapsed: 90 * time.Second,
		Sites: &trace.Sites{Module: "example.com/m", Root: "/home/gopher/m", Blocks: make([]trace.Block, 1), Files: []trace.File{
			{Path: "queue/queue.go", Name: queue + "/queue.go"}, {Path: "queue/queue_test.go", Name: queue + "/queue_test.go"},
		}},
		Source: func(string) ([]byte, error) { return nil, fs.ErrNotExist },
		Tests:  []*finding.Test{always, drain, plain}, Executions: 6, Home: "/home/gopher",
	}
	r := New(result, Suites(result, &runner.Results{Packages: []*runner.Package{p, broken, empty}}), "")
	r.Environ = []string{"HOME=/home/gopher", "API_TOKEN=" + token, "SHORT_TOKEN=in"}
	r.Workspace, r.Fdebug = "/home/gopher", "v0.1.0"
	return r
}

func failed(n int) finding.Run {
	return finding.Run{N: n, Status: finding.Failed, Elapsed: 10 * time.Millisecond}
}

func passed(n int) finding.Run {
	return finding.Run{N: n, Status: finding.Passed, Elapsed: 20 * time.Millisecond, Failure: -1}
}

// execution is a run of the package queue as the runner has it.
func execution(n int, control bool) *runner.Run {
	run := &runner.Run{Package: queue, N: n, Control: control, Started: began.Add(time.Duration(n) * time.Second), Wall: 100 * time.Millisecond}
	add := func(name string, s runner.Status, took time.Duration) *runner.Outcome {
		o := &runner.Outcome{Test: name, Status: s, Elapsed: took}
		run.Outcomes = append(run.Outcomes, o)
		return o
	}
	add("TestSteady", runner.Passed, 30*time.Millisecond)
	drain := add("TestDrain", runner.Passed, 20*time.Millisecond)
	if !control && n%2 == 1 || control && n == 2 {
		drain.Status, drain.Elapsed, drain.Output = runner.Failed, 10*time.Millisecond, "    queue_test.go:13: got odd\n"
		add("TestDrain/at_"+string(rune('a'+n)), runner.Failed, 0) // of a random name: the failure is TestDrain's
	}
	add("TestSkipped", runner.Skipped, 0)
	if !control {
		add("TestAlways", runner.Failed, 0).ByChild = true
		add(hostile, runner.Failed, 0).Output = "::set-output name=x::" + token + "\n##[group]\n"
	}
	plain := add("TestPlain", runner.Passed, 0)
	if control && n == 1 {
		plain.Status = runner.Failed
	}
	if n == 6 {
		add("TestLate", runner.NotRun, 0)
	}
	return run
}

// withResult completes a report on nothing.
func (r *Report) withResult() *Report {
	r.Result = &finding.Result{}
	return r
}
