package runner

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/internal/ginkgo"
)

// Every recorded run is pinned by its own seed. Its draws still differ from run to run, but can
// be repeated. A failure that depends only on a draw can be repeated right away. Control runs
// draw freely. The phase of the clock at which either starts follows from the seed too.

// seedBits is how large seeds may be: JSON readers may not represent larger integers exactly.
const seedBits = 53

// pin has the random choices of a run follow from a seed, by a plan in a file that it sets in x, and
// returns the seed: 0 if x is not traced or the file can't be written. The order of the specs of
// Ginkgo follows from it even then, because Ginkgo would take one from the clock.
func (p *packageRun) pin(x *Exec, seed uint64, first bool) uint64 {
	if x.suite() != (ginkgo.Suite{}) && x.Select.Shuffle == "" {
		x.Select.Shuffle = ginkgo.Seed(seed)
	}
	if x.Trace == "" || p.s.r.Pin == nil {
		return 0
	}
	file := x.Trace + "-plan" // with a dot it would look like the trace of a child
	if err := p.s.r.Pin(file, seed, first); err != nil {
		return 0 // the disk may be full; the run is still useful
	}
	x.Perturb = file
	if x.Select.Shuffle == "on" {
		// Package testing prints a seed from the clock, and with the plan would shuffle by another.
		x.Select.Shuffle = fmt.Sprint(seed)
	}
	return seed
}

// seed returns the seed of the n-th run. If Seed is set, it is the same wherever the run is made.
func (p *packageRun) seed(n int) uint64 {
	if p.s.r.Seed == 0 {
		return rand.Uint64()>>(64-seedBits) | 1
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %s", p.s.r.Seed, n, p.pkg.ImportPath))
	return binary.LittleEndian.Uint64(sum[:])>>(64-seedBits) | 1
}

// The process of a run of a package whose tests read the clock is started at a phase of the wall
// clock that is drawn from the run's seed. By itself each run begins when the one before has ended,
// and runs that are as long as a part of a second, or a machine that is busy for a while, put those
// next to each other into the same part of it: their failures seem to come from other conditions of
// that time. A drawn phase follows from nothing. The tests begin later, by the start-up time of the
// process; as the draw does not depend on that, their phase is as uniform.
//
// Runs with probes and without are started alike. A wait inside of the process would need probes, and
// would be taken from the time that -timeout gives to the tests.

// periods are those within which a phase is drawn. Each is a multiple of the units that code mostly has,
// up to a tenth of a second, and divides a second.
var periods = [...]time.Duration{100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond, time.Second}

// period returns the period within which phases are drawn, for runs of a usual length.
func period(usual time.Duration) time.Duration {
	for _, p := range periods {
		if usual <= p {
			return p
		}
	}
	return periods[len(periods)-1]
}

// mostDrawn is how many packages have drawn phases: with more of them the time goes to more runs.
const mostDrawn = 8

// noteClock notes whether the first run of a package, whose trace is stored, shows that its tests
// read the clock.
func (p *packageRun) noteClock(run *Run) {
	if p.s.r.Clocked == nil || len(run.Traces) == 0 || len(p.s.packages) > mostDrawn {
		return
	}
	clocked := p.s.r.Clocked(filepath.Join(p.s.r.Dir, filepath.FromSlash(run.Traces[0])))
	p.s.mu.Lock()
	p.clocked = p.clocked || clocked
	p.s.mu.Unlock()
}

// await waits for the phase of a run with a seed, and returns the period that it is drawn from: 0 if it
// is not drawn.
func (p *packageRun) await(ctx context.Context, seed uint64) time.Duration {
	p.s.mu.Lock()
	clocked := p.clocked
	p.s.mu.Unlock()
	if !clocked {
		return 0
	}
	usual, _ := p.exec.pace.usual(false)
	unit := period(usual.Usual)
	wait := (drawnPhase(seed, unit) - time.Duration(p.s.now().UnixNano())) % unit
	select {
	case <-time.After((wait + unit) % unit):
	case <-ctx.Done():
	}
	return unit
}

// drawnPhase returns the phase that is drawn for a run with a seed. Its other choices follow from other
// parts of the seed.
func drawnPhase(seed uint64, unit time.Duration) time.Duration {
	sum := sha256.Sum256(fmt.Appendf(nil, "phase %d", seed))
	return time.Duration(binary.LittleEndian.Uint64(sum[:]) % uint64(unit))
}
