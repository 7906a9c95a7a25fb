package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A catch is a failure that a hunt has provoked.
type catch struct {
	prey   *prey
	f      *experiment.Finding
	page   string // name of its report, without extension
	replay string // of its replay file
}

// catches returns what was found, the smallest dose first, deadline artefacts last;
// before all others what lies on lines that have changed.
func (j *huntJob) catches() []*catch {
	var list []*catch
	for _, p := range j.preys {
		if p.order != nil && p.order.Verdict != experiment.None {
			list = append(list, &catch{prey: p, f: p.order})
		}
		if p.res == nil {
			continue
		}
		for _, f := range p.res.Findings {
			list = append(list, &catch{prey: p, f: f})
		}
	}
	slices.SortStableFunc(list, func(a, b *catch) int {
		return cmp.Or(boolInt(j.catchOnChange(b))-boolInt(j.catchOnChange(a)), boolInt(a.f.Artefact != "")-boolInt(b.f.Artefact != ""), cmp.Compare(a.f.Smallest, b.f.Smallest), int(b.f.Verdict)-int(a.f.Verdict))
	})
	return list
}

// catchOnChange reports whether a place of a catch lies on a line that has changed.
func (j *huntJob) catchOnChange(c *catch) bool {
	if j.diff == nil {
		return false
	}
	return slices.ContainsFunc(c.f.Places(), func(b int) bool {
		span, ok := j.plan.Sites.Pos(b)
		if !ok {
			return false
		}
		file := filepath.Join(j.plan.Sites.Root, filepath.FromSlash(span.File))
		for line := span.Start; line <= span.End; line++ {
			if j.diff.has(file, line) {
				return true
			}
		}
		return false
	})
}

func boolInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// conclude tells what was found and returns the exit code.
func (j *huntJob) conclude(ctx context.Context, notes string) (int, error) {
	list, err := j.tell(ctx, notes)
	code := exitOK
	switch {
	case err != nil:
		code = exitTrouble
	case ctx.Err() != nil:
		code = exitInterrupted
	case len(j.untested) > 0:
		code, err = exitTrouble, fmt.Errorf("%s could not be tested", plural(len(j.untested), "package"))
	case provoked(list)+len(j.raced)+len(j.unconfirmed()) > 0:
		code = exitFlaky
	}
	return j.ci.finish(j.ciReport(list), code, err)
}

// tell writes reports and replay files, and prints what was found.
func (j *huntJob) tell(ctx context.Context, notes string) ([]*catch, error) {
	list := j.catches()
	if len(list) == 0 {
		j.rememberNothing(ctx)
	} else if err := j.write(ctx, list, notes); err != nil {
		j.print(list)
		return list, err
	}
	if j.json {
		return list, j.printJSON(list)
	}
	j.print(list)
	if j.result != nil {
		j.app.openReport(j.dir, j.result, report.FileNames(j.result))
	} else if j.after == nil {
		j.app.openReport("", &finding.Result{}, nil)
	}
	return list, nil
}

// provoked counts the catches that did not fail anyway.
func provoked(list []*catch) int {
	n := 0
	for _, c := range list {
		if !c.f.Always {
			n++
		}
	}
	return n
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// write makes a run directory of the runs of the confirmations, as run does of its own.
func (j *huntJob) write(ctx context.Context, list []*catch, notes string) error {
	if err := j.makeRunDir(ctx); err != nil {
		return err
	}
	results, err := j.results(list)
	if err != nil {
		return err
	}
	if err := runner.Save(j.dir, results); err != nil {
		return err
	}
	if err := j.saveRaces(); err != nil {
		return err
	}
	j.app.progressf("comparing")
	an := j.analyzer(notes)
	result, err := an.Result(context.Background(), results)
	if err != nil {
		return err
	}
	result.Warnings = append(result.Warnings, j.notes()...)
	if err := an.Complete(context.Background(), result); err != nil {
		return err
	}
	if err := j.writeReplays(list, result, report.FileNames(result)); err != nil {
		return err
	}
	if err := analyze.WriteVerdicts(j.dir, j.verdicts(an, list)); err != nil {
		return err
	}
	an.Conclude(result)
	if _, err := j.app.write(an, result); err != nil {
		return err
	}
	j.an, j.result = an, result
	j.publish()
	return nil
}

// verdicts are what was shown of each catch, for its page.
func (j *huntJob) verdicts(an *analyze.Analyzer, list []*catch) (out []analyze.TestVerdict) {
	for _, c := range list {
		if c.f.Always || c.replay == "" {
			continue // nothing makes it fail that could be taken away
		}
		out = append(out, analyze.TestVerdict{
			Package: c.prey.lab.target.ImportPath, Test: cmp.Or(c.f.Signature.Test, c.f.Test), Place: c.f.Signature.Place(),
			Verdicts: []finding.Verdict{j.verdict(an, c)},
		})
	}
	return out
}

func (j *huntJob) verdict(an *analyze.Analyzer, c *catch) finding.Verdict {
	return an.VerdictOf(c.f, j.describe(c), j.inRun(c.replay))
}

// results are the runs of the confirmations: those that were provoked and failed, and
// plain ones that passed.
func (j *huntJob) results(list []*catch) (*runner.Results, error) {
	res := &runner.Results{Started: j.deadline.Add(-j.budget.whole), Elapsed: time.Since(j.deadline.Add(-j.budget.whole)), Parallel: j.parallel}
	byLab := make(map[*lab]*runner.Package)
	for _, c := range list {
		p := byLab[c.prey.lab]
		if p == nil {
			p = &runner.Package{Target: c.prey.lab.target}
			byLab[c.prey.lab] = p
			res.Packages = append(res.Packages, p)
		}
		for _, o := range append(slices.Clone(c.f.FailTraces), c.f.PassTraces...) {
			if err := j.adopt(p, o); err != nil {
				return nil, err
			}
		}
		res.N = max(res.N, len(p.Runs))
	}
	return res, nil
}

// adopt takes the run of an experiment into the results, and its trace into the run
// directory.
func (j *huntJob) adopt(p *runner.Package, o *experiment.Outcome) error {
	if o.Run == nil || o.Trace == "" {
		return nil
	}
	run := *o.Run
	run.N = j.shard.part.Nth(len(p.Runs) + 1)
	name := path.Join("traces", dirName(p.ImportPath), fmt.Sprintf("%04d.trace", run.N))
	dst := filepath.Join(j.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(dst), 0o777); err != nil {
		return err
	}
	if err := os.Link(o.Trace, dst); err != nil {
		if err := copyFile(o.Trace, dst); err != nil {
			return err
		}
	}
	run.Traces = []string{name}
	p.Runs = append(p.Runs, &run)
	return nil
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return cmp.Or(err, out.Close())
}

const replaySuffix = ".replay.json"

// writeReplays writes a replay file for each catch, beside its report and named as that.
func (j *huntJob) writeReplays(list []*catch, result *finding.Result, files map[*finding.Test]string) error {
	used := make(map[string]bool)
	for _, c := range list {
		for t, name := range files {
			if t.Package == c.prey.lab.target.ImportPath && (t.Name == c.f.Signature.Test || c.page == "" && trace.TopTest(t.Name) == c.f.Test) {
				c.page = name
			}
		}
		if c.f.Always {
			continue // it fails by itself
		}
		base := cmp.Or(c.page, dirName(path.Base(c.prey.lab.target.ImportPath)+"."+c.f.Test))
		name := base
		for i := 2; used[name]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		used[name] = true
		c.replay = name + replaySuffix
		if err := j.describe(c).WriteFile(filepath.Join(j.dir, c.replay)); err != nil {
			return err
		}
	}
	return nil
}

// describe makes the replay file's content.
func (j *huntJob) describe(c *catch) *experiment.Replay {
	r := c.prey.exp.Replay(c.f)
	j.complete(r, c.prey.lab)
	return r
}

// complete sets what the experimenter does not know of a replay.
func (j *runJob) complete(r *experiment.Replay, l *lab) {
	m := j.meta()
	r.Fdebug, r.Go, r.Platform = m.Version, m.Go, j.plan.Toolchain.GOOS+"/"+j.plan.Toolchain.GOARCH
	r.Module, r.Package = j.plan.Sites.Module, l.target.ImportPath
	r.Build = experiment.BuildInfo{
		Flags: append(j.userFlags(), j.addedFlags()...), Patterns: j.importPatterns(), Instrument: j.instrument, Generated: j.generated, Hash: l.build,
	}
}

// importPatterns returns the patterns of packages as import paths, which mean the same
// in any directory. Blocks are numbered over all of them.
func (j *runJob) importPatterns() []string {
	rel, err := filepath.Rel(j.plan.Sites.Root, j.absDir())
	if err != nil {
		return nil
	}
	var list []string
	for _, p := range j.patterns {
		if p == "." || p == ".." || strings.HasPrefix(p, "./") || strings.HasPrefix(p, "../") {
			p = path.Join(j.plan.Sites.Module, filepath.ToSlash(rel), p)
		}
		list = append(list, p)
	}
	return list
}

// A caught is a catch in the output of hunt -json.
type caught struct {
	Package   string                  `json:"package"`
	Test      string                  `json:"test"`
	Signature string                  `json:"signature"`
	Message   string                  `json:"message"`
	Kind      string                  `json:"kind"`
	Verdict   string                  `json:"verdict"`
	Artefact  string                  `json:"artefact,omitempty"`
	Smallest  time.Duration           `json:"smallest_ns,omitempty"`
	Places    []string                `json:"places"`
	Window    []string                `json:"window,omitempty"`
	Confirmed experiment.Confirmation `json:"confirmed"`
	Found     int                     `json:"found_after_runs"`
	Runs      int                     `json:"runs"`
	Seconds   float64                 `json:"seconds"`
	Replay    string                  `json:"replay"`
	Report    string                  `json:"report,omitempty"`
}

func (j *huntJob) printJSON(list []*catch) error {
	var out struct {
		Tests    int      `json:"tests"`
		Complete int      `json:"complete"`
		Runs     int      `json:"runs"`
		Sites    int      `json:"positions"`     // that sweeps have
		All      int      `json:"all_positions"` // that they would have, were none equivalent
		Findings []caught `json:"findings"`
	}
	out.Findings = []caught{}
	out.Tests, out.Complete, out.Runs = j.tally()
	for _, p := range j.preys {
		if p.res != nil {
			out.Sites += p.res.Sites
			out.All += p.res.All
		}
	}
	for _, c := range list {
		r := c.prey.exp.Replay(c.f)
		x := caught{
			Package: c.prey.lab.target.ImportPath, Test: c.f.Signature.Test, Signature: c.f.Signature.String(), Message: c.f.Message,
			Kind: r.Kind, Verdict: r.Verdict, Artefact: r.Artefact, Smallest: r.Smallest, Confirmed: r.Confirmed, Found: c.f.Found,
			Runs: c.f.Runs, Seconds: c.f.Took.Seconds(), Replay: j.inRun(c.replay),
		}
		if c.page != "" {
			x.Report = j.inRun(c.page + ".html")
		}
		x.Places, x.Window = placesOf(r)
		out.Findings = append(out.Findings, x)
	}
	for _, r := range j.raced {
		out.Findings = append(out.Findings, j.caughtRace(r))
	}
	enc := json.NewEncoder(j.app.stdout)
	enc.SetIndent("", "  ")
	return enc.Encode(out)
}

// placesOf returns the places at which a replay acts, and the ends of its window: from
// the statement that starts the goroutine, if that is where the window begins.
func placesOf(r *experiment.Replay) (places, window []string) {
	line := func(p experiment.Place) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
	places = []string{}
	for _, s := range r.Stalls {
		places = append(places, line(s.At))
	}
	if r.First != nil && r.Then != nil {
		places = append(places, line(*r.First), line(*r.Then))
	}
	for _, p := range r.Pins {
		for _, at := range p.At {
			places = append(places, line(at))
		}
	}
	for _, at := range slices.Concat(r.Collect, r.Asked) {
		places = append(places, line(at))
	}
	for i, p := range r.Window {
		if start := p.Goroutine.Started(); i == 0 && r.FromStart && start.File != "" {
			window = append(window, fmt.Sprintf("%s:%d", start.File, start.Line))
		}
		window = append(window, line(p))
	}
	return places, window
}

func (j *huntJob) inRun(name string) string {
	if name == "" || j.dir == "" {
		return ""
	}
	return j.app.show(filepath.Join(j.store.Dir, "latest", name))
}

// alone reports whether the test had a run of its own.
func (p *prey) alone() bool {
	return p.exp.Runs() > 0 || p.res != nil && p.res.Plain.Of > 0 || p.order != nil
}

// ofTests says of how many tests there were runs: "3 tests", or "2 of 3 tests".
func (j *huntJob) ofTests() string {
	tried := 0
	for _, p := range j.preys {
		if p.alone() {
			tried++
		}
	}
	if tried < len(j.preys) {
		return fmt.Sprintf("%d of %s", tried, plural(len(j.preys), "test"))
	}
	return plural(tried, "test")
}

// left says what was not tried, for lack of time, without full stops. never are tests that no
// run of their own comes to.
func (j *huntJob) left() (never []*prey, lines []string) {
	var without []*prey
	partly := 0
	for _, p := range j.preys {
		switch {
		case p.res != nil && p.res.NotRun:
			never = append(never, p)
		case !p.alone():
			without = append(without, p)
		case p.res == nil || !p.res.Complete:
			partly++
		}
	}
	within := fmt.Sprintf("within %v", rounded(j.budget.whole))
	if len(without) > 0 {
		lines = append(lines, fmt.Sprintf("Nothing was tried for %d of them (%s) %s", len(without), namesOf(without), within))
	}
	if partly > 0 {
		lines = append(lines, fmt.Sprintf("Not everything was tried for %d of them %s", partly, within))
	}
	return never, lines
}

// unconfirmed returns the tests that were made to fail each time, without a verdict when the
// time was up, and that did not fail so with nothing perturbed.
func (j *huntJob) unconfirmed() (list []*prey) {
	for _, p := range j.preys {
		if p.res != nil && p.res.Open != nil && !p.res.Open.Natural {
			list = append(list, p)
		}
	}
	return list
}

// printOpen says what was provoked and not confirmed.
func (j *huntJob) printOpen(w io.Writer) {
	for _, p := range j.unconfirmed() {
		f := p.res.Open
		fmt.Fprintf(w, "unconfirmed  %s  %s\n    failed %d times in a row with a perturbation (%s)%s; then the time was up\n    %s\n\n",
			p.lab.target.ImportPath, cmp.Or(f.Signature.Test, f.Test), f.Again, f.Kind(), openCounts(&f.Confirmed), clip(strings.Join(strings.Fields(f.Message), " "), 100))
	}
}

// openCounts says what the runs of a confirmation gave that was not finished, if there are any.
func openCounts(c *experiment.Confirmation) string {
	if c.With.Of == 0 {
		return ""
	}
	return fmt.Sprintf(", and to confirm it in %d of %d runs, without it in %d of %d", c.With.Failed, c.With.Of, c.Plain.Failed, c.Plain.Of)
}

// tally counts the tests, those of which everything was tried, and the runs made.
func (j *huntJob) tally() (tests, complete, runs int) {
	for _, p := range j.preys {
		tests++
		runs += p.exp.Runs()
		if p.res != nil && p.res.Complete {
			complete++
		}
	}
	return tests, complete, runs
}

// print writes the findings for people.
func (j *huntJob) print(list []*catch) {
	w := j.app.result(j.plan.Sites.Root)
	for _, c := range list {
		j.printCatch(w, c)
	}
	j.printRaces(w)
	j.printOpen(w)
	fmt.Fprint(w, j.began())
	if n := provoked(list); n == 0 {
		fmt.Fprintf(w, "%s.\n", j.nothing())
	} else {
		_, _, runs := j.tally()
		fmt.Fprintf(w, "%s provoked in %s of %s; all reports: %s\n", plural(n, "failure"), plural(runs, "run"), j.ofTests(), j.inRun("index.html"))
	}
	if n := len(j.raced); n > 0 {
		fmt.Fprintf(w, "%s seen in runs with the race detector.\n", plural(n, "data race"))
	}
	j.printFailing(w)
	never, lines := j.left()
	if len(never) > 0 {
		fmt.Fprintf(w, "Alone these do not run, and were not tried: %s.\n", namesOf(never))
	}
	for i, line := range lines {
		if i == len(lines)-1 {
			line += ": " + j.goesOn()
		}
		fmt.Fprintf(w, "%s.\n", line)
	}
}

// nothing says that no failure was shown to be provoked.
func (j *huntJob) nothing() string {
	_, _, runs := j.tally()
	what := "nothing was provoked"
	if n := len(j.unconfirmed()); n > 0 {
		what = fmt.Sprintf("nothing was confirmed, %s made to fail,", wereMade(n))
	}
	return fmt.Sprintf("%s in %s of %s", what, plural(runs, "run"), j.ofTests())
}

func wereMade(n int) string {
	if n == 1 {
		return "1 test was"
	}
	return fmt.Sprintf("%d tests were", n)
}

// printFailing names tests that fail without being perturbed.
func (j *huntJob) printFailing(w io.Writer) {
	for _, p := range j.preys {
		if p.res != nil && p.res.Plain.Failed > 0 {
			fmt.Fprintf(w, "%s failed in %d of %d runs with nothing perturbed: fdebug run %s -run '^%s$' compares them.\n",
				p.name, p.res.Plain.Failed, p.res.Plain.Of, p.lab.target.ImportPath, p.name)
		}
	}
}

func (j *huntJob) printCatch(w io.Writer, c *catch) {
	f := c.f
	fmt.Fprintf(w, "%s  %s  %s\n", verdictWord(f), c.prey.lab.target.ImportPath, cmp.Or(f.Signature.Test, f.Test))
	r := c.prey.exp.Replay(f)
	for _, line := range causeLines(r) {
		fmt.Fprintf(w, "    %s\n", line)
	}
	if f.Always {
		fmt.Fprintf(w, "    %d of %d runs failed, with that %d of %d\n", f.Confirmed.Plain.Failed, f.Confirmed.Plain.Of, f.Confirmed.Cure.Failed, f.Confirmed.Cure.Of)
	} else {
		fmt.Fprintf(w, "    %s\n", countsLine(&f.Confirmed))
	}
	if f.Artefact != "" {
		fmt.Fprintf(w, "    deadline artefact: %s\n", f.Artefact)
	}
	switch {
	case f.Limit == "" || f.Artefact != "":
	case f.Kind() == "timer":
		fmt.Fprintf(w, "    what waits for that is too short: %s\n", f.Limit)
	default:
		fmt.Fprintf(w, "    that is about what is slept: %s\n", f.Limit)
	}
	where := ""
	if f.Signature.Frame.File != "" {
		where = f.Signature.Place() + ": "
	}
	fmt.Fprintf(w, "    %s%s\n", where, clip(strings.Join(strings.Fields(f.Message), " "), 100))
	if c.replay != "" {
		fmt.Fprintf(w, "    fdebug replay %s%s\n", j.placeFlags(), strings.TrimSuffix(c.replay, replaySuffix))
	}
	if c.page != "" {
		fmt.Fprintf(w, "    %s\n", j.inRun(c.page+".html"))
	}
	fmt.Fprintln(w)
}

// placeFlags are the flags, with a space after them, by which another command finds the same
// module and what is kept of it.
func (j *huntJob) placeFlags() string {
	text := ""
	if j.app.dir != "" {
		text += "-C " + shellQuote(j.app.dir) + " "
	}
	if j.out != "" {
		text += "-o " + shellQuote(j.out) + " "
	}
	return text
}

func verdictWord(f *experiment.Finding) string {
	switch {
	case f.Always:
		return "failing"
	case f.Artefact != "":
		return "deadline"
	case f.Verdict == experiment.Proved:
		return "provoked"
	}
	return "reproduced"
}

// countsLine says what the runs of a confirmation gave.
func countsLine(c *experiment.Confirmation) string {
	text := fmt.Sprintf("with it %d of %d runs failed%s, without it %d of %d%s", c.With.Failed, c.With.Of, besides(c.With), c.Plain.Failed, c.Plain.Of, besides(c.Plain))
	if c.Sham != nil {
		text += fmt.Sprintf(", the same elsewhere %d of %d%s", c.Sham.Failed, c.Sham.Of, besides(*c.Sham))
	}
	if c.Cure != nil {
		text += fmt.Sprintf(", with the cure %d of %d%s", c.Cure.Failed, c.Cure.Of, besides(*c.Cure))
	}
	return text
}

// besides says what else became of the runs: they failed in another way, or it did not act.
func besides(c experiment.Count) string {
	var list []string
	if c.Other > 0 {
		list = append(list, fmt.Sprintf("%d more otherwise", c.Other))
	}
	if c.Missed > 0 {
		list = append(list, fmt.Sprintf("in %s it did not act", plural(c.Missed, "more run")))
	}
	if list == nil {
		return ""
	}
	return " (" + strings.Join(list, ", ") + ")"
}

// bound says what k failures of n runs leave open.
func bound(k, n int) string {
	if k > 0 || n == 0 {
		return ""
	}
	return fmt.Sprintf("fails in at most %.0f %% of such runs (95 %%)", 100*divergence.NoneBound(n))
}
