package trace

// The numbers that the probe runtime has too: its copy of this file is made for each toolchain. They are in files, so
// that none ever changes.

// An ActKind is the kind of a perturbation (see package freedom), of a [Draw] or of a [Note].
type ActKind uint8

// A new kind goes to the end.
const (
	ActStall ActKind = iota + 1
	ActOrder
	_ // 3 and 4 were random stalls and priorities
	_
	ActSelect
	ActMap
	ActRand
	ActClock  // readings of the clock
	ActTimer  // timers and deadlines that are set
	ActGC     // collections
	ActRead   // reads from sockets and pipes
	ActDir    // unsorted directory reads
	ActLimits // ports that are bound

	// Kinds of draws that belong to the perturbation limits.
	ActNetwork // addresses of other machines, and names
	ActTemp    // where temporary files are made
	ActHome    // where the home directory is
	ActProcess // processes that are started, or connected to

	ActKernel // times read from the kernel, bypassing package time; draws only
	_         // 19 was draws of crypto/rand
	ActStuck  // goroutines that can never go on; notes only
	ActLeft   // what outlives a test; notes only
)

var actNames = [...]string{
	ActStall: "stall", ActOrder: "order",
	ActSelect: "select", ActMap: "map", ActRand: "rand",
	ActClock: "clock", ActTimer: "timer", ActGC: "gc", ActRead: "read", ActDir: "dir", ActLimits: "limits",
	ActNetwork: "network", ActTemp: "temp", ActHome: "home", ActProcess: "process", ActKernel: "kernel",
	ActStuck: "stuck", ActLeft: "left",
}

// What a setting sets, as far as the file of a plan says it. Package freedom says what they mean. Each kind has 16
// numbers: 16 timer, 32 gc, 48 read, 64 dir, 80 limits, 96 all choices, 112 map; the next are 128.
const (
	ClockPhase = iota + 1
	ClockShift
	ClockInstant
	ClockGrain
	ClockZone
	ClockDate
	ClockStill
)
const TimerLate = 16
const ReadMost = 48
const DirOrder = 64
const (
	PortTaken = iota + 80
	PortFree
	FilesMost
	NetworkNone
)
const MapKeys = 112

// KeySite is the number of the first place of values that are the keys of a map, in the order in which a range came to
// them. The next range has the next place.
const KeySite = 1 << 24

// What a test does to a thing that outlives it, and what that is: a variable of the environment, a file, the working
// directory or a port. See [Touch].
const (
	TouchLooks, TouchChanges                 = 1, 2
	TouchEnv, TouchFile, TouchDir, TouchPort = 0, 1, 2, 3
)

// OtherKeys stands for all keys but one.
const OtherKeys = 1

// Comes reports whether some of the keys of a map come in the order of a chain: one and all others, or several.
func Comes(keys, chain []uint64) bool {
	const others = 1
	switch n := len(keys) - 1; {
	case n < 0:
		return false
	case chain[0] == others:
		return keys[n] == chain[1]
	case chain[1] == others:
		return keys[0] == chain[0]
	}
	n := 0
	for _, k := range keys {
		if n < len(chain) && k == chain[n] {
			n++
		}
	}
	return n == len(chain)
}

// HeldReason is the reason of a goroutine's wait while an experiment holds it.
const HeldReason = "held by fdebug"

const (
	rawHeaderSize = 4096
	recHeaderSize = 32

	firstChunkLen  = 64   // so that 100,000 short goroutines do not cost 100,000 full chunks
	fullChunkLen   = 4096 // 16 KiB: beyond the budget, 8 bytes of hash stand for 16 KiB
	fullChunkAfter = 6    // chunks from this one on are full
)

// Kinds of records in a raw file, bits of its flags, and bits beside the kind of an act.
const (
	rawGoroutine = 1
	rawChunk     = 2
	rawHashes    = 3
	rawPlace     = 4
	rawTest      = 5
	rawTestEnd   = 6
	rawEnd       = 7
	rawStack     = 8
	rawStamps    = 9
	rawValues    = 10
	rawWaits     = 11
	rawReason    = 12
	rawAct       = 13
	rawDraw      = 14
	rawNote      = 15

	rawBudget   = 1 << 0 // past the budget only hashes were kept
	rawNoSpace  = 1 << 1 // the file could not grow: events were lost from then on
	rawIdentity = 1 << 2 // the identity table overflowed: some goroutine ids may differ between runs
	rawHangs    = 1 << 3 // the process was ended because it could never go on

	actApplied = 1 << 8
	actMet     = 1 << 9
)

// Mix returns a hash of two numbers. The probe runtime computes its draws with it.
func Mix(a, b uint64) uint64 {
	x := a ^ (b+0x9E3779B97F4A7C15)*0xBF58476D1CE4E5B9
	x ^= x >> 30
	x *= 0x94D049BB133111EB
	x ^= x >> 27
	x *= 0x9E3779B97F4A7C15
	return x ^ x>>31
}

// HashEvents returns the hash of a chunk of events. The probe runtime computes it for chunks beyond the budget, so it
// is a simple loop: four lanes of multiply and rotate, as in xxHash.
func HashEvents[E ~uint32](events []E) uint64 {
	const (
		p1 = 0x9E3779B185EBCA87
		p2 = 0xC2B2AE3D27D4EB4F
	)
	round := func(h, w uint64) uint64 {
		h += w * p2
		return (h<<31 | h>>33) * p1
	}
	h0, h1, h2, h3 := uint64(p1), uint64(p2), uint64(p1^p2), uint64(len(events))
	for ; len(events) >= 8; events = events[8:] {
		h0 = round(h0, uint64(events[0])|uint64(events[1])<<32)
		h1 = round(h1, uint64(events[2])|uint64(events[3])<<32)
		h2 = round(h2, uint64(events[4])|uint64(events[5])<<32)
		h3 = round(h3, uint64(events[6])|uint64(events[7])<<32)
	}
	for _, e := range events {
		h0 = round(h0, uint64(e))
	}
	x := (h0<<1 | h0>>63) + (h1<<7 | h1>>57) + (h2<<12 | h2>>52) + (h3<<18 | h3>>46)
	x ^= x >> 33
	x *= p2
	x ^= x >> 29
	x *= p1
	return x ^ x>>32
}
