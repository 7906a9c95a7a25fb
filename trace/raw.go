package trace

// # Raw trace files
//
// A traced process writes a raw trace file through a shared mapping, so that nothing is lost
// however the process ends. It is read once, right after the process has ended, and then kept in
// the compressed form ([Write]). Everything in it is little-endian and 8-byte aligned.
//
// The first 4096 bytes are the header:
//
//	 0  8 bytes  magic "fdbgraw1"
//	 8  u64      used: bytes of the file that hold records, this header included
//	16  u64      flags (rawBudget, rawNoSpace, rawIdentity, rawHangs)
//	24  i64      monotonic clock when the trace began: all other times minus this
//	32  u64      process id
//	40  u64      version of the probe runtime, rawVersion
//	48  u64      1 while the file, otherwise all zeros, is offered to a process
//	             ([Recycle]); the one that swaps it for 0 has it. It has 256 KB
//	             or more, in whole pages
//	56  i64      wall clock when the trace began, since 1970; 0: not known
//
// Records follow from offset 4096 to used. A record is written before used is moved past it. Each
// starts with a header of 32 bytes:
//
//	 0  u32  size of the record in bytes, this header included, a multiple of 8
//	 4  u32  kind
//	 8  u32  serial: number of a goroutine, test or place, counted from 1
//	12  u32  ordinal
//	16  i64  monotonic time
//	24  u64  aux
//
// Kinds of records:
//
//	rawGoroutine  serial: new goroutine. aux: its id. Payload: u64 parent id,
//	              u32 test serial (0: none), u32 1 if it is the test's root,
//	              u32 place serial of the go statement, u32 place serial of its
//	              entry (0: unknown), i64 time it was started, u64 its number in
//	              goroutine dumps (0: unknown), u64 its class (0: unknown).
//	rawChunk      serial: goroutine; ordinal: number of the chunk in its stream.
//	              Payload: u32 events, with room for [ChunkLen] of them; zeros
//	              were not written. Past the budget the record is used again for
//	              later chunks of the goroutine: its ordinal and time change in
//	              place.
//	rawHashes     serial: goroutine; ordinal: number of the first chunk hashed.
//	              Payload: u64 hashes of consecutive full chunks, 0: not written.
//	              Their time is not known but to be after the record's.
//	              If a rawChunk record's ordinal is below the number of hashes
//	              known, the process ended while moving on: its content counts
//	              for that ordinal if it is complete and has that hash.
//	rawPlace      serial: new place. aux: pc. Payload: u32 line, u32 length of
//	              the function name, u32 length of the file name, then both.
//	rawTest       serial: new test. ordinal: how many times a test of this name
//	              had begun in this process. Payload: u32 length of the name,
//	              u32 unused, the name.
//	rawTestEnd    serial: test.
//	rawEnd        serial: goroutine that ended.
//	rawStack      aux: stack hash (28 bits). Payload: u32 count, u32 unused, then
//	              u32 place serials, innermost frame first.
//	rawStamps     serial: goroutine. Payload: 16 bytes for each stamp: u64 events
//	              written, times two, plus 1 if it goes on; i64 time, 0: not
//	              written. Written by older probe runtimes, now rawWaits is.
//	rawWaits      serial: goroutine. Payload: 24 bytes for each stamp: the 16 of
//	              rawStamps, then u64: if it begins to wait, the number of the
//	              reason (0: unknown); if it goes on, who made it go on. That is
//	              0: not known, or the network poller; 1: a timer; 2: a goroutine
//	              without a record; else the serial of a goroutine times 2^40,
//	              plus how many events it had written (2^40-1: as many or more).
//	              When the stamps' share of the budget is used up, the last one
//	              is written over by each newer one.
//	rawReason     serial: number of a reason, below 256. Payload: u32 length of
//	              its name, u32 unused, the name. The same may come twice.
//	rawValues     serial: goroutine; ordinal: number of the first value; aux: the
//	              site they are of. Payload: 32 bytes that are the writer's own,
//	              then 224 bytes for each value: u64 events written before it,
//	              plus 1, 0: not written; u64 hash of its whole text; u32 how
//	              many values of the site the goroutine had recorded before;
//	              u32 how many of any site; u32 length of the text; the text, at
//	              most 196 bytes. The last record of a site is used as a ring.
//
//	rawAct        serial: goroutine; ordinal: number of the perturbation in the
//	              plan's list of its kind; aux: events the goroutine had written.
//	              Payload: u32 kind ([ActKind]) plus 256 if it was applied, plus
//	              512 if what it waited for came; u32 event that was about to be
//	              written, 0: the goroutine ended; i64 time; i64 nanoseconds held,
//	              written when that is over.
//	rawDraw       Payload: u32 kind ([ActKind]), u32 block, u64 class, u64 how
//	              many draws of the kind its goroutines made there, which grows in
//	              place.
//	rawNote       serial: goroutine, 0 if it has no record; ordinal: kind
//	              ([ActKind]); aux: events the goroutine had written. Payload:
//	              i64 value ([Note]).
//
// A record of an unknown kind is skipped, so a new kind needs no new version. The kinds from
// rawStamps on were added later than the others. A record may refer to later ones. Only the
// records of a goroutine always follow its rawGoroutine.
const (
	rawMagic   = "fdbgraw1"
	rawVersion = 1
	rawOffered = 48 // offset of the word that offers the file
	rawBegan   = 56 // offset of the wall clock
)
