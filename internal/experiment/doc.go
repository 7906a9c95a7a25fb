// Package experiment finds out what makes a test fail by making it fail.
//
// A test is run under perturbations (package perturb), one process a run. What its
// outcome follows is its cause. The steps are those of an experiment:
//
//  1. Screen: which kind of perturbation moves the outcome? Plain runs come first.
//     Then come other tests in the process (tests.go), hints (hint.go), draws pinned
//     by seeds, and single stalls, yields and priorities (screen.go). What the system
//     decides (clock.go, timer.go, system.go, machine.go) and the collector (gc.go)
//     follow. search.order in find.go has the order, and why it is that.
//  2. Isolate the site. That takes one stall a run at each position that differs from
//     the others (profile.go, sweep.go). For draws and random stalls it takes delta
//     debugging (draws.go, ddmin.go).
//  3. Window: the first and the last position of that goroutine at which a stall
//     fails (window.go). Dose: the shortest stall that does (dose.go).
//  4. Cure: where does holding, or which draw, make the failure vanish (cure.go)?
//  5. Confirm on a fixed number of fresh runs: with it, without it, with a sham (the
//     same at another site), and with the cure (confirm.go). The verdict follows from
//     these four counts alone (verdict.go), and from no run of the search.
//
// A run in which the perturbation did not act, or that failed with another signature,
// counts on no side (count.go). The latter is another finding.
//
// The procedure asks for runs by what they are for. Every run is answered from a log if
// that has it (log.go). So an interrupted or killed experiment goes on by beginning
// again.
package experiment
