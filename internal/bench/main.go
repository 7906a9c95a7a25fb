// Bench measures what tracing costs, next to what the go command's own
// instrumentation costs on the same machine at the same time:
//
//	go run ./internal/bench                        # all kernels, 9 rounds
//	go run ./internal/bench -rounds 21 branches parse
//	go run ./internal/bench -table instrument      # speed of the rewriter
//
// The table kernels has a line for each kernel of testdata/kernels:
//
//	kernel    plain        count   atomic  race    traced  events  ns/event  n
//	branches  16.1ms ± 2%  1.21x   10.40x  4.10x   1.95x   16.0M   0.95      9
//
// The first number is the median time of the plain build with half of the
// spread of its middle half; the others are ratios to it, of medians. A time is
// taken inside of the process, around the kernel. The builds take turns in each
// round, so that a slow minute of the machine slows down all of them. The cost
// of an event is the added time over the events written; it is left out for
// kernels whose goroutines wait for each other, where added time is not work.
//
// Column traced writes its trace to a file as fdebug run does, by default below
// the system's temporary directory; -dir chooses another. Column idle is the
// same build without a trace file: what it is above plain is the price of the
// probes, and what traced is above idle is that of memory, of which every event
// takes 4 fresh bytes. The table memory measures just that. Column fallback is
// the probe runtime for toolchains that cannot be patched.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
)

// A bench is one invocation.
type bench struct {
	out    io.Writer
	dir    string   // for everything that is built and written
	rounds int      // how often each build runs
	args   []string // names of kernels, or patterns, as the table has it
	keep   int64    // FDEBUG_BUDGET of traced runs, 0 for the default
	cpu    bool     // measure processor time, not time
}

// tables are what can be measured.
func tables() []table {
	return []table{
		{"kernels", "plain, -covermode=count and atomic, -race and traced builds of the kernels", (*bench).kernels},
		{"memory", "writing events to a mapped file and nothing else: the floor of tracing", (*bench).memory},
		{"run", "whole runs of fdebug, next to go test -count with -covermode=atomic", (*bench).whole},
		{"instrument", "rewriting packages: files, bytes and blocks per second", (*bench).instrument},
	}
}

type table struct {
	name, about string
	run         func(*bench, context.Context) error
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	b := &bench{out: os.Stdout}
	which := flag.String("table", "kernels", "what to measure: "+tableNames())
	parent := flag.String("dir", "", "directory for builds and traces, removed afterwards (default: temporary)")
	flag.IntVar(&b.rounds, "rounds", 9, "how often each build runs")
	flag.Int64Var(&b.keep, "budget", 0, "bytes of trace to keep before events give way to hashes (default: as fdebug run)")
	flag.BoolVar(&b.cpu, "cpu", false, "measure processor time of all threads, for a machine that has other work")
	flag.Usage = usage
	flag.Parse()
	b.args = flag.Args()
	dir, err := os.MkdirTemp(*parent, "fdebug-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b.dir = dir
	for _, t := range tables() {
		if t.name == *which {
			return t.run(b, ctx)
		}
	}
	return fmt.Errorf("no table %q: there are %s", *which, tableNames())
}

func tableNames() string {
	var names []string
	for _, t := range tables() {
		names = append(names, t.name)
	}
	return strings.Join(names, ", ")
}

func usage() {
	w := flag.CommandLine.Output()
	fmt.Fprintln(w, "usage: go run ./internal/bench [flags] [kernels or patterns]")
	flag.PrintDefaults()
	fmt.Fprintln(w, "\ntables:")
	for _, t := range tables() {
		fmt.Fprintf(w, "  %-12s %s\n", t.name, t.about)
	}
}
