package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/recorded"
)

// recordedExt is the name of what package recorded packs.
const recordedExt = ".tar.zst"

// file is the name of p's recorded runs.
func (p *program) file() string { return strings.ReplaceAll(p.name, "/", "-") + recordedExt }

// record runs the programs of which dir has no recorded runs yet, and keeps theirs
// there. Nothing can be learnt from one that passed always, or failed always: it is
// named and left out.
func (l *lab) record(ctx context.Context, programs []*program, dir string, log io.Writer) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for _, p := range programs {
		file := filepath.Join(dir, p.file())
		if _, err := os.Stat(file); err == nil {
			continue
		}
		g, err := l.recordOne(ctx, p, file)
		if err != nil {
			return err
		}
		fmt.Fprintf(log, "%s: %s failed, %s\n", p.name, share(g.failing, g.runs), map[bool]string{true: "recorded", false: "left out: " + g.verdict}[g.counts])
	}
	return nil
}

// recordOne runs a copy of a program in a place that has the same name on all
// machines, since traces have the paths of its files.
func (l *lab) recordOne(ctx context.Context, p *program, file string) (grade, error) {
	if err := p.locate(l.root); err != nil {
		return grade{}, err
	}
	dir, pattern := p.dir(l.root)
	copied := filepath.Join(os.TempDir(), "flaky", filepath.Base(dir))
	if err := os.RemoveAll(copied); err != nil {
		return grade{}, err
	}
	defer os.RemoveAll(copied)
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return grade{}, err
	}
	// Without -o, whose directory would be in what is kept.
	args := append(append([]string{"-C", copied, "run", "-n", strconv.Itoa(l.n)}, p.flags...), pattern)
	if log, err := l.execute(ctx, args...); err != nil {
		return grade{}, fmt.Errorf("%s: %w\n%s", p.name, err, log)
	}
	run, err := filepath.EvalSymlinks(filepath.Join(copied, ".fdebug", "latest"))
	if err != nil {
		return grade{}, err
	}
	g, err := p.grade(filepath.Join(run, "result.json"))
	if err != nil || !g.counts {
		return g, err
	}
	if err := keepModule(copied, strings.TrimPrefix(pattern, "./"), run); err != nil {
		return g, err
	}
	return g, pack(file, run)
}

// keepModule puts the source of a module into a run directory, as package analyze
// keeps what reports show: go.mod, and what is below dir or in internal packages.
func keepModule(module, dir, run string) error {
	return filepath.WalkDir(module, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(module, name)
		if err != nil {
			return err
		}
		slash := filepath.ToSlash(rel)
		if slash != "go.mod" && (filepath.Ext(name) != ".go" || dir != "..." && !strings.HasPrefix(slash, dir+"/") && !strings.HasPrefix(slash, "internal/")) {
			return nil
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		kept := filepath.Join(run, "src", rel+analyze.KeptSuffix)
		if err := os.MkdirAll(filepath.Dir(kept), 0o777); err != nil {
			return err
		}
		return os.WriteFile(kept, data, 0o666)
	})
}

// pack packs a run directory into a file.
func pack(file, run string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := recorded.Pack(f, run); err != nil {
		f.Close()
		os.Remove(file)
		return err
	}
	return f.Close()
}
