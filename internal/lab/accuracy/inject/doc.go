// Package inject makes flaky tests whose cause is known by construction, and measures what fdebug
// finds.
//
// It takes well-tested public modules, which it gets through the go command when it runs. It
// edits one place of one file mechanically, and keeps the mutants whose tests then fail in some
// runs and pass in others. This repository contains no part of them. A seed chooses which places
// are tried, and in which order. A fresh seed gives flakes that nobody can have tuned for.
//
// # What takes part
//
// A package takes part if its tests pass in 30 of 30 fresh processes, and one process takes less
// than Config.Slow. Operators that leave state behind for another test run the tests in random
// order. They take only packages that also pass 30 of 30 that way.
//
// All places that any Operator can edit are listed, except those in statements that the tests
// never run. The seed shuffles those of an operator so that modules take turns, and operators
// take turns as well. An operator whose last tries all gave nothing skips turns: one for every
// five of them. A mutant is in if it compiles and its package fails in some but not in all of
// Config.Plain fresh processes. In silent mode it is in if it fails in none. What fdebug finds
// has no influence. At most Config.Most mutants are taken from one operator and from one module,
// and at most one from an operator in a function.
//
// The original is run as often as each mutant that is in, right after it, and four times as often
// if the mutant failed no more than twice. If the original ever fails, its package is out, with
// all its mutants, because the edit need not be what fails there.
//
// A process that is not done after 20 times the usual time (at least 2 s) is ended and counts as
// failed. A mutant counts as always failing when the first 12 runs fail, or when all have failed
// and 4 did not end. That leaves out some that fail in most runs. No other shortcut changes an
// answer.
//
// # How it is graded
//
// Each mutant that is in is given to "fdebug run -n N -p 1" with its package. In silent mode it
// is given to "fdebug hunt -p 1", for a minute. The flaky test with the most failing runs is
// graded; of several, the first.
//
// The places of an edit are the lines of the new text. If it deleted something, they are the
// statements before and after it, or the ends of the block if there are none. A statement of more
// than five lines counts as the line nearest to what was deleted. Lines are those of the mutated
// source. A place in a report is
//
//	on             a place of at most 3 lines and within 2 lines of the edit, or
//	               one of at most 10 lines that contains a line of it, in its file
//	same function  any place in the function declaration that was edited
//
// The first suspect is graded, and any of the first five, and so are the places of the facts of
// recorded runs, which need no experiment. Three places that cost nothing to find
// are graded by the same rules:
//
//	Ochiai         the block with the highest Ochiai coefficient over all blocks
//	               that the test's goroutines ran; of equals the first in the source
//	failed check   the first frame in the module of the most frequent failure
//	last           the last common block of the last divergence in result.json,
//	divergence     of the most frequent failure that has any
//
// A mutant that does not fail in the recorded runs, or fails in all, counts as nothing found. So
// does one for which fdebug gives an error. Both are shown.
//
// Rates have the Wilson interval of 95 percent. In the mean over operators all have the same
// weight, however many mutants they gave.
package inject
