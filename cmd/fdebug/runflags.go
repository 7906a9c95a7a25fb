package main

import (
	"errors"
	"os"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
)

func (j *runJob) parse(args []string) error {
	fs := newFlagSet("run")
	fs.IntVar(&j.n, "n", 50, "")
	fs.IntVar(&j.plain, "plain", -1, "")
	fs.DurationVar(&j.budget.whole, "budget", 0, "")
	fs.BoolVar(&j.values, "values", true, "")
	fs.DurationVar(&j.experiments, "experiments", -1, "")
	fs.BoolVar(&j.flaky, "flaky", false, "")
	fs.Var((*kindList)(&j.kinds), "kinds", "")
	events := fs.Bool("json", false, "")
	if err := j.commonFlags(fs, args); err != nil {
		return err
	}
	if *events {
		j.ci.json()
	}
	return nil
}

// commonFlags registers the flags of run that say what is built and which tests run,
// and parses.
func (j *runJob) commonFlags(fs *flagSet, args []string) error {
	fs.IntVar(&j.parallel, "p", 1, "")
	fs.StringVar(&j.out, "o", "", "")
	fs.IntVar(&j.keep, "keep", store.Keep, "")
	fs.StringVar(&j.note, "note", "", "")
	fs.StringVar(&j.overlay, "overlay", "", "")
	fs.StringVar(&j.app.chdir, "C", j.app.chdir, "")
	j.app.dbFlag(fs)
	fs.Var((*listFlag)(&j.instrument), "instrument", "")
	fs.BoolVar(&j.generated, "generated", false, "")
	fs.BoolVar(&j.verbose, "v", false, "")
	fs.BoolVar(&j.app.opens, "open", false, "")
	fs.Var((*byteSize)(&j.traceSize), "trace-budget", "")
	fs.StringVar(&j.rev, "changed", "", "")
	j.shard.flags(fs)
	fs.Uint64Var(&j.seed, "seed", 0, "")
	fs.StringVar(&j.bundleFile, "bundle", "", "")
	fs.StringVar(&j.next, "next", "", "")
	j.ci.app = j.app
	j.ci.flags(fs)
	fs.buildFlags(&j.flags)
	fs.StringVar(&j.vet, "vet", "", "")
	fs.testFlags(&j.sel)
	patterns, err := fs.parse(args)
	if err != nil {
		return err
	}
	if j.keep < 1 {
		return keepError(j.keep)
	}
	j.patterns, j.sel.Extra = patterns, fs.rest
	if j.bundleFile != "" {
		if err := fs.refuseWithBundle(); err != nil {
			return err
		}
	} else if len(j.patterns) == 0 {
		j.patterns = []string{"."}
		if j.flaky {
			j.patterns = []string{"./..."}
		}
	}
	return j.check()
}

// check refuses values that make no sense.
func (j *runJob) check() error {
	switch {
	case j.n < 1:
		return withHint(usagef("-n %d: want at least 1 run", j.n), "one run cannot show that a test is flaky; try -n 50")
	case j.parallel < 1:
		return usagef("-p %d: want at least 1", j.parallel)
	case j.flaky && j.sel.Run != "":
		return withHint(usagef("-flaky and -run exclude each other"), "-flaky takes the tests from the history; packages after it say of where")
	case j.next != "" && (j.flaky || j.rev != ""):
		return withHint(usagef("-next excludes -flaky and -changed"), "the file says which tests")
	case j.budget.whole < 0:
		return usagef("-budget %s: want a positive duration", j.budget.whole)
	}
	if err := kindList(j.kinds).check(); err != nil {
		return err
	}
	if err := j.app.checkDB(); err != nil {
		return err
	}
	if err := j.app.checkOpen(); err != nil {
		return err
	}
	if j.plain < 0 {
		j.plain = max(3, j.n/10)
	}
	if err := j.checkShard(); err != nil {
		return err
	}
	if j.app.chdir != "" {
		if info, err := os.Stat(j.app.chdir); err != nil || !info.IsDir() {
			return usagef("-C %s: no such directory", j.app.chdir)
		}
	}
	return j.checkSelection()
}

// checkSelection refuses what every test binary would refuse, before any is built.
func (j *runJob) checkSelection() error {
	var bad *runner.SelectionError
	if err := j.sel.Check(); errors.As(err, &bad) {
		return withHint(usagef("%v", err), bad.Want)
	}
	return nil
}
