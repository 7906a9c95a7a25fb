package report

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// A command is something to type, with the reason to.
type command struct {
	Label, Line string
}

const (
	asIssue  = "As an issue"
	maxAgain = 1000 // runs that a command asks for
)

// next returns the commands to go on with.
func (v *viewer) next(w *view, c counts) []command {
	var out []command
	n := 200
	if c.flaky() {
		lo, _ := divergence.Wilson(c.Failed, c.decided())
		n = runsToTrust(lo)
	}
	again := v.again(max(50, min(n, maxAgain)))
	switch {
	case len(w.Verdicts) > 0 && w.Verdicts[0].Verify != "": // by that it is tried as it was made to fail
		out = append(out, command{"Run it again" + v.inOrder() + "; experiments come after the runs", again.line()})
	case v.t.Alone != "" && strings.Contains(v.t.Name, "/") && !strings.Contains(v.t.Alone, "/"):
		top, _, _ := strings.Cut(v.t.Name, "/")
		out = append(out, command{"Run just " + top + ", with its subtests", again.line()})
	case v.t.Alone != "":
		out = append(out, command{"Run just this test", again.line()})
	default:
		out = append(out, command{"Run it again" + v.inOrder(), again.line()})
	}
	alone := again
	alone.run, alone.shuffle = v.alone(), ""
	if v.t.Alone == "" && len(v.t.Verdicts) == 0 && alone.line() != again.line() { // the runs of experiments are of the test alone
		out = append(out, command{"Does it fail alone?", alone.line()})
	}
	if len(v.t.Failures) == 0 && v.t.PlainFailure != nil {
		alone.hunt = true
		out = slices.Insert(out, 0, command{"Try to make it fail", alone.line()})
	}
	if !v.r.Options.LooksForRaces() && !v.raced() && !v.oneGoroutine() && !v.ofOrder() {
		race := again
		race.flags, race.n = append(slices.Clone(race.flags), "-race"), max(20, min(n, 200))
		label := "Is it a data race?"
		if v.t.Raced > 0 {
			runs, of := plural(v.t.Raced, "run"), " for this test"
			if v.t.RacedAlone && v.t.Alone == "" { // it was not seen to fail so
				runs, of = runs+" of this test alone", ""
			}
			if n := v.t.Unplaced; n > 0 {
				label += fmt.Sprintf(" In %d of %s with the race detector one was reported%s, at least one side of it in code that is not recorded.", n, runs, of)
			} else {
				label += " In " + runs + " with the race detector none was reported" + of + "."
				if v.t.RacedFailed > 0 {
					label += fmt.Sprintf(" It failed in %d of them.", v.t.RacedFailed)
				}
			}
		}
		out = append(out, command{label, race.line()})
	}
	name := path.Base(v.t.Package) + "." + v.t.Name
	return append(out, command{asIssue, v.typed("issue") + " " + shellQuote(v.clean.line(name, 300))})
}

// alone returns the pattern that selects the test and no other, or, of what is no test, that of the run.
func (v *viewer) alone() string {
	if v.t.Name == "" {
		return v.r.Options.Run
	}
	return finding.RunPattern(v.t.Name)
}

// oneGoroutine reports whether no run had another goroutine of the user's code, and the race detector has been asked.
func (v *viewer) oneGoroutine() bool {
	return v.t.Raced > 0 && len(v.t.Failures) > 0 && !slices.ContainsFunc(v.t.Failures, func(f *finding.Failure) bool { return f.Analysis == nil || !f.Analysis.Alone })
}

// ofOrder reports whether it was proved that the order of tests makes the test fail.
func (v *viewer) ofOrder() bool {
	return len(v.t.Verdicts) > 0 && v.t.Verdicts[0].Kind() == "tests" && v.t.Verdicts[0].Class == finding.Proved
}

// inOrder says that a command has the tests run in an order in which this one failed.
func (v *viewer) inOrder() string {
	if v.t.Seed == "" {
		return ""
	}
	return ", in an order of tests in which it failed"
}

// raced reports whether a data race is known: runs made with the race detector have shown
// one, or a failure is one, since what the user's own script runs may have been built with
// -race all the same.
func (v *viewer) raced() bool {
	return len(v.t.Races) > 0 || slices.ContainsFunc(v.t.Failures, raced)
}

// fixed says how many runs without failure are worth believing in.
func (v *viewer) fixed(c counts) prose {
	if !c.flaky() || c.allProvoked() { // how often it fails by itself is not known
		return nil
	}
	lo, _ := divergence.Wilson(c.Failed, c.decided())
	n := runsToTrust(lo)
	chance := " (99 % confidence: at the old rate, " + percent(lo) + " or more, that would happen by chance once in 100 times)."
	if v.t.Seed != "" { // of which the rate is no word
		return say("To check a fix: runs of the first command must pass, and ").bold(plural(n, "clean run")).text(" in a row with ").code("-shuffle on").text(", over different orders of tests, as those that the rate is of" + chance)
	}
	of := " in a row, of those that the first command makes"
	if n > maxAgain {
		of += fmt.Sprintf(", %s at a time", thousands(maxAgain))
	}
	return say("To check a fix: ").bold(plural(n, "clean run")).text(of + chance)
}

// A rerun is a command line of fdebug run, or of fdebug hunt, which decides itself how many runs it makes.
type rerun struct {
	v                     *viewer
	hunt                  bool
	run, skip, shuffle    string
	flags, packages, args []string
	n                     int
}

// again returns the command under whose conditions the test has failed: with the
// seed that failed if the order of tests was shuffled, and restricted to this test
// only if it was seen to fail so.
func (v *viewer) again(n int) rerun {
	o := v.r.Options
	r := rerun{v: v, run: o.Run, skip: o.Skip, shuffle: o.Shuffle, flags: v.flags(), packages: []string{v.packageArg()}, args: o.Args, n: n}
	if v.t.Alone != "" {
		r.run = v.t.Alone
	}
	if v.t.Seed != "" {
		r.shuffle = v.t.Seed
	}
	return r
}

// flags returns those of the run that matter, but those that select tests.
func (v *viewer) flags() []string {
	o := v.r.Options
	flags := slices.Clone(o.Flags)
	if o.CPU != "" {
		flags = append(flags, "-cpu="+o.CPU)
	}
	if o.Parallel > 1 {
		flags = append(flags, fmt.Sprintf("-procs=%d", o.Parallel))
	}
	return flags
}

// line returns the command as it is typed.
func (r rerun) line() string {
	words := append([]string{}, r.packages...)
	if r.run != "" {
		words = append(words, "-run", r.run)
	}
	if r.skip != "" {
		words = append(words, "-skip", r.skip)
	}
	words = append(words, r.flags...)
	if r.shuffle != "" {
		words = append(words, "-shuffle", r.shuffle)
	}
	name := "hunt"
	if !r.hunt {
		name, words = "run", append(words, "-n", fmt.Sprint(r.n))
	}
	if len(r.args) > 0 {
		words = append(append(words, "--"), r.args...)
	}
	s := r.v.typed(name)
	for _, w := range words {
		w = r.v.clean.line(w, 1000)
		if name, value, ok := strings.Cut(w, "=~/"); ok && strings.HasPrefix(w, "-") {
			s, w = s+" "+name, "~/"+value // a shell knows ~ at the start of a word only
		}
		s += " " + shellQuote(w)
	}
	return s
}

// typed returns the beginning of a command line, with -C and -o as they were given.
func (v *viewer) typed(name string) string {
	s := "fdebug"
	if c := v.r.Options.C; c != "" {
		s += " -C " + shellQuote(v.clean.line(c, 500))
	}
	s += " " + name
	if out := v.r.Options.Out; out != "" {
		s += " -o " + shellQuote(v.clean.line(out, 500))
	}
	return s
}

// packageArg names the test's package, by its directory where that is right.
func (v *viewer) packageArg() string {
	pkg := v.t.Package
	inside := pkg == v.r.Module || strings.HasPrefix(pkg, v.r.Module+"/") || v.r.Module == "std"
	switch {
	case !inside || v.r.Options.Dir != "":
		return pkg
	case v.dir == "":
		return "."
	}
	return "./" + v.dir
}

// shellQuote quotes s for a POSIX shell, if it needs it. A home directory, which is
// shown as ~, stays one.
func shellQuote(s string) string {
	if rest, ok := strings.CutPrefix(s, "~/"); ok && rest != "" {
		return "~/" + shellQuote(rest)
	}
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./=:,@%+", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !safe(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// further returns the commands to try where nothing failed: those that were not
// tried yet.
func (v *viewer) further(n int) []command {
	o := v.r.Options
	base := rerun{v: v, run: o.Run, skip: o.Skip, shuffle: o.Shuffle, flags: v.flags(), packages: o.Packages, args: o.Args, n: n}
	if len(base.packages) == 0 {
		base.packages = []string{"./..."}
	}
	out := []command{{"More runs", base.line()}}
	if o.Shuffle == "" || o.Shuffle == "off" {
		r := base
		r.shuffle = "on"
		out = append(out, command{"Shuffled", r.line()})
	}
	if !v.r.Options.LooksForRaces() {
		r := base
		r.flags = append(slices.Clone(r.flags), "-race")
		out = append(out, command{"With the race detector", r.line()})
	}
	if o.Parallel <= 1 {
		r := base
		r.flags = append(slices.Clone(r.flags), "-procs=4")
		out = append(out, command{"Several at once", r.line()})
	}
	return out
}

// raced reports whether a failure is a report of the race detector.
func raced(f *finding.Failure) bool { return strings.HasPrefix(f.Message, "WARNING: DATA RACE") }
