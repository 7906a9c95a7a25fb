package stored

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/report"
)

// FindReport returns the run and the name of the HTML report of a test: from the latest run if
// that has one, else from the newest run that has. Errors are about the latest.
func FindReport(c *session.Console, st store.Store, test string) (dir, file string, err error) {
	latest, err := st.Find("")
	if err != nil {
		return "", "", session.ExplainNoRun(err)
	}
	found, all, err := reportsOf(latest, test)
	if err == nil && len(found) == 0 {
		for _, older := range olderThan(st, latest) {
			if found, _, err := reportsOf(older, test); err == nil && len(found) == 1 {
				c.Progressf("%s: no report%s in the latest run, this is of the run %s", c.Show(st.Dir), forTest(test),
					filepath.Base(older))
				return older, found[0], nil
			}
		}
	}
	switch {
	case err != nil:
		return "", "", err
	case len(found) == 1:
		return latest, found[0], nil
	}
	return "", "", noReport(latest, test, found, all)
}

// olderThan returns the directories of the other runs, the newest first.
func olderThan(st store.Store, latest string) (list []string) {
	ids, _ := st.Runs() // the latest is there, and the others add to it
	for _, id := range slices.Backward(ids) {
		if id != filepath.Base(latest) {
			list = append(list, filepath.Join(st.Dir, "runs", id))
		}
	}
	return list
}

// reportsOf returns the names of the HTML reports of a test in a run, and the names of all tests
// that have one there.
func reportsOf(dir, test string) (found, all []string, err error) {
	result, err := Result(dir)
	if err != nil {
		return nil, nil, err
	}
	packages := make(map[string][]string) // by name of the test
	for _, t := range result.Tests {
		packages[t.Test] = append(packages[t.Test], t.Package)
	}
	for _, t := range result.Tests {
		name := t.Test
		shown := name
		if len(packages[name]) > 1 {
			shown = text.ShortPath(t.Package, packages[name]) + "." + name
		}
		all = append(all, shown)
		if test == "" || text.IsTest(test, t.Package, name) {
			found = append(found, t.Report)
		}
	}
	return found, all, nil
}

// Result reads the result.json of a run.
func Result(dir string) (*report.Document, error) {
	f, err := os.Open(filepath.Join(dir, "result.json"))
	if err != nil {
		return nil, advice.With(err, "fdebug report writes the reports of a run that was killed")
	}
	defer f.Close()
	d, err := report.ReadJSON(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return d, nil
}

// noReport says why there is not exactly one report for a test.
func noReport(dir, test string, found, all []string) error {
	switch {
	case len(all) == 0:
		return advice.With(fmt.Errorf("no report%s: no test of that run failed (%s)", forTest(test), dir),
			"only flaky and failing tests have one; more runs may find some: fdebug run ./... -n 500")
	case len(found) == 0:
		hints := append(advice.DidYouMean(test, all), "tests with a report: "+strings.Join(all, ", "))
		return advice.With(fmt.Errorf("no report for %q", test), hints...)
	case test == "":
		return advice.With(fmt.Errorf("%d tests have a report: say which", len(found)),
			"tests with a report: "+strings.Join(all, ", "))
	}
	return advice.With(fmt.Errorf("several packages have a report for %s: say which", test),
		"tests with a report: "+strings.Join(all, ", "))
}

// forTest returns " for TestX", or "" for no test.
func forTest(test string) string {
	if test == "" {
		return ""
	}
	return fmt.Sprintf(" for %q", test)
}
