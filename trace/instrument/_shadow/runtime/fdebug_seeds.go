package runtime

// Generators that a program seeds from the clock, the most common way to get different numbers in
// each run. A seed counts as read from the clock if it is a time within the last ten seconds, in
// nanoseconds, microseconds, milliseconds or seconds.

//fdebug:lost the numbers of generators that are seeded from the clock cannot be repeated
//fdebug:patch math/rand/rng.go func (rng *rngSource) Seed(seed int64) {{+ seed = runtime.FdebugSeed(seed);+}
//fdebug:patch math/rand/v2/pcg.go func NewPCG(seed1, seed2 uint64) *PCG {{+
//	seed1, seed2 = runtime.FdebugSeeds(seed1, seed2);+}

const fdebugRecent = 10

// FdebugSeed returns the seed that a generator uses. If random numbers are pinned, a seed from
// the clock is replaced.
func FdebugSeed(seed int64) int64 {
	if !fdebugPinned || !fdebugIsClock(seed) {
		return seed
	}
	r, ok := fdebugDraw(fdebugActRand)
	if !ok {
		return seed
	}
	return int64(r >> 1)
}

// FdebugSeeds is FdebugSeed for generators with two seeds.
func FdebugSeeds(seed1, seed2 uint64) (uint64, uint64) {
	return uint64(FdebugSeed(int64(seed1))), uint64(FdebugSeed(int64(seed2)))
}

func fdebugIsClock(seed int64) bool {
	sec, nsec, _ := time_now()
	now := sec*1e9 + int64(nsec)
	for unit := int64(1); unit <= 1e9; unit *= 1000 {
		if age := now/unit - seed; age >= 0 && age <= fdebugRecent*1e9/unit {
			return true
		}
	}
	return false
}
