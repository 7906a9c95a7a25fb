package analyze

import (
	"context"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Functions returns the functions of the blocks that were run, see Blocks.
func Functions(sites *trace.Sites, ran map[int]bool) map[int]bool {
	list := make(map[int]bool)
	for b := range ran {
		list[sites.Blocks[b].Func] = true
	}
	return list
}

// Blocks returns the blocks that the goroutines of a test have run, in the
// runs that are shown of a failure, those of the tests that it is a subtest of, and
// those of no test: they make what it is given. dir is the run directory.
func Blocks(ctx context.Context, dir string, sites *trace.Sites, runs *runner.Results, t *finding.Test, f *finding.Failure) map[int]bool {
	ran := make(map[int]bool)
	d := f.Analysis.Chain[len(f.Analysis.Chain)-1]
	for _, pkg := range runs.Packages {
		if pkg.ImportPath != t.Package {
			continue
		}
		traces := newTraceSet(ctx, dir)
		defer traces.close()
		for _, r := range pkg.Runs {
			if r.N != d.FailingRun && r.N != d.PassingRun {
				continue
			}
			if tr, err := traces.get(r); err == nil {
				addBlocks(ran, sites, tr, t.Name)
			}
		}
	}
	return ran
}

func addBlocks(ran map[int]bool, sites *trace.Sites, tr *trace.Trace, test string) {
	list := tr.GoroutinesOf(test)
	for _, g := range tr.Goroutines {
		if g.Test == "" || g.Root && strings.HasPrefix(test, g.Test+"/") {
			list = append(list, g)
		}
	}
	counts, _, err := sites.Counts(list)
	if err != nil {
		return
	}
	for b, n := range counts {
		if n > 0 {
			ran[b] = true
		}
	}
}
