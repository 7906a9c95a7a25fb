package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/internal/text"
)

// A command is something to type, with the reason to.
type command struct {
	Label, Line string
}

const maxAgain = 1000 // runs that a command asks for

// next returns the commands that repeat the test, and how many clean runs mean that it is fixed.
func (v *viewer) next() []command {
	c := count(v.t.Runs)
	n := 200
	if c.flaky() {
		lo, _ := stats.Wilson(c.Failed, c.decided())
		n = runsToTrust(lo)
	}
	again := v.again()
	out := []command{{"Run again", v.command(again, "run", max(50, min(n, maxAgain)))}}
	if len(v.t.Failures) == 0 && v.t.PlainFailure != nil {
		again.Run, again.Shuffle = v.alone(), ""
		out = []command{{"Make it fail", v.command(again, "hunt", 0)}}
	}
	name := packageName(v.r, v.t.Package) + "." + v.t.Name
	o := v.r.Options
	issue := v.command(finding.Options{C: o.C, Out: o.Out}, "issue", 0)
	return append(out, command{"As an issue", issue + " " + shellQuote(v.clean.Line(name, 300))})
}

// runsToTrust returns how many runs without failure make it a 1 % coincidence that the test
// still fails with probability p.
func runsToTrust(p float64) int {
	if p <= 0 || p >= 1 {
		return 1
	}
	return int(math.Ceil(math.Log(stats.Strong) / math.Log(1-p)))
}

// alone returns the pattern that selects the test and no other, or, of what is no test, that of the run.
func (v *viewer) alone() string {
	if v.t.Name == "" {
		return v.r.Options.Run
	}
	return finding.RunPattern(v.t.Name)
}

// again returns the conditions under which the test has failed: with the seed that failed if the
// order of tests was shuffled, and restricted to this test only if it was seen to fail so.
func (v *viewer) again() finding.Options {
	o := v.r.Options
	o.Packages = []string{v.packageArg()}
	o.Run, o.Shuffle = cmp.Or(v.t.Alone, o.Run), cmp.Or(v.t.Seed, o.Shuffle)
	return o
}

// command returns a command line under the given conditions, as it is typed.
func (v *viewer) command(o finding.Options, name string, n int) string {
	words := o.Words(name, n)
	for i, w := range words {
		words[i] = v.word(w)
	}
	return strings.Join(words, " ")
}

// word returns a word of a command line.
func (v *viewer) word(w string) string {
	w = v.clean.Line(w, 1000)
	if name, value, ok := strings.Cut(w, "=~/"); ok && strings.HasPrefix(w, "-") {
		return name + " " + shellQuote("~/"+value) // a shell knows ~ at the start of a word only
	}
	return shellQuote(w)
}

// retried returns the command that tries what a replay file holds, quoted, with the binaries of the same
// bundle, and processes started as they were.
func (v *viewer) retried(command, file string) string {
	o := v.r.Options
	flags := slices.DeleteFunc(slices.Clone(o.Flags), func(flag string) bool {
		return !strings.HasPrefix(flag, "-exec=")
	})
	o = finding.Options{C: o.C, Out: o.Out, Bundle: o.Bundle, Flags: flags}
	if command == "fix" { // which edits the source
		o.Bundle = ""
	}
	return v.command(o, command, 0) + " " + file
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
		return "~/" + text.ShellQuote(rest)
	}
	return text.ShellQuote(s)
}
