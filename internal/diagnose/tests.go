package diagnose

import (
	"go/types"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var testsRule = Rule{
	Name: "tests",
	Doc: `Tests that tell the outcome by having run before this one in the same process, what
they change that this test reads, and the variable of the package by which both come
to it. It rests on runs whose order of tests differs (-shuffle on), and on Fisher's
exact test, corrected for the sets of tests to choose from.`,
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
	for i, blocks := range e.Blocks {
		l := s.legacy(blocks)
		if l.write == nil {
			continue
		}
		ev.Link, why.Code, why.Var, why.Of = l.link, e.Tests[i], l.write.Name(), l.places
		why.Read = s.reads(l.write.Obj()) < never
		written := s.lineOf(l.write)
		if l.via != nil {
			shared := why
			shared.Kind, shared.Var, shared.Other = finding.ReasonShared, l.via.Name(), trace.Frame{File: written.File, Line: written.Start}
			shared.Read = s.reads(l.via.Path[0]) < never
			list = append(list, at(s.lineOf(l.via), ev, shared))
		}
		list = append(list, at(written, ev, why))
	}
	why.Code, why.Var, why.Of, why.Read = "", "", 0, false
	why.Kind = finding.ReasonTestBefore
	ev.Link = finding.Mentions
	for _, name := range e.Tests {
		list = append(list, at(line(s.testFunc(name)), ev, why))
	}
	return list
}

// A legacy is what a test changed that outlives it, and is looked at later.
type legacy struct {
	write  *source.Op
	via    *source.Op // reads the variable of the package by which it was reached; nil if the write names one
	link   finding.Link
	read   int // see [scene.reads]
	places int // lines at which the test changes the same
}

// closer reports whether l is more likely what decides than best: what failing runs read
// comes before what they do not, and of several what is read closest.
func (l legacy) closer(best legacy) bool {
	if (l.read < never) != (best.read < never) {
		return l.read < never
	}
	if l.link != best.link {
		return l.link > best.link
	}
	if (l.via == nil) != (best.via == nil) {
		return l.via == nil
	}
	return l.read < best.read
}

// never is how far from what decides something is read that is not read at all.
const never = math.MaxInt

// reads returns how far from what decided at the last step a variable is read, in the
// order of [source.Index.Flow], in a block that failing runs ran before; never if it
// is not.
func (s *scene) reads(obj types.Object) int {
	st := s.failed()
	ran := make(map[int]bool)
	for _, step := range s.steps {
		for _, c := range step.d.Common {
			ran[c.Block] = true
		}
	}
	exprs := s.deciding(st.d)
	ops := s.Source.Flow(maxSteps, exprs...)
	for _, e := range exprs {
		ops = append(s.Source.In(e), ops...)
	}
	if i := slices.IndexFunc(ops, func(r *source.Op) bool {
		return r.Kind == source.Read && slices.Contains(r.Path, obj) && ran[r.Block]
	}); i >= 0 {
		return i
	}
	return never
}

// legacy returns the closest of what earlier tests changed, by the blocks that they
// ran: a variable of the package, or what is reached through one that is read for what
// decided too.
func (s *scene) legacy(ran []int) (best legacy) {
	st := s.failed()
	if st == nil {
		return best
	}
	lines := make(map[types.Object]map[trace.Span]bool)
	for _, b := range ran {
		for _, w := range s.Source.Block(b, source.Write, source.Release) {
			l := st.links[w]
			if l == finding.Unlinked || len(w.Path) == 0 || w.Kind == source.Release && !outlasts(w) {
				continue
			}
			via := s.reached(st, w, ran)
			if via == nil && !source.Global(w.Path[0]) {
				continue
			}
			if lines[w.Obj()] == nil {
				lines[w.Obj()] = make(map[trace.Span]bool)
			}
			lines[w.Obj()][s.lineOf(w)] = true
			if x := (legacy{write: w, via: via, link: l, read: s.reads(w.Obj())}); best.write == nil || x.closer(best) {
				best = x
			}
		}
	}
	if best.write != nil {
		best.places = len(lines[best.write.Obj()])
	}
	return best
}

// outlasts reports whether a release outlives those that wait: a channel that is closed, or
// has a value in it.
func outlasts(o *source.Op) bool { return o.How == "close" || strings.HasSuffix(o.How, " send") }

// reached returns where some blocks read the variable of the package from which they
// come, without a copy being made, to what they write, if what decided at a step reads
// that variable too; nil if the write names it itself.
func (s *scene) reached(st *step, w *source.Op, ran []int) *source.Op {
	from := s.Source.Target(w)
	if from == nil || source.Global(w.Path[0]) {
		return nil
	}
	for _, r := range s.Source.Refers(2*maxSteps, from) {
		if r.Kind != source.Read || !source.Global(r.Path[0]) || !source.Holds(r.Path[0]) || r.Block > 0 && !slices.Contains(ran, r.Block) {
			continue
		}
		for o := range st.links {
			if o.Kind == source.Read && len(o.Path) > 0 && o.Path[0] == r.Path[0] {
				return r
			}
		}
	}
	return nil
}

// testFunc returns the place of a test function of the package.
func (s *scene) testFunc(name string) trace.Frame {
	top := trace.TopTest(name)
	for _, fn := range s.Sites.Funcs {
		file := s.Sites.Files[fn.File]
		dir := strings.TrimSuffix(path.Dir(file.Name), "_test")
		if fn.Name == top && dir == s.Test.Package && strings.HasSuffix(file.Name, "_test.go") {
			return trace.Frame{File: file.Path, Line: fn.Line}
		}
	}
	return trace.Frame{}
}
