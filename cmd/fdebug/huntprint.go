package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
)

// print writes the findings for people.
func (j *huntJob) print(list []*catch) {
	w := j.app.result(j.Plan.Sites.Root)
	for _, c := range list {
		j.printCatch(w, c)
	}
	j.printRaces(w)
	j.printOpen(w)
	fmt.Fprint(w, j.began())
	if n := provoked(list); n == 0 {
		fmt.Fprintf(w, "%s.\n", j.nothing())
	} else {
		fmt.Fprintf(w, "%s provoked in %s of %s; all reports: %s\n", text.Plural(n, "failure"), j.runsMade(), j.ofTests(), j.inRun("index.html"))
	}
	if n := len(j.raced); n > 0 {
		fmt.Fprintf(w, "%s seen in runs with the race detector.\n", text.Plural(n, "data race"))
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
	what := "nothing was provoked"
	if n := len(j.unconfirmed()); n > 0 {
		what = fmt.Sprintf("nothing was confirmed, %s made to fail,", wereMade(n))
	}
	return fmt.Sprintf("%s in %s of %s", what, j.runsMade(), j.ofTests())
}

// runsMade counts the runs that were made now, and those that were known from before.
func (j *huntJob) runsMade() string {
	_, _, runs := j.tally()
	if j.knew > 0 {
		return fmt.Sprintf("%s, and %d known before,", text.Plural(runs, "run"), j.knew)
	}
	return text.Plural(runs, "run")
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
		switch c := p.plain(); {
		case c.Failed == 0:
		case c.Failed == c.Of:
			fmt.Fprintf(w, "%s failed in each of %s alone with nothing perturbed: fdebug run %s -run '^%s$' shows how.\n",
				p.name, text.Plural(c.Of, "run"), p.lab.Target.ImportPath, p.name)
		default:
			fmt.Fprintf(w, "%s failed in %d of %d runs with nothing perturbed: fdebug run %s -run '^%s$' compares them.\n",
				p.name, c.Failed, c.Of, p.lab.Target.ImportPath, p.name)
		}
	}
}

func (j *huntJob) printCatch(w io.Writer, c *catch) {
	f := c.f
	fmt.Fprintf(w, "%s  %s  %s\n", verdictWord(f), c.prey.lab.Target.ImportPath, cmp.Or(f.Signature.Test, f.Test))
	r := c.prey.exp.Proof(f)
	for _, line := range causeLines(r) {
		fmt.Fprintf(w, "    %s\n", line)
	}
	if f.Always {
		fmt.Fprintf(w, "    %d of %d runs failed, with that %d of %d\n", f.Confirmed.Plain.Failed, f.Confirmed.Plain.Of, f.Confirmed.Cure.Failed, f.Confirmed.Cure.Of)
	} else {
		fmt.Fprintf(w, "    %s\n", countsLine(&f.Confirmed))
	}
	if text := leftWords(c.left); text != "" {
		fmt.Fprintf(w, "    %s\n", text)
	}
	if f.Artefact != "" {
		fmt.Fprintf(w, "    deadline artefact: %s\n", f.Artefact)
	}
	switch {
	case f.Limit == "" || f.Artefact != "":
	case f.Kind() == "timer":
		fmt.Fprintf(w, "    what waits for that is too short: %s\n", f.Limit)
	default:
		fmt.Fprintf(w, "    the shortest hold that fails, %v, is of the order of what is slept: %s\n", f.Smallest, f.Limit)
	}
	where := ""
	if f.Signature.Frame.File != "" {
		where = f.Signature.Place() + ": "
	}
	fmt.Fprintf(w, "    %s%s\n", where, text.Line(f.Message, 100))
	if c.replay != "" {
		fmt.Fprintf(w, "    fdebug replay %s%s\n", j.placeFlags(), strings.TrimSuffix(c.replay, session.ReplaySuffix))
	}
	if c.page != "" {
		fmt.Fprintf(w, "    %s\n", j.inRun(c.page+".html"))
	}
	fmt.Fprintln(w)
}

// leftWords says what tests leave behind that makes another fail, "" if that is not known.
func leftWords(x *finding.Pollution) string {
	if x == nil || len(x.Vars) == 0 {
		return ""
	}
	var names []string
	for _, v := range x.Vars {
		names = append(names, fmt.Sprintf("%s (%s:%d)", v.Name, v.At.File, v.At.Start))
	}
	said := fmt.Sprintf("what decides is left in %s: put back before it, %d of %d runs failed", strings.Join(names, " and "), x.Back.Failed, x.Back.Of)
	if x.Without.Of > 0 {
		said += fmt.Sprintf("; with the %s put back instead, %d of %d", text.Plural(x.Others(), "other package variable"), x.Without.Failed, x.Without.Of)
	}
	return said
}

// printOpen says what was provoked and not confirmed.
func (j *huntJob) printOpen(w io.Writer) {
	say := func(p *prey, test, said, message string) {
		fmt.Fprintf(w, "unconfirmed  %s  %s\n    %s\n    %s\n\n", p.lab.Target.ImportPath, cmp.Or(test, p.name), said, text.Line(message, 100))
	}
	for _, p := range j.unconfirmed() {
		if f := p.open(); f != nil {
			say(p, f.Signature.Test, fmt.Sprintf("failed %s with a perturbation (%s)%s; then the time was up", openTimes(f), f.Kind(), openCounts(&f.Confirmed)), f.Message)
		}
		for _, x := range p.provoked() {
			say(p, x.Signature.Test, unexplainedWords(x), x.Message)
		}
	}
}

// unexplainedWords says in how many runs a failure came of which no more is known.
func unexplainedWords(x *experiment.Failure) string {
	var list []string
	for _, s := range x.Steps {
		if s.Of == 0 {
			list = append(list, fmt.Sprintf("in %s of the stage before (%s)", text.Plural(s.Failed, "run"), s.Step))
		} else {
			list = append(list, fmt.Sprintf("in %d of %s (%s)", s.Failed, text.Plural(s.Of, "run"), s.Step))
		}
	}
	if x.Again > 0 {
		list = append(list, fmt.Sprintf("in %d that looked into what had failed", x.Again))
	}
	return fmt.Sprintf("failed %s, with nothing perturbed in %d of %d: what makes it fail each time was not found", strings.Join(list, ", "), x.Plain.Failed, x.Plain.Of)
}

// openTimes says how often a failure came before it was to be confirmed.
func openTimes(f *experiment.Finding) string {
	if f.Screened.Of > 0 {
		return fmt.Sprintf("in %d of %d runs", f.Screened.Failed, f.Screened.Of)
	}
	return fmt.Sprintf("%d times in a row", f.Again)
}

// openCounts says what the runs of a confirmation gave that was not finished, if there are any.
func openCounts(c *experiment.Confirmation) string {
	if c.With.Of == 0 {
		return ""
	}
	return fmt.Sprintf(", and to confirm it in %d of %d runs, without it in %d of %d", c.With.Failed, c.With.Of, c.Plain.Failed, c.Plain.Of)
}

// placeFlags are the flags, with a space after them, by which another command finds the same
// module and what is kept of it.
func (j *huntJob) placeFlags() string {
	words := ""
	if j.app.Chdir != "" {
		words += "-C " + text.ShellQuote(j.app.Chdir) + " "
	}
	if j.Out != "" {
		words += "-o " + text.ShellQuote(j.Out) + " "
	}
	return words
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
		list = append(list, fmt.Sprintf("%d more failed differently", c.Other))
	}
	if c.Missed > 0 {
		list = append(list, fmt.Sprintf("in %s it did not act", text.Plural(c.Missed, "more run")))
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
