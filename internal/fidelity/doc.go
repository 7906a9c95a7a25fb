// Command fidelity shows that tests behave with probes as they do without.
//
// A debugger that changes the outcome of a test is worse than none. This
// program runs the test suites of code that nobody wrote for it, each twice:
// the binary that go test would build, and the one that fdebug builds. It
// compares the outcomes test by test and prints a table.
//
//	go run ./internal/fidelity                          # the packages of std in packages.txt
//	go run ./internal/fidelity ./sync                   # which is not among them: where it has probes, no code is quiet
//	go run ./internal/fidelity ./encoding/... ./regexp  # others of std
//	go run ./internal/fidelity -dir ~/src/mymodule ./...
//	go run ./internal/fidelity -lines                   # compare the lines with cmd/cover, too
//
// # What counts as a difference
//
// Real tests are flaky, and an outcome seen once says little. A package in
// which a test had two outcomes is run three more times on each side. The test
// is different if no outcome occurred on both; if one did, it is unsteady, which
// the table says too but which is not held against the probes. A subtest that
// only one side has is an outcome like another.
//
// A trace that cannot be read, or that has blocks which no source file has, is a
// difference of the package itself.
//
// # Exceptions
//
// Some tests look at what a probe must change: how much the compiler inlines, or
// how many bytes a stack frame takes. They stand in exceptions.txt, each with its
// reason. An exception that no longer differs is reported like a difference, so
// that the list stays as short as it can be.
//
// # Lines
//
// With -lines the statements that a single traced run reached are compared with
// those that cmd/cover counts: see package covercheck for which of them it can
// decide. A disagreement is tried again as an outcome is. cover changes what runs,
// too, and sees nothing of what runs after it has written its profile: functions
// where this shows stand in exceptions.txt as lines:name.
//
// The exit status is 1 if anything is different without a reason.
package main
