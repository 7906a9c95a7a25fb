package replay

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
)

// recorder is the program that [Job.Record] starts test binaries with.
const recorder = "rr"

// haveRecorder returns an error if nothing can be recorded here, before anything is built: rr needs performance
// counters, which many virtual machines lack.
func haveRecorder(ctx context.Context) error {
	if err := have(recorder, "apt-get install rr"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "fdebug-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	out, err := exec.CommandContext(ctx, recorder, "record", "-o", filepath.Join(dir, recorder),
		"true").CombinedOutput()
	if err != nil {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return advice.With(fmt.Errorf("%s records nothing here: %w: %s", recorder, err, text.Line(first, 200)),
			"it needs performance counters of the CPU, and kernel.perf_event_paranoid of at most 1")
	}
	return nil
}

// record makes runs under the recorder until one fails as it should, and keeps its recording beside the replay file.
func (j *Job) record(ctx context.Context, re *experiment.Retrial, sig *runner.Signature) (int, error) {
	dir := strings.TrimSuffix(j.file, proof.Suffix) + "." + recorder
	j.Sel.Exec = []string{recorder, "record", "-o", dir}
	for range j.N {
		if err := os.RemoveAll(dir); err != nil {
			return exit.Trouble, err
		}
		x, err := j.exp.With(ctx, re, sig, 1)
		if err != nil {
			return exit.Trouble, err
		}
		if x.With.Failed > 0 {
			j.show.Clear()
			fmt.Fprintf(j.Stdout, "recorded  %s replay %s\n", recorder, j.Show(dir))
			return exit.OK, nil
		}
	}
	j.show.Clear()
	fmt.Fprintf(j.Stdout, "none of %s failed under %s\n", text.Plural(j.N, "run"), recorder)
	return exit.Flaky, os.RemoveAll(dir)
}
