// Package experiment finds out what makes a test fail by making it fail.
//
// A test is run under perturbations (package perturb), one process a run, and what
// its outcome follows is its cause. The steps are those of an experiment:
//
//  1. Screen: which kind of perturbation moves the outcome? Plain runs first, then other
//     tests in the process (tests.go), what hints suggest (hint.go), draws pinned by seeds,
//     single stalls, yields and priorities (screen.go), what the system around the program
//     decides (clock.go, timer.go, system.go, machine.go) and the collector (gc.go).
//     search.order in find.go has the order, and why it is that.
//  2. Isolate the site: one stall a run at each position that differs from the others
//     (profile.go, sweep.go); for draws and random stalls delta debugging (draws.go, ddmin.go).
//  3. Window: the first and the last position of that goroutine at which a stall
//     fails (window.go). Dose: the shortest stall that does (dose.go).
//  4. Cure: where does holding, or which draw, make the failure vanish (cure.go)?
//  5. Confirm on fresh runs, of a fixed number: with it, plain, with a sham (the same
//     at another site), with the cure (confirm.go). The verdict follows from these
//     four counts alone (verdict.go), and from no run of the search.
//
// A run in which the perturbation did not act, or that failed with another signature,
// counts on no side (count.go). The latter is another finding.
//
// The procedure asks for runs by what they are for; every run is answered from a log
// if that has it (log.go). So an experiment that was interrupted or killed goes on
// where it was, by being begun again.
package experiment
