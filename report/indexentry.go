package report

import (
	"cmp"
	"fmt"
	"slices"
)

// groupTests sorts tests into groups: flaky ones before those that always fail, in each
// what is proved first, and what fails most.
func groupTests(list []indexTest) (out []indexGroup) {
	slices.SortStableFunc(list, func(a, b indexTest) int { return cmp.Compare(a.Rank, b.Rank) })
	for i := range list {
		list[i].Rank = i
	}
	for _, g := range []struct{ badge, title string }{{"flaky", "Flaky"}, {"provoked", "Provoked"}, {"broken", "Broken"}, {"passing", "Passing"}} {
		var tests []indexTest
		for _, x := range list {
			if x.Badge == g.badge {
				tests = append(tests, x)
			}
		}
		if len(tests) > 0 {
			out = append(out, indexGroup{g.title, tests})
		}
	}
	return out
}

// failingShare is the share of runs that failed, in per cent, as a number to sort by.
func failingShare(c counts) string {
	if c.decided() == 0 || c.allProvoked() {
		return "0"
	}
	return fmt.Sprintf("%.1f", 100*float64(c.Failed)/float64(c.decided()))
}

// kindsOf and packagesOf are what the index can be filtered by, if there is a choice.
func kindsOf(list []indexTest) []string {
	return distinct(list, func(x indexTest) string { return x.Category })
}

func packagesOf(list []indexTest) []string {
	return distinct(list, func(x indexTest) string { return x.Package })
}

func distinct(list []indexTest, of func(indexTest) string) []string {
	var out []string
	for _, x := range list {
		if s := of(x); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	if len(out) < 2 {
		return nil
	}
	slices.Sort(out)
	return out
}
