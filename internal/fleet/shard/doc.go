// Package shard divides the runs of one command among machines that know nothing about each
// other, and merges their results.
//
// It divides run numbers, not tests. Shard 3 of 20 makes runs 3, 23, 43 and so on of every
// package, with the seeds of an undivided run ([Part]). A shard leaves one file, a blob
// ([Write]). It is a run directory as a zip archive, with a [Header] that says which part of
// a whole it is. [Choose] finds out which blobs belong together, and what is wrong with the
// others. A [Merger] turns them into one run directory, one blob at a time.
//
// # Format
//
// A blob is a zip archive with these files, in this order:
//
//	shard.json       the header
//	meta.json        as in a run directory
//	sites.json       as in a run directory
//	runs.jsonl       as in a run directory: a line a run
//	src/x.go.txt     source files, if any run failed
//	traces/...       traces, stored without compression: they are compressed already
//
// The blob of a part of a hunt has other files after the header: hunt/PACKAGE/log.jsonl and, in
// hunt/PACKAGE/traces, the traces that the log names. See package experiment.
//
// Numbers, names and sizes in a blob are not trusted. Nothing that it names is run, or read
// outside it. Nothing is written outside the new run directory.
package shard
