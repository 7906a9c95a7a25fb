package main

import (
	"fmt"
	"path"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"

	"github.com/fdebug/fdebug/templates"
)

func (a *app) explainCmd(args []string) (int, error) {
	args, err := newFlagSet("explain").parse(args)
	if err != nil {
		return exitUsage, err
	}
	switch len(args) {
	case 0:
		return a.listCategories()
	case 1:
		return a.explain(args[0])
	}
	return exitUsage, advice.Usagef("explain takes one category")
}

func (a *app) explain(category string) (int, error) {
	text, err := templates.FS.ReadFile(path.Join("advice", path.Base(category)+".md"))
	if err != nil {
		names, err := categories()
		if err != nil {
			return exitTrouble, err
		}
		hints := append(advice.DidYouMean(category, names), "fdebug explain lists the categories")
		return exitUsage, advice.With(advice.Usagef("unknown category %q", category), hints...)
	}
	fmt.Fprintf(a.Stdout, "%s", text)
	return exitOK, nil
}

func (a *app) listCategories() (int, error) {
	names, err := categories()
	if err != nil {
		return exitTrouble, err
	}
	for _, name := range names {
		fmt.Fprintln(a.Stdout, name)
	}
	return exitOK, nil
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
