package inject

import (
	"fmt"
	"hash/fnv"
	"slices"
)

// An operator is a mechanical edit that makes tests flaky.
type operator struct {
	name     string
	category string // from Luo et al., An Empirical Analysis of Flaky Tests (FSE 2014)
	doc      string // what it does, in one sentence
	shuffle  bool   // it is about what tests leave behind, so they run in random order
	sites    func(s *source) []Edit
}

// Luo's categories, without floating point, which can't be injected by one edit.
const (
	asyncWait    = "async wait"
	concurrency  = "concurrency"
	testOrder    = "test order"
	resourceLeak = "resource leak"
	network      = "network"
	timeCategory = "time"
	inputOutput  = "io"
	randomness   = "randomness"
	unordered    = "unordered collections"
)

// operators returns all operators. Their order has no meaning.
func operators() []operator {
	return []operator{
		{"wait-dropped", asyncWait, "A Wait of a WaitGroup or a receive that only waits is deleted.",
			false, waitDropped},
		{"wait-slept", asyncWait, "Such a wait becomes a sleep of 50 µs to 2 ms.", false, waitSlept},
		{"sleep-shrunk", asyncWait, "A sleep of a fixed time becomes ten or a hundred times shorter.",
			false, sleepShrunk},
		{"call-go", asyncWait, "A call of the module's own code becomes a go statement.", false, callGo},
		{"add-inside", concurrency, "WaitGroup.Add moves into the goroutine that it counts.", false, addInside},
		{"done-early", concurrency, "A deferred Done or close is done at once, before the work.", false, doneEarly},
		{"signal-early", concurrency, "A send, close, Done or Signal changes places with the statement before it.",
			false, signalEarly},
		{"lock-dropped", concurrency, "A Lock and its Unlock are deleted.", false, lockDropped},
		{"lock-early", concurrency, "Unlock comes one statement too early, or at once instead of deferred.",
			false, lockEarly},
		{"atomic-split", concurrency, "An atomic update becomes a load, a yield and a store.", false, atomicSplit},
		{"buffer-dropped", concurrency, "A channel loses its buffer.", false, bufferDropped},
		{"reset-dropped", testOrder, "A cleanup, or a statement that sets a package variable, is deleted.",
			true, resetDropped},
		{"state-shared", testOrder, "What a constructor makes for each instance is made once for all.",
			true, stateShared},
		{"close-dropped", resourceLeak, "A deferred Close, Stop or cancel is deleted.", false, closeDropped},
		{"deadline-shrunk", timeCategory, "A deadline, expiry or interval becomes ten to a thousand times shorter.",
			false, deadlineShrunk},
		{"clock-truncated", timeCategory, "A reading of the clock is cut to between 1 ms and 1 s.",
			false, clockTruncated},
		{"port-fixed", network, "A port that the system was to choose is fixed.", false, portFixed},
		{"read-once", network, "ReadFull or ReadAll becomes one Read.", false, readOnce},
		{"flush-dropped", inputOutput, "A Flush, Sync or Close of what is written is deleted.", false, flushDropped},
		{"flush-late", inputOutput, "A Flush, Sync or Close happens in a goroutine of its own.", false, flushLate},
		{"constant-random", randomness, "A whole number becomes a random one between 0 and it.", false, constantRandom},
		{"seed-random", randomness, "A fixed seed becomes a random one.", false, seedRandom},
		{"sort-dropped", unordered, "A sort is deleted.", false, sortDropped},
		{"order-asserted", unordered, "An assertion about elements in any order asks for one order.",
			false, orderAsserted},
		{"map-ranged", unordered, "A loop over a slice goes in the order of a map.", false, mapRanged},
	}
}

// chosen returns the operators with these names, or all if there are none.
func chosen(names []string) ([]operator, error) {
	all := operators()
	if len(names) == 0 {
		return all, nil
	}
	var list []operator
	for _, name := range names {
		i := slices.IndexFunc(all, func(op operator) bool { return op.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no operator %q", name)
		}
		list = append(list, all[i])
	}
	return list, nil
}

// pick chooses one of n variants of an edit by its position, so that the possible edits do not
// depend on a seed.
func (s *source) pick(pos, n int) int {
	h := fnv.New32a()
	h.Write([]byte(s.path))
	h.Write([]byte{byte(pos), byte(pos >> 8), byte(pos >> 16)})
	return int(h.Sum32()>>8) % n
}
