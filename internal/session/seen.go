package session

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/text"
)

// A Sight is a failure that came in experiments with a test and has no verdict. It has a page all the same.
type Sight struct {
	*experiment.Failure
	Lab  *Lab
	Test string // top-level
}

// Unexplained returns the failures in experiments with a test, except those reported as a finding, those past a limit of
// time, and those that runs were known for before. No other failed run is left out, however its examination ended.
func Unexplained(e *experiment.Experimenter, res *experiment.Result) []*experiment.Failure {
	return slices.DeleteFunc(e.Failures(), func(x *experiment.Failure) bool {
		return slices.ContainsFunc(e.Natural, x.Is) || res != nil && (slices.ContainsFunc(res.Findings,
			func(f *experiment.Finding) bool { return f.Verdict != proof.None && x.Is(f.Sig) }) ||
			slices.ContainsFunc(res.Limits, func(l experiment.Limit) bool { return x.Held >= l.Dose || x.Is(l.Sig) }))
	})
}

// In is in how many runs the failure came.
func (x *Sight) In() *finding.SeenIn {
	return &finding.SeenIn{Perturbed: x.Perturbed, Plain: x.Plain, Before: x.Before}
}

// Told returns the part of the page of the failure that counts it.
func (x *Sight) Told() analyze.TestVerdict {
	return analyze.TestVerdict{Package: x.Lab.Target.ImportPath, Test: cmp.Or(x.Signature.Test, x.Test),
		Otherwise: []analyze.Otherwise{{Signature: x.Signature.String(), Seen: x.In()}}}
}

// Evidence returns the runs that failed so, and those that passed with nothing perturbed.
func (x *Sight) Evidence() Evidence { return Evidence{x.Lab, slices.Concat(x.Kept, x.Passed)} }

// Evidence is runs of experiments with tests of a package.
type Evidence struct {
	Lab  *Lab
	Runs []*experiment.Outcome
}

// ResultsOf returns runs of experiments, each once, with their traces in a directory below that of a run.
func (j *Session) ResultsOf(dir, below string, list []Evidence) (*runner.Results, error) {
	res := &runner.Results{Started: j.Budget.Began, Elapsed: time.Since(j.Budget.Began), Parallel: j.Parallel}
	of, adopted := make(map[string]*runner.Package), make(map[*experiment.Outcome]bool)
	for _, x := range list {
		p := of[x.Lab.Target.ImportPath]
		if p == nil {
			p = &runner.Package{Target: x.Lab.Target}
			of[p.ImportPath] = p
			res.Packages = append(res.Packages, p)
		}
		for _, o := range x.Runs {
			if adopted[o] || o.Run == nil || o.Trace == "" {
				continue
			}
			adopted[o] = true
			run := *o.Run
			run.N = len(p.Runs) + 1
			name := path.Join(below, "traces", text.DirName(p.ImportPath), fmt.Sprintf("%04d.trace", run.N))
			if err := link(o.Trace, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
				return nil, err
			}
			run.Traces = []string{name}
			p.Runs = append(p.Runs, &run)
		}
		res.N = max(res.N, len(p.Runs))
	}
	return res, nil
}

// link gives a file a second name, or copies it.
func link(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o666)
}
