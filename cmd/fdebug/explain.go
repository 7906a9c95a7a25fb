package main

import (
	"fmt"
	"path"
	"strings"

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
	return exitUsage, usagef("explain takes one category")
}

func (a *app) explain(category string) (int, error) {
	text, err := templates.FS.ReadFile(path.Join("advice", path.Base(category)+".md"))
	if err != nil {
		return exitUsage, withHint(usagef("unknown category %q", category), "fdebug explain lists the categories")
	}
	fmt.Fprintf(a.stdout, "%s", text)
	return exitOK, nil
}

func (a *app) listCategories() (int, error) {
	entries, err := templates.FS.ReadDir("advice")
	if err != nil {
		return exitTrouble, err
	}
	for _, e := range entries {
		fmt.Fprintln(a.stdout, strings.TrimSuffix(e.Name(), ".md"))
	}
	return exitOK, nil
}
