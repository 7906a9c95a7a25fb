package main

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A summary is what a run prints to stdout.
type summary struct {
	app     *app
	result  *finding.Result
	results *runner.Results
	dir     string                   // of the reports, as shown
	files   map[*finding.Test]string // names of the pages, without .html; nil if they could not be written
	options finding.Options
	// interrupted is set if a signal came, while tests were run or afterwards.
	interrupted bool
	// goOn is what comes after runs of which none failed: it prints, and returns the exit
	// code. nil for nothing.
	goOn func() (int, error)
}

// print writes the summary and returns the exit code.
func (s *summary) print() (int, error) {
	w := s.app.result(s.result.Sites.Root)
	broken := s.printBroken()
	for _, t := range s.result.Tests {
		s.printTest(w, t)
	}
	s.printWarnings(w)
	s.printLeftOut(w)
	switch {
	case s.files == nil && len(s.result.Tests) > 0:
		return exitTrouble, nil
	case s.results.Interrupted:
		fmt.Fprintf(w, "interrupted; reports for the runs done so far: %s\n", filepath.Join(s.dir, "index.html"))
		return exitInterrupted, nil
	case s.interrupted:
		fmt.Fprintf(w, "interrupted while runs were compared; reports of what is known: %s\n", filepath.Join(s.dir, "index.html"))
		return exitInterrupted, nil
	case broken != nil:
		return exitTrouble, broken
	case len(s.result.Tests) > 0:
		fmt.Fprintf(w, "all reports: %s\n", filepath.Join(s.dir, "index.html"))
		return exitFlaky, nil
	case len(s.result.NeverRun) > 0:
		if n := s.result.Executions; n > 0 {
			fmt.Fprintln(w, s.nothing(n))
		}
		return exitTrouble, advice.With(fmt.Errorf("%s never run", wasWere(len(s.result.NeverRun), "package")), "a longer -budget, or fewer packages")
	}
	return s.printNothing(w)
}

// wasWere is "1 package was" or "3 packages were".
func wasWere(n int, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return text.Plural(n, what) + " were"
}

// printLeftOut says what there was no time for, and how there is.
func (s *summary) printLeftOut(w io.Writer) {
	r := s.result
	if n := len(r.NeverRun); n > 0 {
		fmt.Fprintf(w, "never run: %s (%s)\n", text.Plural(n, "package"), text.FewNames(r.NeverRun))
	}
	if r.Executions > 0 && r.Executions < r.Asked && !s.results.Interrupted {
		fmt.Fprintf(w, "%s of each package in the time there was; -n %d makes %d\n", text.Plural(r.Executions, "run"), r.Asked, r.Asked)
	}
	s.printCutOff(w)
}

// printCutOff says in one line which tests have less in their reports than a longer run would give, and
// in another how it is had.
func (s *summary) printCutOff(w io.Writer) {
	c := cutOffOf(s.result)
	var parts, ways []string
	add := func(what string, tests []string) {
		if len(tests) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", what, text.FewNames(tests)))
		}
	}
	add("comparing", c.compared)
	add("values", c.values)
	add("experiments", c.experiments)
	if len(parts) == 0 {
		return
	}
	if c.stored {
		ways = append(ways, "fdebug report compares all runs, however long it takes")
	}
	if c.flag != "" && !s.interrupted {
		ways = append(ways, "a longer "+c.flag+" gives more time")
	}
	fmt.Fprintf(w, "cut off: %s\n", strings.Join(parts, ", "))
	if len(ways) > 0 {
		fmt.Fprintf(w, "    %s\n", strings.Join(ways, "; "))
	}
}

// A cutOff is what there was no time for, by the tests that it concerns.
type cutOff struct {
	compared, values, experiments []string

	stored bool   // the runs are there, and only their comparison is missing
	flag   string // that gives the rest more time, "" for none
}

func cutOffOf(r *finding.Result) (c cutOff) {
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	shown := make(map[string]bool) // top-level tests of which experiments have shown something
	for _, t := range r.Tests {
		shown[t.Package+" "+trace.TopTest(t.Name)] = shown[t.Package+" "+trace.TopTest(t.Name)] || len(t.Verdicts) > 0
	}
	for _, t := range r.Tests {
		for _, f := range t.Failures {
			if f.LeftOut != "" {
				add(&c.compared, testName(t))
			}
			if f.ValuesLeftOut != "" {
				add(&c.values, testName(t))
			}
		}
		c.stored = c.stored || len(c.compared)+len(c.values) > 0
		if r.NoTimeForValues {
			c.flag = "-budget"
			add(&c.values, testName(t))
		}
		if x := t.Tried; x != nil && (x.CutOff || x.Interrupted) && !shown[t.Package+" "+trace.TopTest(t.Name)] {
			add(&c.experiments, x.Test)
			if x.Budget {
				c.flag = "-budget"
			} else {
				c.flag = cmp.Or(c.flag, "-experiments")
			}
		}
	}
	return c
}

// printWarnings writes what became of runs that are missing.
func (s *summary) printWarnings(w io.Writer) {
	for _, p := range s.results.Packages {
		for _, text := range p.Warnings {
			fmt.Fprintf(w, "%s: %s\n", p.ImportPath, text)
		}
	}
}

// printTest writes three lines or so for one test.
func (s *summary) printTest(w io.Writer, t *finding.Test) {
	failed, ran := counts(t.Runs)
	word := "flaky"
	if failed == ran {
		word = "failing"
	}
	if failed == 0 {
		s.printPlainOnly(w, t)
		return
	}
	if s.provoked(t) {
		word = "provoked"
	}
	fmt.Fprintf(w, "%s  %s  %s\n", word, t.Package, testName(t))
	if said := report.SaidProvoked(s.result, t); said != "" {
		fmt.Fprintf(w, "    %s\n", said)
	} else {
		s.printRate(w, t)
	}
	for _, line := range report.SaidCause(s.result, t) {
		fmt.Fprintf(w, "    %s\n", line)
	}
	s.printFailures(w, t)
	if list := t.Suspects(); len(list) > 0 {
		first, said := &list[0], "Look first at"
		if len(t.Verdicts) > 0 && t.Verdicts[0].Class < finding.Proved {
			first = cmp.Or(t.Deadlock(&t.Verdicts[0]), first)
		}
		if report.Surfaces(first) && len(t.Verdicts) == 0 {
			said = "Nothing was found that leads to the failure. It surfaces at"
		}
		fmt.Fprintf(w, "    %s %s:%d: %s.\n", said, first.File, first.Start, report.Why(first))
	}
	if line := report.SaidUnrecorded(t); line != "" {
		fmt.Fprintf(w, "    %s\n", line)
	}
	if line := report.SaidAlike(s.result, t); line != "" {
		fmt.Fprintf(w, "    %s\n", line)
	}
	if name := s.files[t]; name != "" {
		fmt.Fprintf(w, "    %s\n", filepath.Join(s.dir, name+".html"))
	}
	fmt.Fprintln(w)
}

// printRate writes how often a test failed.
func (s *summary) printRate(w io.Writer, t *finding.Test) {
	rounds, more := report.Counted(t)
	rate := strings.ReplaceAll(report.Rate(rounds.Failed, rounds.Of), "–", "-") // as can be typed, and searched for
	fmt.Fprintf(w, "    %s failed (%s)%s\n", text.Of(rounds.Failed, rounds.Of, "run"), rate, plainNote(t))
	if more.Of > 0 {
		fmt.Fprintf(w, "    In more runs of this package %d of %d failed.\n", more.Failed, more.Of)
	}
	if line := report.RecorderChanges(s.result, t); line != "" {
		fmt.Fprintf(w, "    %s\n", line)
	}
}

// printFailures writes how it failed, and where runs diverge.
func (s *summary) printFailures(w io.Writer, t *finding.Test) {
	for _, f := range t.Failures {
		fmt.Fprintf(w, "    %s%s\n", s.place(f), text.Line(f.Message, 100))
		if len(t.Failures) > 1 {
			fmt.Fprintf(w, "      in %d of them\n", len(f.Runs))
		}
		if f.Late {
			fmt.Fprintln(w, "      in a goroutine that the test had started, after it had passed: go test blames another test or the package")
		}
		if line := report.SaidWaiting(s.result, t, f); line != "" {
			fmt.Fprintf(w, "    %s\n", line)
		}
		if line := s.divergedAt(f); line != "" {
			fmt.Fprintf(w, "    %s\n", line)
		}
	}
	if f := t.PlainFailure; f != nil && len(t.Failures) > 0 && !failsSo(t, f.Message) {
		fmt.Fprintf(w, "    without probes: %s\n", text.Line(f.Message, 100))
	}
}

// failsSo reports whether a recorded failure of a test says the same, addresses and the like apart.
func failsSo(t *finding.Test, message string) bool {
	return slices.ContainsFunc(t.Failures, func(f *finding.Failure) bool { return runner.Wording(f.Message) == runner.Wording(message) })
}

// provoked reports whether all failures of a test were provoked by fdebug.
func (s *summary) provoked(t *finding.Test) bool {
	for _, p := range s.results.Packages {
		if p.ImportPath != t.Package {
			continue
		}
		for _, u := range p.Units() {
			if u.Test == t.Name {
				return u.Failed > 0 && !slices.ContainsFunc(u.Runs, func(r runner.UnitRun) bool { return r.Status.Failing() && r.Run.Provoked == "" })
			}
		}
	}
	return false
}

// printPlainOnly is for a test that failed only without probes: there is no
// trace of a failure.
func (s *summary) printPlainOnly(w io.Writer, t *finding.Test) {
	failed, ran := counts(t.Plain)
	_, traced := counts(t.Runs)
	fmt.Fprintf(w, "flaky  %s  %s\n    %s without probes failed, none of the %d with probes: nothing to compare.\n    More runs may catch it (-n %d), or fdebug hunt may make it fail: the page has the command.\n",
		t.Package, testName(t), text.Of(failed, ran, "run"), traced, 10*traced)
	if f := t.PlainFailure; f != nil {
		fmt.Fprintf(w, "    %s\n", text.Line(f.Message, 100))
	}
	if name := s.files[t]; name != "" {
		fmt.Fprintf(w, "    %s\n", filepath.Join(s.dir, name+".html"))
	}
	fmt.Fprintln(w)
}

// place returns where a failure was reported, "queue/queue_test.go:13: ".
func (s *summary) place(f *finding.Failure) string {
	if f.Frame.File == "" {
		return ""
	}
	file, ok := s.result.Sites.Rel(f.Frame.File)
	if !ok {
		file = filepath.Base(f.Frame.File)
	}
	return fmt.Sprintf("%s:%d: ", file, f.Frame.Line)
}

func testName(t *finding.Test) string {
	if t.Name == "" {
		return "(package: TestMain or initialisation)"
	}
	return t.Name
}

// plainNote says how the binary without probes did.
func plainNote(t *finding.Test) string {
	failed, ran := counts(t.Plain)
	if ran == 0 {
		return ""
	}
	return fmt.Sprintf("; without probes %d of %d", failed, ran)
}

// counts returns how many runs came to the test, and how many of them failed.
func counts(runs []finding.Run) (failed, ran int) {
	for _, r := range runs {
		switch {
		case r.Status.Failing():
			failed++
			ran++
		case r.Status == finding.Passed:
			ran++
		}
	}
	return failed, ran
}

// divergedAt says in one line where the failing runs left the passing ones.
func (s *summary) divergedAt(f *finding.Failure) string {
	if f.Analysis == nil || len(f.Analysis.Chain) == 0 {
		return ""
	}
	return report.OneLine(s.result, f)
}

// printNothing explains what it means that nothing failed.
func (s *summary) printNothing(w io.Writer) (int, error) {
	n := s.result.Executions
	if n == 0 {
		return exitTrouble, advice.With(fmt.Errorf("no test ran"), s.noTestHint())
	}
	fmt.Fprintln(w, s.nothing(n))
	code, err := exitOK, error(nil)
	if s.goOn != nil {
		code, err = s.goOn()
	}
	fmt.Fprintf(w, "To look further: %s.\n", strings.Join(s.further(n), ", "))
	return code, err
}

// nothing says what n runs without failure are worth.
func (s *summary) nothing(n int) string {
	if n < tooFew {
		return fmt.Sprintf("nothing failed: 0 of %s. So few runs say little: a test that fails in every third run may pass all of them.", text.Plural(n, "run"))
	}
	return fmt.Sprintf("nothing failed: 0 of %d runs. Any test here fails in less than %.1f %% of runs (95 %% confidence).",
		n, 100*divergence.NoneBound(n))
}

// tooFew is below how many runs without failure nothing is told of rates: of 8, with 95 %
// confidence, that it is below a third.
const tooFew = 8

// further returns what to try after n runs without failure, and was not tried yet.
func (s *summary) further(n int) []string {
	o := s.options
	ways := []string{fmt.Sprintf("more runs (-n %d)", 10*n)}
	if !o.LooksForRaces() {
		ways = append(ways, "-race")
	}
	if o.Shuffle == "" || o.Shuffle == "off" {
		ways = append(ways, "-shuffle on")
	}
	ways = append(ways, fmt.Sprintf("more load (-procs %d)", 4*max(1, s.results.Parallel)))
	if o.CPU == "" {
		ways = append(ways, "-cpu 1,2,4")
	}
	return ways
}

func (s *summary) noTestHint() string {
	if run := s.options.Run; run != "" {
		return fmt.Sprintf("-run %s matches no test; it is a regular expression, as for go test", run)
	}
	return "the packages have no tests that can run here (build tags, -skip?)"
}

// printBroken writes what the go command said of packages that do not build.
func (s *summary) printBroken() error {
	var first error
	n, vetted := 0, false
	for _, p := range s.results.Packages {
		if p.Err == nil {
			continue
		}
		fmt.Fprintf(s.app.Stderr, "%v\n", p.Err)
		if first == nil {
			first = fmt.Errorf("%s could not be tested", p.ImportPath)
		}
		vetted = vetted || session.IsVetted(p.Err)
		n++
	}
	if n > 1 {
		first = fmt.Errorf("%w, nor could %s", first, text.Plural(n-1, "other"))
	}
	if vetted {
		return advice.With(first, session.VetHint)
	}
	return first
}
