package inject

import (
	"math"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// lastDivergence returns the last common block of the last divergence of the most frequent
// failure that has one.
func lastDivergence(t *report.DocumentTest) *Place {
	var list []report.DocumentDivergence
	most := 0
	for _, f := range t.Failures {
		if len(f.Divergences) > 0 && len(f.Runs) > most {
			most, list = len(f.Runs), f.Divergences
		}
	}
	if most == 0 || list[len(list)-1].LastCommon == nil {
		return nil
	}
	p := placeOf(*list[len(list)-1].LastCommon)
	return &p
}

// baselines finds the failed check and Ochiai's first block in the runs of a
// test.
func (r *measure) baselines(dir string, t *report.DocumentTest) error {
	results, err := runner.Load(dir)
	if err != nil {
		return err
	}
	sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
	if err != nil {
		return err
	}
	for _, u := range results.Units() {
		if u.Test != t.Test || u.Package.ImportPath != t.Package || len(u.Groups) == 0 {
			continue
		}
		if f := u.Groups[0].Signature.Frame; f.File != "" {
			if rel, ok := sites.Rel(f.File); ok {
				r.Check = &Place{rel, Range{f.Line, f.Line}}
			}
		}
		r.Ochiai, err = ochiaiFirst(dir, u, sites)
		return err
	}
	return nil
}

// ochiaiFirst returns the block with the highest Ochiai coefficient among those
// that the test's goroutines ran.
func ochiaiFirst(dir string, u *runner.Unit, sites *trace.Sites) (*Place, error) {
	fail, pass := make([]int, len(sites.Blocks)), make([]int, len(sites.Blocks))
	failing := 0
	for _, run := range u.Runs {
		hits := pass
		switch {
		case len(run.Run.Traces) == 0:
			continue
		case run.Status.Failing():
			hits = fail
		case run.Status != runner.Passed:
			continue
		}
		counts, err := blocks(filepath.Join(dir, run.Run.Traces[0]), u.Test, sites)
		if err != nil {
			continue // a killed process left no trace
		}
		if run.Status.Failing() {
			failing++
		}
		for b, n := range counts {
			if n > 0 {
				hits[b]++
			}
		}
	}
	b := best(fail, pass, failing)
	if b == 0 {
		return nil, nil
	}
	start, end := sites.Blocks[b].Lines()
	return &Place{sites.Files[sites.FileOf(b)].Path, Range{start, end}}, nil
}

// blocks counts how often a test's goroutines ran each block.
func blocks(file, test string, sites *trace.Sites) ([]int64, error) {
	t, err := trace.Open(file)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	counts, _, err := sites.Counts(t.GoroutinesOf(test))
	return counts, err
}

// best returns the block with the highest Ochiai coefficient, the first if there are several, or
// 0 if no failing run ran any. fail[b] failing runs and pass[b] passing runs ran block b.
func best(fail, pass []int, failing int) int {
	at, top := 0, 0.0
	for b := range fail {
		if fail[b] == 0 {
			continue
		}
		if c := float64(fail[b]) / math.Sqrt(float64(failing)*float64(fail[b]+pass[b])); c > top {
			at, top = b, c
		}
	}
	return at
}
