package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/stored"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/report"
)

// A lab runs programs as fdebug run does.
type lab struct {
	root  string // of the repository
	n     int    // runs of each program
	out   string // directory for what is written
	again bool   // compare existing runs
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

// run runs one program, or compares its runs again, and returns the progress.
func (l *lab) run(ctx context.Context, p *program, out string) (log []byte, err error) {
	var b bytes.Buffer
	if l.again {
		err = again(out, &b)
	} else {
		dir, pattern := p.dir(l.root)
		err = l.measure(ctx, p, dir, pattern, out, &b)
	}
	return b.Bytes(), err
}

// measure does what fdebug run does with a program, and writes its reports.
func (l *lab) measure(ctx context.Context, p *program, dir, pattern, out string, log io.Writer) error {
	s := session.New(console(dir, log))
	s.Patterns, s.N, s.Plain, s.Out, s.Budget.Began = []string{pattern}, l.n, session.PlainRuns(l.n), out, time.Now()
	defer s.CleanUp()
	if err := p.set(s); err != nil {
		return err
	}
	if err := s.Prepare(ctx); err != nil {
		return err
	}
	results, err := s.Execute(ctx, func(runner.Event) {})
	if err != nil {
		return err
	}
	an := s.Analyzer("")
	result, err := s.Compare(ctx, an, results)
	if err != nil {
		return err
	}
	if _, err := (&terminal.Screen{Console: s.Console}).Write(ctx, an, result); err != nil {
		return err
	}
	s.Publish(ctx, true)
	return ctx.Err()
}

// again compares the latest runs in out again, and writes their reports.
func again(out string, log io.Writer) error {
	dir, err := (store.Store{Dir: out}).Find("")
	if err == nil {
		_, err = stored.Report(context.Background(), &terminal.Screen{Console: console("", log)}, dir, "")
	}
	return err
}

func console(dir string, log io.Writer) *session.Console {
	return &session.Console{Stdout: log, Stderr: log, Getenv: os.Getenv, Chdir: dir}
}
