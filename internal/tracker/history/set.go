package history

import (
	"encoding/binary"
	"errors"
	"slices"
)

// In nearly every run of a package the same tests pass, so that this list is stored
// once, as a set: a run names its set, and has a row of its own for each failure only.
// Ten million results are some megabytes so.

// A count is how often a test passed and was skipped in one run: mostly once.
type count struct {
	test         int64 // id
	passed, skip int
}

// Codes in the lowest two bits of an entry, above which is the distance to the id of
// the test before.
const (
	passedOnce  = 0
	skippedOnce = 1
	asFollows   = 2 // the counts follow
)

// setOf returns the set of what passed and was skipped in a run. id gives the ids of
// tests.
func setOf(results []Result, id func(test string) int64) []byte {
	at := make(map[int64]int, len(results))
	counts := make([]count, 0, len(results))
	for i := range results {
		r := &results[i]
		if r.Status.Failing() {
			continue
		}
		test := id(r.Test)
		n, ok := at[test]
		if !ok {
			n = len(counts)
			at[test] = n
			counts = append(counts, count{test: test})
		}
		if r.Status == Skipped {
			counts[n].skip++
		} else {
			counts[n].passed++
		}
	}
	return encodeSet(counts)
}

// encodeSet writes counts in the order of the tests' ids.
func encodeSet(counts []count) []byte {
	slices.SortFunc(counts, func(a, b count) int { return int(a.test - b.test) })
	out := make([]byte, 0, len(counts)+8)
	last := int64(0)
	for _, c := range counts {
		gap := uint64(c.test-last) << 2
		last = c.test
		switch {
		case c.passed == 1 && c.skip == 0:
			out = binary.AppendUvarint(out, gap|passedOnce)
		case c.passed == 0 && c.skip == 1:
			out = binary.AppendUvarint(out, gap|skippedOnce)
		default:
			out = binary.AppendUvarint(out, gap|asFollows)
			out = binary.AppendUvarint(out, uint64(c.passed))
			out = binary.AppendUvarint(out, uint64(c.skip))
		}
	}
	return out
}

var errSet = errors.New("a set of tests is damaged")

// maxCount bounds how often one test can have been executed in one run.
const maxCount = 1 << 30

// eachCount calls do for each entry of a set.
func eachCount(set []byte, do func(count)) error {
	last := uint64(0)
	for len(set) > 0 {
		v, n := binary.Uvarint(set)
		if n <= 0 {
			return errSet
		}
		set = set[n:]
		last += v >> 2
		c := count{test: int64(last), passed: 1}
		switch v & 3 {
		case passedOnce:
		case skippedOnce:
			c.passed, c.skip = 0, 1
		default:
			p, n := binary.Uvarint(set)
			if n <= 0 {
				return errSet
			}
			s, m := binary.Uvarint(set[n:])
			if m <= 0 || p > maxCount || s > maxCount {
				return errSet
			}
			set = set[n+m:]
			c.passed, c.skip = int(p), int(s)
		}
		do(c)
	}
	return nil
}
