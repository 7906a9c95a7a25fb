package divergence

import (
	"math/rand/v2"
	"testing"

	"github.com/fdebug/fdebug/trace"
)

// A longRun is a stream that is generated as it is read: a pattern of the scenario's steps,
// repeated, that from some place on is out of phase with other runs, and then the run's tail.
type longRun struct {
	pattern []trace.Event // twice
	events  int64         // before the tail
	shiftAt int64         // where this run begins to be out of phase
	shift   int64         // by how many events
	tail    []trace.Event
}

// load appends the events from pos to pos+n to buf[:0].
func (l *longRun) load(pos, n int64, buf []trace.Event) []trace.Event {
	buf = buf[:0]
	for end := pos + n; pos < end; pos = pos + n {
		switch {
		case pos >= l.events:
			return append(buf, l.tail[pos-l.events:end-l.events]...)
		case pos < l.shiftAt:
			n = min(end, l.shiftAt) - pos
			buf = l.repeat(pos, n, buf)
		default:
			n = min(end, l.events) - pos
			buf = l.repeat(pos+l.shift, n, buf)
		}
	}
	return buf
}

func (l *longRun) repeat(pos, n int64, buf []trace.Event) []trace.Event {
	period := int64(len(l.pattern) / 2)
	for n > 0 {
		k := min(n, period)
		buf = append(buf, l.pattern[pos%period:][:k]...)
		pos, n = pos+k, n-k
	}
	return buf
}

func (l *longRun) goroutine() *trace.Goroutine {
	var chunks []trace.Chunk
	var offs []int64
	var buf []trace.Event
	total := l.events + int64(len(l.tail))
	for off := int64(0); off < total; {
		n := min(int64(trace.ChunkLen(len(chunks))), total-off)
		buf = l.load(off, n, buf)
		chunks = append(chunks, trace.Chunk{Hash: trace.HashEvents(buf), Len: int(n), Kept: true})
		offs = append(offs, off)
		off += n
	}
	g := trace.NewLoadedGoroutine(1, "TestX", chunks, func(i int, buf []trace.Event) ([]trace.Event, error) {
		return l.load(offs[i], int64(chunks[i].Len), buf), nil
	})
	g.Root = true
	return g
}

// 50 runs of 10 million events, 2 GB of raw trace, are compared in little memory. From the middle
// on no two runs have a chunk in common: each leaves out a different part of one iteration's
// inner loop.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 2 GB of made-up trace")
	}
	// One iteration of the main loop with a poll loop of 250 rounds.
	pattern := []trace.Event{bLoop, bStep}
	for range 250 {
		pattern = append(pattern, bPoll)
	}
	pattern = append(pattern, bJoin)
	period := int64(len(pattern))
	pattern = append(pattern, pattern...)
	r := rand.New(rand.NewPCG(1, 1))
	in := Input{Test: "TestX", Sites: scenarioSites()}
	for i := range 50 {
		// Inside an iteration's poll loop; up to 100 rounds are left out.
		l := &longRun{pattern: pattern, shiftAt: period*(18000+int64(r.IntN(100))) + 100, shift: int64(2 * i)}
		l.events = period*40000 - l.shift
		failed := i%4 == 0
		l.tail = []trace.Event{bAfter, bOK}
		if failed {
			l.tail = []trace.Event{bAfter, bFail, trace.CheckEvent(trace.CheckFailNow, 1)}
		}
		in.Runs = append(in.Runs, Run{N: i + 1, Failed: failed, Trace: &trace.Trace{Goroutines: []*trace.Goroutine{l.goroutine()}}})
	}
	peak := watchHeap()
	a, err := Analyze(in)
	if err != nil {
		t.Fatal(err)
	}
	if mb := peak() >> 20; mb > 64 {
		t.Errorf("%d MB of heap beside the chunk indexes", mb)
	}
	if len(a.Chain) != 1 || a.Chain[0].LastCommon != bAfter || a.Chain[0].FailNext != bFail || !a.Chain[0].Table.Perfect() {
		t.Errorf("chain:\n%s", summary(in.Sites, a))
	}
}
