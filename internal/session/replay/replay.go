// Package replay makes a test fail again under a perturbation that was proved before: to see it
// ([Job]), to see whether the code of today still fails, to print a patch that makes it fail, or to
// try edits that end it ([Fix]). Set the fields, and call Run.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A Job makes a test fail again that was made to fail before. Set the fields of the first part, and
// call Run; a Fix tries edits.
type Job struct {
	*session.Session
	Patch bool          // whether a patch is printed
	Save  bool          // whether the replay file is written beside the test, if it fails
	Brief *report.Brief // what is told in place of text, nil for text

	r    *proof.Proof
	name string // as it was asked for
	file string // where r was read from
	lab  *session.Lab
	exp  *experiment.Experimenter
	show *session.HuntProgress
}

// times is how often the hold that was found to suffice goroutines are held.
const times = 3

// Run reads the file, builds the package and makes the runs.
func (j *Job) Run(ctx context.Context, name string) (int, error) {
	if err := j.read(name); err != nil {
		return exit.Trouble, err
	}
	if err := j.buildAgain(ctx); err != nil {
		return exit.Trouble, err
	}
	defer j.show.Clear()
	re, err := j.exp.Retry(ctx, j.r, j.lab.Build, times)
	if err != nil {
		return exit.Trouble, j.explainGone(err)
	}
	if !re.Same {
		j.Progressf(
			"the code, or how or where it is built, has changed since: positions are found again by function and text")
	}
	if j.Patch {
		return j.makePatch(ctx, re)
	}
	return j.replayNow(ctx, re)
}

// read finds and reads the replay file.
func (j *Job) read(name string) (err error) {
	j.name = name
	if j.file, err = j.findReplay(j.Out, name); err != nil {
		return err
	}
	j.r, err = proof.Read(j.file)
	switch {
	case errors.Is(err, proof.ErrVersion):
		return advice.With(err, "fdebug hunt makes one that this fdebug reads")
	case errors.Is(err, proof.ErrNotReplay), errors.Is(err, proof.ErrDamaged):
		return advice.With(err, "fdebug hunt makes replay files; their names end in "+proof.Suffix)
	case err != nil:
		return err
	}
	return j.SelectAs(j.r.Tests)
}

// findReplay returns the file for a test: the newest in any run.
func (j *Job) findReplay(dir, name string) (string, error) {
	if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
		return name, nil
	}
	st := j.StoreIn(dir)
	ids, err := st.Runs()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	slices.Reverse(ids)
	printed := session.PrintedName(name)
	var others, tests []string
	for _, id := range ids {
		var found []string
		var called []*proof.Proof // nil for one that can't be read
		for _, f := range st.Files(id, "*"+proof.Suffix) {
			base := strings.TrimSuffix(filepath.Base(f), proof.Suffix)
			var names []string
			r, err := proof.Read(f)
			if err == nil {
				names = r.Names()
			}
			if base == name || err == nil && r.IsCalled(printed) {
				found, called = append(found, f), append(called, r)
			} else if !slices.Contains(others, base) {
				others, tests = append(others, base), append(tests, names...)
			}
		}
		if len(found) > 1 {
			return "", severalReplays(name, found, called)
		}
		if len(found) == 1 {
			if id != ids[0] {
				j.Progressf("%s: of the run %s, which is the newest that has a replay file for it", name, id)
			}
			return found[0], nil
		}
	}
	return "", j.noReplay(name, others, tests)
}

// noReplay is the error for a test without a replay file, while there are others, of some tests.
func (j *Job) noReplay(name string, others, tests []string) error {
	if strings.HasSuffix(name, ".json") { // it looks like a file rather than a test
		return fmt.Errorf("no replay file %s", name)
	}
	hints := advice.DidYouMean(name, tests)
	if len(hints) == 0 {
		hints = j.Mistyped(name)
	}
	if len(others) > 0 {
		hints = append(hints, "there are replay files for "+strings.Join(others, ", "))
	}
	if len(hints) == 0 {
		hints = []string{huntFor(name)}
	}
	return advice.With(fmt.Errorf("no replay file for %q", name), hints...)
}

// huntFor is the hint for a test that nothing was proved of.
func huntFor(name string) string {
	test := trace.TopTest(name)
	if i := strings.LastIndexByte(test, '.'); i >= 0 { // replay files are named after the package too
		test = test[i+1:]
	}
	return "fdebug hunt -run '^" + test + "$' ./... looks for what makes it fail"
}

// severalReplays asks for one of some files: by its package if each has another one, else by its name.
func severalReplays(name string, files []string, called []*proof.Proof) error {
	var names, packages []string
	for i, f := range files {
		names = append(names, strings.TrimSuffix(filepath.Base(f), proof.Suffix))
		if r := called[i]; r != nil && !slices.Contains(packages, r.Package) {
			packages = append(packages, r.Package)
		}
	}
	if len(packages) < len(files) {
		return advice.With(fmt.Errorf("%s fails in several ways: say which", name), "one of "+strings.Join(names, ", "))
	}
	for i, r := range called {
		names[i] = text.ShortPath(r.Package, packages) + "." + r.Test
	}
	return advice.With(fmt.Errorf("several packages have a %s that fails: say which", called[0].Test),
		"one of "+strings.Join(names, ", "))
}

// buildAgain builds the package of the file, with its flags.
func (j *Job) buildAgain(ctx context.Context) error {
	if err := j.instrumentAgain(ctx); err != nil {
		return err
	}
	return j.buildLab(ctx)
}

// instrumentAgain prepares the package of the file for building: with the packages that were
// instrumented with it if they are here, else alone. A bundle has it built.
func (j *Job) instrumentAgain(ctx context.Context) error {
	if j.BundleFile != "" {
		j.Patterns = []string{j.r.Package}
		return j.Obtain(ctx)
	}
	if err := j.MakeWork(); err != nil {
		return err
	}
	b := j.r.Build
	j.Patterns, j.Flags, j.Instrument, j.Generated = b.Patterns, b.Flags, b.Instrument, b.Generated
	out := filepath.Join(j.Work, "instrumented")
	if len(j.Patterns) > 0 && j.InstrumentTo(ctx, out) == nil && j.target() != nil {
		return nil
	}
	j.Patterns = []string{j.r.Package}
	if err := j.InstrumentTo(ctx, out); err != nil {
		if j.Plan == nil || j.Plan.Sites == nil || j.Plan.Sites.Module != j.r.Module {
			return advice.With(fmt.Errorf("%s is of package %s, which is not here: %w", j.Show(j.file), j.r.Package,
				err), "-C DIR says where module "+j.r.Module+" is")
		}
		return err
	}
	return nil
}

// buildLab builds the package, once it is instrumented.
func (j *Job) buildLab(ctx context.Context) error {
	if j.Plan.Sites.Module != j.r.Module {
		return advice.With(fmt.Errorf("%s is of module %s, and this is %s", j.Show(j.file), j.r.Module,
			j.Plan.Sites.Module), "-C DIR says where the module is")
	}
	if tc := j.Plan.Toolchain; j.r.Platform != tc.GOOS+"/"+tc.GOARCH {
		j.Warnf("%s was made on %s, this is %s/%s: it may fail under other conditions here", j.Show(j.file),
			j.r.Platform, tc.GOOS, tc.GOARCH)
	}
	j.Buildingf("building %s", j.r.Package)
	if len(j.r.Build.Inside) > 0 && j.Builds() {
		if _, err := j.Split(ctx, j.r.Build.Inside...); err != nil {
			return err
		}
	}
	var err error
	if j.lab, err = j.NewTracedLab(ctx, *j.target(), filepath.Join(j.Work, "lab")); err != nil {
		return err
	}
	if j.lab == nil {
		return fmt.Errorf("%s has no tests any more", j.r.Package)
	}
	j.lab.Exec.Recall(j.r.Logs)
	j.show = &session.HuntProgress{Console: j.Console}
	j.exp = j.lab.Experimenter(j.r.Test, cmp.Or(j.Seed, rand.Uint64()), j.show)
	return nil
}

// target returns the package of the file, or nil if it is not instrumented.
func (j *Job) target() *runner.Target {
	for _, p := range j.Plan.Packages {
		if p.ImportPath == j.r.Package {
			return &runner.Target{ImportPath: p.ImportPath, Dir: p.Dir}
		}
	}
	return nil
}

// explainGone adds hints about code that may be missing now.
func (j *Job) explainGone(err error) error {
	var gone *experiment.GoneError
	switch {
	case errors.As(err, &gone):
		return advice.With(err, "fdebug hunt -run '^"+j.r.Test+"$' "+j.r.Package+" looks for what makes it fail now")
	case errors.Is(err, experiment.ErrNotRun):
		return advice.With(fmt.Errorf("no run comes to %s any more: was it removed, renamed, or is it skipped?",
			j.r.Test), "fdebug hunt "+j.r.Package+" looks at the tests that are there")
	}
	return err
}

// replayNow makes the test fail, and says how often it did.
func (j *Job) replayNow(ctx context.Context, re *experiment.Retrial) (int, error) {
	sig := j.signature(re)
	if len(re.Trials) > 1 { // in this build the seed leads to other choices
		next, settled, err := j.exp.Settle(ctx, re, sig)
		if err != nil {
			return exit.Trouble, err
		}
		if re = next; settled {
			j.Progressf("what is chosen follows from another seed in this build: one was found with which it fails")
		}
	}
	x, err := j.exp.With(ctx, re, sig, j.N)
	if err != nil {
		return exit.Trouble, err
	}
	j.show.Clear()
	w := j.Stdout
	fmt.Fprintln(w, report.SaidProof(terminal.SourcesOf(j.Plan.Sites), j.r))
	if x.With.Of+x.With.Other == 0 {
		return exit.Trouble, advice.With(fmt.Errorf("it did not act in any of %s: the position was not come to",
			text.Plural(x.With.Missed, "run")), "fdebug hunt -run '^"+j.r.Test+"$' looks for what makes it fail now")
	}
	before, acted := j.r.Confirmed.With, j.actedWords(x)
	fmt.Fprintf(w, "%s failed in %s%s; when it was found, in %d of %d. %s\n",
		j.failing(re), text.OfRuns(x.With.Failed, x.With.Of), dosedWords(x), before.Failed, before.Of,
		strings.ToUpper(acted[:1])+acted[1:]+".")
	if x.With.Other > 0 {
		fmt.Fprintf(w, "%d more failed in another way.\n", x.With.Other)
	}
	j.printMessages(x)
	switch err := j.brief(x); {
	case err != nil:
		return exit.Trouble, err
	case !experiment.Promised(x.With, before):
		return exit.Flaky, nil
	case j.Save:
		err := j.save()
		return exit.If(err != nil, exit.Trouble), err
	}
	return exit.OK, nil
}

// brief adds the runs that were made again to the brief, if there is one.
func (j *Job) brief(x *experiment.Tried) error {
	if j.Brief == nil {
		return nil
	}
	r := terminal.SourcesOf(j.Plan.Sites)
	r.Options = j.Options()
	t, err := j.Brief.AddProof(r, j.r, j.name)
	if err != nil {
		return err
	}
	t.Replay = j.Show(j.file)
	t.Count("now", x.With)
	for _, m := range x.Messages[:min(len(x.Messages), 3)] {
		t.Print(m)
	}
	return nil
}

// maxMessage is how many characters of a message are looked at.
const maxMessage = 8000

// printMessages writes how the test failed, in the words of the first few runs.
func (j *Job) printMessages(x *experiment.Tried) {
	var lines []string
	for _, m := range x.Messages[:min(len(x.Messages), 3)] {
		lines = append(lines, text.Line(m, maxMessage))
	}
	for _, line := range text.Apart(lines, 100) {
		fmt.Fprintf(j.Stdout, "    %s\n", line)
	}
}

// actedWords says in how many runs the perturbation acted, if there is one.
func (j *Job) actedWords(x *experiment.Tried) string {
	if j.r.Always {
		return "nothing was perturbed"
	}
	acted := x.With.Of + x.With.Other
	return fmt.Sprintf("it acted in %d of %d%s", acted, acted+x.With.Missed, unmetWords(x))
}

// dosedWords says how long goroutines were held.
func dosedWords(x *experiment.Tried) string {
	if x.Dose == 0 {
		return ""
	}
	return fmt.Sprintf(", held for %v", x.Dose)
}

// unmetWords says in how many runs an order was not met, though a goroutine waited for it: fixed
// code prevents it.
func unmetWords(x *experiment.Tried) string {
	if x.With.Unmet == 0 {
		return ""
	}
	return fmt.Sprintf(", and in %d of these the order did not come about", x.With.Unmet)
}

// failing is the test whose failures count: the one that failed when the file was made, which may
// be a subtest of j.r.Test. In other code any test in j.r.Test counts.
func (j *Job) failing(re *experiment.Retrial) string {
	if re != nil && !re.Same {
		return j.r.Test
	}
	return cmp.Or(j.r.Signature.Test, j.r.Test)
}

// signature is the failure that counts. In other code lines have moved, so any failure counts.
func (j *Job) signature(re *experiment.Retrial) *runner.Signature {
	if !re.Same {
		return nil
	}
	sig := experiment.SignatureOf(j.r)
	return &sig
}

// another returns a job in the same module, for other code.
func (j *Job) another() *Job {
	return &Job{file: j.file, Session: &session.Session{Console: j.Console, Config: session.Config{Sel: j.Sel, N: j.N,
		Parallel: j.Parallel, Out: j.Out, TraceSize: j.TraceSize, Command: j.Command, Version: j.Version, Beside: j.Beside}}}
}
