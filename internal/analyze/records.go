package analyze

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const (
	maxRecords    = 60      // different ones of a test
	maxOutput     = 4 << 10 // bytes of output of a run
	maxPaths      = 6       // goroutines of a run
	maxPathEvents = 1 << 14 // events of a goroutine that its path is made of
	maxSteps      = 60      // of a path
)

// records keeps what the runs of a test printed and where they went, each different
// record once.
func (an *Analyzer) records(t *finding.Test, u *runner.Unit, traces *traceSet) {
	known := make(map[string]int)
	for i, r := range u.Runs {
		if r.Outcome == nil {
			continue
		}
		x := finding.Record{Output: headTail(r.Outcome.Output, maxOutput)}
		if tr, err := traces.get(r.Run); err == nil {
			x.Paths, x.Others = an.paths(tr, u.Test)
		}
		key := fmt.Sprint(maskTimes(x.Output), x.Paths, x.Others)
		if known[key] == 0 {
			if len(t.Records) == maxRecords {
				continue
			}
			t.Records = append(t.Records, x)
			known[key] = len(t.Records)
		}
		t.Runs[i].Record = known[key]
	}
}

// maskTimes leaves out of an output how long the test took, which go test adds.
func maskTimes(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		if trimmed := strings.TrimSpace(l); strings.HasPrefix(trimmed, "--- ") {
			lines[i], _, _ = strings.Cut(l, " (")
		}
	}
	return strings.Join(lines, "\n")
}

// headTail returns the beginning and the end of a long text.
func headTail(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most/2] + fmt.Sprintf("\n[... %d bytes left out here ...]\n", len(s)-most) + s[len(s)-most/2:]
}

func rootFirst(g *trace.Goroutine) int {
	if g.Root {
		return 0
	}
	return 1
}

// paths returns where the goroutines of a test went, the test's own first, then by where
// they were started: in an order that is the same in every run.
func (an *Analyzer) paths(t *trace.Trace, test string) (out []finding.Path, others int) {
	list := slices.Clone(t.GoroutinesOf(test))
	slices.SortStableFunc(list, func(a, b *trace.Goroutine) int {
		return cmp.Or(rootFirst(a)-rootFirst(b), cmp.Compare(a.Spawn.File, b.Spawn.File), a.Spawn.Line-b.Spawn.Line, cmp.Compare(a.ID, b.ID))
	})
	for _, g := range list {
		if len(out) == maxPaths {
			if g.Len() > 0 {
				others++
			}
			continue
		}
		steps, more := an.steps(g)
		p := finding.Path{Steps: collapse(steps), More: more}
		if !g.Root {
			p.Started = g.Spawn
		}
		if n := len(p.Steps); n > maxSteps {
			p.After, p.Cut = maxSteps/3, n-maxSteps
			p.Steps = slices.Concat(p.Steps[:p.After:p.After], p.Steps[n-(maxSteps-p.After):])
		}
		if len(p.Steps) > 0 {
			out = append(out, p)
		}
	}
	return out, others
}

// steps returns the stays in functions of a goroutine, one after the other, and how many events
// there are after those.
func (an *Analyzer) steps(g *trace.Goroutine) (out []finding.PathStep, more int64) {
	last, n := -1, 0
	for c := range g.Chunks {
		events, err := g.Load(c, nil)
		if err != nil || n > maxPathEvents {
			return out, g.Len() - int64(n)
		}
		n += len(events)
		for _, e := range events {
			b, ok := e.Block()
			if !ok || !an.Sites.Has(b) {
				continue
			}
			block := an.Sites.Blocks[b]
			if block.Func != last || block.Kind == trace.BlockEntry {
				out = append(out, finding.PathStep{Func: an.Sites.Funcs[block.Func].Name, Times: 1})
				last = block.Func
			}
			s := &out[len(out)-1]
			if span, ok := an.Sites.Pos(b); ok {
				s.Lines = addLines(s.Lines, finding.Span{File: filepath.ToSlash(span.File), Start: span.Start, End: span.End})
			}
		}
	}
	return out, 0
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

// repeats returns how many steps at the beginning repeat, and how often in a row; the
// shortest period that does.
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

// maxWordings is how many other wordings of a failure are kept.
const maxWordings = 5

// wordings returns what other runs said than the first one, the most frequent first, and how
// many more there are. Where only addresses and the like differ it is said once.
func wordings(g *runner.Group) (kept []finding.Wording, more int) {
	var list []finding.Wording
	at := make(map[string]int)
	first := runner.Wording(g.Runs[0].Outcome.Message)
	for _, r := range g.Runs {
		said := runner.Wording(r.Outcome.Message)
		if said == first {
			continue
		}
		i, seen := at[said]
		if !seen {
			i = len(list)
			at[said], list = i, append(list, finding.Wording{Text: r.Outcome.Message})
		}
		list[i].Runs++
	}
	slices.SortStableFunc(list, func(a, b finding.Wording) int { return b.Runs - a.Runs })
	kept = list[:min(len(list), maxWordings)]
	return kept, len(list) - len(kept)
}
