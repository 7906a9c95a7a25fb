package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/report"
)

func (a *app) issueCmd(args []string) (int, error) {
	fs := newFlagSet("issue")
	out := fs.String("o", "", "")
	short := fs.Bool("short", false, "")
	args, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) > 1 {
		return exitUsage, advice.Usagef("issue takes one test")
	}
	dir, err := a.store(*out).Find("")
	if err != nil {
		return exitTrouble, explainNoRun(err)
	}
	file, err := findReport(dir, firstArg(args))
	if err != nil {
		return exitTrouble, err
	}
	text, err := os.ReadFile(filepath.Join(dir, strings.TrimSuffix(file, ".html")+".md"))
	if err != nil {
		return exitTrouble, err
	}
	if *short {
		text = []byte(report.ShortMarkdown(string(text)))
	}
	fmt.Fprintf(a.Stdout, "%s", text)
	return exitOK, nil
}

// findReport returns the name of the HTML report of a test.
func findReport(dir, test string) (string, error) {
	f, err := os.Open(filepath.Join(dir, "result.json"))
	if err != nil {
		return "", advice.With(err, "fdebug report writes the reports of a run that was killed")
	}
	defer f.Close()
	result, err := report.ReadJSON(f)
	if err != nil {
		return "", fmt.Errorf("%s: %w", f.Name(), err)
	}
	var found, all []string
	for _, t := range result.Tests {
		name := t.Test
		all = append(all, name)
		base := t.Package[strings.LastIndexByte(t.Package, '/')+1:]
		if test == "" || test == name || test == base+"."+name || test == t.Package+"."+name {
			found = append(found, t.Report)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(all) == 0:
		return "", advice.With(fmt.Errorf("no report%s: no test of that run failed (%s)", forTest(test), dir),
			"only flaky and failing tests have one; more runs may find some: fdebug run ./... -n 500")
	case len(found) == 0:
		hints := append(advice.DidYouMean(test, all), "tests with a report: "+strings.Join(all, ", "))
		return "", advice.With(fmt.Errorf("no report for %q", test), hints...)
	case test == "":
		return "", advice.With(fmt.Errorf("%d tests have a report: say which", len(found)), "tests with a report: "+strings.Join(all, ", "))
	}
	return "", advice.With(fmt.Errorf("several packages have a report for %s", test), "write it as package."+test)
}

// forTest returns " for TestX", "" for no test.
func forTest(test string) string {
	if test == "" {
		return ""
	}
	return fmt.Sprintf(" for %q", test)
}
