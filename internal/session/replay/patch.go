package replay

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/trace"
)

// makePatch prints a patch that makes the test fail with the ordinary go test: it adds
// time.Sleep where goroutines were held. A hold that can't be selected by a place in the
// source alone, such as one goroutine of several, is tried in the ways that a patch has.
func (j *Job) makePatch(ctx context.Context, re *experiment.Retrial) (int, error) {
	if err := j.patchable(); err != nil {
		return exit.Trouble, err
	}
	for _, when := range arrivals {
		p := &sleepPatch{job: j, when: when, edits: make(map[string]*patchedFile)}
		if err := p.make(re.Trials[0]); err != nil {
			return exit.Trouble, err
		}
		c, err := p.try(ctx)
		if err != nil {
			return exit.Trouble, err
		}
		j.Progressf("with time.Sleep %s, %d of %d runs of the plain binary failed", when.words, c.Failed, c.Of)
		if c.Failed >= patchFails {
			fmt.Fprint(j.Stdout, p.diff(ctx))
			return exit.OK, nil
		}
	}
	return exit.Flaky, advice.With(fmt.Errorf(
		"no patch: with time.Sleep at that place the test does not fail in %d of %d runs", patchFails, patchRuns),
		"the goroutine is one of several that come there: fdebug replay "+j.r.Test+" holds only that one")
}

// patchable says why there can be no patch.
func (j *Job) patchable() error {
	r := j.r
	switch {
	case r.Plan.Does(proof.Act.Holds) && r.Plan.Does(proof.Act.Chooses):
		return errors.New("no patch: while a goroutine is held a choice by chance decides too, which no sleep makes")
	case r.Plan.Does(proof.Act.Holds):
		return nil
	case r.Always:
		return errors.New("no patch: the test fails with nothing changed")
	case len(r.Before) > 0 || r.Shuffle != 0:
		names := append(slices.Clone(r.Before), r.Test)
		limit := ""
		if set := r.Plan.First(proof.Act.Sets); set != nil { // files are all that is limited for several tests
			limit = fmt.Sprintf("ulimit -n %d; ", set.Value)
		}
		return advice.With(errors.New("no patch: the test fails in an order of tests, which needs none"),
			limit+fmt.Sprintf("go test %s -count=1 -run '^(%s)$' -shuffle %d", r.Package,
				strings.Join(names, "|"), r.Shuffle))
	case r.Plan.Does(proof.Act.Orders):
		return errors.New("no patch: two goroutines were forced into an order, which no sleep is sure to do")
	case r.Plan.Does(proof.Act.Sets) || r.Plan.Does(proof.Act.Collects):
		return errors.New("no patch: what decides is what the system around the program says, not when something runs")
	case r.Plan.Does(proof.Act.Chooses):
		return errors.New("no patch: what decides is a choice by chance, not when something runs")
	}
	return errors.New("no patch: goroutines were disturbed at random places")
}

const (
	patchRuns  = 10
	patchFails = 9 // of patchRuns, for a patch to be given
)

// An arrival says at which of the times that some goroutine comes to the place it sleeps.
type arrival struct {
	words string
	nth   int // 0 for each
}

var arrivals = []arrival{{"each time", 0}, {"the first time", 1}, {"the second time", 2}, {"the third time", 3}}

// A sleepPatch is the files of a patch.
type sleepPatch struct {
	job   *Job
	when  arrival
	edits map[string]*patchedFile // by path from the module's root
}

// A patchedFile is a file with some lines replaced.
type patchedFile struct {
	old  []string
	news map[int][]string // by line, from 1
}

// make adds a sleep for each stall of a trial.
func (p *sleepPatch) make(t experiment.Trial) error {
	sites := p.job.Plan.Sites
	for i, stall := range t.Plan.Of(freedom.Step.Holds) {
		if !sites.Has(int(stall.At.Block)) {
			return fmt.Errorf("%s: %w: it has no block %d", p.job.Show(p.job.file), proof.ErrDamaged, stall.At.Block)
		}
		b := sites.Blocks[stall.At.Block]
		if b.Kind == trace.BlockInside {
			return errors.New("no patch: the goroutine is held inside a statement, where no other can stand")
		}
		name := sites.Files[sites.FileOf(int(stall.At.Block))].Path
		f, err := p.file(name)
		if err != nil {
			return err
		}
		if err := f.sleep(b.StartLine, b.StartCol, stall.Dose, p.when.nth, i); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (p *sleepPatch) file(name string) (*patchedFile, error) {
	if f := p.edits[name]; f != nil {
		return f, nil
	}
	src, err := p.job.Source(name)
	if err != nil {
		return nil, err
	}
	f := &patchedFile{old: strings.SplitAfter(string(src), "\n"), news: make(map[int][]string)}
	p.edits[name] = f
	return f, nil
}

// sleep adds a sleep before the statement at a position.
func (f *patchedFile) sleep(line, col int, dose time.Duration, nth, i int) error {
	if line > len(f.old) || col > len(f.old[line-1]) {
		return errors.New("the file has changed since it was built")
	}
	timeName, err := f.imported("time")
	if err != nil {
		return err
	}
	call := fmt.Sprintf("%s.Sleep(%d * %s.Microsecond)", timeName, dose.Microseconds(), timeName)
	if nth > 0 {
		atomicName, err := f.imported("sync/atomic")
		if err != nil {
			return err
		}
		counter := fmt.Sprintf("sleepArrivals%d", i+1)
		call = fmt.Sprintf("if %s.Add(1) == %d { %s }", counter, nth, call)
		f.append(fmt.Sprintf("\nvar %s %s.Int64\n", counter, atomicName))
	}
	text := f.text(line)
	before, after := text[:col-1], text[col-1:]
	if strings.TrimSpace(before) == "" {
		f.news[line] = []string{before + call + "\n", text}
	} else {
		f.news[line] = []string{before + call + "; " + after}
	}
	return nil
}

func (f *patchedFile) text(line int) string {
	if n := f.news[line]; n != nil {
		return strings.Join(n, "")
	}
	return f.old[line-1]
}

// append adds text after the last line.
func (f *patchedFile) append(text string) {
	last := len(f.old)
	if f.old[last-1] == "" {
		last--
	}
	f.news[last] = append([]string{strings.TrimSuffix(f.text(last), "\n") + "\n"},
		strings.SplitAfter(strings.TrimSuffix(text, "\n")+"\n", "\n")...)
	if n := f.news[last]; n[len(n)-1] == "" {
		f.news[last] = n[:len(n)-1]
	}
}

// imported returns the name under which the file has a package, which is imported if
// it is not yet.
func (f *patchedFile) imported(pkg string) (string, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", strings.Join(f.old, ""), parser.ImportsOnly)
	if err != nil {
		return "", err
	}
	base := pkg[strings.LastIndexByte(pkg, '/')+1:]
	for _, s := range file.Imports {
		switch {
		case s.Path.Value != `"`+pkg+`"`:
		case s.Name == nil:
			return base, nil
		case s.Name.Name != "_" && s.Name.Name != ".":
			return s.Name.Name, nil
		}
	}
	line := fset.Position(file.Name.End()).Line
	name := base
	add := fmt.Sprintf("import %q\n", pkg)
	if regexp.MustCompile(`\b` + base + `\b`).MatchString(strings.Join(f.old, "")) { // it means something else there
		name = "sleep" + base
		add = fmt.Sprintf("import %s %q\n", name, pkg)
	}
	news := f.news[line]
	if news == nil {
		news = []string{f.old[line-1]}
	}
	if !slices.Contains(news, add) {
		f.news[line] = append(news, add)
	}
	return name, nil
}

// try builds the package with the patch and without probes, and runs the test.
func (p *sleepPatch) try(ctx context.Context) (c proof.Count, err error) {
	j := p.job
	dir, err := os.MkdirTemp(j.Work, "patch-")
	if err != nil {
		return c, err
	}
	files := make(map[string][]byte)
	for name, f := range p.edits {
		files[name] = []byte(f.patched())
	}
	overlay, err := session.WriteOverlay(dir, j.Plan.Sites.Root, files)
	if err != nil {
		return c, err
	}
	b := j.PlainBuild(dir)
	b.Overlay = overlay
	bin, err := b.Test(ctx, j.lab.Target)
	if err != nil {
		return c, fmt.Errorf("no patch: time.Sleep can't stand there: %w", err)
	}
	return j.runPlain(ctx, bin)
}

// runPlain runs the test with a binary without probes.
func (j *Job) runPlain(ctx context.Context, bin *runner.Binary) (c proof.Count, err error) {
	for range patchRuns {
		o, err := j.plainRun(ctx, bin, experiment.Trial{Before: j.r.Before, Shuffle: j.r.Shuffle})
		if err != nil {
			return c, err
		}
		sig := experiment.SignatureOf(j.r)
		if o.Signature.Message == sig.Message { // lines have moved
			sig = o.Signature
		}
		c.Add(o.Tells(&sig), false)
	}
	return c, nil
}

const (
	leastLimit = 5 * time.Second // after which a run hangs
	usualLimit = 20              // times as long as runs usually take
)

// plainRun is one run of it, with the tests of a trial.
func (j *Job) plainRun(ctx context.Context, bin *runner.Binary, t experiment.Trial) (o experiment.Outcome, err error) {
	x := j.lab.Exec
	x.Binary, x.Select = bin, j.lab.Selection(j.r.Test, &t)
	if u := j.exp.Usual(); u > 0 && x.Select.Timeout == 0 {
		x.Limit, x.Grace = max(leastLimit, usualLimit*u), time.Second
	}
	run, err := x.Run(ctx)
	if err != nil {
		return o, err
	}
	return session.OutcomeOf(run, j.r.Test), nil
}

func (f *patchedFile) patched() string {
	var b strings.Builder
	for i := range f.old {
		b.WriteString(f.text(i + 1))
	}
	return b.String()
}

// diff returns the patch, with names relative to the root of the git repository, if
// there is one.
func (p *sleepPatch) diff(ctx context.Context) string {
	prefix := gitPrefix(ctx, p.job.Plan.Sites.Root)
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(p.edits)) {
		b.Write(p.edits[name].diff(prefix + name))
	}
	return b.String()
}

func (f *patchedFile) diff(name string) []byte {
	return diff.Diff("a/"+name, []byte(strings.Join(f.old, "")), "b/"+name, []byte(f.patched()))
}

// gitPrefix returns the beginning of names of files in a directory, from the root of the git repository, "" without one.
func gitPrefix(ctx context.Context, dir string) string {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--show-prefix")
	cmd.Dir = dir
	prefix, _ := cmd.Output()
	return strings.TrimSpace(string(prefix))
}
