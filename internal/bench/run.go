package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A whole is one of the ways to run a flaky test many times.
type whole struct {
	name  string
	args  func(n int) []string
	few   samples // time of one run
	many  samples // of runs
	build float64
}

const runs = 50

// whole measures whole invocations: fdebug run -n 50, reports and all, next to 50
// repetitions in one process with -covermode=atomic. The time of an invocation
// with one run is taken off on both sides, and with it the builds.
func (b *bench) whole(ctx context.Context) error {
	src, err := kernelDir(ctx)
	if err != nil {
		return err
	}
	atomic := &variant{name: "atomic", flags: []string{"-covermode=atomic"}}
	if err := b.build(ctx, atomic, src); err != nil {
		return err
	}
	fdebug := filepath.Join(b.dir, "fdebug")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", fdebug, "github.com/fdebug/fdebug/cmd/fdebug").CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	ways := []*whole{
		{name: "go test -count=50 -covermode=atomic", args: func(n int) []string {
			return []string{atomic.bin, "-test.run=^TestFlaky$", fmt.Sprint("-test.count=", n)}
		}},
		{name: "fdebug run -n 50", args: func(n int) []string {
			return []string{fdebug, "-C", src, "run", ".", "-run=^TestFlaky$", "-plain=0", "-o=" + filepath.Join(b.dir, "results"), fmt.Sprint("-n=", n)}
		}},
	}
	for range b.rounds + 1 {
		for _, w := range ways {
			if err := w.measure(ctx); err != nil {
				return err
			}
		}
	}
	return b.printWhole(ways)
}

// measure runs the test once, and then many times.
func (w *whole) measure(ctx context.Context) error {
	few, err := invoke(ctx, w.args(1))
	if err != nil {
		return err
	}
	many, err := invoke(ctx, w.args(runs))
	if err != nil {
		return err
	}
	if w.build == 0 { // the first is a warm-up: it fills the build cache
		w.build = few.Seconds()
		return nil
	}
	w.few.add(few.Seconds())
	w.many.add(many.Seconds())
	return nil
}

// invoke returns how long a command took. It may fail: the test is flaky.
func invoke(ctx context.Context, args []string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "FLAKY=1")
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if err != nil {
		return 0, fmt.Errorf("%v: %w\n%s", args, err, out)
	}
	return took, nil
}

func (b *bench) printWhole(ways []*whole) error {
	t := newText("", "1 run", fmt.Sprint(runs, " runs"), "a run", "ratio", "n")
	t.line()
	base := 0.0
	for _, w := range ways {
		per := (w.many.median() - w.few.median()) / (runs - 1)
		if base == 0 {
			base = per
		}
		t.line(w.name, fmt.Sprintf("%.2f s", w.few.median()), fmt.Sprintf("%.2f s ± %.0f%%", w.many.median(), w.many.spread()*100),
			fmt.Sprintf("%.0f ms", per*1000), fmt.Sprintf("%.2fx", per/base), fmt.Sprint(len(w.many.values)))
	}
	_, err := fmt.Fprintf(b.out, "%s\n%s", machine(b.dir), t)
	return err
}
