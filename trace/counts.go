package trace

import (
	"fmt"
	"path"
	"slices"
)

// Counts returns how often each block was run by the goroutines gs, indexed by block number.
// Chunks whose content was not kept can't be counted; lost is the number of their events. A block
// that is not in the table is an error: the trace comes from another build.
func (s *Sites) Counts(gs []*Goroutine) (counts []int64, lost int64, err error) {
	counts = make([]int64, len(s.Blocks))
	var buf []Event
	for _, g := range gs {
		for i, c := range g.Chunks {
			if !c.Kept {
				lost += int64(c.Len)
				continue
			}
			if buf, err = g.Load(i, buf); err != nil {
				return nil, 0, err
			}
			if err := count(counts, buf); err != nil {
				return nil, 0, fmt.Errorf("trace: goroutine %s, chunk %d: %w", g.ID, i, err)
			}
		}
	}
	return counts, lost, nil
}

// Packages returns the import paths of the packages whose code the goroutines gs ran, none of a trace that can't be read.
func (s *Sites) Packages(gs []*Goroutine) (list []string) {
	counts, _, _ := s.Counts(gs)
	for b, n := range counts {
		if n > 0 && s.Has(b) {
			list = append(list, path.Dir(s.Files[s.FileOf(b)].Name))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// count adds the blocks among events to counts.
func count(counts []int64, events []Event) error {
	for _, e := range events {
		if e&checkBit != 0 {
			continue
		}
		if int(e) >= len(counts) || e == 0 {
			return fmt.Errorf("block %d is not in the sites table, which has %d: the trace is of another build", e,
				max(len(counts)-1, 0))
		}
		counts[e]++
	}
	return nil
}
