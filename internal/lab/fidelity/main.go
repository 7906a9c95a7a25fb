package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"
)

//go:embed packages.txt
var stdPackages string // the patterns to test if none are given, one a line

//go:embed exceptions.txt
var exceptionsText string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	status, err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "fidelity:", err)
	}
	os.Exit(status)
}

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) (int, error) {
	s := &suite{progress: stderr}
	name, err := s.parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0, nil
	} else if err != nil {
		return 2, err
	}
	if s.exceptions, err = parseExceptions(exceptionsText); err != nil {
		return 2, err
	}
	if s.work, err = os.MkdirTemp("", "fidelity-"); err != nil {
		return 2, err
	}
	defer os.RemoveAll(s.work)
	began := time.Now()
	if err := s.prepare(ctx); err != nil {
		return 2, err
	}
	if s.kinds != nil {
		return s.runKinds(ctx, name, stdout)
	}
	results, err := s.run(ctx)
	if err != nil {
		return 2, err
	}
	t := table{name: name, suite: s, results: results, took: time.Since(began)}
	if err := t.print(stdout); err != nil {
		return 2, err
	}
	if t.unexplained() > 0 {
		return 1, nil
	}
	return 0, nil
}

// parse sets the fields of s from the command line. name is what the table calls the code.
func (s *suite) parse(args []string) (name string, err error) {
	fs := flag.NewFlagSet("fidelity", flag.ContinueOnError)
	fs.StringVar(&s.dir, "dir", "", "directory of the module, GOROOT/src if empty")
	fs.StringVar(&name, "name", "", "what to call the module in the table")
	fs.BoolVar(&s.lines, "lines", false, "compare the lines with cmd/cover")
	fs.BoolVar(&s.generated, "generated", false, "put probes into generated files, too")
	fs.BoolVar(&s.inside, "inside", false, "put positions inside statements, too, as a hunt does")
	fs.BoolVar(&s.long, "long", false, "run the tests without -short")
	fs.BoolVar(&s.sum, "sum", false, "print the sum of all packages only, and the differences")
	fs.DurationVar(&s.limit, "limit", 5*time.Minute, "time for one run of a package")
	fs.Func("instrument", "patterns of more packages to put probes into, or of fewer if they begin with =",
		func(v string) error {
			s.widen = append(s.widen, strings.Split(v, ",")...)
			return nil
		})
	fs.Func("kinds", "kinds of perturbation to test, each alone, or all", func(v string) (err error) {
		s.kinds, err = parseKinds(v)
		return err
	})
	fs.IntVar(&s.draws, "doses", 3, "with -kinds, how many doses of a kind follow from a seed")
	fs.Uint64Var(&s.seed, "seed", 1, "with -kinds, what they follow from")
	fs.Func("flags", "build flags, separated by spaces", func(v string) error {
		s.buildFlags = strings.Fields(v)
		return nil
	})
	fs.Func("skip", "regular expression of tests not to run", func(v string) error {
		s.skip = v
		return nil
	})
	if err := fs.Parse(args); err != nil {
		return "", err
	}
	s.patterns = fs.Args()
	if s.dir == "" {
		goroot, err := exec.Command("go", "env", "GOROOT").Output()
		if err != nil {
			return "", fmt.Errorf("go env GOROOT: %w", err)
		}
		s.dir = filepath.Join(strings.TrimSpace(string(goroot)), "src")
		name = cmp.Or(name, "std")
		if len(s.patterns) == 0 {
			s.patterns, s.whole = strings.Fields(stdPackages), true
		}
	}
	if len(s.patterns) == 0 {
		s.patterns = []string{"./..."}
	}
	return cmp.Or(name, filepath.Base(s.dir)), nil
}
