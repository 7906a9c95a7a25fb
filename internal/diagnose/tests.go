package diagnose

import (
	"path"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

var testsRule = Rule{
	Name: "tests",
	Doc: `Tests that tell the outcome by having run before this one in the same process, and
what they change that this test reads. It rests on runs whose order of tests differs
(-shuffle on), and on Fisher's exact test, corrected for the sets of tests to choose
from.`,
	find: tests,
}

func tests(s *scene) []finding.Suspect {
	if s.a == nil || s.a.Earlier == nil {
		return nil
	}
	e := s.a.Earlier
	ev := finding.Evidence{Class: finding.Associated, Chance: true, Table: e.Table, P: e.P}
	why := finding.Reason{Kind: finding.ReasonTest, Tests: e.Tests, FailsIf: e.FailsIf}
	var list []finding.Suspect
	best := finding.Mentions
	var changed trace.Span
	if st := s.failed(); st != nil {
		for _, b := range e.Blocks {
			if l, span := s.link(st, b); l > best || l == best && changed.File == "" {
				best, changed = l, span
			}
		}
	}
	if changed.File != "" {
		ev.Link = best
		list = append(list, at(changed, ev, why))
	}
	why.Kind = finding.ReasonTestBefore
	ev.Link = finding.Mentions
	for _, name := range e.Tests {
		list = append(list, at(line(s.testFunc(name)), ev, why))
	}
	return list
}

// testFunc returns the place of a test function of the package.
func (s *scene) testFunc(name string) trace.Frame {
	top, _, _ := strings.Cut(name, "/")
	for _, fn := range s.Sites.Funcs {
		file := s.Sites.Files[fn.File]
		dir := strings.TrimSuffix(path.Dir(file.Name), "_test")
		if fn.Name == top && dir == s.Test.Package && strings.HasSuffix(file.Name, "_test.go") {
			return trace.Frame{File: file.Path, Line: fn.Line}
		}
	}
	return trace.Frame{}
}
