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
	j.n = 1
	fs := newFlagSet("build")
	fs.StringVar(&j.out, "o", "", "")
	fs.StringVar(&j.overlay, "overlay", "", "")
	fs.StringVar(&a.chdir, "C", a.chdir, "")
	fs.Var((*listFlag)(&j.instrument), "instrument", "")
	fs.BoolVar(&j.generated, "generated", false, "")
	fs.buildFlags(&j.flags)
	b := &bundleJob{runJob: j}
	fs.StringVar(&b.file, "bundle", "", "")
	fs.Var(&b.include, "include", "")
	fs.Var((*kindList)(&j.kinds), "kinds", "")
	fs.StringVar(&j.vet, "vet", "", "")
	patterns, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if err := b.check(); err != nil {
		return exitUsage, err
	}
	if j.patterns = patterns; len(patterns) == 0 {
		j.patterns = []string{"."}
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

// buildAll builds the instrumented test binaries into j.out.
func (j *runJob) buildAll(ctx context.Context) error {
	out, err := filepath.Abs(j.out)
	if err != nil {
		return err
	}
	if err := j.instrumentTo(ctx, out); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(out, "building-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	b := j.tracedBuild(tmp)
	taken := make(map[string]bool)
	for _, p := range j.plan.Packages {
		bin, err := b.Test(ctx, runner.Target{ImportPath: p.ImportPath, Dir: p.Dir})
		if err != nil {
			return err
		}
		name := filepath.Join(out, freeName(taken, filepath.Base(bin.Path)))
		if err := os.Rename(bin.Path, name); err != nil {
			return err
		}
		fmt.Fprintf(j.app.stdout, "%s\t%s\n", p.ImportPath, name)
	}
	return nil
}

// freeName returns name, with a number if it is taken: packages of one base
// name get queue.test, queue.2.test.
func freeName(taken map[string]bool, name string) string {
	ext := path.Ext(name)
	stem := name[:len(name)-len(ext)]
	for i := 2; taken[name]; i++ {
		name = fmt.Sprintf("%s.%d%s", stem, i, ext)
	}
	taken[name] = true
	return name
}
