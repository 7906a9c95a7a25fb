package freedom

import (
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Goroutine selects goroutines: one by its identity, or all of a class. Exactly one of the two is set.
type Goroutine struct {
	ID    trace.GoroutineID
	Class uint64 // trace.Goroutine.Class
}

// A Position is a point in a goroutine's stream: before event number Event, counted from 0, if that is going to be
// Block. Otherwise it is where the goroutine is next about to write Block, up to 65,536 events later. With Hit above
// 0 it is where the goroutine is about to write Block for the Hit-th time, whatever the number.
//
// If a block only calculates before it branches, its event is written after that (held pairs, see
// package fdebugrt). A position before the block is then a position before the branch.
type Position struct {
	G     Goroutine
	Event uint64
	Block uint32
	Hit   uint32
}

// A Site is a place at which a goroutine can be held: before an event of its stream.
type Site struct {
	G     Goroutine
	Event int64 // number of the event
	Block int   // that it is
	Hit   int   // how often the goroutine had come to the block, this time counted
	ByHit bool  // it is told by Hit, not by the number of the event
	Class uint64
}

// Position returns the site as a run is given it.
func (s Site) Position() Position {
	if s.ByHit {
		return Position{G: s.G, Block: uint32(s.Block), Hit: uint32(s.Hit)}
	}
	return Position{G: s.G, Event: uint64(s.Event), Block: uint32(s.Block)}
}

// SiteOf returns a position as a site. Nothing else is known about it.
func SiteOf(at Position) Site {
	return Site{G: at.G, Event: int64(at.Event), Block: int(at.Block), Hit: int(at.Hit),
		ByHit: at.Event == 0 && at.G != Goroutine{}}
}

// End, as the block of a position, is the end of the goroutine. An order can wait for it, but no
// goroutine can be held there.
const End = 1<<32 - 1

// Pin makes the draws of one kind, select, map or rand, a function of a seed, the identity of the goroutine, the
// block that draws, and how many times it has drawn there. With a block, it applies to goroutines whose last event is
// that block; with 0, to all draws that no other pin of the kind covers.
func Pin(kind trace.ActKind, seed uint64, block uint32) Step {
	return Step{Kind: kind, Seed: seed, At: Position{Block: block}}
}

// Pins returns pins for all kinds of draws, whose seeds are derived from one.
func Pins(seed uint64) []Step {
	return []Step{Pin(trace.ActSelect, seed, 0), Pin(trace.ActMap, seed, 0), Pin(trace.ActRand, seed, 0)}
}

// A Plan is the set of perturbations for one run. The zero Plan changes nothing.
type Plan struct {
	// base name of the executable that it is for; "" for all, because children inherit the environment
	Process string `json:",omitempty"`
	Acts    []Step
}

// Env returns the environment variables of the process for a plan that was written to the named file, whose path is
// absolute. The process must be traced too (FDEBUG_TRACE): positions are places in the streams that it writes.
func (p *Plan) Env(file string) []string {
	env := []string{"FDEBUG_PERTURB=" + file}
	for _, a := range p.Acts {
		env = append(env, envOf(a, file)...)
	}
	return env
}

// limit returns a duration in nanoseconds, at least 0.
func limit(d time.Duration) uint64 { return uint64(max(d, 0)) }
