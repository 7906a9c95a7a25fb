// Package freedom observes in recorded runs what two runs of a correct program may do
// differently: when they start, what they draw, in which order goroutines come to places, how
// long they wait, which tests run before.
//
// Each [Freedom] has a file of its own. It says why it is legal, what a run did
// ([Freedom.Observe]), and how the next run is made to do the same or the opposite
// ([Freedom.Set]). So the runs that are already there are experiments, and package fact ranks
// their results.
//
// What follows from a failure looks like a perfect cause of it. So an observation is only of
// what comes before the failed check ([Run]), or of what is known of a run that has not come
// there: a draw follows from the seed of the run whether or not the run made it.
package freedom
