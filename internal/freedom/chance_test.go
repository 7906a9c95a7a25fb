package freedom_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/lab/recorded"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

const (
	recordings = "../lab/accuracy/testdata/recorded/*.tar.zst"
	shuffles   = 20 // of the outcomes of each failure, once runs were observed
	observed   = 4  // after which they are observed anew
	falsely    = 0.015
)

// TestByChance shuffles the outcomes of recorded runs: then nothing that runs did goes with them, and
// no more may be told as likely than the level says.
func TestByChance(t *testing.T) {
	files, err := filepath.Glob(recordings)
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	told, of, anew, ofAnew := 0, 0, 0, 0
	for i, file := range files {
		if testing.Short() && i%8 != 0 {
			continue
		}
		for _, r := range open(t, file) {
			list, err := freedom.Observe(r)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			rng := rand.New(rand.NewPCG(uint64(i), 2))
			for range shuffles {
				n += likely(fact.Rank(shuffled(rng, r.Failed()), list))
			}
			told, of = told+n, of+shuffles
			n = likelyAnew(t, r, uint64(i))
			anew, ofAnew = anew+n, ofAnew+observed
		}
	}
	t.Logf("of shuffled outcomes %d of %d have a likely cause, %d of %d where runs are observed anew", told, of, anew, ofAnew)
	if float64(told) > falsely*float64(of) || float64(anew) > falsely*float64(ofAnew)+2 {
		t.Errorf("%d of %d and %d of %d are more than the level says", told, of, anew, ofAnew)
	}
}

// likelyAnew shuffles the outcomes of runs, observes what they did before they failed by these outcomes, and
// counts how often something is likely.
func likelyAnew(t *testing.T, r *freedom.Runs, seed uint64) (n int) {
	rng, was := rand.New(rand.NewPCG(seed, 3)), r.Failed()
	for range observed {
		for i, is := range shuffled(rng, was) {
			r.List[i].Failed = is
		}
		facts, err := freedom.Rank(r)
		if err != nil {
			t.Fatal(err)
		}
		n += likely(facts)
	}
	return n
}

// likely is 1 if one of some facts is told as likely.
func likely(facts []fact.Fact) int {
	if slices.ContainsFunc(facts, func(f fact.Fact) bool { return f.Stands() }) {
		return 1
	}
	return 0
}

// shuffled returns outcomes that nothing goes with.
func shuffled(rng *rand.Rand, failed []bool) []bool {
	list := make([]bool, len(failed))
	for i, j := range rng.Perm(len(failed)) {
		list[i] = failed[j]
	}
	return list
}

// open returns the runs of each failure of a recording.
func open(t *testing.T, file string) (list []*freedom.Runs) {
	t.Helper()
	dir := t.TempDir()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := recorded.Unpack(f, dir); err != nil {
		t.Fatal(err)
	}
	sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
	if err != nil {
		t.Fatal(err)
	}
	results, err := runner.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) ([]byte, error) {
		return os.ReadFile(filepath.Join(dir, "src", filepath.FromSlash(path)+analyze.KeptSuffix))
	}
	index := source.Load(context.Background(), source.Config{Dir: filepath.Join(dir, "no module"), Sites: sites, Read: read})
	trace := func(r *runner.Run) (*trace.Trace, error) {
		x, err := trace.Open(filepath.Join(dir, r.Traces[0]))
		if err == nil {
			t.Cleanup(func() { x.Close() })
		}
		return x, err
	}
	for _, p := range results.Packages {
		for _, u := range p.Units() {
			for _, g := range u.Groups {
				if r := analyze.RunsOf(u, g, trace); r != nil {
					r.Sites, r.Source = sites, index
					list = append(list, r)
				}
			}
		}
	}
	return list
}
