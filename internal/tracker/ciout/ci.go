package ciout

import (
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"
)

// A Job is what a run or a hunt leaves for a CI system. Call Flags, then Begin before anything is run,
// and Finish at the end.
type Job struct {
	*session.Console
	Version  string // of fdebug
	annotate bool   // in GitHub Actions
	outputs  []*ciOutput
	Machine  bool      // stdout is JSON, for a program
	events   *Events   // -json of run; else nil
	commands io.Writer // for workflow commands; nil outside GitHub Actions
	step     part      // of the summary of a step
}

// A ciOutput is a file that a flag asks for.
type ciOutput struct {
	flag string
	name string // "" if it is not asked for
	fill func(*Report, io.Writer) error
}

// Flags registers the flags that run and hunt share.
func (c *Job) Flags(fs *flag.FlagSet) {
	c.outputs = []*ciOutput{
		{flag: "junit", fill: (*Report).JUnit},
		{flag: "ctrf", fill: (*Report).CTRF},
		{flag: "codequality", fill: (*Report).CodeQuality},
		{flag: "summary", fill: func(r *Report, w io.Writer) error { return r.Summary(w, MaxComment) }},
	}
	for _, o := range c.outputs {
		fs.StringVar(&o.name, o.flag, "", "")
	}
	fs.BoolVar(&c.annotate, "annotate", true, "")
}

// Asked returns the flag of a file that was asked for, "" if none was.
func (c *Job) Asked() string {
	for _, o := range c.outputs {
		if o.name != "" {
			return o.flag
		}
	}
	return ""
}

// Begin checks that all files can be written.
func (c *Job) Begin() error {
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
		if err := prepare(o.name); err != nil {
			return c.explain(o, err)
		}
	}
	if c.Getenv("GITHUB_ACTIONS") == "true" {
		c.inActions()
	}
	return nil
}

// inActions makes sure that the output of tests contains no workflow commands, and that
// annotations are workflow commands, on stderr, so that they work if stdout goes to a file.
func (c *Job) inActions() {
	if c.annotate {
		c.commands = c.Stderr
	}
	text := Guard(c.Stderr)
	switch {
	case c.events != nil: // text for people goes to stderr
		c.Stdout = text
	case !c.Machine: // JSON has no line that is a command
		c.Stdout = Guard(c.Stdout)
	}
	c.Stderr = text
}

// explain says what can be done about a file that can't be written.
func (c *Job) explain(o *ciOutput, err error) error {
	hint := "the file is written when all runs are done: name one in a directory that can be written to"
	if errors.Is(err, fs.ErrNotExist) {
		hint = "the directory is not there: mkdir -p " + filepath.Dir(o.name)
	}
	return advice.With(advice.Usagef("-%s: %v", o.flag, err), hint)
}

// JSON sends events to stdout; text for people goes to stderr.
func (c *Job) JSON() {
	c.Machine = true
	c.events = NewEvents(c.Stdout, homeDir(), os.Environ())
	c.Stdout = c.Stderr
}

// Event processes a step of the runner.
func (c *Job) Event(e runner.Event) {
	if c.events != nil {
		c.events.Event(e)
	}
}

// Finish writes everything, and again if more was found later. To the exit code and error of the run it adds those of
// outputs that are missing.
func (c *Job) Finish(r *Report, code int, err error) (int, error) {
	r.Environ, r.Workspace, r.Fdebug = os.Environ(), c.Getenv("GITHUB_WORKSPACE"), c.Version
	if dir := c.Getenv("CI_PROJECT_DIR"); r.Workspace == "" && c.Getenv("GITLAB_CI") == "true" {
		r.Workspace = dir
	}
	if c.events != nil {
		if err2 := c.events.End(r); err2 != nil {
			code, err = exit.Of(code, exit.Trouble), errors.Join(err, err2)
		}
	}
	c.github(r)
	for _, o := range c.outputs {
		if o.name == "" {
			continue
		}
		if err2 := write(o.name, func(w io.Writer) error { return o.fill(r, w) }); err2 != nil {
			code, err = exit.Of(code, exit.Trouble), errors.Join(err, c.explain(o, err2))
		}
	}
	return code, err
}

// github writes what GitHub Actions shows by itself. Its errors are only warnings.
func (c *Job) github(r *Report) {
	if c.commands == nil {
		return
	}
	left, err := r.Annotations(c.commands)
	if err != nil {
		c.Warnf("annotations: %v", err)
	}
	if left > 0 {
		c.Progressf("%s more without annotation: GitHub shows ten a step", text.Plural(left, "test"))
	}
	for _, f := range r.findings() {
		r.annotated = append(r.annotated, f.Case)
	}
	if name := c.Getenv("GITHUB_STEP_SUMMARY"); name != "" {
		if err := c.step.add(name, MaxStepSummary, r.Summary); err != nil {
			c.Warnf("step summary: %v", err)
		}
	}
}

// NothingRun is the report of a run that got to no test.
func NothingRun(j *session.Session, runs *runner.Results, why string) *Report {
	result := &finding.Result{
		Started: j.Budget.Began, Elapsed: time.Since(j.Budget.Began), Module: j.Plan.Sites.Module, Sites: j.Plan.Sites,
		Go: j.Plan.Toolchain.GOVERSION, Home: homeDir(),
	}
	if runs == nil {
		runs = &runner.Results{}
	}
	return New(result, Suites(result, runs), why)
}

func homeDir() string {
	home, _ := os.UserHomeDir()
	return home
}
