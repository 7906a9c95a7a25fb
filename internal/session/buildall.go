package session

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/runner"
)

// BuildAll builds the instrumented test binaries into j.Out.
func (j *Session) BuildAll(ctx context.Context) error {
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
		fmt.Fprintf(j.Stdout, "%s\t%s\n", p.ImportPath, name)
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
