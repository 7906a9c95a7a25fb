package experiment

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A sim is a simulated process: goroutines that always run the same blocks, and a rule
// that decides the outcome from what was perturbed.
type sim struct {
	streams [][]trace.Event // of goroutine 1, 2, ...; each has a class of its own
	classes []uint64        // by goroutine, to say otherwise
	draws   []trace.Draw
	comms   []int          // blocks that are cases of a select
	spawned map[int]int    // by goroutine, the line of the go statement
	missed  map[int64]bool // events at which no stall acts
	// absent reports whether a goroutine does not come to an event in a run; may be nil.
	absent func(r *simRun, g int, event uint64) bool
	// meets reports whether an order comes about; nil if each does.
	meets func(r *simRun, o freedom.Step) bool
	// rule returns the name of the failed check, "" to pass; "/sub" is one of a subtest.
	rule func(r *simRun) string
	// times sets when goroutines of a trace ran; nil if nothing is known of it.
	times func(t *trace.Trace)

	mu   sync.Mutex
	rnd  *rand.Rand
	runs int
}

// A simRun is one run of it.
type simRun struct {
	trial Trial
	acts  []Act
	rnd   *rand.Rand
	turn  int          // number of the run
	draws []trace.Draw // that the rule adds to those of each run
}

// stream returns n blocks from a number on.
func stream(first, n int) []trace.Event {
	var list []trace.Event
	for i := range n {
		list = append(list, trace.Event(first+i))
	}
	return list
}

func (s *sim) class(g int) uint64 {
	if s.classes != nil {
		return s.classes[g-1]
	}
	return uint64(100 + g)
}

// sites has one block a line, in one function.
func (s *sim) sites() *trace.Sites {
	most := 0
	for _, st := range s.streams {
		for _, e := range st {
			most = max(most, int(e))
		}
	}
	t := &trace.Sites{Module: "m", Root: "/m", Files: []trace.File{{Path: "m.go", Name: "m/m.go"}}, Funcs: []trace.Func{{Name: "f", Line: 1, End: most}}, Blocks: make([]trace.Block, 1)}
	for b := 1; b <= most; b++ {
		t.Blocks = append(t.Blocks, trace.Block{StartLine: b, StartCol: 1, EndLine: b, EndCol: 9, Stmts: 1})
	}
	for _, b := range s.comms {
		t.Blocks[b].Kind = trace.BlockComm
	}
	return t
}

func (s *sim) open(string) (*trace.Trace, error) {
	t := &trace.Trace{}
	for i, st := range s.streams {
		g := trace.NewGoroutine(trace.GoroutineID(i+1), "TestX", st)
		g.Class, g.Root = s.class(i+1), i == 0
		if line := s.spawned[i+1]; line > 0 {
			g.Spawn = trace.Frame{Func: "m.f", File: "/m/m.go", Line: line}
		}
		t.Goroutines = append(t.Goroutines, g)
	}
	if s.times != nil {
		s.times(t)
	}
	return t, nil
}

func (s *sim) run(_ context.Context, t Trial, keep bool, _ time.Duration) (Outcome, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs++
	r := &simRun{trial: t, rnd: s.rnd, turn: s.runs}
	for i, stall := range t.Plan.Of(freedom.Step.Holds) {
		s.hold(r, i, stall)
	}
	for i, o := range t.Plan.Of(freedom.Step.Orders) {
		s.wait(r, i, o)
	}
	o := Outcome{Ran: true, Wall: 50 * time.Millisecond, Elapsed: 40 * time.Millisecond, Acts: r.acts, Draws: s.draws}
	if name := s.rule(r); name != "" {
		o.Failed, o.Message = true, name
		o.Signature = failure(name)
	}
	o.Draws = append(slices.Clip(o.Draws), r.draws...)
	if keep {
		o.Trace = "sim"
	}
	return o, nil
}

// failure is the signature of a failed check.
func failure(name string) runner.Signature {
	if strings.HasPrefix(name, "/") {
		return runner.Signature{Test: "TestX" + name, Message: name}
	}
	return runner.Signature{Test: "TestX", Message: name}
}

func (s *sim) hold(r *simRun, index int, stall freedom.Step) {
	at := stall.At
	for i, st := range s.streams {
		id := trace.GoroutineID(i + 1)
		if id != at.G.ID && s.class(i+1) != at.G.Class {
			continue
		}
		if at.Hit > 0 {
			at.Event = nthEvent(st, at.Block, at.Hit)
		}
		if s.absent != nil && s.absent(r, i+1, at.Event) {
			continue
		}
		applied := at.Event < uint64(len(st)) && uint32(st[at.Event]) == at.Block && !s.missed[int64(at.Event)]
		r.acts = append(r.acts, Act{
			Act: trace.Act{Kind: trace.ActStall, Index: index, Event: int64(at.Event), Block: at.Block, Held: int64(stall.Dose), Applied: applied},
			ID:  id, Test: "TestX",
		})
		if stall.First {
			return
		}
	}
}

// nthEvent returns the number of the event that is a block for the nth time.
func nthEvent(st []trace.Event, block, nth uint32) uint64 {
	for i, e := range st {
		if uint32(e) == block {
			if nth--; nth == 0 {
				return uint64(i)
			}
		}
	}
	return uint64(len(st))
}

// held returns for how long goroutine g was held before one of the events.
func (r *simRun) held(g int, from, to int64) time.Duration {
	var d time.Duration
	for _, a := range r.acts {
		if a.Applied && a.ID == trace.GoroutineID(g) && from <= a.Event && a.Event <= to {
			d = max(d, time.Duration(a.Held))
		}
	}
	return d
}

// drawn returns the result of a choice of block b: pinned, or by chance.
func (r *simRun) drawn(kind trace.ActKind, b uint32, n int) int {
	var seed uint64
	pinned := false
	for _, p := range r.trial.Plan.Of(freedom.Step.Chooses) {
		if p.Kind != kind {
			continue
		}
		switch p.At.Block {
		case b:
			return hash(p.Seed, kind, b) % n
		case 0:
			seed, pinned = p.Seed, true
		}
	}
	if pinned {
		return hash(seed, kind, b) % n
	}
	return r.rnd.IntN(n)
}

func hash(seed uint64, kind trace.ActKind, b uint32) int {
	h := fnv.New32a()
	fmt.Fprint(h, seed, kind, b)
	return int(h.Sum32() >> 4)
}

func (s *sim) experimenter() *Experimenter {
	s.rnd = rand.New(rand.NewPCG(7, 7))
	return &Experimenter{Test: "TestX", Sites: s.sites(), Seed: 1, Run: s.run, opener: s.open, Traces: true}
}

func (s *sim) find(t *testing.T) *Result {
	t.Helper()
	r, err := s.experimenter().Find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// wait has a goroutine of the simulation wait for an order, which comes about unless the
// rule of the simulation says otherwise.
func (s *sim) wait(r *simRun, index int, o freedom.Step) {
	met := s.meets == nil || s.meets(r, o)
	r.acts = append(r.acts, Act{
		Act: trace.Act{Kind: trace.ActOrder, Index: index, Block: o.At.Block, Held: int64(time.Millisecond), Applied: true, Met: met},
		ID:  o.At.G.ID, Test: "TestX",
	})
}

// ordered reports whether the run forces that the goroutine waits at a block from..to
// until the other has come to until.
func (r *simRun) ordered(g int, from, to, until uint32) bool {
	for _, o := range r.trial.Plan.Of(freedom.Step.Orders) {
		if o.At.G.ID == trace.GoroutineID(g) && from <= o.At.Block && o.At.Block <= to && o.Until.Block >= until {
			return true
		}
	}
	return false
}
