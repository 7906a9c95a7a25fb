package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/trace/instrument"
)

// A change is what differs from a revision in git.
type change struct {
	root  string             // of the repository
	lines map[string][]lines // by path from root
}

type lines struct{ from, to int }

// changedSince asks git what differs from a revision, what is not committed included.
func changedSince(ctx context.Context, dir, rev string) (*change, error) {
	git := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
			return nil, withHint(fmt.Errorf("-changed %s: %s", rev, firstLine(exit.Stderr)), "-changed takes a revision as git does: HEAD~1, main, a hash")
		}
		return out, err
	}
	if strings.HasPrefix(rev, "-") {
		return nil, usagef("-changed %s: not a revision", rev)
	}
	root, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	c := &change{root: strings.TrimSpace(string(root)), lines: make(map[string][]lines)}
	diff, err := git("diff", "--unified=0", "--no-color", "--no-ext-diff", "--no-prefix", rev, "--")
	if err != nil {
		return nil, err
	}
	c.parse(diff)
	added, err := git("ls-files", "--others", "--exclude-standard", "--full-name", ":/")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Fields(string(added)) {
		c.lines[name] = append(c.lines[name], lines{1, 1 << 30})
	}
	return c, nil
}

func firstLine(b []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	return line
}

// parse reads the headers of a diff.
func (c *change) parse(diff []byte) {
	name := ""
	in := bufio.NewScanner(bytes.NewReader(diff))
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		line := in.Text()
		if n, ok := strings.CutPrefix(line, "+++ "); ok {
			name = n
			c.touch(name)
			continue
		}
		if n, ok := strings.CutPrefix(line, "--- "); ok && n != "/dev/null" {
			c.touch(n) // removed, perhaps
		}
		var from, n int
		if _, plus, ok := strings.Cut(line, " +"); ok && strings.HasPrefix(line, "@@ ") {
			n = 1
			fmt.Sscanf(plus, "%d,%d", &from, &n)
			c.lines[name] = append(c.lines[name], lines{from, from + n - 1})
		}
	}
}

// touch notes that a file differs.
func (c *change) touch(name string) {
	if _, ok := c.lines[name]; !ok && name != "/dev/null" {
		c.lines[name] = nil
	}
}

// has reports whether a line of a file was changed.
func (c *change) has(file string, line int) bool {
	rel, err := filepath.Rel(c.root, file)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(c.lines[filepath.ToSlash(rel)], func(l lines) bool { return l.from <= line && line <= l.to })
}

// affects returns those of the packages that depend on a file that was changed.
func (c *change) affects(ctx context.Context, goCmd, dir string, flags []string, list []instrument.Package) ([]instrument.Package, error) {
	changed := make(map[string]bool)
	for name := range c.lines {
		changed[filepath.Dir(filepath.Join(c.root, filepath.FromSlash(name)))] = true
	}
	var affected []instrument.Package
	for _, p := range list {
		cmd := exec.CommandContext(ctx, goCmd, append(append([]string{"list", "-deps", "-test", "-f", "{{if not .Standard}}{{.Dir}}{{end}}"}, flags...), p.ImportPath)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("finding out what %s depends on: %w", p.ImportPath, err)
		}
		if slices.ContainsFunc(strings.Split(string(out), "\n"), func(d string) bool { return d != "" && (changed[d] || dataBelow(changed, d)) }) {
			affected = append(affected, p)
		}
	}
	return affected, nil
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
