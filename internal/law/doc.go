// Package law finds what in a program decides, where holding a goroutine makes its test fail.
//
// A hold is what was done to a run. What the program does wrong has two ends: a step b of the goroutine that was held,
// G, and a step f of another one, H.
//
//	order     the test fails if f comes before b
//	between   the test fails if f comes between a and b, two steps of G
//	deadline  the test fails if b comes late, whatever others do
//
// The method is a bisection of what the others did while G was held:
//
//  1. Take a run that failed while G was held, and whose failure was still to come: those like G begin then. Hold G
//     where all that others did suffices last: before, it may have a lock that they need.
//  2. Cut what others did meanwhile after each step, and force the runs of both sides: they come no further than the
//     cut before G is past its step. The first cut that fails ends with f. Where that shows nothing, cut that of one.
//  3. Move G, with f forced to come while it is there: the last step at which it fails is b. The one before the first
//     at which it fails, with all that H does, is a.
//  4. Turn it round: with f held until G is past b, the test has to pass. Otherwise there is no law. Where one of many
//     goroutines suffices, that a go statement started, this is so once each f comes after each b.
//
// Each answer is one of a sequential test. A run in which a goroutine waited in vain has forced nothing, and is none.
//
// Kinds are those of Lu et al., "Learning from Mistakes", ASPLOS 2008: 97 % of the bugs found that are no deadlocks.
package law
