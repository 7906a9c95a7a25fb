package diagnose

import (
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
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
	ev := finding.Evidence{Class: finding.Associated, Table: e.Table, P: e.P}
	why := finding.Reason{Kind: finding.ReasonTest, Tests: e.Tests, FailsIf: e.FailsIf}
	var list []finding.Suspect
	for i, blocks := range e.Blocks {
		best, changed := s.changes(blocks)
		if changed.File != "" {
			ev.Link, why.Code = best, e.Tests[i]
			list = append(list, at(changed, ev, why))
		}
	}
	why.Code = ""
	why.Kind = finding.ReasonTestBefore
	ev.Link = finding.Mentions
	for _, name := range e.Tests {
		list = append(list, at(line(s.testFunc(name)), ev, why))
	}
	return list
}

// changes returns the closest change to what decided that outlives a test, of the
// blocks that it ran; no lines if there is none.
func (s *scene) changes(ran []int) (best finding.Link, changed trace.Span) {
	best = finding.Mentions
	st := s.failed()
	if st == nil {
		return best, changed
	}
	for _, b := range ran {
		if l, span := s.leftBehind(st, b, ran); l > best || l == best && changed.File == "" {
			best, changed = l, span
		}
	}
	return best, changed
}

// leftBehind is link for what outlives a test: writes to a variable of the package,
// or to what the test got hold of through one that is read for what decided too.
func (s *scene) leftBehind(st *step, b int, ran []int) (finding.Link, trace.Span) {
	span, _ := s.Sites.Pos(b)
	best := finding.Unlinked
	for _, w := range s.Source.Block(b, source.Write) {
		if l := st.links[w]; l > best && s.outlives(st, w, ran) {
			best = l
			line := s.Source.Line(w.Node)
			span = trace.Span{File: span.File, Start: line, End: line}
		}
	}
	if best == finding.Unlinked {
		return best, trace.Span{}
	}
	return best, span
}

// outlives reports whether a write is to what is reached from a variable of the package,
// by the blocks that a test ran, and what decided at a step reads that variable.
func (s *scene) outlives(st *step, w *source.Op, ran []int) bool {
	if len(w.Path) == 0 {
		return false
	}
	if source.Global(w.Path[0]) {
		return true
	}
	from := s.Source.Target(w)
	if from == nil {
		return false
	}
	for _, r := range s.Source.Flow(2*maxSteps, from) {
		if r.Kind != source.Read || !source.Global(r.Path[0]) || !source.Holds(r.Path[0]) || r.Block > 0 && !slices.Contains(ran, r.Block) {
			continue
		}
		for o := range st.links {
			if o.Kind == source.Read && len(o.Path) > 0 && o.Path[0] == r.Path[0] {
				return true
			}
		}
	}
	return false
}

// testFunc returns the place of a test function of the package.
func (s *scene) testFunc(name string) trace.Frame {
	top := topOf(name)
	for _, fn := range s.Sites.Funcs {
		file := s.Sites.Files[fn.File]
		dir := strings.TrimSuffix(path.Dir(file.Name), "_test")
		if fn.Name == top && dir == s.Test.Package && strings.HasSuffix(file.Name, "_test.go") {
			return trace.Frame{File: file.Path, Line: fn.Line}
		}
	}
	return trace.Frame{}
}
