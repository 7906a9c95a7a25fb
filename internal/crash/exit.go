package crash

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// exits are functions that end the process.
var exits = []string{
	"os.Exit", "syscall.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Logger.Fatal", "log.Logger.Fatalf",
	"log.Logger.Fatalln",
}

// exit says who ended the process, where it left no word of the runtime: goroutines
// whose last block calls a function that does, and which did not wait. Tests that
// run side by side all end with it.
func (f *finder) exit() *finding.Crash {
	out := &finding.Crash{Kind: finding.CrashExit, At: f.Frame}
	for i := range f.Runs {
		if r := &f.Runs[i]; r.Failed {
			out.Failing++
			for _, p := range f.exitsIn(r.Trace) {
				k := slices.IndexFunc(out.Parties, func(o finding.Party) bool {
					return o.At == p.At && o.Test == p.Test
				})
				if k < 0 {
					k = len(out.Parties)
					out.Parties = append(out.Parties, p)
				}
				out.Parties[k].Seen++
			}
		}
	}
	slices.SortStableFunc(out.Parties, func(a, b finding.Party) int { return cmp.Compare(b.Seen, a.Seen) })
	out.Parties = out.Parties[:min(len(out.Parties), maxParties)]
	for i := range out.Parties {
		out.Parties[i].Only = len(out.Parties) == 1
	}
	if len(out.Parties) == 0 {
		return nil
	}
	return out
}

// foreign says which other test's goroutine panicked, and took this one with it; nil if
// in some failing run it was none of another test's.
func (f *finder) foreign() *finding.Crash {
	p := finding.Party{Kind: finding.PartyConcurrent, At: f.Frame, Only: true}
	for i := range f.Runs {
		r := &f.Runs[i]
		if !r.Failed {
			continue
		}
		g := died(r)
		if g == nil || g.Test == "" || within(g.Test, f.Test) || within(f.Test, g.Test) ||
			p.Test != "" && p.Test != g.Test {
			return nil
		}
		p.Test = g.Test
		p.Seen++
	}
	if p.Seen == 0 {
		return nil
	}
	return &finding.Crash{Kind: finding.CrashExit, At: f.Frame, Failing: p.Seen, Parties: []finding.Party{p}}
}

// within reports whether a test is another one, or a subtest of it.
func within(test, of string) bool { return test == of || strings.HasPrefix(test, of+"/") }

// died returns the goroutine that the dump of a run begins with, nil if it has none.
func died(r *Run) *trace.Goroutine {
	if len(r.Dump) == 0 || r.Dump[0].Number == 0 {
		return nil
	}
	for _, g := range r.Trace.Goroutines {
		if g.Number == r.Dump[0].Number {
			return g
		}
	}
	return nil
}

// exitsIn returns the calls that may have ended the process of a run, each once.
// TestMain's own waits for the tests.
func (f *finder) exitsIn(t *trace.Trace) (list []finding.Party) {
	for _, g := range t.Goroutines {
		n := len(g.Stamps)
		if g.End != 0 || g.Entry.Func == "runtime.main" || g.Len() == 0 ||
			n > 0 && !g.Stamps[n-1].GoesOn && g.Stamps[n-1].Pos == g.Len() {
			continue
		}
		for _, o := range f.code.Block(lastBlock(g), source.Call) {
			p := finding.Party{Kind: finding.PartyConcurrent, At: f.frame(o), Test: g.Test}
			if slices.Contains(exits, o.How) && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// lastBlock returns the block that a goroutine ran last, 0 if that is not known.
func lastBlock(g *trace.Goroutine) int {
	events, _, err := g.LoadAt(g.Len() - 1)
	if err != nil || len(events) == 0 {
		return 0
	}
	b, _ := events[len(events)-1].Block()
	return b
}
