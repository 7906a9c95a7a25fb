// Package runner builds test binaries and executes them many times.
//
// # One experiment, E runs
//
// A flaky test is one that both passes and fails on the same code. To see both
// sides, a [Runner] builds each test package once and starts the binary E
// times, each time as a fresh process: `-count=E` inside one process is another
// experiment, since package state, the heap and the scheduler's history carry
// over from one repetition to the next.
//
//	r := &runner.Runner{
//		Packages: []runner.Target{{ImportPath: "example.com/m/queue", Dir: "/src/m/queue"}},
//		Plain:    &runner.Build{GoCmd: "go", Dir: "/src/m", Out: tmp},
//		Traced:   &runner.Build{GoCmd: shadowGo, Env: shadowEnv, Overlay: overlay, Dir: "/src/m", Out: tmp},
//		Compact:  trace.Compact,
//		N:        50,
//		Controls: 10,
//		Dir:      ".fdebug/runs/1",
//	}
//	results, err := r.Run(ctx)
//	for _, u := range results.Units() {
//		fmt.Println(u.Test, u.Failed, "of", u.Failed+u.Passed)
//	}
//
// Two binaries are built: the user's own, and the instrumented one, which
// writes a trace. The own one comes first, so that a compile error in the
// user's code is shown as the go command shows it; and it is run a few times in
// between (the controls), so that the report can tell whether instrumentation
// changed the failure rate.
//
// # Outcomes
//
// The outcome of each test is read from what the binary prints under
// -test.v=test2json: framing lines start with a SYN byte (^V), so that a test
// that prints "--- PASS" is not taken at its word. When a process dies in the
// middle, the panic text, the goroutine dump or the exit status, and the tests
// that were running, tell whose fault it was. Where a goroutine that a test had
// left behind died, or raced, the trace knows whose it is: that test failed, though
// it had passed by then (Outcome.Late), and those that ran were cut off. A test that
// the process never came to, or did not end, is [NotRun], not failed.
//
// # Signatures
//
// A failure's [Signature] is the test, the first place in user code, and the
// message with everything masked that differs from run to run. Failures with
// one signature are one bug; each signature is compared on its own.
//
// # Processes
//
// Every run is a process group of its own, and only such groups are ever
// killed. Time is limited here rather than by -test.timeout, because a timer
// inside the process would keep the runtime from noticing a deadlock. A process
// that exceeds the limit gets SIGQUIT first, for the goroutine dump.
//
// What is known is appended to runs.jsonl in the run directory after every run,
// so that a run which is killed leaves all the runs before it; [Load] reads it.
package runner
