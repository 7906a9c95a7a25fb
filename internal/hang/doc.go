// Package hang finds out which goroutines wait, and for whom, when a test does not end.
//
// A divergence tells little about a timeout, because the failing run is the one that
// does nothing more. The questions are which goroutine waits where, for what and since
// when, and whether that is what it does in passing runs. Traces know most of it. Stamps tell when a
// goroutine began to wait, and why (see [trace.Stamp]). So each wait of a failing
// run is looked up in the passing runs:
//
//  1. The moment to look at is the end of the process, or of the test if it found
//     goroutines that were left. Of a test that fails otherwise, only goroutines count
//     that wait for each other's locks.
//  2. The goroutines that wait then are found again in passing runs, by identity or
//     by where they were started.
//  3. At the same visit of the same block, the goroutine came past or never came. If it
//     waited there at the end of the test as well, that is benign.
//
// Who should have ended a wait is not guessed, but a goroutine that FailNow has ended did nothing more. For
// locks, the source of the blocks that the waiting function ran tells which it still holds. Two
// locks with the same name, in the same field of the same type, need not be one lock.
// Sentences about them are worded so.
//
// A goroutine dump, if there is one, gives the exact line.
package hang
