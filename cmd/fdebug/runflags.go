package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/tracker/testlog"
)

func (j *runJob) parse(args []string) error {
	fs := newFlagSet("run")
	fs.IntVar(&j.N, "n", j.N, "")
	fs.IntVar(&j.Plain, "plain", -1, "")
	fs.DurationVar(&j.Budget.Whole, "budget", 0, "")
	fs.BoolVar(&j.Values, "values", j.Values, "")
	fs.DurationVar(&j.Experiments, "experiments", j.Experiments, "")
	fs.BoolVar(&j.flaky, "flaky", false, "")
	fs.BoolVar(&j.OnlyNew, "new", false, "") // means something else in hunt
	fs.Var((*kindList)(&j.Kinds), "kinds", "")
	fs.StringVar(&j.shard.Text, "shard", "", "")
	fs.StringVar(&j.shard.Blob, "blob", "", "")
	events := fs.Bool("json", false, "")
	if err := j.commonFlags(fs, args); err != nil {
		return err
	}
	if *events {
		j.ci.JSON()
	}
	fs.Visit(func(f *flag.Flag) { j.asked = j.asked || f.Name == "n" })
	if !j.asked && j.Rev != "" {
		j.N = session.ChangedRuns
	}
	if !j.asked && j.shard.Text == "" { // other shards would not make its runs
		j.Budget.Rounds = rounds
	}
	return nil
}

// rounds is how long runs begin if neither -n nor -budget limits them.
const rounds = 5 * time.Minute

// commonFlags registers the flags of run that say what is built and which tests run, and parses.
func (j *runJob) commonFlags(fs *flagSet, args []string) error {
	fs.IntVar(&j.Beside, "p", j.Beside, "")
	fs.IntVar(&j.Parallel, "procs", j.Parallel, "")
	fs.StringVar(&j.Out, "o", "", "")
	fs.IntVar(&j.Keep, "keep", j.Keep, "")
	fs.StringVar(&j.note, "note", "", "")
	fs.StringVar(&j.like, "like", "", "")
	fs.StringVar(&j.Overlay, "overlay", "", "")
	fs.StringVar(&j.app.Chdir, "C", j.app.Chdir, "")
	j.app.dbFlag(fs)
	fs.Var((*listFlag)(&j.Instrument), "instrument", "")
	fs.BoolVar(&j.Generated, "generated", false, "")
	fs.BoolVar(&j.Verbose, "v", false, "")
	j.app.briefFlag(fs)
	fs.BoolVar(&j.app.screen().Opens, "open", false, "")
	fs.Var((*byteSize)(&j.TraceSize), "trace-budget", "")
	fs.StringVar(&j.Rev, "changed", "", "")
	fs.Uint64Var(&j.Seed, "seed", 0, "")
	fs.StringVar(&j.BundleFile, "bundle", "", "")
	j.ci.Flags(fs.FlagSet)
	fs.buildFlags(&j.Flags)
	fs.StringVar(&j.Vet, "vet", "", "")
	fs.testFlags(&j.Sel)
	patterns, err := fs.parse(args)
	if err != nil {
		return err
	}
	if j.Keep < 1 {
		return keepError(j.Keep)
	}
	j.Patterns, j.Sel.Extra = patterns, fs.rest
	if j.BundleFile != "" {
		if err := fs.refuseWithBundle(); err != nil {
			return err
		}
	} else if len(j.Patterns) == 0 {
		j.Patterns = []string{"."}
		if j.flaky || j.Rev != "" { // these choose among packages
			j.Patterns = []string{"./..."}
		}
	}
	if err := j.check(); err != nil {
		return err
	}
	if j.BundleFile == "" {
		if err := j.NameTests(); err != nil {
			return err
		}
	}
	return j.lookFor(len(patterns) > 0)
}

// lookFor reads the file of -like.
func (j *runJob) lookFor(named bool) error {
	if j.like == "" {
		return nil
	}
	in := os.Stdin
	if j.like != "-" {
		f, err := os.Open(j.like)
		if err != nil {
			return err
		}
		defer f.Close()
		in = f
	}
	seen, err := testlog.Failures(in)
	if err != nil {
		return fmt.Errorf("-like %s: %w", j.like, err)
	}
	return j.LookFor(j.like, seen, named)
}

// check refuses values that make no sense.
func (j *runJob) check() error {
	switch {
	case j.N < 1:
		return advice.With(advice.Usagef("-n %d: want at least 1 run", j.N),
			"one run cannot show that a test is flaky; try -n 50")
	case j.Beside < 1:
		return advice.Usagef("-p %d: want at least 1", j.Beside)
	case j.Parallel < 1:
		return advice.Usagef("-procs %d: want at least 1", j.Parallel)
	case j.flaky && j.Sel.Run != "":
		return advice.With(advice.Usagef("-flaky and -run exclude each other"),
			"-flaky takes the tests from the history; packages after it say of where")
	case j.OnlyNew && j.Rev == "":
		return advice.With(advice.Usagef("-new needs -changed"),
			"-changed main -new takes the tests that differ from those of main")
	case j.OnlyNew && j.Sel.Run != "":
		return advice.Usagef("-new and -run exclude each other")
	case j.like != "" && (j.flaky || j.shard.Text != ""):
		return advice.With(advice.Usagef("-like excludes -flaky and -shard"), "the file says which tests")
	case j.Budget.Whole < 0:
		return advice.Usagef("-budget %s: want a positive duration", j.Budget.Whole)
	}
	if err := kindList(j.Kinds).check(); err != nil {
		return err
	}
	if err := j.app.history().CheckDB(); err != nil {
		return err
	}
	if j.Plain < 0 {
		j.Plain = session.PlainRuns(j.N)
	}
	if err := j.checkShard(); err != nil {
		return err
	}
	if j.app.Chdir != "" {
		if info, err := os.Stat(j.app.Chdir); err != nil || !info.IsDir() {
			return advice.Usagef("-C %s: no such directory", j.app.Chdir)
		}
	}
	return j.checkSelection()
}

// checkShard finds out which shard this is, and refuses what can't be divided.
func (j *runJob) checkShard() error {
	switch flag := j.ci.Asked(); {
	case j.shard.Text == "":
	case j.flaky:
		return advice.With(advice.Usagef("-flaky and -shard exclude each other"),
			"each shard would choose tests from a history of its own")
	case flag != "":
		return advice.With(advice.Usagef("-%s and -shard exclude each other", flag),
			"fdebug merge -"+flag+" writes it of all shards")
	}
	return j.shard.Check()
}

// checkSelection refuses what every test binary would refuse, before any is built.
func (j *runJob) checkSelection() error {
	var bad *runner.SelectionError
	if err := j.Sel.Check(); errors.As(err, &bad) {
		return advice.With(advice.Usagef("%v", err), bad.Want)
	}
	return nil
}
