// Package hang says who waits for what when a test does not end.
//
// Where runs diverge tells little about a timeout: the failing run is the one that
// does nothing more. What is asked is which goroutine waits where, for what and
// since when, and who should have ended the wait. Traces know most of it: stamps
// tell when a goroutine began to wait, why, and, in the runs where the wait came
// to an end, which goroutine ended it after which of its events (see
// [trace.Stamp]). So each wait of a failing run is looked up in the passing runs:
//
//  1. the moment to look at is the end of the process, or, if the test gave up by
//     itself, its failed check;
//  2. the goroutines that wait then, found again in passing runs by identity, or
//     else by where they were started;
//  3. the same visit of the same block there: the goroutine came past, never came,
//     or waited there at the end of the test as well, which is benign;
//  4. the waker in most passing runs, the statement it had just run, and what
//     became of that goroutine in the failing run.
//
// Where nobody had to wait in passing runs (a lock that was free) there is no
// waker. For locks, the source of the blocks that a goroutine ran tells which it
// still holds on its call path. That a lock has the same name, and is the same field
// of the same type, is no proof that it is the same lock, and what is made of it is
// worded so.
//
// A goroutine dump, if there is one, gives the exact line, and the goroutines that
// ran no recorded code.
package hang
