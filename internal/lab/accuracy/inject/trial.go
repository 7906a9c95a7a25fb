package inject

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"time"
)

// A trial is the result of plain runs of a candidate.
type trial struct {
	Mutant  Mutant  `json:"mutant"`
	Verdict verdict `json:"verdict"`
	In      bool    `json:"in,omitempty"`
	Failed  int     `json:"failed"`
	Hung    int     `json:"hung,omitempty"` // how many of these did not end
	Runs    int     `json:"runs"`
	// Runs of the original after a mutant was found to be flaky, and how many of them failed.
	Control       int `json:"control,omitempty"`
	ControlFailed int `json:"control_failed,omitempty"`

	Build float64 `json:"build_s"`
	Took  float64 `json:"took_s"` // including building
}

// A verdict says how a mutant fails.
type verdict string

const (
	noBuild     verdict = "does not compile"
	neverFails  verdict = "never fails"
	alwaysFails verdict = "always fails"
	fails       verdict = "flaky"
)

const (
	allFailed = 12 // if so many first runs fail, a mutant counts as always failing
	allHung   = 4  // the same for runs that do not end
	rare      = 2  // with at most so many failures of a mutant, the original runs more often
	often     = 4  // by how much
	patience  = 20 // a run is ended after so many times the usual time
)

// limit is how long a run of a mutant may take.
func (p *goPackage) limit() time.Duration {
	return max(2*time.Second, time.Duration(patience*p.Usual*float64(time.Second)))
}

// try builds a mutant and runs it.
func (l *lab) try(ctx context.Context, c *candidate) (*trial, error) {
	t := &trial{Mutant: c.Mutant, Verdict: noBuild}
	start := time.Now()
	defer func() { t.Took = time.Since(start).Seconds() }()
	bin := filepath.Join(l.scratch(), c.ID+".test")
	defer os.Remove(bin)
	ok, err := l.compile(ctx, c, bin)
	t.Build = time.Since(start).Seconds()
	if err != nil || !ok {
		return t, err
	}
	b := &binary{path: bin, dir: filepath.Join(l.moduleDir(c.module), c.pkg.Dir), limit: c.pkg.limit(), tmp: l.tmp}
	b.args = c.module.args("-test.failfast") // once one test has failed, the others don't matter
	if c.operator.shuffle {
		b.args = append(b.args, "-test.shuffle=on")
	}
	l.observe(ctx, t, b)
	if t.In && !l.silent {
		b.path = l.original(c.pkg)
		l.control(ctx, t, b)
	}
	return t, ctx.Err()
}

// compile builds the test binary of a mutant beside the unchanged module. It reports false if it
// does not compile.
func (l *lab) compile(ctx context.Context, c *candidate, bin string) (bool, error) {
	dir := l.moduleDir(c.module)
	file := bin + ".go.txt"
	replace := map[string]string{filepath.Join(dir, filepath.FromSlash(c.File)): file}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return false, err
	}
	defer os.Remove(file)
	defer os.Remove(file + ".json")
	if err := os.WriteFile(file, c.text, 0o666); err != nil {
		return false, err
	}
	if err := os.WriteFile(file+".json", overlay, 0o666); err != nil {
		return false, err
	}
	_, err = l.command(ctx, dir, "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay", file+".json",
		"-o", bin, c.Package)
	return err == nil, ctx.Err()
}

// runs makes the runs that observe needs.
type runs interface {
	run(context.Context) result
}

// observe runs a mutant until it is decided whether it is in. If it is in, it makes all runs, for
// its rate.
func (l *lab) observe(ctx context.Context, t *trial, b runs) {
	for t.Runs < l.plain && ctx.Err() == nil {
		r := b.run(ctx)
		t.Runs++
		if r != passed {
			t.Failed++
		}
		if r == hung {
			t.Hung++
		}
		all := t.Failed == t.Runs
		if all && (t.Runs == allFailed || t.Hung == allHung) || l.silent && t.Failed > 0 {
			break
		}
	}
	switch t.Failed {
	case 0:
		t.Verdict = neverFails
	case t.Runs:
		t.Verdict = alwaysFails
	default:
		t.Verdict = fails
	}
	t.In = t.Verdict == fails
	if l.silent {
		t.In = t.Verdict == neverFails
	}
}

// control runs the original as often as the mutant, and more often if the mutant fails rarely. If
// the original fails, the edit is not the cause.
func (l *lab) control(ctx context.Context, t *trial, original runs) {
	n := l.plain
	if t.Failed <= rare {
		n *= often
	}
	for t.Control < n && t.ControlFailed == 0 && ctx.Err() == nil {
		t.Control++
		if original.run(ctx) != passed {
			t.ControlFailed++
		}
	}
	t.In = t.ControlFailed == 0
}
