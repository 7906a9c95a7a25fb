// Command fidelity shows that tests behave with probes as they do without.
//
// A debugger that changes the outcome of a test is worse than none. This program runs the
// test suites of code that nobody wrote for it. It runs each twice, as go test would build
// it and as fdebug builds it. It compares the outcomes test by test and prints a
// table.
//
//	go run ./internal/fidelity                          # the packages of std in packages.txt
//	go run ./internal/fidelity ./sync                   # which is not among them: where it has probes, no code is quiet
//	go run ./internal/fidelity ./encoding/... ./regexp  # others of std
//	go run ./internal/fidelity -dir ~/src/mymodule ./...
//	go run ./internal/fidelity -lines                   # compare the lines with cmd/cover, too
//
// # What counts as a difference
//
// Real tests are flaky, and an outcome seen once says little. A package in which a test had
// two outcomes is run three more times on each side. The test is different if no outcome
// occurred on both. If one did, it is unsteady. The table says so, but that is not held
// against the probes. A subtest that only one side has is an outcome like another.
//
// A trace that cannot be read, or that has blocks which no source file has, is a difference
// of the package itself.
//
// # Exceptions
//
// Some tests look at what a probe must change: how much the compiler inlines, or how many
// bytes a stack frame takes. exceptions.txt has them, each with its reason. An exception
// that no longer differs is reported like a difference, so that the list stays short.
//
// # Lines
//
// With -lines the statements that a single traced run reached are compared with those that
// cmd/cover counts. Package covercheck says which of them it can decide. A disagreement is
// tried again as an outcome is. cover changes what runs, too, and sees nothing after it has
// written its profile. Functions where this shows are in exceptions.txt as lines:name.
//
// # Kinds of perturbation
//
// With -kinds the tests run under one kind of perturbation alone, each kind in several
// doses (fdebug help perturbations lists them):
//
//	go run ./internal/fidelity -kinds timer,read ./net/textproto
//	go run ./internal/fidelity -kinds all -dir ~/src/mymodule ./...
//
// All tests of the package run at once, three times without probes, three times with nothing
// but these, and then once under each dose. What is done at positions is done at 48 of them,
// drawn by -seed from those that a run came to. A test that fails under a dose, and in none
// of the six runs, has changed. It is run five times alone with the dose and without. If it
// never fails with it, it is run three times with all others. As in a hunt, a failure that
// shows which goroutine is held counts for nothing. A test that sees the clock of the kernel
// or of other processes is left out where the program's says something else. A slow or busy
// machine may do the same, so a change is no difference of the probes. It has to be read, and
// RESULTS.md says what each one is.
//
// The exit status is 1 if anything is different without a reason, or with -kinds if an
// outcome changed and did so again.
package main
