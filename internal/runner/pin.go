package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"

	"github.com/fdebug/fdebug/internal/ginkgo"
)

// Every recorded run is pinned by its own seed. Its draws still differ from run to run, but can
// be repeated. A failure that depends only on a draw can be repeated right away. Control runs
// draw freely. The phase of the clock at which either starts follows from the seed too: phase.go.

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

// unpin removes the plan of a run that has ended.
func unpin(x *Exec) {
	if x.Perturb != "" {
		os.Remove(x.Perturb)
	}
}
