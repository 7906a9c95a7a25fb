// Bench measures what tracing costs, next to what the go command's own instrumentation costs on
// the same machine at the same time:
//
//	go run ./internal/lab/bench                        # everything; about an hour
//	go run ./internal/lab/bench -quick                 # everything, smaller; some ten minutes
//	go run ./internal/lab/bench -md                    # as Markdown
//	go run ./internal/lab/bench -table kernels -rounds 21 branches parse
//	go run ./internal/lab/bench -table instrument ./...
//
// -cpu measures processor time of all threads, for a machine that has other work. Compared builds
// or commands take turns in each round, in varying order. Ratios are taken within a round, so a
// slow minute of the machine does not affect them, and a cell is their median.
//
// The table kernels has a line for each kernel of testdata/kernels:
//
//	kernel    plain        count   atomic  race    traced  events  ns/event     n
//	branches  16.1ms ± 2%  1.21×   10.40×  4.10×   1.95×   16.0M   0.95 ± 0.12  9
//
// The first number is the median time of the plain build with half of the spread of its middle
// half. Time is measured inside the process, around the kernel. The cost of an event is the added
// time divided by the events written, in the median round, with half of the spread of the middle
// half of the rounds. It is omitted for kernels whose goroutines wait for each other, because
// there added time is not work.
//
// Column traced writes its trace to a file as fdebug run does, by default below the system's
// temporary directory; -dir chooses another. Column idle is the same build without a trace file.
// The difference between idle and plain is the price of the probes, and the difference between
// traced and idle is that of memory, because every event takes 4 fresh bytes. The table mapped
// measures only the latter.
//
// The table suites does the same for test suites of the standard library, each run as a whole
// process. The table run compares whole invocations, with their builds. The tables compact,
// length and runs measure what comes after the tests, on traces of a looping test. They use
// separate processes and show the peak resident memory of each.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
)

// A bench is one invocation.
type bench struct {
	out      io.Writer
	log      io.Writer // progress
	dir      string    // for everything that is built and written
	rounds   int       // how often each build runs
	args     []string  // names of kernels, or patterns, depending on the table
	keep     int64     // FDEBUG_BUDGET of traced runs; 0 for the default
	cpu      bool      // measure processor time instead of time
	quick    bool      // leave out what takes long
	markdown bool
}

// A measurement makes a table.
type measurement struct {
	name, about string
	run         func(*bench, context.Context) error
}

// measurements are all measurements, in the order of "all".
func measurements() []measurement {
	return []measurement{
		{"kernels", "plain, -covermode=count and atomic, -race and traced builds of the kernels", (*bench).kernels},
		{"suites", "the same of test suites of the standard library", (*bench).suites},
		{"run", "whole runs of fdebug, next to go test -count and x/tools/cmd/stress", (*bench).whole},
		{"compact", "compaction of a raw trace against its length: time, memory, size", (*bench).compaction},
		{"length", "comparison and report against the length of traces: time, memory, sizes", (*bench).lengths},
		{"runs", "comparison and report against the number of runs", (*bench).runCounts},
		{"instrument", "rewriting packages: files, bytes and blocks per second", (*bench).instrument},
		{"mapped", "writing events to a mapped file and nothing else: the floor of tracing", (*bench).mapped},
	}
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == compactCommand {
		if err := compactFile(os.Args[2], os.Args[3]); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	do := run
	if len(os.Args) == 3 && os.Args[1] == longCommand {
		do = func(ctx context.Context) error { return printLong(ctx, os.Args[2]) }
	}
	if err := do(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	b := &bench{out: os.Stdout, log: os.Stderr}
	which := flag.String("table", "all", "what to measure: all, "+tableNames())
	parent := flag.String("dir", "", "directory for builds and traces, removed afterwards (default: temporary)")
	flag.IntVar(&b.rounds, "rounds", 0, "how often each is measured (default: 9, with -quick 3)")
	flag.Int64Var(&b.keep, "budget", 0,
		"bytes of trace to keep before events give way to hashes (default: as fdebug run)")
	flag.BoolVar(&b.cpu, "cpu", false, "measure processor time of all threads, for a machine that has other work")
	flag.BoolVar(&b.quick, "quick", false, "fewer rounds, shorter traces, fewer runs")
	flag.BoolVar(&b.markdown, "md", false, "print Markdown")
	flag.Usage = usageText
	flag.Parse()
	b.args = flag.Args()
	if b.rounds == 0 {
		b.rounds = 9
		if b.quick {
			b.rounds = 3
		}
	}
	if *which == "all" {
		return b.all(ctx)
	}
	for _, m := range measurements() {
		if m.name == *which {
			return b.in(*parent, func() error { return m.run(b, ctx) })
		}
	}
	return fmt.Errorf("no table %q: there are all, %s", *which, tableNames())
}

// progress says what is being measured. A table is printed when it is complete, because its
// columns are as wide as their widest cell.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(b.log, "bench: "+format+"\n", args...)
}

// in calls do with a directory for what it builds and writes.
func (b *bench) in(parent string, do func() error) error {
	dir, err := os.MkdirTemp(parent, "fdebug-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	return do()
}

// all makes every table, each in a separate process (see process.run), with the flags of this
// one. If one fails, it still makes the others.
func (b *bench) all(ctx context.Context) error {
	if len(b.args) > 0 {
		return fmt.Errorf("%s: kernels or patterns need a -table", strings.Join(b.args, " "))
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var failed []error
	for _, m := range measurements() {
		b.progress("%s: %s", m.name, m.about)
		cmd := exec.CommandContext(ctx, self, append(os.Args[1:len(os.Args):len(os.Args)], "-table="+m.name)...)
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
		cmd.Stdout, cmd.Stderr = b.out, os.Stderr
		if err := cmd.Run(); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			failed = append(failed, fmt.Errorf("table %s: %w", m.name, err))
		}
	}
	return errors.Join(failed...)
}

func tableNames() string {
	var names []string
	for _, m := range measurements() {
		names = append(names, m.name)
	}
	return strings.Join(names, ", ")
}

func usageText() {
	w := flag.CommandLine.Output()
	fmt.Fprintln(w, "usage: go run ./internal/lab/bench [flags] [kernels or patterns]")
	flag.PrintDefaults()
	fmt.Fprintln(w, "\ntables:")
	for _, m := range measurements() {
		fmt.Fprintf(w, "  %-12s %s\n", m.name, m.about)
	}
}
