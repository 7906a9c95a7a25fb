// Package runner builds test binaries and executes them many times.
//
// # One experiment, E runs
//
// A flaky test both passes and fails on the same code. To see both sides, a [Runner] builds each
// test package once and starts the binary E times, each time as a fresh process. `-count=E`
// inside one process is a different experiment: package state, the heap and the scheduler's
// history carry over.
//
//	r := &runner.Runner{
//		Packages: []runner.Target{{ImportPath: "example.com/m/queue", Dir: "/src/m/queue"}},
//		Plain:    &runner.Build{GoCmd: "go", Dir: "/src/m", Out: tmp},
//		Traced:   &runner.Build{GoCmd: shadowGo, Env: shadowEnv, Overlay: overlay, Dir: "/src/m", Out: tmp},
//		N:        50,
//	}
//	results, err := r.Run(ctx)
//
// Two binaries are built: the instrumented one, which writes a trace, and the user's own. If the
// first does not build, the second is tried, so that a compile error looks as the go command shows
// it. For a package with a failed run it also runs a few times in between, for control. These runs
// show whether instrumentation changes the failure rate.
//
// # Outcomes
//
// The outcome of each test comes from the output of the binary under -test.v=test2json. Framing
// lines start with a SYN byte (^V), so printing "--- PASS" does not forge them. A process may drop
// its output, or print that of other tests: then its trace and the exit status tell. When a process
// dies, several things show whose fault it was: the panic text, the goroutine dump, the
// exit status, and the running tests. A goroutine that a test left behind may die later.
// The trace knows its test. Then that test failed, although it had passed (Outcome.Late), and the
// running ones were cut off. A test that the process never reached is [NotRun].
//
// # Signatures
//
// A failure's [Signature] is the test, the first place in user code, and the message, with
// everything masked that differs from run to run. A failed check is told before the death of the
// test. Failures with one signature are one bug. Each signature is compared on its own.
//
// # Processes
//
// Every run has its own process group, and only such groups are ever killed. Time is limited here
// instead of by -test.timeout, because a timer in the process keeps the runtime from noticing a
// deadlock. A process that exceeds the limit gets SIGQUIT first, for the goroutine dump.
//
// After every run a line is appended to runs.jsonl in the run directory. So a run that is killed
// leaves all the runs before it, and [Load] reads them.
package runner
