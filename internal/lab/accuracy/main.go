package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/lab/accuracy/inject"
)

//go:embed truth.txt
var truthText string // what is known about the programs

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	status, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "accuracy:", err)
	}
	os.Exit(status)
}

// A config is the command line.
type config struct {
	lab   lab
	only  string // programs to run; "" for all
	keep  string // directory to keep reports in; "" for none
	least int    // percent of first suspects that must be on the cause

	inject  bool // measure on injected flakes
	flakes  inject.Config
	modules string // file with the modules to inject into; "" for modules.txt
	record  string // directory to keep the runs themselves in; "" for none
	without string // rules to leave out on recorded runs; "" to run the programs

	binaries string // that compare kept run directories again; "" for none
	cases    string // file with these
	rows     string // file to write what the last binary says to; "" for none
}

func parse(args []string) (*config, error) {
	c := &config{}
	fs := flag.NewFlagSet("accuracy", flag.ContinueOnError)
	fs.IntVar(&c.lab.n, "n", 50, "runs of each program")
	fs.StringVar(&c.flakes.Fdebug, "fdebug", "",
		"with -inject: the fdebug command to measure; built from this repository if empty")
	fs.StringVar(&c.only, "only", "",
		"names of programs, separated by commas; \"examples\" is all packages of examples")
	fs.StringVar(&c.keep, "keep", "", "directory to keep what fdebug writes")
	fs.BoolVar(&c.lab.again, "again", false,
		"do not run the programs, but compare the runs that are kept in -keep again")
	fs.IntVar(&c.least, "least", 0, "exit with status 1 if fewer first suspects, in percent, are on the cause")
	fs.BoolVar(&c.inject, "inject", false, "measure on flakes injected into public modules")
	fs.Uint64Var(&c.flakes.Seed, "seed", 0, "with -inject: what the choice of mutants follows from")
	fs.StringVar(&c.modules, "modules", "", "with -inject: a list of modules in place of modules.txt")
	fs.IntVar(&c.flakes.Count, "count", 60, "with -inject: mutants wanted; 0 prints the table of what is kept")
	fs.IntVar(&c.flakes.Most, "most", 8, "with -inject: mutants of one operator, and of one module, at most")
	fs.IntVar(&c.flakes.Plain, "plain", 60, "with -inject: plain runs that decide whether a mutant is in")
	fs.BoolVar(&c.flakes.Silent, "silent", false, "with -inject: mutants that fail in no plain run")
	fs.Func("operators", "with -inject: names of operators, separated by commas, if not all", func(s string) error {
		c.flakes.Only = strings.Split(s, ",")
		return nil
	})
	fs.StringVar(&c.flakes.Kinds, "kinds", "",
		"with -inject: kinds of perturbation, separated by commas, as -kinds of fdebug has them")
	fs.DurationVar(&c.flakes.Slow, "slow", 200*time.Millisecond,
		"with -inject: packages whose tests take longer are left out")
	fs.IntVar(&c.flakes.Workers, "p", 2, "with -inject: mutants side by side")
	fs.StringVar(&c.without, "without", "",
		"rules, separated by commas, to leave out on the recorded runs; \"each\" leaves out one after the other")
	fs.StringVar(&c.record, "record", "",
		"directory to keep the runs in, as testdata/recorded has them; programs that it has are left out")
	fs.StringVar(&c.binaries, "compare", "",
		"one fdebug command or two, separated by a comma, to compare kept runs again with; or what -rows has written")
	fs.StringVar(&c.cases, "cases", "", "with -compare: file with the kept runs")
	fs.StringVar(&c.rows, "rows", "", "with -compare: file to write what the last command says to")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	}
	return c, nil
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	c, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0, nil
	} else if err != nil {
		return 2, err
	}
	if c.binaries != "" {
		return c.compare(ctx, stdout, stderr)
	}
	if c.inject {
		return c.measureInjected(ctx, stdout, stderr)
	}
	programs, err := parseTruth(truthText)
	if err != nil {
		return 2, fmt.Errorf("truth.txt: %w", err)
	}
	if programs, err = choose(programs, c.only); err != nil {
		return 2, err
	}
	if c.without != "" {
		return c.leaveOut(ctx, programs, stdout, stderr)
	}
	done, err := c.prepare(ctx)
	if err != nil {
		return 2, err
	}
	defer done()
	if c.record != "" {
		if err := c.lab.record(ctx, programs, c.record, stderr); err != nil {
			return 2, err
		}
		return 0, nil
	}
	t := table{n: c.lab.n}
	for _, p := range programs {
		fmt.Fprintf(stderr, "%s\n", p.name)
		g, err := c.lab.try(ctx, p)
		if err != nil {
			return 2, err
		}
		t.grades = append(t.grades, g)
	}
	if err := t.print(stdout); err != nil {
		return 2, err
	}
	if err := t.printShown(stdout); err != nil {
		return 2, err
	}
	if t.sums().percent() < c.least {
		return 1, nil
	}
	return 0, nil
}

// prepare finds the repository and makes the directory to write to. done removes what need not be
// kept.
func (c *config) prepare(ctx context.Context) (done func(), err error) {
	if c.lab.root, err = repository(ctx); err != nil {
		return nil, err
	}
	c.lab.out, done, err = c.directory()
	return done, err
}

func (c *config) directory() (dir string, done func(), err error) {
	if c.keep != "" {
		if dir, err = filepath.Abs(c.keep); err != nil {
			return "", nil, err
		}
		return dir, func() {}, os.MkdirAll(dir, 0o777)
	}
	if dir, err = os.MkdirTemp("", "fdebug-accuracy-"); err != nil {
		return "", nil, err
	}
	return dir, func() { os.RemoveAll(dir) }, nil
}
