// Package inject makes flaky tests whose cause is known by construction, and
// measures what fdebug says of them.
//
// It takes well-tested public modules, which it gets through the go command when it
// runs. It edits one place of one file mechanically, and keeps the mutants whose tests
// then fail in some runs and pass in others. Nothing of them is part of this
// repository. A seed chooses which places are tried, and in which order. A fresh seed
// gives flakes that nobody can have tuned for.
//
// # What takes part
//
// A package takes part if its tests pass in 30 of 30 fresh processes, and one process
// takes less than Config.Slow. Operators that leave state behind for another test run the
// tests in random order. They take only packages that pass 30 of 30 so as well.
//
// All places that any Operator can edit are listed, except those in statements that the
// tests never run. The seed shuffles those of an operator so that modules take turns, and
// operators take turns as well. An operator whose last tries all gave nothing is passed over
// more often: with every five of them, one turn more. A mutant is in if it compiles and its
// package fails in some but not in all of Config.Plain fresh processes. In silent mode it is
// in if it fails in none. What fdebug says has no influence. No more than Config.Most are
// taken of one operator and of one module, and no more than one a function of one operator.
//
// The original is run as often as each mutant that is in, right after it. It is run four
// times as often if the mutant failed no more than twice. If it ever fails, its package is
// out, with all its mutants: what fails there need not be the edit.
//
// A process that is not done after 20 times the usual time (at least 2 s) is ended, and has
// failed. A mutant is taken to fail always when the first 12 runs fail, or when all have
// failed and 4 did not end. That leaves out some that fail in most runs. No other shortcut
// changes an answer.
//
// # How it is graded
//
// Each mutant that is in is given to "fdebug run -n N -p 1" with its package. In silent
// mode it is given to "fdebug hunt -p 1", for a minute. The flaky test with the most failing
// runs is graded; of several, the first.
//
// The places of an edit are the lines of the new text. Where it deleted something, they are
// the statements before and after it, or the ends of the block where there is none. A
// statement of more than five lines counts as the line nearest to what was deleted. Lines
// are those of the mutated source. What a report names is
//
//	on             a place of at most 3 lines and within 2 lines of the edit, or
//	               one of at most 10 lines that contains a line of it, in its file
//	same function  any place in the function declaration that was edited
//
// The first suspect is graded, and any of the first five. By the same rules three places are
// graded that cost nothing to find:
//
//	Ochiai         the block with the highest Ochiai coefficient over all blocks
//	               that the test's goroutines ran; of equals the first in the source
//	failed check   the first frame in the module of the most frequent failure
//	last           the last common block of the last divergence in result.json,
//	divergence     of the most frequent failure that has any
//
// A mutant that does not fail in the recorded runs, or fails in all, counts as nothing
// found. So does one for which fdebug gives an error. Both are shown.
//
// Rates have the Wilson interval of 95 percent. The mean over operators weighs each operator
// alike, however many mutants it gave.
package inject
