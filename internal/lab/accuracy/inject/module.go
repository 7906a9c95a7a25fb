package inject

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A module is a public module, or the reason why it does not take part.
type module struct {
	Name     string       `json:"name"` // path@version
	Err      string       `json:"err,omitempty"`
	Packages []*goPackage `json:"packages,omitempty"`
	Flags    []string     `json:"flags,omitempty"` // of go test, for its tests

	patterns []string // of packages; all if empty
}

// A goPackage is a package of a module whose tests were run unchanged.
type goPackage struct {
	Path     string  `json:"path"`               // import path
	Dir      string  `json:"dir"`                // relative to the module
	Err      string  `json:"err,omitempty"`      // why it does not take part
	Usual    float64 `json:"usual_s"`            // median time of a run, in seconds
	Shuffled bool    `json:"shuffled,omitempty"` // whether it passes in random order too
}

// path returns the import path of the module.
func (m *module) path() string { p, _, _ := strings.Cut(m.Name, "@"); return p }

// args returns its flags in the form for a test binary.
func (m *module) args(more ...string) (args []string) {
	for _, f := range m.Flags {
		args = append(args, "-test."+strings.TrimPrefix(f, "-"))
	}
	return append(args, more...)
}

// parseModules parses a list. A line has a module with its version, patterns of the wanted
// packages, and flags for their tests.
func parseModules(text string) (list []*module, err error) {
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		f := strings.Fields(line)
		if len(f) == 0 {
			continue
		}
		if strings.Count(f[0], "@") != 1 {
			return nil, fmt.Errorf("line %d: want MODULE@VERSION [PACKAGE...] [-FLAG...]", i+1)
		}
		m := &module{Name: f[0]}
		for _, word := range f[1:] {
			if strings.HasPrefix(word, "-") {
				m.Flags = append(m.Flags, word)
			} else {
				m.patterns = append(m.patterns, word)
			}
		}
		list = append(list, m)
	}
	return list, nil
}

const originalRuns = 30 // runs that must all pass

// prepare gets a module and runs its tests unchanged. The error is about the machine; errors of
// the module are in its Err.
func (l *lab) prepare(ctx context.Context, m *module) error {
	dir := l.moduleDir(m)
	if err := l.download(ctx, m, dir); err != nil {
		m.Err = err.Error()
		return ctx.Err()
	}
	patterns := m.patterns
	if len(patterns) == 0 {
		patterns = []string{"./..."}
	}
	out, err := l.command(ctx, dir, "go",
		append([]string{"list", "-json=ImportPath,Dir,TestGoFiles,XTestGoFiles"}, patterns...)...)
	if err != nil {
		m.Err = err.Error()
		return ctx.Err()
	}
	for dec := json.NewDecoder(strings.NewReader(out)); dec.More(); {
		var p struct {
			ImportPath, Dir           string
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err != nil {
			return err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		rel, err := filepath.Rel(dir, p.Dir)
		if err != nil {
			return err
		}
		pkg := &goPackage{Path: p.ImportPath, Dir: filepath.ToSlash(rel)}
		if err := l.pass(ctx, m, pkg); err != nil {
			pkg.Err = err.Error()
		}
		m.Packages = append(m.Packages, pkg)
	}
	return ctx.Err()
}

// download puts a writable copy of a module into a directory.
func (l *lab) download(ctx context.Context, m *module, dir string) error {
	if l.source != nil {
		return l.source(m.Name, dir)
	}
	out, err := l.command(ctx, l.dir, "go", "mod", "download", "-json", m.Name)
	if err != nil {
		return err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return copyDir(dir, got.Dir)
}

// copyDir copies the regular files of a directory and makes them writable.
func copyDir(to, from string) error {
	return filepath.WalkDir(from, func(name string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		switch dst := filepath.Join(to, rel); {
		case d.IsDir():
			return os.MkdirAll(dst, 0o777)
		case d.Type().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			return os.WriteFile(dst, data, info.Mode().Perm()|0o600)
		}
		return nil
	})
}

// pass runs the tests of a package unchanged. An error says why it does not take part.
func (l *lab) pass(ctx context.Context, m *module, p *goPackage) error {
	bin := l.original(p)
	dir := l.moduleDir(m)
	if _, err := l.command(ctx, dir, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-o", bin, p.Path); err != nil {
		return err
	}
	b := binary{path: bin, dir: filepath.Join(dir, p.Dir), args: m.args(),
		limit: max(5*time.Second, 8*l.slow), tmp: l.tmp}
	var times []time.Duration
	for i := range originalRuns {
		start := time.Now()
		if r := b.run(ctx); r != passed {
			return fmt.Errorf("run %d: %v", i+1, r)
		}
		times = append(times, time.Since(start))
		if i == 2 && median(times) > l.slow {
			return fmt.Errorf("slow: %v", median(times))
		}
	}
	p.Usual = median(times).Seconds()
	p.Shuffled = true
	b.args = m.args("-test.shuffle=on")
	for range originalRuns {
		if b.run(ctx) != passed {
			p.Shuffled = false
			break
		}
	}
	return l.cover(ctx, m, p)
}

// cover records which statements the tests of a package run.
func (l *lab) cover(ctx context.Context, m *module, p *goPackage) error {
	dir := l.moduleDir(m)
	bin := filepath.Join(l.scratch(), "cover.test")
	defer os.Remove(bin)
	if _, err := l.command(ctx, dir, "go", "test", "-c", "-vet=off", "-cover", "-o", bin, p.Path); err != nil {
		return err
	}
	b := binary{path: bin, dir: filepath.Join(dir, p.Dir), limit: 10 * l.slow, tmp: l.tmp}
	b.args = m.args("-test.coverprofile=" + l.profile(p))
	if r := b.run(ctx); r != passed {
		return fmt.Errorf("with -cover: %v", r)
	}
	return nil
}
