package trace

import (
	"fmt"
	"io"
	"strings"
)

// An Event is one word of a goroutine's stream: the number of a basic block in [Sites.Blocks],
// or, with the top bit set, a [Check]. The zero Event never occurs in a stream: in a raw trace
// file it is unwritten space.
type Event uint32

// A CheckKind says what a check event records.
type CheckKind uint8

const (
	CheckFail    CheckKind = iota // testing's Fail: Error, Errorf, assert.Equal
	CheckFailNow                  // testing's FailNow: Fatal, Fatalf, require.Equal
	CheckSkip                     // testing's SkipNow
	CheckPanic                    // a panic, recovered or not
)

func (k CheckKind) String() string {
	switch k {
	case CheckFail:
		return "fail"
	case CheckFailNow:
		return "fail now"
	case CheckSkip:
		return "skip"
	case CheckPanic:
		return "panic"
	}
	return fmt.Sprintf("check %d", uint8(k))
}

const (
	checkBit      = 1 << 31
	checkKindBits = 28 // position of the 3-bit kind; below it the stack hash
	stackMask     = 1<<checkKindBits - 1
)

// CheckEvent returns the event for a check of the given kind at the call stack with the given
// hash. It keeps the low 28 bits of the hash.
func CheckEvent(kind CheckKind, stack uint32) Event {
	return Event(checkBit | uint32(kind)<<checkKindBits | stack&stackMask)
}

// Block returns the block number, or false if e is a check event.
func (e Event) Block() (int, bool) { return int(e), e&checkBit == 0 }

// Check returns the kind of a check and the hash of its call stack, a key of [Trace.Stacks]. ok
// is false if e is a block.
func (e Event) Check() (kind CheckKind, stack uint32, ok bool) {
	return CheckKind(e >> checkKindBits & 7), uint32(e) & stackMask, e&checkBit != 0
}

// A GoroutineID identifies a goroutine, and is the same in every run of one test binary. It is a
// hash of its parent's identity, the go statement, and how many goroutines the parent had started
// there before. For a test's own goroutine it is a hash of the test's name, so that -run,
// -shuffle and -count don't change the identities below it.
type GoroutineID uint64

func (id GoroutineID) String() string { return fmt.Sprintf("%016x", uint64(id)) }

// A Frame is a place in source code.
type Frame struct {
	Func string `json:"func,omitempty"` // as in runtime.Frame, "example.com/m/p.(*T).Method"
	File string `json:"file,omitempty"` // as the binary names it; see Sites.File for module files
	Line int    `json:"line,omitempty"`
}

// At returns file and line: "queue.go:12".
func (f Frame) At() string { return fmt.Sprintf("%s:%d", f.File, f.Line) }

// A Trace is one process's trace. Its content is read on demand, so that
// memory does not grow with the length of the trace.
type Trace struct {
	PID        int
	Goroutines []*Goroutine       // in the order in which they first ran instrumented code
	Tests      []TestRun          // in the order in which they began
	Stacks     map[uint32][]Frame // call stacks of check events, innermost frame first
	// Reasons are the runtime's names for what goroutines wait for, such as "chan receive".
	// Stamp.Reason is an index.
	Reasons []string
	Acts    []Act  // what perturbations did, in the order in which they began
	Draws   []Draw // which blocks made random choices, in the order in which they first did
	Notes   []Note // what the system answered, in order
	// Truncated says why the trace is incomplete ("the trace budget of 1 GB was reached", "disk
	// full"). It is "" if the trace is complete.
	Truncated string

	closer io.Closer // the file that content is loaded from; nil for a trace in memory
}

// Close closes the file behind the trace. Chunks cannot be loaded afterwards.
func (t *Trace) Close() error {
	if t.closer == nil {
		return nil
	}
	return t.closer.Close()
}

// GoroutinesOf returns the goroutines that belong to the named test or one of its subtests. For
// "" it returns those outside any test.
func (t *Trace) GoroutinesOf(test string) []*Goroutine {
	var gs []*Goroutine
	for _, g := range t.Goroutines {
		if g.Test == test || test != "" && strings.HasPrefix(g.Test, test+"/") {
			gs = append(gs, g)
		}
	}
	return gs
}

// A TestRun is one execution of one test in the traced process.
type TestRun struct {
	Name  string // "TestX/case_3"
	Nth   int    // which execution of it; above 0 only with -count
	Start int64  // nanoseconds since the process started
	End   int64  // the same; 0 if it had not ended when the process did
}

// A Goroutine is the stream that one goroutine wrote.
type Goroutine struct {
	ID     GoroutineID
	Parent GoroutineID // 0 if unknown
	// Class is a hash that is the same for all goroutines started from the same test by the same
	// chain of go statements; 0 if unknown.
	Class  uint64
	Test   string // the test it belongs to, "TestX/case_3"; "" for none
	Nth    int    // which execution of that test in this process; above 0 only with -count
	Root   bool   // whether the test function itself runs on it
	Spawn  Frame  // the go statement (or time.AfterFunc call) that started it
	Entry  Frame  // the function it was started with
	Number uint64 // in goroutine dumps of this process; 0 if unknown
	Start  int64  // nanoseconds since the process started
	End    int64  // the same; 0 if it had not ended when the process did
	Chunks []Chunk
	Stamps []Stamp // in order of both position and time; see Between
	Values []Value // in the order in which they were recorded

	// load returns the events of chunk i, whose content was kept.
	load func(i int, buf []Event) ([]Event, error)
}

// A Chunk describes a piece of a goroutine's stream.
type Chunk struct {
	Hash uint64 // of the events
	Len  int    // number of events: ChunkLen(i), or less in the last chunk
	// Time is when the chunk was begun, in nanoseconds since the process started. If only its
	// hash was kept, it is a lower bound.
	Time int64
	Kept bool // whether the events themselves are kept
}

// Len returns the number of events in the stream.
func (g *Goroutine) Len() int64 {
	var n int64
	for _, c := range g.Chunks {
		n += int64(c.Len)
	}
	return n
}

// Load returns the events of chunk i, using buf's space if it suffices. It fails with
// [ErrNotKept] if only the hash was kept, and with [ErrDamaged] if the events don't have that
// hash. It may be called from several goroutines at once.
func (g *Goroutine) Load(i int, buf []Event) ([]Event, error) {
	if !g.Chunks[i].Kept {
		return nil, ErrNotKept
	}
	return g.load(i, buf)
}

// LoadAt returns the events of the chunk that contains event i of the stream, as [Goroutine.Load]
// does, and the position of the first of them. It returns none if the stream is shorter.
func (g *Goroutine) LoadAt(i int64) (events []Event, first int64, err error) {
	for c, chunk := range g.Chunks {
		if i < first+int64(chunk.Len) {
			events, err = g.Load(c, nil)
			return events, first, err
		}
		first += int64(chunk.Len)
	}
	return nil, first, nil
}

// NewLoadedGoroutine returns a goroutine with the given chunks whose events are loaded on demand.
// It is for programs that make traces, or keep them in a form of their own. load appends the
// events of chunk i to buf[:0]; their number and hash must be those in chunks[i]. It is called
// only for chunks marked as kept.
func NewLoadedGoroutine(id GoroutineID, test string, chunks []Chunk,
	load func(i int, buf []Event) ([]Event, error)) *Goroutine {
	return &Goroutine{ID: id, Test: test, Chunks: chunks, load: load}
}

// NewGoroutine returns a goroutine with the given events, cut into chunks and hashed like a
// recorded one. It is for tests, and for programs that make traces.
func NewGoroutine(id GoroutineID, test string, events []Event) *Goroutine {
	var chunks []Chunk
	var parts [][]Event
	for i := 0; len(events) > 0; i++ {
		n := min(ChunkLen(i), len(events))
		parts = append(parts, events[:n])
		chunks = append(chunks, Chunk{Hash: HashEvents(events[:n]), Len: n, Kept: true})
		events = events[n:]
	}
	return NewLoadedGoroutine(id, test, chunks, func(i int, buf []Event) ([]Event, error) {
		return append(buf[:0], parts[i]...), nil
	})
}

// ChunkLen returns the number of events in the i-th chunk of any stream: 64, then doubling up to
// 4096.
func ChunkLen(i int) int {
	if i >= fullChunkAfter {
		return fullChunkLen
	}
	return firstChunkLen << i
}

// TopTest returns the top-level test of a test or subtest: "TestX" for "TestX/case_3".
func TopTest(name string) string {
	top, _, _ := strings.Cut(name, "/")
	return top
}
