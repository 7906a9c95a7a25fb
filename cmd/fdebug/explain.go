package main

import (
	"fmt"
	"path"
	"strings"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/templates"
)

func (a *app) explainCmd(args []string) (int, error) {
	args, err := newFlagSet("explain").parse(args)
	if err != nil {
		return exit.Usage, err
	}
	if len(args) == 0 {
		return a.listCategories()
	}
	return a.explain(strings.Join(args, "-")) // as it stands on pages
}

func (a *app) explain(category string) (int, error) {
	category = strings.ReplaceAll(category, " ", "-")
	text, err := templates.FS.ReadFile(path.Join("advice", path.Base(category)+".md"))
	if err != nil {
		names, err := categories()
		if err != nil {
			return exit.Trouble, err
		}
		hints := append(advice.DidYouMean(category, names), "fdebug explain lists the categories")
		return exit.Usage, advice.With(advice.Usagef("unknown category %q", category), hints...)
	}
	fmt.Fprintf(a.Stdout, "%s", text)
	return exit.OK, nil
}

func (a *app) listCategories() (int, error) {
	names, err := categories()
	if err != nil {
		return exit.Trouble, err
	}
	w := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
	for _, name := range names {
		fmt.Fprintf(w, "%s\t%s\n", name, inShort[name])
	}
	w.Flush()
	fmt.Fprintln(a.Stdout, "\n"+
		"fdebug explain CATEGORY says how to recognise it, and how it is usually fixed.")
	return exit.OK, nil
}

// inShort describes each category in a few words.
var inShort = map[string]string{
	"async-wait":            "the test does not wait for a goroutine, or not long enough",
	"concurrency":           "goroutines get in each other's way: a data race, a missing lock",
	"environment":           "the test depends on the machine: processors, limits, variables",
	"floating-point":        "exact comparison of a sum whose last digits vary",
	"io":                    "a file or pipe is not yet complete, closed or gone",
	"network":               "a remote host, a name, or a port that must be free",
	"randomness":            "a random number decides",
	"resource-leak":         "connections, files or goroutines are not given back",
	"test-order":            "another test leaves state behind, or is needed",
	"time":                  "the clock decides: the date, the zone, a boundary",
	"timeout":               "a limit of time: a deadlock, or work that is too slow",
	"unknown":               "what to do when no category fits",
	"unordered-collections": "the order of a map, of a set or of a directory decides",
}

func categories() ([]string, error) {
	entries, err := templates.FS.ReadDir("advice")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".md"))
	}
	return names, nil
}
