package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/lab/recorded"
)

// recordedExt is the suffix of files of package recorded.
const recordedExt = ".tar.zst"

// file is the name of p's recorded runs.
func (p *program) file() string { return strings.ReplaceAll(p.name, "/", "-") + recordedExt }

// record runs the programs that have no recorded runs in dir yet, and keeps their runs there. A
// program that always passed, or always failed, teaches nothing: it is named and left out.
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
		fmt.Fprintf(log, "%s: %s failed, %s\n", p.name, share(g.failing, g.runs),
			map[bool]string{true: "recorded", false: "left out: " + g.verdict}[g.counts])
	}
	return nil
}

// recordOne runs a copy of a program in a directory that has the same name on all machines,
// because traces contain the paths of its files.
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
	var log bytes.Buffer
	if err := l.measure(ctx, p, copied, pattern, "", &log); err != nil {
		return grade{}, fmt.Errorf("%s: %w\n%s", p.name, err, &log)
	}
	run, err := filepath.EvalSymlinks(filepath.Join(copied, ".fdebug", "latest"))
	if err != nil {
		return grade{}, err
	}
	g, err := p.grade(filepath.Join(run, "result.json"))
	if err != nil || !g.counts {
		return g, err
	}
	if err := recorded.KeepModule(copied, strings.TrimPrefix(pattern, "./"), run); err != nil {
		return g, err
	}
	return g, recorded.PackFile(file, run)
}
