package session

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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
	if err := j.refuseFiles(); err != nil {
		return err
	}
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
	all, err := m.Tests()
	if err != nil || slices.Contains(all, name.Test) {
		return nil
	}
	return advice.DidYouMean(name.Test, all)
}

// refuseFiles says how to run the tests of files that were named as packages.
func (j *Session) refuseFiles() error {
	var files, tests []string
	for _, pattern := range j.Patterns {
		file := filepath.Join(j.AbsDir(), pattern)
		if filepath.IsAbs(pattern) {
			file = pattern
		}
		if info, err := os.Stat(file); err != nil || info.IsDir() || filepath.Ext(file) != ".go" {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		files, tests = append(files, file), append(tests, testname.In(src)...)
	}
	if len(files) == 0 {
		return nil
	}
	words := []string{j.relative(filepath.Dir(files[0]))}
	if len(tests) > 0 {
		words = append(words, "-run", text.ShellQuote("^("+strings.Join(tests, "|")+")$"))
	}
	return advice.With(advice.Usagef("%s: packages are wanted, not files", filepath.Base(files[0])), j.retyped(words))
}

// retyped returns the command with other words in place of the packages.
func (j *Session) retyped(packages []string) string {
	words, at := slices.Clone(j.Command), -1
	for _, pattern := range j.Patterns {
		if i := slices.Index(words, pattern); i >= 0 {
			words, at = slices.Delete(words, i, i+1), i
		}
	}
	if at < 0 { // none was typed
		at = len(words)
		if i := slices.Index(words, "--"); i >= 0 {
			at = i
		}
	}
	return strings.Join(slices.Insert(words, at, packages...), " ")
}

// patternHint says how packages are named here. At the root of a workspace ./... matches none.
func (j *Session) patternHint(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}")
	cmd.Dir = j.AbsDir()
	out, err := cmd.Output()
	var below []string
	for dir := range strings.Lines(string(out)) {
		if rel := j.relative(strings.TrimSpace(dir)); strings.HasPrefix(rel, "./") {
			below = append(below, text.ShellQuote(rel+"/..."))
		}
	}
	if err != nil || len(below) == 0 {
		return PatternHint
	}
	return "each module of the workspace is named: " + j.retyped(below)
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
