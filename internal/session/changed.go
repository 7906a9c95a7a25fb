package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace/instrument"
)

// A change is the difference from a revision in git.
type change struct {
	root  string             // of the repository, without symbolic links
	lines map[string][]lines // by path from root
}

type lines struct{ from, to int }

// A Revision is one of git with which the code of a directory is compared.
type Revision struct {
	Dir, Name string
	Flag      string // that named it: "-changed"
}

// Git runs git in the directory, and returns what it prints.
func (r *Revision) Git(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = r.Dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, advice.With(fmt.Errorf("%s %s: %s", r.Flag, r.Name, text.FirstLine(exit.Stderr)), r.hints(ctx)...)
	}
	return out, err
}

// diff returns the output of git diff from the revision on, uncommitted changes included. A rename adds a file: it may be
// one that was not built under its old name.
func (r *Revision) diff(ctx context.Context, args ...string) ([]byte, error) {
	all := []string{"-c", "core.quotePath=false", "diff", "--no-renames", "--no-relative", "--no-ext-diff", "--no-color",
		"--no-prefix"}
	return r.Git(ctx, append(append(all, args...), r.Name, "--")...)
}

// Differing returns the root of the repository, the files that differ from the revision, and those that git does not know,
// by their paths from there.
func (r *Revision) Differing(ctx context.Context) (root string, differ, added []string, err error) {
	if strings.HasPrefix(r.Name, "-") {
		return "", nil, nil, advice.Usagef("%s %s: not a revision", r.Flag, r.Name)
	}
	names := func(out []byte) []string {
		return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(name string) bool { return name == "" })
	}
	top, err := r.Git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", nil, nil, err
	}
	changed, err := r.diff(ctx, "--name-only", "-z")
	if err != nil {
		return "", nil, nil, err
	}
	others, err := r.Git(ctx, "ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":/")
	return resolved(strings.TrimSpace(string(top))), names(changed), names(others), err
}

// hints says which revisions are possible.
func (r *Revision) hints(ctx context.Context) []string {
	hints := []string{r.Flag + " takes a revision as git does: HEAD~1, main, a hash"}
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--is-shallow-repository")
	cmd.Dir = r.Dir
	if out, err := cmd.Output(); err == nil && strings.TrimSpace(string(out)) == "true" {
		hints = append(hints,
			"this clone is shallow, as CI systems make it: fetch more of the history (fetch-depth: 0, GIT_DEPTH: 0)")
	}
	return hints
}

// changedSince asks git for the difference from a revision, including uncommitted changes.
func changedSince(ctx context.Context, dir, rev string) (*change, error) {
	r := &Revision{Dir: dir, Name: rev, Flag: "-changed"}
	root, differ, added, err := r.Differing(ctx)
	if err != nil {
		return nil, err
	}
	c := &change{root: root, lines: make(map[string][]lines)}
	for _, name := range differ {
		c.lines[name] = nil // a binary or empty file has no lines that differ
	}
	diff, err := r.diff(ctx, "--unified=0")
	if err != nil {
		return nil, err
	}
	c.parse(diff)
	for _, name := range added {
		c.lines[name] = append(c.lines[name], lines{1, 1 << 30})
	}
	return c, nil
}

// parse reads the headers of a diff.
func (c *change) parse(diff []byte) {
	name, body := "", 0
	in := bufio.NewScanner(bytes.NewReader(diff))
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		line := in.Text()
		if body > 0 && !strings.HasPrefix(line, `\`) {
			body-- // a line that looks like a header is none
			continue
		}
		if n, ok := strings.CutPrefix(line, "+++ "); ok {
			name = strings.TrimSuffix(n, "\t") // after a name with a space
		}
		if minus, plus, ok := strings.Cut(line, " +"); ok && strings.HasPrefix(minus, "@@ -") {
			_, removed := hunk(minus[len("@@ -"):])
			from, n := hunk(plus)
			if name != "/dev/null" { // removed
				c.lines[name] = append(c.lines[name], lines{from, from + n - 1})
			}
			body = removed + n
		}
	}
}

// hunk reads where one side of a hunk begins, and how many lines it has: "3,2", or "3" for one.
func hunk(s string) (from, n int) {
	n = 1
	fmt.Sscanf(s, "%d,%d", &from, &n)
	return from, n
}

// resolved returns the name of a directory as git has it, without symbolic links. The go command has
// the name by which the user came to it.
func resolved(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	return dir
}

// of returns the lines of a file that were changed.
func (c *change) of(file string) []lines {
	rel, err := filepath.Rel(c.root, filepath.Join(resolved(filepath.Dir(file)), filepath.Base(file)))
	if err != nil {
		return nil
	}
	return c.lines[filepath.ToSlash(rel)]
}

// affects returns the packages that depend on a changed file: a file in the directory of a
// package, in its testdata, or one that it embeds. A change to the choice of modules affects all
// packages.
func (c *change) affects(ctx context.Context, goCmd, dir string, flags []string,
	list []instrument.Package) ([]instrument.Package, error) {
	if c.modules() {
		return list, nil
	}
	// With -e a package that does not load is no error: go test runs the others too.
	args := append([]string{"list", "-e", "-deps", "-test",
		"-json=ImportPath,Dir,Standard,Deps,EmbedFiles,TestEmbedFiles,XTestEmbedFiles"}, flags...)
	for _, p := range list {
		args = append(args, p.ImportPath)
	}
	cmd := exec.CommandContext(ctx, goCmd, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && len(exit.Stderr) > 0 {
		err = errors.New(text.FirstLine(exit.Stderr))
	}
	if err != nil {
		return nil, fmt.Errorf("finding out what packages depend on: %w", err)
	}
	touched, deps, err := c.readList(out)
	if err != nil {
		return nil, err
	}
	var affected []instrument.Package
	for _, p := range list {
		if touched[p.ImportPath] || slices.ContainsFunc(deps[p.ImportPath+".test"], func(d string) bool {
			return touched[d]
		}) {
			affected = append(affected, p)
		}
	}
	return affected, nil
}

// readList reads the output of go list: the packages with changed files, and the dependencies of
// all.
func (c *change) readList(out []byte) (touched map[string]bool, deps map[string][]string, err error) {
	files, dirs := c.paths()
	touched, deps = make(map[string]bool), make(map[string][]string)
	for in := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			ImportPath, Dir                             string
			Standard                                    bool
			Deps                                        []string
			EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string
		}
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			return touched, deps, nil
		} else if err != nil {
			return nil, nil, fmt.Errorf("finding out what packages depend on: %w", err)
		}
		deps[p.ImportPath] = p.Deps
		if p.Standard || p.Dir == "" {
			continue
		}
		dir := resolved(p.Dir)
		embeds := func(name string) bool { return files[filepath.Join(dir, filepath.FromSlash(name))] }
		touched[p.ImportPath] = dirs[dir] || dataBelow(dirs, dir) ||
			slices.ContainsFunc(slices.Concat(p.EmbedFiles, p.TestEmbedFiles, p.XTestEmbedFiles), embeds)
	}
}

// paths returns the files that have changed, and their directories.
func (c *change) paths() (files, dirs map[string]bool) {
	files, dirs = make(map[string]bool), make(map[string]bool)
	for name := range c.lines {
		file := filepath.Join(c.root, filepath.FromSlash(name))
		files[file], dirs[filepath.Dir(file)] = true, true
	}
	return files, dirs
}

// modules reports whether a file has changed that selects modules and their versions.
func (c *change) modules() bool {
	for name := range c.lines {
		switch path.Base(name) {
		case "go.mod", "go.sum", "go.work", "go.work.sum", "modules.txt":
			return true
		}
	}
	return false
}

// dataBelow reports whether a testdata directory of a package has changed.
func dataBelow(changed map[string]bool, dir string) bool {
	data := filepath.Join(dir, "testdata")
	for d := range changed {
		if d == data || strings.HasPrefix(d, data+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// OnlyChanged leaves out packages that the changes since a revision can't affect.
func (j *Session) OnlyChanged(ctx context.Context) (err error) {
	if j.Rev == "" {
		return nil
	}
	if j.Diff, err = changedSince(ctx, j.AbsDir(), j.Rev); err != nil {
		return err
	}
	all := len(j.Plan.Packages)
	j.Plan.Packages, err = j.Diff.affects(ctx, "go", j.AbsDir(), j.UserFlags(), j.Plan.Packages)
	if err != nil {
		return err
	}
	j.Progressf("%d of %s depend on what differs from %s", len(j.Plan.Packages), text.Plural(all, "package"), j.Rev)
	j.testsFirst()
	return nil
}

// TrueFirst compares for sorting: true comes first.
func TrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
