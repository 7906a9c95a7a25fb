package runner

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
)

// Every recorded run is pinned by a seed of its own: what it draws differs from run
// to run as ever, and can be drawn again. A failure that hangs on a draw alone can
// so be repeated from the start. Control runs draw freely.

// seedBits is how large seeds may be: JSON knows no larger integers for certain.
const seedBits = 53

// pin writes a plan for a traced run and returns its seed, 0 if the run is free.
func (p *packageRun) pin(x *Exec, n int) uint64 {
	if x.Trace == "" || p.s.r.Pin == nil {
		return 0
	}
	seed := p.seed(n)
	file := x.Trace + "-plan" // with a dot it would be taken for the trace of a child
	if err := p.s.r.Pin(file, seed); err != nil {
		return 0 // the disk may be full: the run is worth having all the same
	}
	x.Perturb = file
	if x.Select.Shuffle == "on" {
		// Package testing would seed its generator from the clock, and a pin would
		// change that to another seed than the one it prints.
		x.Select.Shuffle = fmt.Sprint(seed)
	}
	return seed
}

// seed returns the seed of the n-th run: of the same run, wherever it is made, if the
// seeds follow from one.
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
