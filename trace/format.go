package trace

import "hash/crc32"

// The kept form of a trace; the package comment describes it.
const (
	keptMagic   = "fdbtrace"
	keptEnd     = "fdbtrend"
	keptVersion = 7

	oldVersion  = 5 // can still be read
	actVersion  = 6 // has what perturbations did, and the classes of goroutines
	noteVersion = 7 // has notes

	keptHeaderSize = 16
	keptFooterSize = 32

	// A frame is closed once it holds frameEvents events. Larger frames compress a little better;
	// smaller ones make loading one chunk faster.
	frameEvents    = 64 << 10
	maxFrameEvents = 256 << 10                      // what a reader accepts
	maxFrameSize   = 2 * eventSize * maxFrameEvents // what a reader accepts, compressed
	maxIndexSize   = 1 << 30                        // what a reader accepts: chunks of a trace of about 1.5 TB

	flagRoot = 1 // of a goroutine in the index
)

// keptChecksum returns the checksum over header, index and the head of the footer.
func keptChecksum(parts ...[]byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	var sum uint32
	for _, p := range parts {
		sum = crc32.Update(sum, table, p)
	}
	return sum
}

// A frame is a piece of a kept trace that is compressed as one.
type frame struct {
	off    int64 // in the file
	size   int   // compressed, in bytes
	events int   // number of events in it
}
