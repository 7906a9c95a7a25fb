// Package trace is the data model of a traced test run and the file formats it is kept in.
//
// # Model
//
// A traced process leaves a stream for every goroutine that ran instrumented code: what it did,
// in order. A stream is a sequence of [Event] words. Most are basic blocks, which the [Sites]
// table maps to source positions. Some are checks ([Event.Check]): a failed check, a skip or a
// panic.
//
// There is no global order between goroutines, because any two runs would differ in it within
// microseconds. Streams are compared goroutine by goroutine. A goroutine is recognised from run
// to run by its [GoroutineID]. That depends on who started it, where and how many times, never on
// the scheduler.
//
// Every goroutine belongs to the test that started it, through any number of generations:
// [Goroutine.Test]. Goroutines started before any test (package initialisation, TestMain) belong
// to the test named "".
//
// # Chunks
//
// A stream is cut into chunks at positions that depend only on the stream itself (see
// [ChunkLen]), and each chunk has a hash. So equal paths have equal chunk hashes, and two runs
// can be compared without looking at most of their content. Beyond the trace budget only the hash
// of a chunk is kept, and [Chunk.Kept] is false.
//
// # Files
//
// A trace exists in two forms. A traced process writes the raw form, through a shared mapping.
// [ReadRaw] reads it however the process ended. [Compact] turns it into the form that is kept,
// which is described below. [Open] reads either.
//
//	t, err := trace.Open("run-7.fdt")
//	if err != nil { ... }
//	defer t.Close()
//	for _, g := range t.GoroutinesOf("TestDrain") {
//		for i := range g.Chunks {
//			events, err := g.Load(i, buf)
//			...
//
// A kept trace is little-endian throughout:
//
//	header   8 bytes magic "fdbtrace", u32 version, u32 zero
//	frames   one after another
//	index    see below
//	footer   u64 offset of the index, u64 its length, u32 CRC-32C of header,
//	         index and the two numbers before it, u32 version,
//	         8 bytes magic "fdbtrend"
//
// A frame is a zstd frame of the events of consecutive kept chunks: those of the first goroutine
// in order, then those of the second, and so on. A frame holds whole chunks and at most 262,144
// events (fdebug writes about 65,536), so that small chunks share a frame and a large trace is
// never decompressed as a whole. What is compressed is
//
//	u32     length of a list, at most 256
//	list    the different events of the frame, u32 each
//	codes   for each event its place in the list, counted from 0, a byte. If the
//	        list is empty, the events themselves, u32 each
//
// The index is a sequence of unsigned varints (u), zigzag varints (s) and fixed-size words. A
// list is its length (u), then its elements; a string is its length (u), then its bytes. Elements
// are numbered from 1, and 0 stands for none.
//
//	u       process id
//	string  Trace.Truncated
//	list    strings: string. Number 1 is the first; 0 is ""
//	list    places: u function and u file, numbers of strings; u line
//	list    stacks: u hash; list of u numbers of places, innermost first
//	list    tests: u name, number of a string; u nth; s start; s end
//	list    reasons: u name, number of a string; the first has number 0
//	list    frames: u size in bytes; u number of events in it
//	list    goroutines:
//	          u64 id; u64 parent; u64 class; u flags (1: root of its test)
//	          u test, number of a string; u nth
//	          u go statement and u entry, numbers of places
//	          u number in goroutine dumps
//	          s start; s end
//	          u number of chunks; u events in the last one, if there is one
//	          runs of u: so many chunks were kept, so many were not, so many
//	          were, ... until all are accounted for
//	          for each chunk u64 hash; s time since the one before (the first:
//	          since start)
//	          list stamps: u events since the one before, times two, plus 1 if
//	          the goroutine goes on; s time since the one before (the first:
//	          since start); then, if it begins to wait, u number of the reason;
//	          if it goes on, u who made it: 0 unknown, 1 a timer, 2 a goroutine
//	          without a stream, 3 or more one with a stream, and then another u
//	          list values: u site; u how many of that site came before it;
//	          u events since the value before; u64 hash; u number of a string
//	list    acts: u kind, plus 256 if applied, plus 512 if met; u index; u number
//	        of a goroutine; u events it had written; u block; s start; s held
//	list    draws: u kind; u block; u64 class; u how many
//	list    notes: u kind; u number of a goroutine, 0 for none; u events it had
//	        written; s time since the one before; s value
//
// Versions 5 and 6 can still be read. They had no notes, and 5 had no classes, acts or draws.
//
// The lengths of all other chunks follow from [ChunkLen], and the place of a chunk follows from
// the lengths. Times are nanoseconds since the process started.
package trace
