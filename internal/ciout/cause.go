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
	File   string // from the root of the module, with slashes; "" if unknown
	Line   int
	Class  finding.Class
	Proved bool   // by an experiment, and it is no deadline artefact
	Said   string // a sentence
}

// Place returns "queue/queue.go:12", "" if it is unknown.
func (c *cause) Place() string {
	if c.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", c.File, c.Line)
}

// causeOf returns the cause that was proved, else the first place to look at, else where
// the test failed.
func (r *Report) causeOf(c *Case) cause {
	t := c.Test
	if t == nil {
		return cause{Said: "fdebug run compares its failing with its passing runs"}
	}
	if len(t.Verdicts) > 0 {
		return r.proof(t, &t.Verdicts[0])
	}
	return r.first(t)
}

// first returns the first place to look at, else where the test failed.
func (r *Report) first(t *finding.Test) cause {
	list := t.Suspects()
	if len(list) > 0 && list[0].Class > finding.Symptom {
		s := &list[0]
		return cause{File: s.File, Line: s.Start, Class: s.Class, Said: "Look first here: " + report.Why(s) + "."}
	}
	c := r.symptom(t)
	if len(list) > 0 {
		c.File, c.Line = list[0].File, list[0].Start
	}
	return c
}

// proof returns what an experiment has shown.
func (r *Report) proof(t *finding.Test, v *finding.Verdict) cause {
	c := cause{Class: v.Class, Proved: v.Class == finding.Proved && v.Proof.Artefact == ""}
	if said := report.SaidCause(r.Result, t); len(said) > 0 {
		c.Said = said[0]
	}
	if v.Proof.Artefact != "" {
		c.Said += " It is a deadline artefact: " + v.Proof.Artefact
	}
	for _, f := range t.Failures {
		for i := range f.Suspects {
			if s := &f.Suspects[i]; s.Reason.Verdict != nil && s.Reason.Verdict.Signature == v.Signature {
				c.File, c.Line = s.File, s.Start
				return c
			}
		}
	}
	if len(v.Window) > 0 {
		c.File, c.Line = v.Window[0].File, v.Window[0].Start
		return c
	}
	// What is proved has no line, an order of tests for example: the line is a guess.
	guess := r.first(t)
	c.File, c.Line = guess.File, guess.Line
	if guess.Class > finding.Symptom {
		c.Said += " " + guess.Said
	}
	return c
}

// symptom returns where a test failed, if no more is known.
func (r *Report) symptom(t *finding.Test) cause {
	if len(t.Failures) == 0 {
		c := cause{Said: "It failed in runs without the recorder only: there is nothing to compare."}
		if p := t.PlainFailure; p != nil {
			c.Said += " " + p.Message
		}
		return c
	}
	f := t.Failures[0]
	c := cause{Said: "Failed: " + f.Message}
	if file, ok := r.rel(f.Frame.File); ok {
		c.File, c.Line = file, f.Frame.Line
	}
	return c
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
	if t := c.Test; t != nil && c.state() == provoked && len(t.Verdicts) > 0 {
		v := &t.Verdicts[0]
		runs = fmt.Sprintf("with the perturbation %d of %d runs failed, without it %d of %d", v.Proof.Confirmed.With.Failed, v.Proof.Confirmed.With.Of, v.Proof.Confirmed.Plain.Failed, v.Proof.Confirmed.Plain.Of)
	} else if n > 0 && c.state() == flaky {
		runs += " (" + strings.ReplaceAll(report.Rate(c.Runs.Failed, n), "–", "-") + ")"
	}
	if plain := c.Plain.Failed + c.Plain.Passed; plain > 0 {
		runs += fmt.Sprintf("; without probes %d of %d", c.Plain.Failed, plain)
	}
	return string(c.state()) + ": " + runs
}
