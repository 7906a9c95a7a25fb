package ciout

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/report"
)

// A cause is where to look first, and why there.
type cause struct {
	report.Cause
	Proved bool // by an experiment
}

// Place returns "queue/queue.go:12", "" if it is unknown.
func (c *cause) Place() string {
	if c.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.File, c.Line)
}

// causeOf returns the cause of a test as far as it is known, in the words of its page, else where
// the test failed.
func (r *Report) causeOf(c *Case) cause {
	t := c.Test
	if t == nil {
		return cause{Cause: report.Cause{Said: "fdebug run compares its failing with its passing runs"}}
	}
	k := cause{Cause: report.CauseOf(r.Result, t)}
	if len(t.Verdicts) > 0 {
		k.Proved = t.Verdicts[0].Class() == finding.Proved
	}
	if len(t.Failures) > 0 && k.File == "" {
		if file, ok := r.rel(t.Failures[0].Frame.File); ok {
			k.File, k.Line = file, t.Failures[0].Frame.Line
		}
	}
	return k
}

// rel returns a file of the module as it is named from its root.
func (r *Report) rel(file string) (string, bool) {
	if r.Result.Sites == nil || file == "" {
		return "", false
	}
	return r.Result.Sites.Rel(file)
}

// inWorkspace returns a file of the module as it is named from the workspace.
func (r *Report) inWorkspace(file string) string {
	if r.Workspace == "" || r.Result.Sites == nil {
		return file
	}
	rel, err := filepath.Rel(real(r.Workspace), filepath.Join(real(r.Result.Sites.Root), filepath.FromSlash(file)))
	if err != nil || strings.HasPrefix(rel, "..") {
		return file
	}
	return filepath.ToSlash(rel)
}

// real returns a directory without symbolic links, if it is there.
func real(dir string) string {
	if r, err := filepath.EvalSymlinks(dir); err == nil {
		return r
	}
	return dir
}

// name returns the name of a test as it is shown.
func (c *Case) name() string {
	if c.Name == "" {
		return "(package)"
	}
	return c.Name
}

// said says in a few words what became of a test: "flaky: 3 of 6 runs failed; without
// probes 1 of 3".
func (c *Case) said() string {
	n := c.Runs.Failed + c.Runs.Passed
	runs := fmt.Sprintf("%d of %d runs failed", c.Runs.Failed, n)
	if t := c.Test; t != nil && c.state() == finding.Provoked && len(t.Verdicts) > 0 {
		with, plain := t.Verdicts[0].Proof.Confirmed.With, t.Verdicts[0].Proof.Confirmed.Plain
		runs = fmt.Sprintf("with the perturbation %d of %d runs failed, without it %d of %d",
			with.Failed, with.Of, plain.Failed, plain.Of)
	} else if c.state() == finding.OnlySeen {
		x := t.Seen()
		runs = fmt.Sprintf("with something perturbed %d of %d runs failed, without it %d of %d",
			x.Perturbed.Failed, x.Perturbed.Of, x.Plain.Failed, x.Plain.Of)
	} else if n > 0 && c.state() == finding.Flaky {
		runs += " (" + strings.ReplaceAll(report.Rate(c.Runs.Failed, n), "–", "-") + ")"
	}
	if plain := c.Plain.Failed + c.Plain.Passed; plain > 0 {
		runs += fmt.Sprintf("; without probes %d of %d", c.Plain.Failed, plain)
	}
	return string(c.state()) + ": " + runs
}
