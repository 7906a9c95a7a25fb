package perturb

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Goroutine selects goroutines: one by its identity, or all of a class. Exactly
// one of the two is set.
type Goroutine struct {
	ID    trace.GoroutineID
	Class uint64 // trace.Goroutine.Class
}

// A Position is a point in a goroutine's stream: before event number Event, counted
// from 0, if that is about to be Block; else where the goroutine is next about to
// write Block, up to 65,536 events later. With Hit above 0 it is where the
// goroutine is about to write Block for the Hit-th time, whatever the number.
//
// Where a block only calculates before it branches, its event is written after that
// (held pairs, see package fdebugrt): a position before it is one before the branch.
type Position struct {
	G     Goroutine
	Event uint64
	Block uint32
	Hit   uint32
}

// End, as the block of a position, is the end of the goroutine, which can be waited
// for; nobody can be held there.
const End = 1<<32 - 1

// A Pin makes the draws of one kind a function of a seed, the identity of the
// goroutine, the block that draws, and how many times it has drawn there.
// With Blocks only the draws of goroutines whose last event is one of these; without,
// all that no other pin of the kind names.
type Pin struct {
	Kind   trace.ActKind // trace.ActSelect, ActMap or ActRand
	Seed   uint64
	Blocks []uint32
}

// Pins returns pins of all kinds of draws, whose seeds follow from one.
func Pins(seed uint64) []Pin {
	return []Pin{{Kind: trace.ActSelect, Seed: seed}, {Kind: trace.ActMap, Seed: seed}, {Kind: trace.ActRand, Seed: seed}}
}

// A Plan is what one run is subjected to. The zero Plan changes nothing.
type Plan struct {
	Process string // base name of the executable that it is for, "" for all: children inherit the environment
	Test    string // only goroutines that belong to this test, or to one of its subtests, act; "" for all
	Stalls  []Stall
	Orders  []Order
	Yield   *Yield
	Sched   *Sched
	Pins    []Pin

	Settings []Setting  `json:",omitempty"`
	Collect  []Position `json:",omitempty"` // where garbage is collected: twice, so that pools are empty too
}

// Env returns what must be in the environment of the process for a plan that was
// written to the named file, whose path is absolute. The process must be traced too
// (FDEBUG_TRACE): positions are places in the streams that it writes.
func (p *Plan) Env(file string) []string {
	env := []string{"FDEBUG_PERTURB=" + file}
	if p.Sched != nil {
		env = append(env, "GOMAXPROCS=1")
	}
	for _, s := range p.Settings {
		env = append(env, s.env(file)...)
	}
	return env
}

// limit returns a duration in nanoseconds, not below 0.
func limit(d time.Duration) uint64 { return uint64(max(d, 0)) }
