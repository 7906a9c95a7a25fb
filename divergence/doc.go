// Package divergence finds where failing runs of a flaky test diverge from every
// passing run, and says how sure that is.
//
// It compares traces and nothing else: it reads no clock, runs no process and
// touches no file but for what [trace.Goroutine.Load] reads.
//
// # Use
//
// [Analyze] takes the runs of one test that failed with one signature and all
// that passed. Different failures of a test are different bugs: analyse each
// signature on its own, and the smallest test that is flaky (TestX/case_3, not
// its parent). [Diff] is for the case that all there is are coverage profiles.
//
// # How it works
//
// The heart is DIVERGENCE, Algorithm 1 of Ziftci and Cavalcanti, De-Flake Your
// Tests (ICSME 2020), section III-B: of a failing run, find the passing run
// with the longest common prefix, and show the first difference after it.
// Taken as it is, it has three weaknesses: one sequence for all threads measures
// the scheduler; any harmless difference between runs ends the comparison; and
// it compares each failing with each passing run. Hence these steps:
//
//  1. Goroutines are compared one by one. They are matched between runs by
//     identity ([trace.GoroutineID]), and goroutines of the same origin (the
//     same chain of go statements in the same test) make a class: what happens
//     to any of 100 request goroutines is one finding.
//
//  2. The passing runs' streams of a goroutine make a trie of chunk hashes. A
//     failing run leaves the trie exactly at Algorithm 1's point against all
//     passing runs at once: one look at each chunk hash, and one at the content
//     of one chunk.
//
//  3. Each passing run is walked through the trie of the other passing runs
//     (leave one out). Where they leave it as well, differing is how the code
//     is. If failing runs leave where passing runs do not, no loop is being run,
//     and Fisher's test agrees, that is the divergence, and most goroutines are
//     done with.
//
//  4. Otherwise all streams of the goroutine are read in step. Where they part,
//     it is noted who went which way; those that went the same way are compared
//     with each other up to where all meet again, and there all go on together.
//     They meet at the first block of the function that all come to, at the next
//     iteration of the loop around it, or at the return from the function. (The
//     regions are those of execution indexing: Xin, Sumner and Zhang, PLDI 2008.)
//
//  5. In a loop that some leave and others go round again, iterations have no
//     partners: polling three or nine times is timing, not a divergence. There
//     the sets of edges taken are compared, and the ways the loop was left. The
//     divergence of a poll loop that gives up is at the condition which passing
//     runs saw come true, between "return nil" and what stands behind the loop.
//     Where no edge of failing runs tells them apart, two things may: an edge that
//     they took in no iteration and passing runs in some, or the number of
//     iterations, since "for v := range c" consumes data. Fisher's test says so,
//     after correction for the number of limits, and not the syntax. See [Loop].
//
//  6. Each place where failing runs diverged from passing runs has its 2x2 table
//     over all runs and the p-value of Fisher's exact test. It counts if p
//     is at most 0.05 after Bonferroni's correction for the number of places and
//     visits; or, as that can't be had with few runs, if it separates the runs
//     at hand perfectly and passing runs do not part from each other there
//     about as often. All others are dropped, and counted in [Analysis.Benign].
//
//  7. The goroutine with the failed check, in most failing runs the one that
//     failed first, is the anchor. Of its divergences the earliest one with at
//     least half of the evidence (log p) of the best is shown, and a second one
//     if it explains failing runs that the first does not; or two earlier ones
//     that share the failing runs between them, since one assertion may be
//     reached in two ways. The chain leads up to
//     it: one earlier divergence of each other class of goroutines. Later ones
//     are consequences. A chain has at most five links: those with the best
//     separation stay, goroutines of the process or of a parent test go first,
//     and a warning says how many were cut.
//
//  8. Traces of a build that records values ([Input.Values]) say more: what the
//     operands of the deciding condition were in runs of either outcome
//     ([Analysis.Operands]), and which value from outside (a key in map order, a
//     random number, something received) predicts the outcome
//     ([Analysis.Data]). Hypotheses are many: whether a value is a certain one,
//     or below a limit, for each occurrence; whether the least or the greatest of
//     all is; whether keys come in a certain order. p-values are corrected for
//     their number, and for orders they come from dealing out the outcomes anew.
//     A clock that is different in every run is no cause unless a limit separates.
//
// # Opinions
//
// A chain, not a ranked list of lines: users of ranked lists were confused by
// unrelated lines (section IV of the paper). The ranking is there all the same,
// as [Analysis.Spectrum], since it knows nothing of order and so can't be misled
// by it.
//
// Nothing after a failed check counts. What a goroutine does from there on
// (cleanup, cancelled workers) follows from the failure.
//
// The failing run shown is the median by length of the prefix. The one with the
// longest prefix shares the most with a passing run, but is the odd one out
// where loops poll.
//
// A failed check can be the divergence itself: an assertion helper fails
// without a branch in user code. Then [Divergence.SamePath] is set, and the
// difference lies in the data.
//
// A finding that could be wrong says so: every divergence has its warnings.
//
// # Cost
//
// Time is linear in the length of the traces, and less where runs share
// chunks: of chunks with equal hashes one is read. Memory does not grow with the
// length of traces, but for their chunk indexes (32 bytes for 16 KiB of trace):
// it holds two chunks for each run, of one goroutine at a time, and tables whose
// size is bounded by that of the code.
package divergence
