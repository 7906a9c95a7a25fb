// Bite changes lines of fdebug so that it is wrong, one at a time, and says whether its tests notice. Who takes tests
// away, or makes them faster, runs it before and after:
//
//	go run ./internal/lab/bite [-only TEXT]
//
// The mutants are in mutants.txt. Each is tried in a copy of what is committed or added: first with the tests of its own
// package, then with those of packages that depend on it, then with all others. It exits with 1 if one is not killed.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

//go:embed mutants.txt
var mutants string

// A mutant is a line of a file, changed.
type mutant struct {
	file, wrong string // wrong is what fdebug does wrong then
	is, becomes string
}

// parse reads the list.
func parse(text string) (list []mutant, err error) {
	for _, entry := range strings.Split(text, "\n\n")[1:] {
		lines := strings.Split(strings.TrimSuffix(entry, "\n"), "\n")
		file, wrong, ok := strings.Cut(lines[0], ": ")
		if !ok || len(lines) != 3 || lines[1][:1] != "-" || lines[2][:1] != "+" {
			return nil, fmt.Errorf("mutants.txt: not an entry: %q", entry)
		}
		list = append(list, mutant{file, wrong, lines[1][1:], lines[2][1:]})
	}
	return list, nil
}

// apply changes the file in a tree, and returns a function that undoes that.
func (m *mutant) apply(dir string) (undo func() error, err error) {
	name := filepath.Join(dir, filepath.FromSlash(m.file))
	was, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(was), m.is+"\n"); n != 1 {
		return nil, fmt.Errorf("%s has %d lines %q", m.file, n, m.is)
	}
	undo = func() error { return os.WriteFile(name, was, 0o666) }
	return undo, os.WriteFile(name, []byte(strings.Replace(string(was), m.is+"\n", m.becomes+"\n", 1)), 0o666)
}

// A tree is the copy in which mutants are tried.
type tree struct {
	dir      string
	packages []string            // import paths
	deps     map[string][]string // of a package and its tests, with itself
}

func newTree(ctx context.Context, dir string) (*tree, error) {
	files, err := output(ctx, ".", "git", "ls-files", "-z", "--full-name", ":/")
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(strings.TrimSuffix(files, "\x00"), "\x00") {
		if err := copyFile(filepath.Join(strings.TrimSpace(root), name), filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	t := &tree{dir: dir, deps: make(map[string][]string)}
	list, err := output(ctx, dir, "go", "list", "-test", "-deps", "-f", "{{.ImportPath}}\t{{.ForTest}}\t{{join .Deps \" \"}}", "./...")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if pkg, ok := strings.CutSuffix(f[0], ".test"); ok && !strings.HasSuffix(pkg, "/lab/mass") { // it counts lines and bytes
			t.packages = append(t.packages, pkg)
			for d := range strings.FieldsSeq(f[2]) {
				t.deps[pkg] = append(t.deps[pkg], strings.TrimSuffix(d, " ["+f[0]+"]"))
			}
		}
	}
	return t, nil
}

// inOrder returns the packages, those whose tests are likeliest to notice a change of a file first.
func (t *tree) inOrder(file string) []string {
	own := path.Dir(file)
	near := func(pkg string) int {
		switch {
		case strings.HasSuffix(pkg, "/"+own):
			return 0
		case slices.ContainsFunc(t.deps[pkg], func(d string) bool { return strings.HasSuffix(d, "/"+own) }):
			return 1
		case strings.Contains(own, "/_") && strings.HasSuffix(pkg, "/"+own[:strings.Index(own, "/_")]):
			return 0
		}
		return 2
	}
	return slices.SortedStableFunc(slices.Values(t.packages), func(a, b string) int { return near(a) - near(b) })
}

// killed returns the package whose tests notice a mutant, "" for none.
func (t *tree) killed(ctx context.Context, m *mutant) (by string, err error) {
	undo, err := m.apply(t.dir)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, undo()) }()
	for _, pkg := range t.inOrder(m.file) {
		out, err := output(ctx, t.dir, "go", "test", "-failfast", "-timeout", "20m", pkg)
		switch {
		case ctx.Err() != nil:
			return "", context.Cause(ctx)
		case strings.Contains(out, "[build failed]"):
			return "", err
		case err != nil:
			return pkg, nil
		}
	}
	return "", nil
}

func run(ctx context.Context, only string) error {
	list, err := parse(mutants)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fdebug-bite")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t, err := newTree(ctx, dir)
	if err != nil {
		return err
	}
	survive := 0
	for _, m := range list {
		if !strings.Contains(m.file+": "+m.wrong, only) {
			continue
		}
		began := time.Now()
		by, err := t.killed(ctx, &m)
		if err != nil {
			return fmt.Errorf("%s: %w", m.file, err)
		}
		if by == "" {
			by = "NOBODY"
			survive++
		}
		fmt.Printf("%s: %s\n\tnoticed by %s after %.0f s\n", m.file, m.wrong, by, time.Since(began).Seconds())
	}
	if survive > 0 {
		return fmt.Errorf("%d mutants were not noticed", survive)
	}
	return nil
}

func copyFile(from, to string) error {
	b, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	info, err := os.Stat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	return os.WriteFile(to, b, info.Mode().Perm())
}

// output runs a command and returns its standard output.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	return string(out), err
}

func main() {
	only := flag.String("only", "", "try the mutants whose line contains `TEXT`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bite:", err)
		os.Exit(1)
	}
}
