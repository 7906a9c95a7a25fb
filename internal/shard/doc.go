// Package shard divides the runs of one command among machines that know nothing of
// each other, and puts together what they leave.
//
// Run numbers are divided, not tests: shard 3 of 20 makes runs 3, 23, 43 and so on of
// every package, with the seeds that these numbers have in the whole ([Part]). What a
// shard leaves is one file, a blob ([Write]): a run directory as a zip archive, with a
// [Header] that says of which whole it is a part. [Choose] finds out which blobs make up
// a whole, and what is wrong with the others; a [Merger] turns them into one run
// directory, one blob at a time.
//
// # Format
//
// A blob is a zip archive with these files, in this order:
//
//	shard.json       the header
//	meta.json        as in a run directory
//	sites.json       likewise
//	runs.jsonl       likewise: a line a run
//	src/x.go.txt     source files, if any run failed
//	experiments.json, x.replay.json
//	                 what experiments have shown, if some were made: as in a run directory
//	traces/...       traces, stored as they are: they are compressed already
//
// That of a part of a hunt has, after the header, hunt/PACKAGE/log.jsonl and the traces
// in hunt/PACKAGE/traces that the log names; see package experiment.
//
// Numbers, names and sizes in a blob are anybody's: nothing that it names is run or read
// outside of it, and nothing is written outside of the new run directory.
package shard
