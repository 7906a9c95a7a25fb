package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/runner"
)

func (a *app) buildCmd(args []string) (int, error) {
	j := a.newRunJob(0)
	j.N = 1
	fs := newFlagSet("build")
	fs.StringVar(&j.Out, "o", "", "")
	fs.StringVar(&j.Overlay, "overlay", "", "")
	fs.StringVar(&a.Chdir, "C", a.Chdir, "")
	fs.Var((*listFlag)(&j.Instrument), "instrument", "")
	fs.BoolVar(&j.Generated, "generated", false, "")
	fs.buildFlags(&j.Flags)
	b := &bundleJob{runJob: j}
	fs.StringVar(&b.file, "bundle", "", "")
	fs.Var(&b.include, "include", "")
	fs.Var((*kindList)(&j.Kinds), "kinds", "")
	fs.StringVar(&j.Vet, "vet", "", "")
	patterns, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if err := b.check(); err != nil {
		return exitUsage, err
	}
	if j.Patterns = patterns; len(patterns) == 0 {
		j.Patterns = []string{"."}
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	work := j.buildAll
	if b.file != "" {
		work = b.run
	}
	if err := work(ctx); err != nil {
		return exitTrouble, err
	}
	return exitOK, nil
}

// buildAll builds the instrumented test binaries into j.Out.
func (j *runJob) buildAll(ctx context.Context) error {
	out, err := filepath.Abs(j.Out)
	if err != nil {
		return err
	}
	if err := j.InstrumentTo(ctx, out); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(out, "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b := j.TracedBuild(tmp)
	taken := make(map[string]bool)
	for _, p := range j.Plan.Packages {
		bin, err := b.Test(ctx, runner.Target{ImportPath: p.ImportPath, Dir: p.Dir})
		if err != nil {
			return err
		}
		name := filepath.Join(out, freeName(taken, filepath.Base(bin.Path)))
		if err := os.Rename(bin.Path, name); err != nil {
			return err
		}
		fmt.Fprintf(j.app.Stdout, "%s\t%s\n", p.ImportPath, name)
	}
	return nil
}

// freeName returns name, with a number if it is taken: two packages called queue get queue.test
// and queue.2.test.
func freeName(taken map[string]bool, name string) string {
	ext := path.Ext(name)
	stem := name[:len(name)-len(ext)]
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s.%d%s", stem, i, ext)
	}
	taken[name] = true
	return name
}
