package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/report"
)

// A lab runs fdebug on programs.
type lab struct {
	root   string // of the repository
	fdebug string // the command
	n      int    // runs of each program
	out    string // directory for what fdebug writes
	again  bool   // compare existing runs
}

// repository returns the root of the module in which the command runs.
func repository(ctx context.Context) (string, error) {
	mod, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	root := filepath.Dir(strings.TrimSpace(string(mod)))
	if _, err := os.Stat(filepath.Join(root, "internal", "lab", "accuracy", "truth.txt")); err != nil {
		return "", fmt.Errorf("to be run in the repository of fdebug: %w", err)
	}
	return root, nil
}

// build builds fdebug, unless one is given.
func (l *lab) build(ctx context.Context) error {
	if l.fdebug != "" {
		return nil
	}
	l.fdebug = filepath.Join(l.out, "fdebug")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", l.fdebug, "./cmd/fdebug")
	cmd.Dir = l.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}

// try runs fdebug on one program and grades the result.
func (l *lab) try(ctx context.Context, p *program) (grade, error) {
	if err := p.locate(l.root); err != nil {
		return grade{}, err
	}
	out := filepath.Join(l.out, strings.ReplaceAll(p.name, "/", "-"))
	log, err := l.run(ctx, p, out)
	if err != nil {
		return grade{}, fmt.Errorf("%s: %w\n%s", p.name, err, log)
	}
	os.WriteFile(filepath.Join(out, "log.txt"), log, 0o666)
	return p.grade(filepath.Join(out, "latest", "result.json"))
}

// grade grades what a result.json says about a program.
func (p *program) grade(file string) (grade, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return grade{}, fmt.Errorf("%s: %w", p.name, err)
	}
	var doc report.Document
	if err := json.Unmarshal(data, &doc); err != nil {
		return grade{}, fmt.Errorf("%s: %w", p.name, err)
	}
	return judge(p, &doc), nil
}

// run runs fdebug on one program, or compares its runs again.
func (l *lab) run(ctx context.Context, p *program, out string) ([]byte, error) {
	dir, pattern := p.dir(l.root)
	args := []string{"-C", dir, "run", "-o", out, "-n", strconv.Itoa(l.n)}
	args = append(append(args, p.flags...), pattern)
	if l.again {
		args = []string{"-C", dir, "report", "-o", out}
	}
	return l.execute(ctx, args...)
}

// execute runs fdebug; status 1 means that it found something.
func (l *lab) execute(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, l.fdebug, args...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	return log.Bytes(), err
}
