package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/testname"
	"github.com/fdebug/fdebug/internal/text"
)

// NameTests replaces names of tests among the patterns by the packages that have them, and
// selects the tests. It runs before anything is built.
func (j *Session) NameTests() error {
	var run []string
	for i, pattern := range j.Patterns {
		name, ok := testname.Parse(pattern)
		if _, err := os.Stat(filepath.Join(j.AbsDir(), pattern)); !ok || err == nil {
			continue
		}
		dir, err := j.dirOf(pattern, name)
		if err != nil {
			return err
		}
		j.Patterns[i] = dir
		run = append(run, name.Pattern())
	}
	switch {
	case len(run) == 0:
		return nil
	case j.Sel.Run != "":
		return advice.Usagef("the name of a test and -run exclude each other")
	case len(run) < len(j.Patterns):
		return advice.With(advice.Usagef("names of tests and of packages exclude each other"),
			"a test of one package is named with it, for example queue.TestDrain")
	}
	slices.Sort(j.Patterns)
	j.Patterns = slices.Compact(j.Patterns)
	j.Sel.Run = strings.Join(run, "|")
	return nil
}

// dirOf returns the directory of the package that has the test, as a pattern. If several have it,
// the one in the current directory is meant.
func (j *Session) dirOf(typed string, name testname.Name) (string, error) {
	m, err := testname.ModuleOf(j.AbsDir())
	if err != nil {
		return "", advice.With(fmt.Errorf("%s: this directory is in no module", typed),
			"run fdebug in the directory of your module, or use -C DIR")
	}
	dirs, err := m.Find(name)
	switch {
	case err != nil:
		return "", fmt.Errorf("looking for %s: %w", typed, err)
	case len(dirs) == 0:
		return "", j.noTest(m, typed, name)
	case slices.Contains(dirs, j.AbsDir()):
		return ".", nil
	case len(dirs) > 1:
		return "", advice.With(advice.Usagef("%s: %s have a test %s", typed, text.Plural(len(dirs), "package"),
			name.Test), j.commands(typed, name, dirs)...)
	}
	return j.relative(dirs[0]), nil
}

// noTest is the error for a test that does not exist, perhaps because of a typo.
func (j *Session) noTest(m *testname.Module, typed string, name testname.Name) error {
	if name.Package != "" {
		elsewhere, err := m.Find(testname.Name{Test: name.Test})
		if err == nil && len(elsewhere) > 0 {
			return advice.With(fmt.Errorf("no package %s has a test %s", name.Package, name.Test),
				j.commands(typed, name, elsewhere)...)
		}
	}
	err := fmt.Errorf("no test %s in module %s", name.Test, m.Path)
	if hints := j.Mistyped(typed); len(hints) > 0 {
		return advice.With(err, hints...)
	}
	return advice.With(err, "names of tests stand alone, patterns for several after -run: -run 'TestDrain|TestFill'")
}

// Mistyped returns the hint for the name of a test that the module does not have, or none.
func (j *Session) Mistyped(typed string) []string {
	name, ok := testname.Parse(typed)
	m, err := testname.ModuleOf(j.AbsDir())
	if !ok || err != nil {
		return nil
	}
	all, err := m.Tests("")
	if err != nil || slices.Contains(all, name.Test) {
		return nil
	}
	return advice.DidYouMean(name.Test, all)
}

// PrintedName returns the name of a test as package testing prints it, and as runs are kept under it.
func PrintedName(typed string) string { return testname.Printed(typed) }

// maxCommands is how many packages a hint names.
const maxCommands = 5

// commands returns the command to type for each package.
func (j *Session) commands(typed string, name testname.Name, dirs []string) (hints []string) {
	at := slices.Index(j.Command, typed)
	for _, dir := range dirs[:min(len(dirs), maxCommands)] {
		words := []string{"-run", text.ShellQuote(name.Pattern()), text.ShellQuote(j.relative(dir))}
		if at >= 0 {
			words = slices.Replace(slices.Clone(j.Command), at, at+1, words...)
		}
		hints = append(hints, strings.Join(words, " "))
	}
	return hints
}

// relative returns a directory as a pattern of packages.
func (j *Session) relative(dir string) string {
	rel, err := filepath.Rel(j.AbsDir(), dir)
	if err != nil {
		return dir
	}
	if rel = filepath.ToSlash(rel); !strings.HasPrefix(rel, ".") {
		rel = "./" + rel
	}
	return rel
}
