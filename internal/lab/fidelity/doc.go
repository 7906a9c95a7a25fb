// Command fidelity shows that tests behave with probes as they do without.
//
// A debugger that changes the outcome of a test is worse than none. This program runs the test
// suites of code that was not written for it. It runs each twice, as go test would build it and
// as fdebug builds it. It compares the outcomes test by test and prints a table.
//
//	go run ./internal/lab/fidelity                          # the packages of std in packages.txt
//	go run ./internal/lab/fidelity ./sync                   # not among them: with probes in it, no code is quiet
//	go run ./internal/lab/fidelity ./encoding/... ./regexp  # others of std
//	go run ./internal/lab/fidelity -dir ~/src/mymodule ./...
//	go run ./internal/lab/fidelity -lines                   # compare the lines with cmd/cover, too
//	go run ./internal/lab/fidelity -inside -dir DIR ./...   # with positions inside statements, as in a hunt
//
// # What counts as a difference
//
// Real tests are flaky, and an outcome seen once says little. A package in which a test had two
// outcomes is run three more times on each side. The test is different if no outcome occurred on
// both sides. If one did, it is unsteady. The table says so, but the probes are not to blame. A
// subtest that only one side has is an outcome like another.
//
// A trace that cannot be read, or that has blocks which no source file has, is a difference of
// the package itself.
//
// # Exceptions
//
// Some tests look at what a probe must change: how much the compiler inlines, or how many bytes a
// stack frame takes. exceptions.txt lists them, each with its reason. An exception that no longer
// differs is reported like a difference, so that the list stays short.
//
// # Lines
//
// With -lines the statements that a single traced run reached are compared with those that
// cmd/cover counts. Package covercheck says which of them it can decide. A disagreement is tried
// again like an outcome. cover also changes what runs, and sees nothing after it has written its
// profile. Functions where this shows are in exceptions.txt as lines:name.
//
// # Kinds of perturbation
//
// With -kinds the tests run under one kind of perturbation alone, each kind in several doses
// (fdebug help perturbations lists them):
//
//	go run ./internal/lab/fidelity -kinds timer,read ./net/textproto
//	go run ./internal/lab/fidelity -kinds all -dir ~/src/mymodule ./...
//
// All tests of the package run together, three times without probes, three times with probes
// only, and then once under each dose. Perturbations at positions are made at 48 of them, drawn
// by -seed from those that a run came to. A test that fails under a dose, and in none of the six
// runs, has changed. It is run five times alone with the dose and without. If it never fails with
// the dose, it is run three times with all others. As in a hunt, a failure that shows which
// goroutine is held does not count. A test that sees the clock of the kernel or of other
// processes is left out if the program's clock differs. A slow or busy machine may do the same,
// so a change is not a difference caused by the probes. It has to be read, and RESULTS.md says
// what each one is.
//
// The exit status is 1 if anything is different without a reason, or with -kinds if an outcome
// changed and did so again.
package main
