// Package search finds the acts that decide whether a test fails, by doing things to runs of it.
//
// It is one loop over acts of any freedom, and knows none of them:
//
//  1. Rank: each freedom proposes plans, with how likely it is that one decides.
//  2. Screen: the proposal with the greatest probability for the runs that its freedom has
//     had is run next, so that all freedoms have their share from the beginning. A
//     sequential test drops it or keeps it, mostly after 2 to 10 runs. Proposals of a whole
//     freedom say, where they are dropped, that its other ones are unlikely too.
//  3. Refine: find the fewest acts of a kept plan that suffice, then the weakest of each. A
//     plan that fails only sometimes is tried together with another proposal.
//  4. Control: find acts that make the test pass, and the same acts elsewhere.
//  5. Confirm: 20 fresh runs of each. The verdict follows from these counts alone.
//  6. Narrow: an act may offer its law. Fresh runs confirm that like the act, each in another
//     way, and it replaces the act if it decides as surely.
//
// For a test that mostly fails, it looks for a plan that makes it pass, and then for one that makes it fail each time.
//
// A run in which a plan did not act, or that failed in another way, counts on no side.
package search
