// Package crash says who else had to do with a panic or a fatal error of the runtime that
// needs two statements. Another one has closed the channel of a send, writes the map, or
// has brought a counter to zero.
//
// The words of the runtime say what happened, and the dump says where. The source says
// what the statement was on, and which other statements may be on the same
// ([source.Index.Same]). The traces say which of them ran. The one that is meant ran before
// in failing runs, and not in passing runs. Runs are counted by whether it came before the
// statement that failed, in the same goroutine or its counterparts in passing runs. Runs
// whose trace does not tell which came first count for neither side.
//
// Traces do not tell apart two channels that the same statement made. Where just one had
// been made, it is the same for certain.
package crash
