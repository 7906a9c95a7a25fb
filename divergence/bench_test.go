package divergence

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A scenario makes runs of a made-up program: a main loop that calls step, which branches, and
// then a check that failing runs do not pass.
type scenario struct {
	runs, failing int
	events        int
	noise         int  // one step in noise goes either way at random; 0: none
	shift         bool // the other way is shorter, so that chunks never agree again
	poll          bool // steps poll up to five times instead
}

const (
	bMain = 1 + iota
	bLoop
	bAfter // after the loop
	bStep  // entry of step
	bThen
	bElse
	bJoin // after the if in step
	bFail
	bOK
	bPoll // loop in step
)

func scenarioSites() *trace.Sites {
	s := &trace.Sites{Files: make([]trace.File, 1), Funcs: []trace.Func{{Name: "TestX"}, {Name: "step"}}}
	for i, b := range []struct {
		fn   int
		kind trace.BlockKind
	}{{}, {0, trace.BlockEntry}, {0, trace.BlockLoop}, {0, trace.BlockNext}, {1, trace.BlockEntry},
		{1, trace.BlockThen}, {1, trace.BlockElse}, {1, trace.BlockNext}, {0, trace.BlockThen}, {0, trace.BlockNext}, {1, trace.BlockLoop}} {
		line := i
		if i == bPoll { // before the others of step
			line = bStep
		}
		s.Blocks = append(s.Blocks, trace.Block{Func: b.fn, Kind: b.kind, StartLine: line, StartCol: i, EndLine: line})
	}
	return s
}

// stream returns the events of one run.
func (s scenario) stream(failed bool, r *rand.Rand) []trace.Event {
	e := make([]trace.Event, 0, s.events+8)
	e = append(e, bMain)
	for i := 0; len(e) < s.events; i++ {
		way := trace.Event(bThen)
		if s.noise > 0 && i%s.noise == 0 && r.IntN(2) == 0 {
			way = bElse
		}
		e = append(e, bLoop, bStep)
		switch noisy := s.noise > 0 && i%s.noise == 0; {
		case noisy && s.poll:
			for range r.IntN(6) {
				e = append(e, bPoll)
			}
		case !s.shift || way == bThen:
			e = append(e, way)
		}
		e = append(e, bJoin)
	}
	e = append(e, bAfter)
	if failed {
		return append(e, bFail, trace.CheckEvent(trace.CheckFailNow, 1))
	}
	return append(e, bOK)
}

func (s scenario) input() Input {
	in := Input{Test: "TestX", Sites: scenarioSites()}
	for i := range s.runs {
		failed := i < s.failing
		in.Runs = append(in.Runs, oneRun(i+1, failed, s.stream(failed, rand.New(rand.NewPCG(uint64(i), 7)))))
	}
	return in
}

// BenchmarkAnalyze shows the throughput in bytes of raw trace (4 for each event, over all runs)
// and the memory that the analysis needs besides the traces.
func BenchmarkAnalyze(b *testing.B) {
	for _, bm := range []struct {
		name string
		s    scenario
	}{
		{"shared", scenario{runs: 50, failing: 12, events: 1 << 20}},
		{"noise=10000", scenario{runs: 50, failing: 12, events: 1 << 20, noise: 10000}},
		{"noise=100", scenario{runs: 50, failing: 12, events: 1 << 18, noise: 100}},
		{"shifted", scenario{runs: 50, failing: 12, events: 1 << 18, noise: 1000, shift: true}},
		{"polls", scenario{runs: 50, failing: 12, events: 1 << 18, noise: 100, poll: true}},
		{"worst", scenario{runs: 50, failing: 12, events: 1 << 16, noise: 1}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			in := bm.s.input()
			var bytes int64
			for _, r := range in.Runs {
				bytes += 4 * r.Trace.Goroutines[0].Len()
			}
			b.SetBytes(bytes)
			b.ReportAllocs()
			peak := watchHeap()
			for b.Loop() {
				a, err := Analyze(in)
				if err != nil {
					b.Fatal(err)
				}
				if len(a.Chain) != 1 || a.Chain[0].FailNext != bFail {
					b.Fatalf("chain %+v", a.Chain)
				}
			}
			b.ReportMetric(float64(peak())/(1<<20), "peak-MB")
		})
	}
}

// watchHeap samples the heap until the returned function is called, which returns the maximal
// growth.
func watchHeap() func() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	base := m.HeapAlloc
	var peak atomic.Uint64
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if m.HeapAlloc > base {
				peak.Store(max(peak.Load(), m.HeapAlloc-base))
			}
			select {
			case <-stop:
				return
			case <-time.After(10 * time.Millisecond):
			}
		}
	}()
	return func() uint64 {
		close(stop)
		<-done
		return peak.Load()
	}
}
