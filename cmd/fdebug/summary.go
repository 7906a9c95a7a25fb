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
	verbose bool // how tests fail, too
	// interrupted is set if a signal came, while tests were run or afterwards.
	interrupted bool
	// goOn is what comes after runs without a failure: it prints, and returns the exit
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
	shown := make(map[string]bool) // top-level tests that experiments have shown something of
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

// printTest writes the block of one test. Subtests that fail in the very same runs have one
// block, that of the first.
func (s *summary) printTest(w io.Writer, t *finding.Test) {
	if len(t.Alike) > 0 && slices.Index(s.result.Tests, t.Alike[0]) < slices.Index(s.result.Tests, t) {
		return
	}
	o := report.Terminal{Verbose: s.verbose}
	if name := s.files[t]; name != "" {
		o.Page = filepath.Join(s.dir, name+".html")
	}
	for _, line := range o.Lines(s.result, t) {
		fmt.Fprintln(w, line)
	}
	if len(t.Alike) > 0 {
		var names []string
		for _, o := range t.Alike {
			names = append(names, testName(o))
		}
		fmt.Fprintf(w, "  also       %s\n", text.FewNames(names))
	}
	fmt.Fprintln(w)
}

func testName(t *finding.Test) string {
	if t.Name == "" {
		return "(package: TestMain or initialisation)"
	}
	return t.Name
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
