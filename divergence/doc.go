// Package divergence finds where failing runs of a flaky test diverge from every passing run, and
// says how sure that is.
//
// It compares traces and nothing else. It reads no clock, runs no process, and touches no file
// except through [trace.Goroutine.Load].
//
// # Use
//
// [Analyze] takes the runs of one test that failed with one signature, and all that passed.
// Different failures of a test are different bugs. So analyse each signature on its own, and take
// the smallest flaky test (TestX/case_3, not its parent).
//
// # How it works
//
// The basis is Algorithm 1 of Ziftci and Cavalcanti, De-Flake Your Tests (ICSME 2020). It finds the passing run with
// the longest common prefix with a failing run, and shows the first difference. It has three weaknesses. One sequence
// for all threads measures the scheduler. Any harmless difference ends the comparison. And it compares each failing
// run with each passing run. Hence these steps:
//
//  1. Goroutines are compared one by one, matched by [trace.GoroutineID].
//     Goroutines started by the same chain of go statements in the same test make
//     a class. A divergence in any of 100 request goroutines is one finding.
//
//  2. The passing runs' streams of a goroutine make a trie of chunk hashes. A
//     failing run leaves the trie at Algorithm 1's point against all passing runs
//     at once. That takes one look at each hash, and at the content of one chunk.
//
//  3. Each passing run is walked through the trie of the others. If it leaves
//     them at that point as well, the code just varies there. Otherwise, outside of
//     loops and if Fisher's test agrees, the point is the divergence. That settles
//     most goroutines.
//
//  4. Otherwise all streams of the goroutine are read in step. Where they diverge,
//     the way of each is noted. Those that went the same way are compared up
//     to where all meet again, and all go on from there. They meet at the first block
//     that all reach, at the next iteration of the loop, or at the return. (These are
//     the regions of execution indexing: Xin, Sumner and Zhang, PLDI 2008.)
//
//  5. In a loop that some leave and others repeat, iterations have no partners.
//     Polling three or nine times is timing, not a divergence. There the sets of
//     edges and the exits are compared. A poll loop that gives up diverges at the
//     condition that became true in passing runs. If no edge of failing runs
//     separates them, the number of iterations may. Fisher's test decides, not the
//     syntax. See [Loop].
//
//  6. Each place has its 2x2 table over all runs and the p-value of Fisher's exact
//     test. It counts if p is at most 0.05, corrected for places and visits. With
//     few runs it may also separate them perfectly, if passing runs do not diverge
//     there about as often. All other places are dropped.
//
//  7. The anchor is the goroutine with the failed check, the one that failed first
//     in most failing runs. Its earliest divergence with half the evidence (log p)
//     of the best is shown. A second one is shown if it explains other failing runs.
//     The chain leads up to it, with one earlier divergence of each other class. Later ones
//     are consequences. A chain has at most five links. Those with the best
//     separation stay, and a warning says how many were cut.
//
//  8. A build that records values ([Input.Values]) shows more: the operands of the
//     deciding condition ([Analysis.Operands]), and which value from outside predicts
//     the outcome ([Analysis.Data]). There are many hypotheses: a certain value, a
//     limit, an order of keys. Their p-values are corrected for their number. For
//     orders they come from permuting the outcomes. A clock that differs in
//     every run is no cause unless a limit separates.
//
// # Opinions
//
// The result is a chain, not a ranked list of lines. Users of ranked lists were confused by
// unrelated lines (section IV of the paper).
//
// Nothing after a failed check counts. Cleanup and cancelled workers follow from the failure.
//
// The failing run shown is the median by length of the prefix. The one with the longest prefix is
// the odd one out where loops poll.
//
// A failed check can be the divergence itself, when an assertion helper fails without a branch in
// user code. Then [Divergence.SamePath] is set, and the difference lies in the data.
//
// # Cost
//
// Time is linear in the length of the traces, and less where runs share chunks. Only one of several chunks with equal
// hashes is read. Memory does not grow with that length, except for the chunk indexes (32 bytes for 16 KiB of trace).
// It holds two chunks for each run, of one goroutine at a time, and tables bounded by the size of the code.
package divergence
