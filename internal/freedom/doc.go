// Package freedom is the catalogue of what two runs of a correct program may do differently: when they start, what they
// draw, in which order goroutines come to places, how long they wait, which tests run before, what the system answers.
//
// Each [Freedom] has a file of its own. It says what makes it legal, what recorded runs did, and how the next run is
// made to do the same or the opposite ([Set]). So the runs that are already there are experiments, and package fact
// ranks their results ([Rank]). A test that fails under one has a latent flake.
//
// What follows from a failure looks like a perfect cause of it. So an observation is only of
// what comes before the failed check ([Run]), or of what is known of a run that has not come
// there: a draw follows from the seed of the run whether or not the run made it.
//
// A [Plan] says what is set in one run. The process reads it from a file that FDEBUG_PERTURB names (encode.go). The
// process's trace says what happened then ([trace.Trace.Acts], [trace.Trace.Draws]).
package freedom
