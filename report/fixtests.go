package report

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// left says what another test changes that this one reads too, nil if that is not known, and where it is best
// undone.
func (f *fixer) left() (what, undo prose) {
	var changed, by, from *finding.Suspect
	for _, x := range f.v.t.Failures {
		for i := range x.Suspects {
			s := &x.Suspects[i]
			switch r := &s.Reason; {
			case r.Verdict == nil || !slices.Equal(r.Verdict.Tests(), f.d.Tests()) || r.Verdict.Signature != f.d.Signature:
			case (r.Kind == finding.ReasonTest || r.Kind == finding.ReasonPolluted) && changed == nil:
				changed = s
			case r.Kind == finding.ReasonShared && by == nil:
				by = s
			case r.Kind == finding.ReasonTestCall && from == nil:
				from = s
			}
		}
	}
	if changed == nil {
		return nil, undone("")
	}
	undo = undone(changed.Reason.Var)
	at := func(p prose, s *finding.Suspect) prose {
		return f.v.place(p, spanLines(finding.Span{File: s.File, Start: s.Start, End: s.End}))
	}
	if changed.Reason.Kind == finding.ReasonPolluted {
		p := say("").code(changed.Reason.Code).text(" leaves ").code(changed.Reason.Var).text(" otherwise than it was; it comes to it at ")
		return at(p, changed).text(otherLines(&changed.Reason) + "."), f.ownOrUndone(changed)
	}
	p := changedVar(say("").code(changed.Reason.Code).text(" "+changesWord(&changed.Reason)+" "), changed.Reason.Var)
	if left := changed.Reason.Left; left != "" {
		p = p.text(" to ").code(left)
	}
	p = at(p.text(" at "), changed)
	if from != nil {
		p = at(p.text("; it comes there from "), from)
	}
	if by != nil {
		p = at(p.text(" and comes to it by ").code(by.Reason.Var).text(" at "), by)
		undo = f.ownOrUndone(by)
	}
	switch {
	case changed.Reason.Read:
		p = p.text("; this test reads that too")
	case by != nil && by.Reason.Read:
		p = p.text("; this test reads ").code(by.Reason.Var).text(" too")
	}
	return p.text("."), undo
}

// ownOrUndone says what to do about a variable that tests come to at a place which is not theirs.
func (f *fixer) ownOrUndone(s *finding.Suspect) prose {
	p := say("Let each test have its own ").code(s.Reason.Var).text(", where it gets it, or build it anew at its beginning.")
	return p.text(" If it is to be undone, then at the end of ").code(s.Reason.Code).text(", with ").code("t.Cleanup").text(", and all that can be reached by it.")
}

// changedVar adds the name of what a test changes: a variable, or in words what it changes of the process.
func changedVar(p prose, name string) prose {
	what, of, _ := strings.Cut(name, "variable ")
	switch {
	case of != "": // of the environment
		return p.text(what + "variable ").code(of)
	case strings.Contains(name, " "):
		return p.text(name)
	}
	return p.code(name)
}

// undone says how what a test changes is best undone, by its name.
func undone(name string) prose {
	switch {
	case strings.Contains(name, "environment"):
		return say("Set it there with ").code("t.Setenv").text(", which sets it back when the test ends; ").code("t.Cleanup").text(" does where it is to be unset.")
	case name == "the working directory":
		return say("Change it there with ").code("t.Chdir").text(" (since Go 1.24), or set it back with ").code("t.Cleanup").text(".")
	}
	return say("Undo it there with ").code("t.Cleanup").text(" (environment and files: ").code("t.Setenv").text(", ").code("t.TempDir").text("), or build that state anew in each test, or where the tests get it from.")
}

// tests: state that another test leaves behind.
func (f *fixer) tests() []prose {
	names := f.v.clean.line(strings.Join(f.d.Tests(), ", "), 200)
	if names == "" {
		names = "the tests named"
	}
	if f.d.Needs() {
		return []prose{
			say("Find what ").code(names).text(" sets that this test relies on: a package variable, an environment variable, a file."),
			say("Set it in this test too, or in a function that both call, so that it passes alone."),
		}
	}
	find, undo := f.left()
	if find == nil {
		find = say("Find what ").code(names).text(" changes and leaves behind: a package variable, an environment variable, a file.")
	}
	return []prose{
		find,
		undo,
		say("An order of tests that passes is no fix: -run, -shuffle and tests that are added change it."),
	}
}
