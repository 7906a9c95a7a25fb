package main

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/ciout"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
)

// A ciJob is what a run or a hunt leaves for a CI system.
type ciJob struct {
	app      *app
	annotate bool // in GitHub Actions
	outputs  []*ciOutput
	machine  bool          // stdout is JSON, for a program
	events   *ciout.Events // -json of run; else nil
	commands io.Writer     // for workflow commands; nil outside GitHub Actions
}

// A ciOutput is a file that a flag asks for.
type ciOutput struct {
	flag string
	name string
	file ciout.File
	fill func(*ciout.Report, io.Writer) error
}

// flags registers the flags that run and hunt share.
func (c *ciJob) flags(fs *flagSet) {
	c.outputs = []*ciOutput{
		{flag: "junit", fill: (*ciout.Report).JUnit},
		{flag: "ctrf", fill: (*ciout.Report).CTRF},
		{flag: "codequality", fill: (*ciout.Report).CodeQuality},
		{flag: "summary", fill: func(r *ciout.Report, w io.Writer) error { return r.Summary(w, ciout.MaxComment) }},
	}
	for _, o := range c.outputs {
		fs.StringVar(&o.name, o.flag, "", "")
	}
	fs.BoolVar(&c.annotate, "annotate", true, "")
}

// begin checks that all files can be written.
func (c *ciJob) begin() error {
	used := make(map[string]string)
	for _, o := range c.outputs {
		if o.name == "" {
			continue
		}
		path, err := filepath.Abs(o.name)
		if err != nil {
			return err
		}
		if other := used[path]; other != "" {
			return advice.Usagef("-%s and -%s are the same file, %s", other, o.flag, o.name)
		}
		used[path] = o.flag
		if o.file, err = ciout.Open(o.name); err != nil {
			return c.explain(o, err)
		}
	}
	if c.app.Getenv("GITHUB_ACTIONS") == "true" {
		c.inActions()
	}
	return nil
}

// inActions makes sure that the output of tests contains no workflow commands, and that
// annotations are workflow commands, on stderr, so that they work if stdout goes to a file.
func (c *ciJob) inActions() {
	if c.annotate {
		c.commands = c.app.Stderr
	}
	text := ciout.Guard(c.app.Stderr)
	switch {
	case c.events != nil: // text for people goes to stderr
		c.app.Stdout = text
	case !c.machine: // JSON has no line that is a command
		c.app.Stdout = ciout.Guard(c.app.Stdout)
	}
	c.app.Stderr = text
}

// explain says what can be done about a file that can't be written.
func (c *ciJob) explain(o *ciOutput, err error) error {
	hint := "the file is written when all runs are done: name one in a directory that can be written to"
	if errors.Is(err, fs.ErrNotExist) {
		hint = "the directory is not there: mkdir -p " + filepath.Dir(o.name)
	}
	return advice.With(advice.Usagef("-%s: %v", o.flag, err), hint)
}

// json sends events to stdout; text for people goes to stderr.
func (c *ciJob) json() {
	c.machine = true
	c.events = ciout.NewEvents(c.app.Stdout, homeDir(), os.Environ())
	c.app.Stdout = c.app.Stderr
}

// event processes a step of the runner.
func (c *ciJob) event(e runner.Event) {
	if c.events != nil {
		c.events.Event(e)
	}
}

// finish writes everything. It keeps the exit code and error of the run, unless an output is
// missing.
func (c *ciJob) finish(r *ciout.Report, code int, err error) (int, error) {
	r.Environ, r.Workspace, r.Fdebug = os.Environ(), c.app.Getenv("GITHUB_WORKSPACE"), version()
	if dir := c.app.Getenv("CI_PROJECT_DIR"); r.Workspace == "" && c.app.Getenv("GITLAB_CI") == "true" {
		r.Workspace = dir
	}
	if c.events != nil {
		if err2 := c.events.End(r); err2 != nil {
			return exitTrouble, errors.Join(err, err2)
		}
	}
	c.github(r)
	for _, o := range c.outputs {
		if err2 := o.file.Write(func(w io.Writer) error { return o.fill(r, w) }); err2 != nil {
			code, err = exitTrouble, errors.Join(err, c.explain(o, err2))
		}
	}
	return code, err
}

// github writes what GitHub Actions shows by itself. Its errors are only warnings.
func (c *ciJob) github(r *ciout.Report) {
	if c.commands == nil {
		return
	}
	left, err := r.Annotations(c.commands)
	if err != nil {
		c.app.Warnf("annotations: %v", err)
	}
	if left > 0 {
		c.app.Progressf("%s more without annotation: GitHub shows ten a step", text.Plural(left, "test"))
	}
	if name := c.app.Getenv("GITHUB_STEP_SUMMARY"); name != "" {
		if err := ciout.Append(name, ciout.MaxStepSummary, func(w io.Writer, room int) error { return r.Summary(w, room) }); err != nil {
			c.app.Warnf("step summary: %v", err)
		}
	}
}

// nothingRun is the report of a run that got to no test.
func (j *runJob) nothingRun(runs *runner.Results, why string) *ciout.Report {
	result := &finding.Result{
		Started: j.Budget.Began, Elapsed: time.Since(j.Budget.Began), Module: j.Plan.Sites.Module, Sites: j.Plan.Sites,
		Go: j.Plan.Toolchain.GOVERSION, Home: homeDir(),
	}
	if runs == nil {
		runs = &runner.Results{}
	}
	r := ciout.New(result, runs)
	r.Nothing = why
	return r
}
