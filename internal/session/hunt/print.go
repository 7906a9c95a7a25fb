package hunt

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/internal/text"
)

// print writes the findings for people.
func (j *Hunt) print(list []*Catch, seen []*sight) {
	w := j.Screen.Result()
	shown := make(map[*Test]bool)
	s := terminal.Summary{Screen: j.Screen, Result: j.Result, Files: j.pages, Dir: j.inRun(""), Verbose: j.Verbose}
	s.PrintTests(w, func(t *finding.Test) []string { return j.sightLines(t, seen, shown) })
	races := j.printRaces(w)
	j.printOpen(w, shown)
	fmt.Fprint(w, j.began())
	if n := provoked(list); n == 0 {
		fmt.Fprintf(w, "%s.\n", j.Nothing())
	} else {
		fmt.Fprintf(w, "%s provoked in %s of %s; all reports: %s\n", text.Plural(n, "failure"), j.runsMade(),
			j.ofTests(), j.inRun("index.html"))
	}
	if races > 0 {
		fmt.Fprintf(w, "%s seen in runs with the race detector.\n", text.Plural(races, "data race"))
	}
	j.printFailing(w, shown)
	j.printLimits(w)
	j.printLike(w)
	never, lines := j.Left()
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

// Nothing says that no failure was shown to be provoked.
func (j *Hunt) Nothing() string {
	what := "nothing was provoked"
	if n := len(j.unconfirmed()); n > 0 {
		what = fmt.Sprintf("nothing was confirmed, %s made to fail,", terminal.WasWere(n, "test"))
	} else if n := len(j.failing()); n > 0 {
		what = fmt.Sprintf("nothing was provoked, %s failed with nothing perturbed,", text.Plural(n, "test"))
	}
	return fmt.Sprintf("%s in %s of %s", what, j.runsMade(), j.ofTests())
}

// Said says that, and what was left untried.
func (j *Hunt) Said() string {
	_, left := j.Left()
	return strings.Join(append([]string{j.Nothing()}, left...), ". ") + "."
}

// runsMade counts the runs that were made now, and those that were known from before.
func (j *Hunt) runsMade() string {
	runs := 0
	for _, p := range j.Tests {
		runs += p.Search.Runs()
	}
	if j.knew > 0 {
		return fmt.Sprintf("%s, and %d known before,", text.Plural(runs, "run"), j.knew)
	}
	return text.Plural(runs, "run")
}

// namesOf returns the names of tests, with a package where several have a test of that name.
func namesOf(list []*Test) string {
	var names []string
	packages := make(map[string][]string) // by name
	for _, p := range list {
		packages[p.Name] = append(packages[p.Name], p.Lab.Target.ImportPath)
	}
	for _, p := range list {
		name := p.Name
		if all := packages[name]; len(all) > 1 {
			name = text.ShortPath(p.Lab.Target.ImportPath, all) + "." + name
		}
		names = append(names, name)
	}
	return text.FewNames(names)
}

// printFailing names tests that fail without being perturbed, and have no block for that.
func (j *Hunt) printFailing(w io.Writer, shown map[*Test]bool) {
	for _, p := range j.failing() {
		if shown[p] {
			continue
		}
		o, c := j.Options(), p.plain()
		o.Packages = []string{p.Lab.Target.ImportPath}
		failed, does := fmt.Sprintf("%d of %s with nothing perturbed", c.Failed, text.Plural(c.Of, "run")), "compares them"
		before := p.before()
		switch {
		case c.Failed == 0 && before > 0:
			failed = text.Plural(before, "run") + " before anything was perturbed"
		case c.Failed == 0:
			failed, does = "the first run of all tests, with nothing perturbed", "shows how"
		case c.Failed == c.Of:
			failed, does = fmt.Sprintf("each of %s alone", text.Plural(c.Of, "run")), "shows how"
		}
		if c.Failed+before > 0 {
			o.Run, o.Skip = finding.RunPattern(p.Name), ""
		}
		fmt.Fprintf(w, "%s failed in %s: %s %s.\n", p.Name, failed, o.Typed("run"), does)
	}
}

// printLike says how often tests failed as they did elsewhere.
func (j *Hunt) printLike(w io.Writer) {
	in := j.LikeFile
	if in == "-" {
		in = "standard input"
	}
	for _, p := range j.Tests {
		if len(p.Search.Like) == 0 || !p.alone() {
			continue
		}
		runs := "no run"
		if n := p.Search.FailedLike(); n > 0 {
			runs = text.Plural(n, "run")
		}
		fmt.Fprintf(w, "%s failed as in %s in %s.\n", p.Name, in, runs)
	}
}

// printLimits says of tests which limit of time goroutines were held beyond.
func (j *Hunt) printLimits(w io.Writer) {
	for _, p := range j.Tests {
		if p.Result == nil || len(p.Result.Limits) == 0 {
			continue
		}
		l := slices.MinFunc(p.Result.Limits, func(a, b experiment.Limit) int { return cmp.Compare(a.Dose, b.Dose) })
		if l.Text != "" {
			fmt.Fprintf(w, "%s fails when it takes longer than its limit: %s.\n", p.Name, l.Text)
		} else {
			fmt.Fprintf(w, "%s fails when it takes %v longer, by a limit of time.\n", p.Name, text.Rounded(l.Dose))
		}
	}
}

// printOpen lists the failures that were provoked, not confirmed, and stand in no block of their own.
func (j *Hunt) printOpen(w io.Writer, shown map[*Test]bool) {
	for _, p := range j.unconfirmed() {
		if shown[p] {
			continue
		}
		for _, x := range p.provoked() {
			fmt.Fprintf(w, "unconfirmed  %s  %s\n", p.Lab.Target.ImportPath, cmp.Or(x.Signature.Test, p.Name))
			fmt.Fprintf(w, "%s  %s\n\n", strings.Join(j.sightOf(p, x), ""), text.Line(x.Message, 100))
		}
	}
}

// openAt returns the place of the hold in the finding left open when the time was up, zero if there is none.
func (p *Test) openAt() proof.Span {
	made := p.Lab.Proof(p.Search, p.open())
	if list := made.Where(); made.Held() && len(list) > 0 {
		return list[0]
	}
	return proof.Span{}
}

// heldAt returns where goroutines were held in most of the runs with a failure, zero if none was, or the failure came
// without.
func (p *Test) heldAt(x *experiment.Failure) proof.Span {
	if x.Plain.Failed+x.Before > 0 {
		return proof.Span{}
	}
	if f := p.open(); f != nil && x.Is(f.Sig) {
		return p.openAt()
	}
	span, _ := p.Search.Sites.Pos(x.HeldAt())
	return span
}

// sightWords says in how many runs a failure came about which no more is known.
func (p *Test) sightWords(x *experiment.Failure) string {
	if f := p.open(); f != nil && x.Is(f.Sig) {
		return fmt.Sprintf("in %d of %d runs with a perturbation (%s)%s; then the time was up", f.Tried.Failed, f.Tried.Of,
			f.Kind(), openCounts(&f.Confirmed))
	}
	before := ""
	if x.Before > 0 {
		before = ", in " + text.Plural(x.Before, "run") + " before anything was"
	}
	return fmt.Sprintf("in %d of %s with something perturbed%s, with nothing perturbed in %d of %d", x.Perturbed.Failed,
		text.Plural(x.Perturbed.Of, "run"), before, x.Plain.Failed, x.Plain.Of)
}

// openCounts gives the counts of a confirmation that was not finished, if it has runs.
func openCounts(c *proof.Confirmation) string {
	if c.With.Of == 0 {
		return ""
	}
	return fmt.Sprintf(", and to confirm it in %d of %d runs, without it in %d of %d", c.With.Failed, c.With.Of,
		c.Plain.Failed, c.Plain.Of)
}
