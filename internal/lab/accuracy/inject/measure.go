package inject

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A measure is what fdebug found for a mutant. Files are relative to the module.
type measure struct {
	ID       string  `json:"id"`
	Err      string  `json:"err,omitempty"` // fdebug could not do its job
	Took     float64 `json:"took_s"`
	Test     string  `json:"test,omitempty"` // the graded test; "" if none failed
	Flaky    bool    `json:"flaky"`          // whether it failed in some runs but not in all
	Failed   int     `json:"failed"`
	Runs     int     `json:"runs"`
	Category string  `json:"category,omitempty"`
	Suspects []Place `json:"suspects,omitempty"` // at most five
	Facts    []Place `json:"facts,omitempty"`    // of what recorded runs show without an experiment, at most five
	Likely   bool    `json:"likely,omitempty"`   // the first of them is told as what is likely to decide
	Proved   bool    `json:"proved,omitempty"`
	Spent    float64 `json:"spent_s,omitempty"` // on experiments until the verdict
	Ochiai   *Place  `json:"ochiai,omitempty"`
	Check    *Place  `json:"check,omitempty"`
	Last     *Place  `json:"last,omitempty"`
}

// A Place is what a report points at.
type Place struct {
	File string `json:"file"`
	Range
}

const (
	maxSuspects = 5
	maxMeasure  = 10 * time.Minute // how long fdebug may take for a mutant
	huntBudget  = time.Minute      // for fdebug hunt, for a mutant that fails in no plain run
)

// measure runs fdebug on a mutant. c is nil if its module is there already.
func (l *lab) measure(ctx context.Context, m *Mutant, c *candidate) (*measure, error) {
	start := time.Now()
	dir, out := filepath.Join(l.mutantDir(m.ID), "module"), filepath.Join(l.mutantDir(m.ID), "fdebug")
	args := []string{"-C", dir, "report", "-o", out}
	if c != nil {
		if err := l.plant(c, dir); err != nil {
			return nil, err
		}
		if err := os.RemoveAll(out); err != nil {
			return nil, err
		}
		args = append(l.how(dir), "-vet=off", "-p", "1", "-timeout",
			max(5*time.Second, 2*c.pkg.limit()).String(), "-o", out)
		if c.operator.shuffle {
			args = append(args, "-shuffle", "on")
		}
		args = append(append(args, c.module.Flags...), m.Package)
	}
	log, err := l.run(ctx, dir, args)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	os.WriteFile(filepath.Join(l.mutantDir(m.ID), "log.txt"), log, 0o666) // for people who look into it
	r := &measure{ID: m.ID}
	if err == nil {
		err = r.read(out, l.n, l.silent)
	}
	if err != nil {
		r.Err = err.Error()
	}
	r.Took = time.Since(start).Seconds()
	return r, nil
}

// how returns the command that looks for the flake: a hunt if plain runs don't show it.
func (l *lab) how(dir string) []string {
	args := []string{"-C", dir, "run", "-n", strconv.Itoa(l.n)}
	if l.silent {
		args = []string{"-C", dir, "hunt", "-budget", huntBudget.String()}
	}
	if l.kinds != "" {
		args = append(args, "-kinds", l.kinds)
	}
	return args
}

// plant makes the mutated module.
func (l *lab) plant(c *candidate, dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := copyDir(dir, l.moduleDir(c.module)); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, filepath.FromSlash(c.File)), c.text, 0o666)
}

// run runs fdebug; status 1 means that it found something.
func (l *lab) run(ctx context.Context, dir string, args []string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, maxMeasure)
	defer cancel()
	cmd := exec.CommandContext(ctx, l.fdebug, args...)
	cmd.Env = l.environ(dir)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	group(cmd)
	// so that it ends the processes that it started
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 30 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil
	}
	if ctx.Err() == context.DeadlineExceeded {
		err = fmt.Errorf("not done after %v", maxMeasure)
	}
	return log.Bytes(), err
}

// read reads the result.json of the latest run below out, which has n runs. There is none after a
// hunt that provoked nothing.
func (r *measure) read(out string, n int, silent bool) error {
	dir, err := filepath.EvalSymlinks(filepath.Join(out, "latest"))
	if silent && errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(dir, "result.json"))
	if err != nil {
		return err
	}
	var doc report.Document
	if err := json.Unmarshal(data, &doc); err != nil {
		return err
	}
	t := graded(&doc)
	if t == nil {
		r.Runs = n
		return nil
	}
	r.Test, r.Failed, r.Runs = t.Test, t.Failed, t.Runs
	r.Flaky = t.Flaky
	if len(t.Experiments) > 0 {
		r.Category = t.Experiments[0].Category
	}
	for _, s := range t.Suspects[:min(len(t.Suspects), maxSuspects)] {
		r.Suspects = append(r.Suspects, placeOf(s.Span))
	}
	r.facts(t)
	r.Last = lastDivergence(t)
	return r.baselines(dir, t)
}

// graded returns the flaky test with the most failing runs. If none is flaky, it returns the
// failing one with the most failing runs, or nil if none fails.
func graded(doc *report.Document) (best *report.DocumentTest) {
	for i := range doc.Tests {
		t := &doc.Tests[i]
		if t.Failed > 0 && (best == nil || t.Flaky && !best.Flaky || t.Flaky == best.Flaky && t.Failed > best.Failed) {
			best = t
		}
	}
	return best
}

func placeOf(r trace.Span) Place { return Place{r.File, Range{r.Start, r.End}} }

// facts takes in what recorded runs show, and whether an experiment proved anything.
func (r *measure) facts(t *report.DocumentTest) {
	for _, f := range t.Facts {
		for _, p := range f.At {
			if len(r.Facts) < maxSuspects && !slices.Contains(r.Facts, placeOf(p)) {
				r.Facts = append(r.Facts, placeOf(p))
			}
		}
	}
	r.Likely = len(t.Facts) > 0 && t.Facts[0].Likely
	for _, x := range t.Experiments {
		r.Proved = r.Proved || x.Verdict == proof.Proved
		r.Spent = max(r.Spent, x.Took.Seconds())
	}
}
