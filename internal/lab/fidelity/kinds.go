package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const (
	plainRuns   = 3 // of a package without probes, and as many with probes only
	aloneRuns   = 5 // of a test whose outcome changed, with the dose and without
	suiteRuns   = 3 // the same for all tests, if it never failed alone
	mostChanges = 6 // how many changes of one run are examined: a process that dies takes all tests with it
)

// A kindRow says what one kind did.
type kindRow struct {
	packages, tests, runs, acted, outcomes int
	changed, again                         int // outcomes, and those that changed again
}

// A change is a test that failed under a dose, and never in the runs without.
type change struct {
	pkg     string
	dose    *dose
	test    test
	message string
	alone   counts // the test by itself
	all     counts // all tests
	untrue  int    // runs in which a test saw what reveals the dose
}

// counts are runs with a dose and without.
type counts struct{ failed, of, controlFailed, controlOf int }

func (c counts) String() string {
	return fmt.Sprintf("%d of %d, without %d of %d", c.failed, c.of, c.controlFailed, c.controlOf)
}

func (c *change) again() bool { return c.alone.failed+c.all.failed > 0 }

func (c *change) String() string {
	text := fmt.Sprintf("%s %s: %s (%s)", c.pkg, cmp.Or(c.test.name, "(package)"), c.dose.kind, c.dose.name)
	if c.alone.of > 0 {
		text += fmt.Sprintf(": alone %v", c.alone)
	}
	if c.all.of > 0 {
		text += fmt.Sprintf("; with all tests %v", c.all)
	}
	if c.untrue > 0 {
		text += fmt.Sprintf("; %d runs count for nothing, since they see another clock", c.untrue)
	}
	line, _, _ := strings.Cut(c.message, "\n")
	return text + ": " + line
}

// A kindRun tries kinds on one package.
type kindRun struct {
	*suite
	pkg     string
	probed  *side
	raced   *side // nil unless race is tried
	base    *observations
	survey  *survey
	rows    map[string]*kindRow
	changes []*change
}

// tryKinds runs the tests of a package undisturbed, and then under each kind alone.
func (s *suite) tryKinds(ctx context.Context, target runner.Target) (*kindRun, error) {
	dir, err := os.MkdirTemp(s.work, "package-")
	if err != nil {
		return nil, err
	}
	defer removeAll(dir)
	k := &kindRun{suite: s, pkg: target.ImportPath, base: newObservations(), rows: make(map[string]*kindRow)}
	k.probed = &side{suite: s, dir: dir, build: s.tracedBuild(dir), traced: true, budget: traceBudget}
	plain := &side{suite: s, dir: dir, build: s.plainBuild(dir)}
	for _, one := range []*side{plain, k.probed} {
		if err := one.make(ctx, target); err != nil {
			return nil, err
		}
	}
	if slices.Contains(s.kinds, "race") {
		b := s.tracedBuild(dir)
		b.Flags = append(slices.Clip(b.Flags), "-race")
		if b.Out = filepath.Join(dir, "race"); os.Mkdir(b.Out, 0o777) != nil {
			return nil, err
		}
		k.raced = &side{suite: s, dir: dir, build: b, traced: true, budget: traceBudget}
		if err := k.raced.make(ctx, target); err != nil {
			fmt.Fprintln(s.progress, "\tnot built with the race detector:", firstLine(err))
			k.raced = nil
		}
	}
	if err := k.look(ctx, plain); err != nil {
		return nil, err
	}
	for _, kind := range s.kinds {
		if err := k.try(ctx, kind); err != nil {
			return nil, err
		}
	}
	return k, nil
}

// look makes the undisturbed runs.
func (k *kindRun) look(ctx context.Context, plain *side) error {
	for i := range plainRuns {
		run, err := plain.run(ctx, nil)
		if err != nil {
			return err
		}
		k.base.add(false, run, false)
		d := dose{}
		if i == 0 { // with pins, the trace shows who chooses
			d.plan = planOf(append(freedom.Pins(k.seed), freedom.Survey()...)...)
		}
		run, err = k.probed.under(ctx, &d, nil, func(run *runner.Run, t *trace.Trace) {
			if i == 0 {
				k.survey = surveyOf(run, t, k.seed)
			}
		})
		if err != nil {
			return err
		}
		k.base.add(false, run, false)
	}
	if k.survey == nil {
		k.survey = &survey{}
	}
	return nil
}

// try runs the tests under each dose of a kind, and examines what changed.
func (k *kindRun) try(ctx context.Context, kind string) error {
	row := &kindRow{}
	for _, d := range k.survey.doses(kind, k.seed, k.draws) {
		row.packages, row.tests = 1, k.base.number()
		parts := [][]string{nil}
		if d.each != nil {
			parts = nil
			for _, name := range d.each {
				parts = append(parts, []string{name})
			}
		}
		for _, alone := range parts {
			if err := k.once(ctx, row, &d, alone); err != nil {
				return err
			}
		}
	}
	if row.packages > 0 {
		k.rows[kind] = row
	}
	return nil
}

// once makes one run under a dose.
func (k *kindRun) once(ctx context.Context, row *kindRow, d *dose, alone []string) error {
	one := k.side(d)
	if one == nil {
		return nil
	}
	var e effect
	run, err := one.under(ctx, d, alone, func(_ *runner.Run, t *trace.Trace) { e = effectOf(&d.plan, t) })
	if err != nil {
		return err
	}
	row.runs++
	if e.acted || d.race || d.shuffle != 0 || d.each != nil && !d.plan.Does(freedom.Step.Sets) {
		row.acted++
	}
	for _, o := range run.Outcomes {
		if o.Test != "" {
			row.outcomes++
		}
	}
	list := k.changed(d, run, alone != nil)
	row.changed += len(list)
	for _, c := range list[:min(len(list), mostChanges)] {
		if err := k.confirm(ctx, c); err != nil {
			return err
		}
		if c.again() {
			row.again++
		}
		fmt.Fprintf(k.progress, "\t%v\n", c)
	}
	k.changes = append(k.changes, list...)
	return nil
}

func (k *kindRun) side(d *dose) *side {
	if d.race {
		return k.raced
	}
	return k.probed
}

// changed returns the tests that failed in a run and never in those without a dose. It ignores a
// failure whose message shows fdebug, because the test looks at the stacks of goroutines that are
// held.
func (k *kindRun) changed(d *dose, run *runner.Run, part bool) (list []*change) {
	now := newObservations()
	now.add(true, run, part)
	for _, t := range now.tests() {
		if !now.statuses(t, 1)[0].Failing() || slices.ContainsFunc(k.base.statuses(t, 0), runner.Status.Failing) {
			continue
		}
		if m := now.detail[t]; !strings.Contains(m, "held by fdebug") && !strings.Contains(m, "fdebugrt.") {
			list = append(list, &change{pkg: k.pkg, dose: d, test: t, message: m})
		}
	}
	return list
}

// confirm runs the test of a change again, alone and, if it does not fail then, with the others.
func (k *kindRun) confirm(ctx context.Context, c *change) error {
	if name := top(c.test.name); name != "" && name[0] != '(' {
		if err := k.compareRuns(ctx, c, &c.alone, aloneRuns, []string{regexp.QuoteMeta(name)}); err != nil ||
			c.alone.failed > 0 {
			return err
		}
	}
	if c.dose.each != nil {
		return nil
	}
	return k.compareRuns(ctx, c, &c.all, suiteRuns, nil)
}

// compareRuns makes n runs with the dose of a change, and n without.
func (k *kindRun) compareRuns(ctx context.Context, c *change, n *counts, runs int, alone []string) error {
	for range runs {
		e := effect{legal: true}
		run, err := k.side(c.dose).under(ctx, c.dose, alone, func(_ *runner.Run, t *trace.Trace) {
			e = effectOf(&c.dose.plan, t)
		})
		if err != nil {
			return err
		}
		if !e.legal {
			c.untrue++
			continue
		}
		n.of++
		n.failed += fails(run, c.test)
		if run, err = k.probed.under(ctx, &dose{}, alone, nil); err != nil {
			return err
		}
		n.controlOf++
		n.controlFailed += fails(run, c.test)
	}
	return nil
}

// fails returns 1 if a test failed in a run, else 0.
func fails(run *runner.Run, k test) int {
	o := newObservations()
	o.add(false, run, true)
	if slices.ContainsFunc(o.statuses(k, 0), runner.Status.Failing) {
		return 1
	}
	return 0
}

// under executes the binary once under a dose, and calls look with the trace, if there is one.
func (o *side) under(ctx context.Context, d *dose, alone []string,
	look func(*runner.Run, *trace.Trace)) (*runner.Run, error) {
	x := o.suite.exec(o.bin)
	x.Trace, x.TraceBudget = filepath.Join(o.dir, "trace"), o.budget
	defer removeTraces(x.Trace)
	if len(alone) > 0 {
		x.Select.Run = "^(" + strings.Join(alone, "|") + ")$"
	}
	if d.shuffle != 0 {
		x.Select.Shuffle = fmt.Sprint(d.shuffle)
	}
	if len(d.skip) > 0 && len(alone) == 0 {
		x.Select.Skip = strings.TrimPrefix(x.Select.Skip+"|^("+strings.Join(d.skip, "|")+")$", "|")
	}
	if p := d.plan; d.does() && !d.race {
		p.Process = filepath.Base(o.bin.Path)
		x.Perturb = x.Trace + ".plan"
		if err := p.WriteFile(x.Perturb); err != nil {
			return nil, err
		}
		if x.Env = append(x.Env, p.Env(x.Perturb)...); p.Homes() {
			x.Env = append(x.Env, o.suite.goDirs()...)
		}
	}
	run, err := x.Run(ctx)
	if err != nil || look == nil {
		return run, err
	}
	t, err := trace.ReadRaw(x.Trace)
	if err != nil {
		return run, nil // it ended before its trace began
	}
	defer t.Close()
	look(run, t)
	return run, nil
}

// goDirs lets a go command that a test starts find its caches if the home directory is a
// different one.
func (s *suite) goDirs() []string {
	tc := s.plan.Toolchain
	return []string{"GOCACHE=" + tc.GOCACHE, "GOMODCACHE=" + tc.GOMODCACHE, "GOPATH=" + tc.GOPATH}
}

// A kindTable prints what kinds did, as Markdown.
type kindTable struct {
	name  string
	kinds []string
	runs  []*kindRun
}

func (t *kindTable) print(w io.Writer) {
	fmt.Fprintf(w,
		"%s\n\n| kind | packages | tests | runs | acted in | outcomes | changed | again |\n|---|--:|--:|--:|--:|--:|--:|--:|\n",
		t.name)
	for _, kind := range t.kinds {
		var sum kindRow
		for _, k := range t.runs {
			if r := k.rows[kind]; r != nil {
				sum.add(r)
			}
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %d | %d | %d | %d |\n", kind, sum.packages, sum.tests, sum.runs,
			sum.acted, sum.outcomes, sum.changed, sum.again)
	}
	for _, k := range t.runs {
		for _, c := range k.changes {
			fmt.Fprintf(w, "\n- %v", c)
		}
	}
	fmt.Fprintln(w)
}

func (r *kindRow) add(o *kindRow) {
	r.packages += o.packages
	r.tests += o.tests
	r.runs += o.runs
	r.acted += o.acted
	r.outcomes += o.outcomes
	r.changed += o.changed
	r.again += o.again
}

// runKinds tries the kinds on all packages, and prints the result. The status is 1 if an outcome
// changed, and did so again.
func (s *suite) runKinds(ctx context.Context, name string, stdout io.Writer) (int, error) {
	t := &kindTable{name: name, kinds: s.kinds}
	for i, p := range s.plan.Packages {
		fmt.Fprintf(s.progress, "[%d/%d] %s\n", i+1, len(s.plan.Packages), p.ImportPath)
		k, err := s.tryKinds(ctx, runner.Target{ImportPath: p.ImportPath, Dir: p.Dir})
		if ctx.Err() != nil {
			break // what is done is printed
		}
		if err != nil {
			fmt.Fprintf(s.progress, "\tnot tried: %s\n", firstLine(err))
			continue
		}
		var sum kindRow
		for _, r := range k.rows {
			sum.add(r)
		}
		fmt.Fprintf(s.progress, "\t%d runs, %d outcomes, %d changed\n", sum.runs, sum.outcomes, sum.changed)
		t.runs = append(t.runs, k)
	}
	if t.print(stdout); t.changedAgain() > 0 {
		return 1, nil
	}
	return 0, nil
}

// changedAgain returns how many changes occurred again.
func (t *kindTable) changedAgain() (n int) {
	for _, k := range t.runs {
		for _, c := range k.changes {
			if c.again() {
				n++
			}
		}
	}
	return n
}

// parseKinds returns the kinds in a list, or all of the catalogue in its order.
func parseKinds(list string) (kinds []string, err error) {
	for _, k := range freedom.Settable() {
		if list == "all" || slices.Contains(strings.Split(list, ","), k.Name) {
			kinds = append(kinds, k.Name)
		}
	}
	if list != "all" && len(kinds) != len(strings.Split(list, ",")) {
		return nil, fmt.Errorf("-kinds %s: known are %s", list, strings.Join(kinds, ","))
	}
	return kinds, nil
}
