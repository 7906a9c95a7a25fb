// Package experiment finds the cause of a test's failure by making it fail.
//
// A test is run under perturbations (package freedom), one process a run. The one that its outcome follows is its
// cause. Package search looks for it, and knows none of the perturbations. This package proposes them (propose.go),
// from hints and from the profile of plain runs (profile.go), makes the runs (bench.go), and knows the parts, the
// opposite and the controls of each act (deed.go). A find becomes a [Finding], with details that its verdict does not
// rest on.
//
// A run in which the perturbation did not act, or that failed with another signature,
// counts on no side (count.go). The latter is another finding.
//
// Every run is answered from a log if that has it (log.go). So an interrupted or killed
// experiment goes on by beginning again. Several processes may share the runs of a search
// (scan.go), and several tests the time (share.go).
package experiment
