package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/edit"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/testname"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/report"
)

// A Judge says whether an edit is a fix: whether it ends a failure, for the reason that was proved, and leaves the test
// as strict as it was. Set the exported fields, and call Run.
type Judge struct {
	*Job
	Since string // a revision of git to which the code of today is compared; "" for the code when the proof was made
	Patch string // file with a patch that is judged; "" for an edit that was made
	// Hunt looks for the cause in other code, by an overlay, and returns the name of a replay file in a directory; "" if it
	// found none.
	Hunt func(ctx context.Context, test, dir, overlay string, budget time.Duration) (string, error)

	sides *Sides // nil if it is not known what was edited
	edit  *edit.Edit
	was   *Job // the code before the edit, built; nil before it is asked for
}

// A Ruling is the verdict on an edit.
type Ruling string

const (
	Gone    Ruling = "gone"
	Dose    Ruling = "dose"    // it only changes how long something takes, or how much is tolerated
	Weaker  Ruling = "weaker"  // the test notices less
	Another Ruling = "another" // the test fails in another way
	Still   Ruling = "still"   // it fails as before
	Open    Ruling = "none"    // there is no verdict
)

// words are the first words of each ruling.
var words = map[Ruling]string{
	Gone:    "gone: %s no longer fails by what was proved",
	Dose:    "only the dose moved: the cause of %s is still there",
	Weaker:  "weaker: %s notices less than before",
	Another: "another flake: %s fails in another way",
	Still:   "still fails: %s",
	Open:    "no verdict on %s",
}

// A Condition is one thing that must hold of a fix.
type Condition struct {
	Name       string
	Is         Ruling // Gone if it holds; Open if that was not found out
	Says       string
	Printed    string // by a test that failed
	Failed, Of int    // runs, or faults
}

// A Judgement is what a ruling follows from.
type Judgement struct {
	Package, Test string
	Conditions    []Condition
}

// Ruling returns the ruling that follows from the conditions: the first that decides against the edit; without one, all
// must hold.
func (g *Judgement) Ruling() Ruling {
	open := len(g.Conditions) == 0
	for _, c := range g.Conditions {
		switch c.Is {
		case Gone:
		case Open:
			open = true
		default:
			return c.Is
		}
	}
	if open {
		return Open
	}
	return Gone
}

// A question is one of the conditions. What is seen in the diff is asked before anything runs.
type question struct {
	name string
	ask  func(context.Context) (Condition, error)
}

// Run judges an edit.
func (j *Judge) Run(ctx context.Context, name string) (*Judgement, error) {
	if err := j.MakeWork(); err != nil {
		return nil, err
	}
	if err := j.compare(ctx, name); err != nil {
		return nil, err
	}
	g := &Judgement{Test: name}
	if j.r != nil {
		g.Package, g.Test = j.r.Package, j.failing(nil)
	}
	if j.edit != nil {
		err := j.answer(ctx, g, question{"dose", j.dose}, question{"checks", j.checks})
		if err != nil || g.Ruling() != Gone {
			return g, err
		}
	}
	if err := j.cause(ctx, name); err != nil {
		return nil, err
	}
	g.Package, g.Test = j.r.Package, j.failing(nil)
	if err := j.build(ctx); err != nil {
		return nil, err
	}
	defer j.show.Clear()
	return g, j.answer(ctx, g, question{"edit", j.edited}, question{"plain", j.plain}, question{"cause", j.acts},
		question{"opposite", j.opposite}, question{"longer", j.longer}, question{"bites", j.bites}, question{"hunt", j.around})
}

// Print writes a judgement: the ruling, then what it follows from.
func (g *Judgement) Print(w io.Writer) {
	fmt.Fprintf(w, words[g.Ruling()]+"\n", g.Test)
	g.printConditions(w)
}

func (g *Judgement) printConditions(w io.Writer) {
	for _, c := range g.Conditions {
		mark := "no"
		switch c.Is {
		case Gone:
			mark = "ok"
		case Open:
			mark = "?"
		}
		says := c.Says
		if c.Printed != "" {
			says += ": " + text.Line(c.Printed, 100)
		}
		fmt.Fprintf(w, "  %-2s  %s\n", mark, says)
	}
}

// Brief returns the judgement for programs.
func (g *Judgement) Brief() report.BriefTest {
	t := report.BriefTest{Package: g.Package, Test: g.Test, Verdict: string(g.Ruling()), Said: fmt.Sprintf(words[g.Ruling()], g.Test)}
	for _, c := range g.Conditions {
		t.Counts = append(t.Counts, report.BriefCount{Name: c.Name, Is: string(c.Is), Says: c.Says, Failed: c.Failed, Of: c.Of})
		t.Print(c.Printed)
	}
	return t
}

// Code returns the exit status.
func (g *Judgement) Code() int {
	switch g.Ruling() {
	case Gone:
		return exit.OK
	case Open:
		return exit.Trouble
	}
	return exit.Flaky
}

// answer asks questions, up to one that decides against the edit. What the time does not suffice for stays open.
func (j *Judge) answer(ctx context.Context, g *Judgement, list ...question) error {
	var late []string
	for _, q := range list {
		if ctx.Err() != nil && !exit.IsInterrupted(ctx) {
			late = append(late, q.name)
			continue
		}
		c, err := q.ask(ctx)
		switch {
		case err != nil && ctx.Err() != nil && !exit.IsInterrupted(ctx):
			late = append(late, q.name)
			continue
		case err != nil:
			return err
		}
		if c.Name = q.name; c.Says != "" {
			g.Conditions = append(g.Conditions, c)
		}
		if r := g.Ruling(); r != Gone && r != Open {
			return nil
		}
	}
	if len(late) > 0 {
		g.Conditions = append(g.Conditions, Condition{Name: "time", Is: Open,
			Says: "not found out, since the time was up: " + strings.Join(late, ", ")})
	}
	return nil
}

// compare finds out what was edited, as far as that is known without the proof.
func (j *Judge) compare(ctx context.Context, name string) (err error) {
	switch {
	case j.Since != "":
		j.sides, err = SidesSince(ctx, j.AbsDir(), j.Since)
	case j.Patch != "":
		j.sides, err = SidesPatched(ctx, j.AbsDir(), filepath.Join(j.Work, "patched"), j.Patch)
	default:
		if err := j.read(name); err != nil {
			return err
		}
		if j.sides, err = SidesKept(j.AbsDir(), filepath.Dir(j.file)); errors.Is(err, fs.ErrNotExist) {
			j.sides, err = nil, nil
		}
	}
	if err != nil || j.sides == nil {
		return err
	}
	j.edit, err = edit.Between(j.sides.Before, j.sides.After)
	return err
}

// cause reads the proof, or finds one in the code before the edit.
func (j *Judge) cause(ctx context.Context, name string) error {
	if j.r != nil {
		return nil
	}
	err := j.read(name)
	if err == nil && experiment.Unmoved(j.r, j.before) {
		return nil
	}
	if j.Hunt == nil || j.sides == nil {
		return err
	}
	j.r = nil
	overlay, err := j.as("before", j.sides.Before)
	if err != nil {
		return err
	}
	file, err := j.Hunt(ctx, name, filepath.Join(j.Work, "found"), overlay, j.Budget.Whole/2)
	if err != nil {
		return err
	}
	if file == "" {
		return j.unknown(ctx, name)
	}
	if err := j.read(file); err != nil {
		return err
	}
	j.r.Build.Flags = slices.DeleteFunc(j.r.Build.Flags, func(f string) bool { return strings.HasPrefix(f, "-overlay=") })
	return nil
}

// unknown makes a proof of nothing, of a test in which no cause was found.
func (j *Judge) unknown(ctx context.Context, name string) error {
	j.Patterns = []string{name}
	if err := j.NameTests(); err != nil {
		return err
	}
	if err := j.InstrumentTo(ctx, filepath.Join(j.Work, "instrumented")); err != nil {
		return err
	}
	test, _ := testname.Parse(name)
	tc := j.Plan.Toolchain
	j.r = &proof.Proof{Module: j.Plan.Sites.Module, Package: j.Plan.Packages[0].ImportPath, Test: test.Test,
		Platform: tc.GOOS + "/" + tc.GOARCH, Build: proof.BuildInfo{Patterns: j.ImportPatterns()}}
	return nil
}

// before returns a file as it was before the edit.
func (j *Judge) before(name string) ([]byte, error) {
	if text, ok := j.sides.Before[name]; ok {
		return text, nil
	}
	if _, added := j.sides.After[name]; added {
		return nil, fs.ErrNotExist
	}
	return j.sides.now(name), nil
}

// build builds the code after the edit.
func (j *Judge) build(ctx context.Context) (err error) {
	if j.sides != nil {
		if j.Overlay, err = j.as("after", j.sides.After); err != nil {
			return err
		}
	}
	err = j.buildAgain(ctx)
	if err == nil && j.edit != nil && experiment.Unmoved(j.r, j.before) {
		j.exp.Moved = j.edit.Where
	}
	return err
}

// as returns the overlay, in a directory, that makes the files here those of one side; "" if they are.
func (j *Judge) as(dir string, side edit.Source) (name string, err error) {
	here := j.sides.Before
	if j.sides.Made {
		here = j.sides.After
	}
	if maps.EqualFunc(here, side, bytes.Equal) {
		return "", nil
	}
	return session.WriteOverlay(filepath.Join(j.Work, dir), j.sides.Root, replaced(here, side))
}

// old returns the code before the edit, built.
func (j *Judge) old(ctx context.Context) (*Job, error) {
	if j.was != nil {
		return j.was, nil
	}
	k := j.another()
	k.r = j.r
	var err error
	if k.Overlay, err = j.as("before", j.sides.Before); err == nil {
		err = k.buildAgain(ctx)
	}
	if err != nil {
		return nil, err
	}
	j.was = k
	return k, nil
}

// CleanUp removes what was built.
func (j *Judge) CleanUp() {
	if j.was != nil {
		j.was.CleanUp()
	}
	j.Job.CleanUp()
}
