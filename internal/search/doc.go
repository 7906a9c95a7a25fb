// Package search finds what decides whether a test fails, by doing things to runs of it.
//
// It is one loop over acts of any freedom, and knows none of them:
//
//  1. Rank: each freedom proposes plans, with how likely it is that one decides.
//  2. Screen: the proposal with the greatest probability for the runs that its freedom has
//     had is run next, so that all freedoms have their share from the beginning. A
//     sequential test drops it or keeps it, mostly after 2 to 10 runs. Proposals of a whole
//     freedom say, where they are dropped, that its other ones are unlikely too.
//  3. Refine: of what is kept the fewest acts that suffice are looked for, then the weakest
//     of each. What fails only sometimes is tried together with another proposal.
//  4. Control: what makes the test pass, and the same acts elsewhere.
//  5. Confirm: 20 fresh runs of each. The verdict follows from these counts alone.
//
// A test that mostly fails is searched for what makes it pass, and then for what makes it fail each time.
//
// A run in which a plan did not act, or that failed in another way, counts on no side.
package search
