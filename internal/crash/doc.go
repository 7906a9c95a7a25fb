// Package crash says who else had to do with a panic, or a fatal error, of the
// runtime that needs two: a send on a channel that another statement has closed, a
// map that another goroutine writes, a counter that another Done has brought to
// zero.
//
// The words of the runtime say what happened, and the dump where. What the statement
// was on, and which other statements may be on the same, is told from the source
// ([source.Index.Same]); which of them ran, from the traces. Of those that ran
// before, the one is meant that did so in failing and not in passing runs: counted
// are runs by whether it came before the statement that failed, in the goroutine
// that it failed in and in its counterparts in passing runs. Runs in which the trace
// does not tell which came first count for neither side.
//
// Traces do not tell one channel from another that was made by the same statement.
// Where just one had been made, it is the same for certain.
package crash
