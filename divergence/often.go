package divergence

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// An Often says that the goroutine that parted had run a block at least so many
// times by then in failing runs, and fewer times in passing runs: something was
// used up.
type Often struct {
	Divergence int // index in Analysis.Chain
	Block      int
	AtLeast    int64
	Table      Table   // runs by whether they had
	P          float64 // Fisher's exact test on Table, times the number of blocks and limits
}

const minOftenExcess = 0.9

// often looks for the first block of which the count goes with the outcome, on
// the goroutine that failed. It must be a way that code does not always take:
// the function it is in was not entered more often in failing runs.
func (a *analysis) often() error {
	if len(a.shown) == 0 {
		return nil
	}
	i := len(a.shown) - 1
	f := a.shown[i]
	counts, err := a.countBefore(f)
	if err != nil || len(counts) < 2 {
		return err
	}
	var blocks []int
	for _, c := range counts {
		for b := range c {
			if k := a.in.Sites.Blocks[b].Kind; k != trace.BlockEntry && k != trace.BlockLoop && k != trace.BlockNext && !slices.Contains(blocks, b) {
				blocks = append(blocks, b)
			}
		}
	}
	slices.Sort(blocks)
	for _, b := range blocks {
		if o := a.oftenBlock(b, counts, len(blocks)); o != nil {
			o.Divergence = i
			a.out.Often = append(a.out.Often, *o)
		}
	}
	return nil
}

// countBefore counts the blocks that each run had run on the lane of a finding
// when it came there; passing runs when they came there last, or up to their end
// if they did not: what is used up by the last of all is never asked for.
func (a *analysis) countBefore(f *finding) (map[int]map[int]int64, error) {
	at := make(map[int]int64)
	for _, p := range append(slices.Clone(f.fails), f.passes...) {
		at[p.run] = max(at[p.run], p.pos)
	}
	out := make(map[int]map[int]int64)
	last, counted := make(map[prefix]int64), make(map[prefix]map[int]int64) // of streams that are equal so far
	for run, g := range f.lane.streams {
		if g == nil {
			continue
		}
		end, ok := at[run]
		if !ok || !a.in.Runs[run].Failed {
			var err error
			end, err = memo(last, prefixOf(g, a.end(f.lane, run)), func(p prefix) (int64, error) { return lastVisit(g, f.lastCommon(), p.end) })
			if err != nil {
				return nil, a.inRun(run, err)
			}
		}
		var err error
		out[run], err = memo(counted, prefixOf(g, end), func(p prefix) (map[int]int64, error) { return a.countTo(g, p.end) })
		if err != nil {
			return nil, a.inRun(run, err)
		}
	}
	return out, nil
}

// countTo counts the blocks among the first end events of a stream.
func (a *analysis) countTo(g *trace.Goroutine, end int64) (map[int]int64, error) {
	counts := make([]int64, len(a.in.Sites.Blocks))
	err := eachBefore(g, end, func(_ int64, events []trace.Event) {
		for _, e := range events {
			if b, ok := e.Block(); ok && a.in.Sites.Has(b) {
				counts[b]++
			}
		}
	})
	out := make(map[int]int64)
	for b, n := range counts {
		if n > 0 {
			out[b] = n
		}
	}
	return out, err
}

// A prefix stands for the first events of a stream: those of two streams are
// equal if their prefixes are.
type prefix struct {
	hash uint64 // of the hashes of the chunks they are in
	end  int64
}

func prefixOf(g *trace.Goroutine, end int64) prefix {
	h := fnv.New64a()
	var off int64
	for _, c := range g.Chunks {
		if off >= end {
			break
		}
		kept := byte(0)
		if c.Kept {
			kept = 1
		}
		h.Write(append(binary.LittleEndian.AppendUint64(nil, c.Hash), kept))
		off += int64(c.Len)
	}
	return prefix{h.Sum64(), end}
}

// memo returns what is known of p, or what f finds out.
func memo[T any](known map[prefix]T, p prefix, f func(prefix) (T, error)) (T, error) {
	if v, ok := known[p]; ok {
		return v, nil
	}
	v, err := f(p)
	known[p] = v
	return v, err
}

// lastVisit returns the position after the last occurrence of an event among the
// first end events of a stream, or end if it does not occur.
func lastVisit(g *trace.Goroutine, e trace.Event, end int64) (int64, error) {
	last := end
	err := eachBefore(g, end, func(pos int64, events []trace.Event) {
		for i, x := range events {
			if x == e {
				last = pos + int64(i) + 1
			}
		}
	})
	return last, err
}

// oftenBlock looks for the limit of one block.
func (a *analysis) oftenBlock(b int, counts map[int]map[int]int64, blocks int) *Often {
	var limits []int64
	for _, c := range counts {
		if c[b] >= 1 && !slices.Contains(limits, c[b]) {
			limits = append(limits, c[b])
		}
	}
	var best *Often
	for _, k := range limits {
		t := a.cohort.tableWhere(func(run int) bool { return counts[run][b] >= k })
		p := a.cohort.fact.fisher(t) * float64(blocks*len(limits))
		if t.excess() >= minOftenExcess && p <= maxOrderP && (best == nil || p < best.P) {
			best = &Often{Block: b, AtLeast: k, Table: t, P: p}
		}
	}
	if best != nil && a.enteredMore(b, counts) {
		return nil
	}
	return best
}

// enteredMore reports whether failing runs entered the function of a block more
// often than passing runs: then they just did more.
func (a *analysis) enteredMore(b int, counts map[int]map[int]int64) bool {
	entry := b
	for entry > 1 && a.in.Sites.Blocks[entry].Kind != trace.BlockEntry && a.in.Sites.Blocks[entry-1].Func == a.in.Sites.Blocks[b].Func {
		entry--
	}
	var sum, n [2]int64
	for run, c := range counts {
		i := 0
		if a.in.Runs[run].Failed {
			i = 1
		}
		sum[i] += c[entry]
		n[i]++
	}
	return n[0] == 0 || n[1] == 0 || sum[1]*n[0] > sum[0]*n[1]
}
