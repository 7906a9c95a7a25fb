package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fdebug/fdebug/trace"
)

const (
	compactCommand = "compact-file" // makes this program only compact a file, to be measured as a process
	longCommand    = "build-long"   // and only build the kernels
)

func compactFile(raw, dst string) error { return trace.Compact(raw, dst) }

// traceLengths are the measured lengths of traces.
func (b *bench) traceLengths() []int64 {
	if b.quick {
		return []int64{1e5, 1e6, 1e7}
	}
	return []int64{1e5, 1e6, 1e7, 1e8}
}

// longBudget is a trace budget that keeps the longest trace complete.
const longBudget = 2 << 30

// compaction measures what the runner does with a trace after each run.
func (b *bench) compaction(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin, err := b.buildLong(ctx, self)
	if err != nil {
		return err
	}
	t := newTable("events", "raw", "kept", b.clock(), "events/s", "peak memory", "n")
	for _, events := range b.traceLengths() {
		b.progress("compaction of %s events", count(int64(events)))
		raw, dst := filepath.Join(b.dir, "raw"), filepath.Join(b.dir, "kept")
		p := process{args: []string{bin, "-test.run=^TestLong$"}, env: []string{
			fmt.Sprint("LONG=", events), "LONG_NOISE=10000", "FDEBUG_TRACE=" + raw,
			fmt.Sprint("FDEBUG_BUDGET=", int64(longBudget))}}
		if _, _, err := p.run(ctx); err != nil {
			return err
		}
		n, err := countEvents(raw)
		if err != nil {
			return err
		}
		took, peak, err := b.repeat(ctx, process{args: []string{self, compactCommand, raw, dst}})
		if err != nil {
			return err
		}
		t.row(count(n), size(fileSize(raw)), size(fileSize(dst)), took.seconds(),
			count(int64(float64(n)/took.median())), size(peak), fmt.Sprint(took.n()))
		os.Remove(raw)
	}
	return b.print("Compaction of a trace, by its length", t)
}

// repeat runs a process once for each round. It returns the times it took and the median of its
// peak memory.
func (b *bench) repeat(ctx context.Context, p process) (*samples, int64, error) {
	var took, peak samples
	for range b.rounds {
		u, _, err := p.run(ctx)
		if err != nil {
			return nil, 0, err
		}
		took.add(b.took(u))
		peak.add(float64(u.peak))
	}
	return &took, int64(peak.median()), nil
}

// buildLong builds the kernels with probes in another process, because this one must stay small.
func (b *bench) buildLong(ctx context.Context, self string) (string, error) {
	_, bin, err := (process{args: []string{self, longCommand, b.dir}}).run(ctx)
	return string(bin), err
}

// printLong builds the kernels in a directory, and prints the name of the binary.
func printLong(ctx context.Context, dir string) error {
	src, err := kernelDir(ctx)
	if err != nil {
		return err
	}
	v := &variant{name: "long", traced: true}
	if err := (&bench{dir: dir}).build(ctx, v, src, "."); err != nil {
		return err
	}
	fmt.Print(v.bin)
	return nil
}

// fileSize returns the size of a file, or 0 if there is none.
func fileSize(name string) int64 {
	fi, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return fi.Size()
}
