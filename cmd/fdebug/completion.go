package main

import (
	"embed"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/stored"
	"github.com/fdebug/fdebug/internal/testname"
)

//go:embed completion
var completions embed.FS

// completionCmd prints the script that asks for words, or answers that.
func (a *app) completionCmd(args []string) (int, error) {
	if len(args) > 0 && args[0] == "words" {
		for _, word := range a.completeWord(args[1:]) {
			fmt.Fprintln(a.Stdout, word)
		}
		return exit.OK, nil
	}
	args, err := newFlagSet("completion").parse(args)
	if err != nil {
		return exit.Usage, err
	}
	text, err := completions.ReadFile("completion/" + firstArg(args))
	if len(args) != 1 || err != nil {
		return exit.Usage, advice.With(advice.Usagef("completion takes the name of a shell"),
			"one of "+strings.Join(a.shellNames(""), ", ")+": fdebug help completion")
	}
	fmt.Fprintf(a.Stdout, "%s", text)
	return exit.OK, nil
}

// completeWord returns the completions of the last of the words after fdebug, none if that is the
// name of a file.
func (a *app) completeWord(words []string) (list []string) {
	if rest, err := a.takeC(words); err == nil {
		words = rest
	}
	if len(words) == 0 {
		return nil
	}
	before, word := words[:len(words)-1], words[len(words)-1]
	list = commandNames()
	if len(before) > 0 {
		list = a.completeArgument(before, word)
	}
	return slices.DeleteFunc(list, func(s string) bool { return !strings.HasPrefix(s, word) })
}

// completeArgument returns the words that can follow a command and its arguments before this one.
func (a *app) completeArgument(before []string, word string) []string {
	c := commandNamed(before[0])
	if c == nil || slices.Contains(before, "--") {
		return nil
	}
	fs := c.flags(a)
	last := before[len(before)-1]
	switch f := fs.Lookup(strings.TrimLeft(last, "-")); {
	case strings.HasPrefix(word, "-"):
		return fs.names(word[:len(word)-len(strings.TrimLeft(word, "-"))])
	case strings.HasPrefix(last, "-") && f != nil && !isBool(f.Value), c.complete == nil:
		return nil
	}
	fs.parse(before[1:]) // -C says where tests are; what else may be wrong is not yet the question
	return c.complete(a, word)
}

// testNames returns the tests of the module with names that begin so. Without a first letter none
// is looked for: most arguments are directories.
func (a *app) testNames(word string) []string {
	if word == "" || word[0] < 'A' || word[0] > 'Z' {
		return nil
	}
	dir, err := filepath.Abs(a.Chdir)
	if err != nil {
		return nil
	}
	m, err := testname.ModuleOf(dir)
	if err != nil {
		return nil
	}
	names, _ := m.Tests(word) // of what can be read
	return names
}

// replayNames returns the names under which replay finds a file: one of each, until it is known how it begins.
func (a *app) replayNames(word string) (names []string) {
	for _, f := range store.Glob(a.StoreIn("").Dir, "runs/*/*"+proof.Suffix) {
		names = append(names, strings.TrimSuffix(filepath.Base(f), proof.Suffix))
		if r, err := proof.Read(f); err == nil && word != "" {
			names = append(names, r.Names()...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// reportNames returns the tests that the latest run has reports on.
func (a *app) reportNames(string) []string {
	latest, err := a.StoreIn("").Find("")
	if err != nil {
		return nil
	}
	_, all, _ := stored.ReportsOf(latest, "")
	return all
}

func (a *app) categoryNames(string) []string {
	names, _ := categories() // they are in the binary
	return names
}

// subjectNames returns the subjects of help.
func (a *app) subjectNames(string) (names []string) {
	entries, _ := helpTexts.ReadDir("help")
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".txt"))
	}
	return names
}

func (a *app) shellNames(string) (names []string) {
	entries, _ := completions.ReadDir("completion")
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
