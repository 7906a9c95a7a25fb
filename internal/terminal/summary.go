package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/report"
	"github.com/fdebug/fdebug/trace"
)

// A Summary is what a run prints to stdout.
type Summary struct {
	*Screen
	Result  *finding.Result
	Results *runner.Results
	Dir     string                   // of the reports, as shown
	Files   map[*finding.Test]string // names of the pages, without .html; nil if they could not be written
	Options finding.Options
	Verbose bool // how tests fail, too
	Like    bool // a failure that was seen elsewhere was looked for
	// Interrupted is set if a signal came, while tests were run or afterwards.
	Interrupted bool
}

// Report writes the reports, has the run kept, and prints it. What was found out is not lost with the files.
func (s *Summary) Report(ctx context.Context, an *analyze.Analyzer, keep func() error) (int, error) {
	var err error
	if s.Files, err = s.Write(ctx, an, s.Result); err == nil {
		err = keep()
	}
	code, broken := s.Print()
	return exit.Of(code, exit.If(err != nil, exit.Trouble)), cmp.Or(err, broken)
}

// Print writes the summary and returns the exit code.
func (s *Summary) Print() (int, error) {
	w := s.Screen.Result()
	broken := s.PrintBroken()
	if err := s.tell(); err != nil {
		return exit.Trouble, err
	}
	s.PrintTests(w, nil)
	s.PrintWarnings(w)
	s.printLeftOut(w)
	found, reports := len(s.Result.Tests) > 0, filepath.Join(s.Dir, "index.html")
	code := exit.Of(
		exit.If(s.Results.Interrupted || s.Interrupted, exit.Interrupted),
		exit.If(slices.ContainsFunc(s.Result.Tests, failed), exit.Flaky),
		exit.If(broken != nil || found && s.Files == nil, exit.Trouble))
	switch {
	case found && s.Files == nil: // there is no report to name
	case s.Results.Interrupted:
		fmt.Fprintf(w, "interrupted; reports for the runs done so far: %s\n", reports)
	case s.Interrupted:
		fmt.Fprintf(w, "interrupted while runs were compared; reports of what is known: %s\n", reports)
	case found:
		fmt.Fprintf(w, "all reports: %s\n", reports)
	case broken == nil && len(s.Result.NeverRun) == 0:
		return s.printNothing(w)
	case s.Result.Executions > 0:
		fmt.Fprintln(w, s.Nothing(s.Result.Executions))
	}
	if n := len(s.Result.NeverRun); broken == nil && n > 0 && code == exit.OK {
		return exit.Trouble, advice.With(fmt.Errorf("%s never run", WasWere(n, "package")),
			"a longer -budget, or fewer packages")
	}
	return code, broken
}

// tell adds the result to the brief.
func (s *Summary) tell() error {
	if n := s.Result.Executions; len(s.Result.Tests) == 0 && n > 0 {
		return s.Tell(s.Result, s.Dir, s.Nothing(n), s.Options.Typed("hunt"))
	}
	return s.Tell(s.Result, s.Dir, "", "")
}

// failed reports whether a test failed, and neither by what the recorder changes nor as experiments alone have seen.
func failed(t *finding.Test) bool {
	is := t.State()
	return is != finding.Recorder && is != finding.OnlySeen
}

// WasWere is "1 package was" or "3 packages were".
func WasWere(n int, what string) string {
	if n == 1 {
		return "1 " + what + " was"
	}
	return text.Plural(n, what) + " were"
}

// printLeftOut says what there was no time for, and how there is.
func (s *Summary) printLeftOut(w io.Writer) {
	r := s.Result
	if n := len(r.NeverRun); n > 0 {
		fmt.Fprintf(w, "never run: %s (%s)\n", text.Plural(n, "package"), text.FewNames(r.NeverRun))
	}
	if r.Executions > 0 && r.Executions < r.Asked && !s.Results.Interrupted {
		fmt.Fprintf(w, "%s of each package in the time there was; -n %d makes %d\n",
			text.Plural(r.Executions, "run"), r.Asked, r.Asked)
	}
	s.printCutOff(w)
}

// printCutOff says in one line which tests have less in their reports than a longer run would give, and
// in another how it is had.
func (s *Summary) printCutOff(w io.Writer) {
	c := cutOffOf(s.Result)
	if s.Files != nil {
		pages := report.FileNames(s.Result)
		for _, t := range s.Result.Tests {
			if pages[t] != "" && s.Files[t] == "" {
				c.pages, c.stored = append(c.pages, testName(s.Result, t)), true
			}
		}
	}
	var parts, ways []string
	add := func(what string, tests []string) {
		if len(tests) > 0 {
			parts = append(parts, fmt.Sprintf("%s (%s)", what, text.FewNames(tests)))
		}
	}
	add("comparing", c.compared)
	add("values", c.values)
	add("experiments", c.experiments)
	add("pages", c.pages)
	if len(parts) == 0 {
		return
	}
	if c.stored {
		ways = append(ways, "fdebug report compares all runs, however long it takes")
	}
	if c.flag != "" && !s.Interrupted {
		ways = append(ways, "a longer "+c.flag+" gives more time")
	}
	fmt.Fprintf(w, "cut off: %s\n", strings.Join(parts, ", "))
	if len(ways) > 0 {
		fmt.Fprintf(w, "    %s\n", strings.Join(ways, "; "))
	}
}

// A cutOff is what there was no time for, by the tests that it concerns.
type cutOff struct {
	compared, values, experiments, pages []string

	stored bool   // the runs are there, and only their comparison is missing
	flag   string // that gives the rest more time, "" for none
}

func cutOffOf(r *finding.Result) (c cutOff) {
	add := func(list *[]string, name string) {
		if !slices.Contains(*list, name) {
			*list = append(*list, name)
		}
	}
	shown := make(map[string]bool) // top-level tests that experiments have shown something of
	for _, t := range r.Tests {
		if len(t.Verdicts) > 0 {
			shown[t.Package+" "+trace.TopTest(t.Name)] = true
		}
	}
	for _, t := range r.Tests {
		for _, f := range t.Failures {
			if f.LeftOut != "" {
				add(&c.compared, testName(r, t))
			}
			if f.ValuesLeftOut != "" {
				add(&c.values, testName(r, t))
			}
		}
		c.stored = c.stored || len(c.compared)+len(c.values) > 0
		if r.NoTimeForValues {
			c.flag = "-budget"
			add(&c.values, testName(r, t))
		}
		if x := t.Tried; x != nil && (x.CutOff || x.Interrupted) && !shown[t.Package+" "+trace.TopTest(t.Name)] {
			add(&c.experiments, testName(r, &finding.Test{Package: t.Package, Name: x.Test}))
			if x.Budget {
				c.flag = "-budget"
			} else {
				c.flag = cmp.Or(c.flag, "-experiments")
			}
		}
	}
	return c
}

// PrintWarnings writes what became of runs that are missing.
func (s *Summary) PrintWarnings(w io.Writer) {
	for _, p := range s.Results.Packages {
		for _, text := range p.Warnings {
			fmt.Fprintf(w, "%s: %s\n", p.ImportPath, text)
		}
	}
}

// PrintTests writes the block of each test, with more lines of it, nil for none. Subtests that fail in the very same
// runs, or for one cause, have one block, that of the first, with the names of the others.
func (s *Summary) PrintTests(w io.Writer, more func(*finding.Test) []string) {
	leaders := finding.Leaders(s.Result.Tests)
	led := make(map[*finding.Test][]string) // names of the others that a test stands for
	for _, t := range s.Result.Tests {
		if l := leaders[t]; l != t {
			led[l] = append(led[l], testName(s.Result, t))
		}
	}
	for _, t := range s.Result.Tests {
		if leaders[t] != t {
			continue
		}
		o := report.Terminal{Verbose: s.Verbose}
		if name := s.Files[t]; name != "" {
			o.Page = filepath.Join(s.Dir, name+".html")
		}
		for _, line := range o.Lines(s.Result, t) {
			fmt.Fprintln(w, line)
		}
		if names := led[t]; len(names) > 0 {
			fmt.Fprintf(w, "  also       %s\n", text.FewNames(names))
		}
		if more != nil {
			io.WriteString(w, strings.Join(more(t), ""))
		}
		fmt.Fprintln(w)
	}
}

func testName(r *finding.Result, t *finding.Test) string {
	if t.Name == "" {
		return "(package: TestMain or initialisation)"
	}
	return report.TestName(r, t)
}

// printNothing explains what it means that nothing failed.
func (s *Summary) printNothing(w io.Writer) (int, error) {
	n := s.Result.Executions
	if n == 0 {
		return exit.Trouble, advice.With(fmt.Errorf("no test ran"), s.noTestHint())
	}
	fmt.Fprintln(w, s.Nothing(n))
	if s.noCase() {
		fmt.Fprintf(w, "No subtest ran: none matches -run %s.\n", text.ShellQuote(s.Options.Run))
	}
	return exit.OK, nil
}

// Clean reports whether tests ran, and none failed.
func (s *Summary) Clean() bool { return len(s.Result.Tests) == 0 && s.Result.Executions > 0 }

// PrintFurther says what to try after runs without a failure.
func (s *Summary) PrintFurther() {
	fmt.Fprintf(s.Screen.Result(), "To look further: %s.\n",
		strings.Join(s.further(s.Result.Executions), ", "))
}

// Nothing says what n runs without failure are worth.
func (s *Summary) Nothing(n int) string {
	if n < tooFew {
		return fmt.Sprintf(
			"nothing failed: 0 of %s. So few runs say little: a test that fails in every third run may pass all of them.",
			text.Plural(n, "run"))
	}
	return fmt.Sprintf(
		"nothing failed: 0 of %d runs. Any test here fails in less than %.1f %% of runs (95 %% confidence).",
		n, 100*stats.NoneBound(n))
}

// tooFew is below how many runs without failure nothing is told of rates: of 8, with 95 %
// confidence, that it is below a third.
const tooFew = 8

// further returns the hints on what to try after n runs without failure, and was not tried yet.
func (s *Summary) further(n int) []string {
	o := s.Options
	ways := []string{fmt.Sprintf("more runs (-n %d)", 10*n)}
	if !s.Like {
		like := o
		like.Flags = append(slices.Clone(o.Flags), "-like", "FILE")
		ways = slices.Insert(ways, 0, fmt.Sprintf("the log of a failure (%s)", like.Typed("hunt")))
	}
	if !o.LooksForRaces() {
		ways = append(ways, "-race")
	}
	if o.Shuffle == "" || o.Shuffle == "off" {
		ways = append(ways, "-shuffle on")
	}
	ways = append(ways, fmt.Sprintf("more load (-procs %d)", 4*max(1, s.Results.Parallel)))
	if o.CPU == "" {
		ways = append(ways, "-cpu 1,2,4")
	}
	return ways
}

// noCase reports whether -run asks for a subtest and there was none. The test around it has passed, which is no news
// of what was asked for.
func (s *Summary) noCase() bool {
	_, of, ok := strings.Cut(s.Options.Run, "/")
	if !ok || of == "" || strings.Contains(s.Options.Run, "|") {
		return false
	}
	for _, p := range s.Results.Packages {
		for _, run := range p.Runs { // subtests that always pass are no units
			if slices.ContainsFunc(run.Outcomes, func(o *runner.Outcome) bool {
				return strings.ContainsAny(o.Test, "/:")
			}) {
				return false
			}
		}
	}
	return true
}

func (s *Summary) noTestHint() string {
	if run := s.Options.Run; run != "" {
		return fmt.Sprintf("-run %s matches no test; it is a regular expression, as for go test", run)
	}
	return "the packages have no tests that can run here (build tags, -skip?)"
}

// PrintBroken writes what the go command said of packages that do not build.
func (s *Summary) PrintBroken() error {
	var first error
	n, vetted := 0, false
	for _, p := range s.Results.Packages {
		if p.Err == nil {
			continue
		}
		fmt.Fprintf(s.Stderr, "%v\n", p.Err)
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
