package report

import (
	"fmt"
	"math"
	"path"
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
	again := v.again(max(50, min(n, maxAgain)))
	out := []command{{"Run again", again.line()}}
	if len(v.t.Failures) == 0 && v.t.PlainFailure != nil {
		again.hunt, again.run, again.shuffle = true, v.alone(), ""
		out = []command{{"Make it fail", again.line()}}
	}
	name := path.Base(v.t.Package) + "." + v.t.Name
	return append(out, command{"As an issue", v.typed("issue") + " " + shellQuote(v.clean.Line(name, 300))})
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
		s += r.v.word(w)
	}
	return s
}

// word returns a word of a command line, with a space before it.
func (v *viewer) word(w string) string {
	w = v.clean.Line(w, 1000)
	if name, value, ok := strings.Cut(w, "=~/"); ok && strings.HasPrefix(w, "-") {
		return " " + name + " " + shellQuote("~/"+value) // a shell knows ~ at the start of a word only
	}
	return " " + shellQuote(w)
}

// retried returns the command that tries what a replay file holds, quoted, with processes started as they were.
func (v *viewer) retried(command, file string) string {
	s := v.typed(command)
	for _, flag := range v.r.Options.Flags {
		if strings.HasPrefix(flag, "-exec=") {
			s += v.word(flag)
		}
	}
	return s + " " + file
}

// typed returns the beginning of a command line, with -C and -o as they were given.
func (v *viewer) typed(name string) string {
	s := "fdebug"
	if c := v.r.Options.C; c != "" {
		s += " -C " + shellQuote(v.clean.Line(c, 500))
	}
	s += " " + name
	if out := v.r.Options.Out; out != "" {
		s += " -o " + shellQuote(v.clean.Line(out, 500))
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
		return "~/" + text.ShellQuote(rest)
	}
	return text.ShellQuote(s)
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
