package analyze

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/internal/runner"
)

// RacesDir is where, in the run directory, the runs made with the race detector are.
const RacesDir = "races"

// maxRaces is how many races of one test are kept.
const maxRaces = 3

// addRaces adds to the tests of a result the races that the race detector saw in
// runs of them that were made with it, if there are any.
func (an *Analyzer) addRaces(result *finding.Result) {
	runs, err := runner.Load(filepath.Join(an.Dir, RacesDir))
	if err != nil {
		return // none were made
	}
	for _, pkg := range runs.Packages {
		for _, t := range result.Tests {
			if t.Package == pkg.ImportPath {
				t.Races = an.Races(t.Name, pkg)
			}
		}
	}
}

// Races returns the races that belong to a test, the most frequent first: one is
// the same if its accesses are at the same two places, whichever of them reads in
// one run and writes in another.
func (an *Analyzer) Races(test string, pkg *runner.Package) []finding.Race {
	var list []finding.Race
	failing := 0
	for _, run := range pkg.Runs {
		o := run.Outcome(test)
		failed := o != nil && o.Status.Failing()
		if failed {
			failing++
		}
		var seen []int
		for _, text := range run.Races {
			r, _ := race.Parse(text) // of one whose stacks the detector has lost, what there is of it
			if !belongs(&r, run, test) {
				continue
			}
			sides, ok := an.sides(r)
			if !ok {
				continue
			}
			i := slices.IndexFunc(list, func(k finding.Race) bool {
				return k.Accesses[0].At == sides[0].At && k.Accesses[1].At == sides[1].At
			})
			if i < 0 {
				i = len(list)
				list = append(list, finding.Race{Accesses: sides, Of: len(pkg.Runs)})
			}
			for n := range sides {
				list[i].Accesses[n].Kind |= sides[n].Kind
			}
			if !slices.Contains(seen, i) {
				seen = append(seen, i)
				list[i].Seen++
				if failed {
					list[i].Failed++
				}
			}
		}
	}
	for i := range list {
		list[i].Failing = failing
	}
	slices.SortStableFunc(list, func(a, b finding.Race) int { return cmp.Compare(b.Seen, a.Seen) })
	return list[:min(len(list), maxRaces)]
}

// belongs reports whether a race is one of a test's, by its stacks or because nothing else ran.
func belongs(r *race.Report, run *runner.Run, test string) bool {
	return r.Mentions(test) || test != "" && only(run, test)
}

// sides returns the two accesses of a report, in the order of the source: which
// of them comes first is a matter of luck.
func (an *Analyzer) sides(r race.Report) (sides [2]finding.Access, ok bool) {
	sides, ok = diagnose.Sides(r, an.Sites)
	if a, b := sides[0].At, sides[1].At; cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line)) > 0 {
		sides[0], sides[1] = sides[1], sides[0]
	}
	return sides, ok
}
