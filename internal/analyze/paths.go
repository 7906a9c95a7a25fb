package analyze

import (
	"cmp"
	"hash/maphash"
	"path"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

const (
	maxPaths      = 6       // goroutines of a run
	maxPathEvents = 1 << 14 // events of a goroutine that its path is made of
	maxSteps      = 60      // of a path
	stepsBefore   = 5       // that are kept before where a path leaves that of another run
)

// A fullPath is a path with nothing left out in the middle.
type fullPath struct {
	finding.Path
	rest []trace.Chunk // that its steps do not have
}

// pathSeed is that of hashes of paths, which are compared in one process only.
var pathSeed = maphash.MakeSeed()

// hashOf tells paths apart, what is left out of them included.
func hashOf(paths []fullPath) uint64 {
	var h maphash.Hash
	h.SetSeed(pathSeed)
	for _, p := range paths {
		maphash.WriteComparable(&h, p.Started)
		for _, s := range p.Steps {
			h.WriteString(s.Func)
			maphash.WriteComparable(&h, s.Times)
			for _, l := range s.Lines {
				maphash.WriteComparable(&h, l)
			}
		}
		for _, c := range p.rest {
			maphash.WriteComparable(&h, [2]uint64{c.Hash, uint64(c.Len)})
		}
		h.WriteByte(0)
	}
	return h.Sum64()
}

// shortened leaves steps out of long paths. It keeps the beginning, the end, and where a path leaves the one that the
// same goroutine took in a run with another outcome.
func shortened(paths, others []fullPath) []finding.Path {
	var out []finding.Path
	seen := make(map[trace.Frame]int)
	for _, p := range paths {
		seen[p.Started]++
		leaves := len(p.Steps)
		if other := nthStarted(others, p.Started, seen[p.Started]); other != nil {
			leaves = commonSteps(p.Steps, other.Steps)
		}
		p.cut(leaves)
		out = append(out, p.Path)
	}
	return out
}

// nthStarted returns the nth path, from 1, among those started at a place, nil if there are fewer.
func nthStarted(paths []fullPath, at trace.Frame, nth int) *fullPath {
	for i := range paths {
		if paths[i].Started == at {
			nth--
		}
		if nth == 0 {
			return &paths[i]
		}
	}
	return nil
}

// commonSteps returns how many steps two paths begin with alike.
func commonSteps(a, b []finding.PathStep) int {
	n := 0
	for n < len(a) && n < len(b) && a[n].Times == b[n].Times && alike(a[n:n+1], b[n:n+1]) {
		n++
	}
	return n
}

// cut leaves steps out of a path that has too many: what is kept is a third of them each at the beginning, around a
// step and at the end.
func (p *fullPath) cut(around int) {
	n, third := len(p.Steps), maxSteps/3
	if n <= maxSteps {
		return
	}
	var kept []finding.PathStep
	for i, s := range p.Steps {
		from := around - stepsBefore
		if i < third || i >= n-third || from <= i && i < from+third {
			kept = append(kept, s)
			continue
		}
		if c := len(p.Cuts); c == 0 || p.Cuts[c-1].After < len(kept) {
			p.Cuts = append(p.Cuts, finding.PathCut{After: len(kept)})
		}
		p.Cuts[len(p.Cuts)-1].Steps++
	}
	p.Steps = kept
}

func rootFirst(g *trace.Goroutine) int {
	if g.Root {
		return 0
	}
	return 1
}

// paths returns where the goroutines of a test went, the test's own first, then by where
// they were started: in an order that is the same in every run.
func (an *Analyzer) paths(t *trace.Trace, test string) (out []fullPath, others int) {
	list := slices.Clone(t.GoroutinesOf(test))
	slices.SortStableFunc(list, func(a, b *trace.Goroutine) int {
		return cmp.Or(rootFirst(a)-rootFirst(b), cmp.Compare(a.Spawn.File, b.Spawn.File), a.Spawn.Line-b.Spawn.Line,
			cmp.Compare(a.ID, b.ID))
	})
	for _, g := range list {
		if len(out) == maxPaths {
			if g.Len() > 0 {
				others++
			}
			continue
		}
		steps, more, rest := an.steps(g, t.Stacks)
		p := fullPath{finding.Path{Steps: collapse(steps), More: more}, rest}
		if !g.Root {
			p.Started = g.Spawn
		}
		if len(p.Steps) > 0 {
			out = append(out, p)
		}
	}
	return out, others
}

// steps returns the stays in functions of a goroutine, one after the other, and how many events
// there are after those, in which chunks. Of a block that ended in a panic no more is told as
// run than up to it.
func (an *Analyzer) steps(g *trace.Goroutine,
	stacks map[uint32][]trace.Frame) (out []finding.PathStep, more int64, rest []trace.Chunk) {
	last, n := -1, 0
	var at finding.Span // where it is, and not yet in out
	flush := func() {
		if at.File != "" {
			s := &out[len(out)-1]
			s.Lines, at = addLines(s.Lines, at), finding.Span{}
		}
	}
	defer flush()
	for c := range g.Chunks {
		events, err := g.Load(c, nil)
		if err != nil || n > maxPathEvents {
			return out, g.Len() - int64(n), g.Chunks[c:]
		}
		n += len(events)
		for _, e := range events {
			if kind, stack, ok := e.Check(); ok && kind == trace.CheckPanic {
				at.End = lineOfPanic(at, stacks[stack])
			}
			b, ok := e.Block()
			if !ok || !an.Sites.Has(b) {
				continue
			}
			flush()
			block := an.Sites.Blocks[b]
			if block.Func != last || block.Kind == trace.BlockEntry {
				out = append(out, finding.PathStep{Func: an.Sites.Funcs[block.Func].Name, Times: 1})
				last = block.Func
			}
			if span, ok := an.Sites.Pos(b); ok {
				at = span
			}
		}
	}
	return out, 0, nil
}

// lineOfPanic returns the last line of s that was come to if a panic with this stack ended it.
func lineOfPanic(s finding.Span, stack []trace.Frame) int {
	for _, f := range stack {
		if s.Start <= f.Line && f.Line <= s.End && path.Base(f.File) == path.Base(s.File) {
			return f.Line
		}
	}
	return s.End
}

// addLines adds a range to ranges of one file, and joins those that touch.
func addLines(list []finding.Span, s finding.Span) []finding.Span {
	for i := 0; i < len(list); i++ {
		if o := list[i]; o.File == s.File && s.Start <= o.End+1 && o.Start <= s.End+1 {
			s.Start, s.End = min(s.Start, o.Start), max(s.End, o.End)
			list = slices.Delete(list, i, i+1)
			i--
		}
	}
	i := slices.IndexFunc(list, func(o finding.Span) bool { return s.Start < o.Start })
	if i < 0 {
		i = len(list)
	}
	return slices.Insert(list, i, s)
}

// longestPeriod is how many steps are looked for that repeat.
const longestPeriod = 4

// collapse makes one of steps, or of up to four of them, that repeat in a row.
func collapse(steps []finding.PathStep) []finding.PathStep {
	var out []finding.PathStep
	for i := 0; i < len(steps); {
		period, times := repeats(steps[i:])
		for k := range period {
			s := steps[i+k]
			s.Times = times
			out = append(out, s)
		}
		i += period * times
	}
	return out
}

// repeats returns the number of steps at the beginning of a path that are repeated right after them, the least there
// is, and how many times they come in a row. If none are, both are 1.
func repeats(steps []finding.PathStep) (period, times int) {
	for period = 1; period <= longestPeriod && 2*period <= len(steps); period++ {
		times = 1
		for (times+1)*period <= len(steps) && alike(steps[:period], steps[times*period:(times+1)*period]) {
			times++
		}
		if times > 1 {
			return period, times
		}
	}
	return 1, 1
}

func alike(a, b []finding.PathStep) bool {
	return slices.EqualFunc(a, b, func(x, y finding.PathStep) bool {
		return x.Func == y.Func && slices.Equal(x.Lines, y.Lines)
	})
}
