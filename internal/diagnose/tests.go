package diagnose

import (
	"go/types"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

var testsRule = Rule{
	Name: "tests",
	Doc: `Tests that predict the outcome by having run before, and the last change they
make to what this test reads. That may be a package variable, by the source. It may be an
environment variable, a file, the working directory or a port, if this test found it changed.
It rests on runs with different orders of tests (-shuffle on), or on an experiment. The
p-value is corrected for the sets of tests to choose from.`,
	find: tests,
}

// A legator is a reason about a test that ran before, or did not, and its changes.
type legator struct {
	reason
	tests    []string // all that decide
	test     string   // the one of them that it is about
	needed   bool     // this test fails without them
	variable string   // that is left changed; "" if that is not known
	undo     string   // what undoes the change of what is no variable of a package; "" if that is not known
	called   bool     // the place is a call from which the test comes to the change
	maybe    bool     // a function of others to which it is handed may change it
}

// undoes has what undoes a change of a thing that outlives a test.
var undoes = [...]string{
	trace.TouchEnv: "t.Setenv", trace.TouchFile: "t.TempDir", trace.TouchDir: "t.Chdir", trace.TouchPort: "t.Cleanup",
}

func (r legator) Claim() finding.Claim {
	c := r.reason.Claim()
	c.Tests, c.Changes = r.tests, r.kind == whyLeft && !r.needed && !r.called
	return c
}

func (r legator) Why(c finding.Coder) say.Sentence { return kinds[r.kind].why.With(c.Name(r.test)) }

func (r legator) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	v := r.values(s, c)
	v.name = c.Name(r.test)
	w, words, does := r.words(v), say.AfterTest, say.Fails
	if r.needed {
		words = say.UnlessTest
	}
	if t := s.Table; len(r.tests) > 1 || t.PassTaken > 0 || t.FailNot > 0 { // the counts are of all of them
		does = say.CanFail
	}
	w.Cause = []say.Sentence{words.With(does, v.name)}
	if left := r.Left(s, c); !left.None() {
		w.Cause = append(w.Cause, left)
	}
	if len(w.Fix) == 0 && s.Verdict == nil {
		if w.Fix = r.Undo(s, c); w.Fix == nil {
			w.Fix = []say.Sentence{say.FixUndo.With()}
		}
	}
	return w
}

// Left says what the test leaves changed, or does not undo; nothing if that is not known.
func (r legator) Left(s *finding.Suspect, c finding.Coder) (left say.Sentence) {
	name := c.Name(r.test)
	switch {
	case r.needed || r.maybe || r.kind != whyLeft || r.called:
	case r.undo != "":
		return say.LeavesCall.With(name, c.Code(s.Span))
	case r.variable != "":
		return say.Leaves.With(name, c.Named(r.variable, s.Span))
	}
	return left
}

// Undo says how to put right what a test leaves, or does not; nil if that is not known.
func (r legator) Undo(s *finding.Suspect, c finding.Coder) []say.Sentence {
	name := c.Name(r.test)
	switch {
	case r.needed:
		return []say.Sentence{say.FixSetUp.With(name)}
	case r.undo == undoes[trace.TouchPort]:
		return []say.Sentence{say.FixUse.With(c.Name(r.undo), name), say.FixPort.With()}
	case r.undo != "":
		return []say.Sentence{say.FixUse.With(c.Name(r.undo), name)}
	case r.variable != "":
		return []say.Sentence{say.FixReset.With(c.Named(r.variable, s.Span), name)}
	}
	return nil
}

func tests(s *scene) []finding.Suspect {
	e := s.earlier()
	if e == nil {
		return nil
	}
	var list []finding.Suspect
	for _, name := range e.Tests {
		list = append(list, s.leftBy(e, name, s.a.Before[name])...)
	}
	for _, name := range e.Tests {
		ev, v := s.toldBy(e, name)
		ev.Link = finding.Mentions
		ev.Class = min(ev.Class, finding.Associated) // it names a test, and no place: a mechanism does
		list = append(list, shownBy(v, at(line(s.testFunc(name)), ev, legatorOf(whyBefore, e, name)))...)
	}
	return list
}

// earlier returns the tests that decide by having run before: those that tell the outcome, unless an
// experiment has shown it of others; nil if there are none.
func (s *scene) earlier() *divergence.Earlier {
	if s.a == nil {
		return nil
	}
	told := s.a.Earlier
	for i := range s.Test.Verdicts {
		v := &s.Test.Verdicts[i]
		if v.Kind() != "tests" || v.Anywhere() || len(v.Tests()) == 0 || !v.About(s.Failure) {
			continue
		}
		if told != nil && told.FailsIf == !v.Needs() && slices.Contains(told.Tests, v.Tests()[0]) {
			return told
		}
		return &divergence.Earlier{Tests: v.Tests(), FailsIf: !v.Needs()}
	}
	return told
}

// leftBy returns where a test, by the blocks that it runs, leaves a change behind that this one reads, and where this
// one lacks a change that it needs.
func (s *scene) leftBy(e *divergence.Earlier, test string, blocks []int) []finding.Suspect {
	ev, d := s.toldBy(e, test)
	why := legatorOf(whyLeft, e, test)
	l := s.legacy(blocks)
	if i := slices.IndexFunc(s.a.Left, func(x divergence.Leftover) bool { return x.By == test }); i >= 0 {
		x, left := &s.a.Left[i], why
		if changed, found := s.ours(x.Changed), s.ours(x.Found); len(changed) > 0 && len(found) > 0 {
			ev.Link = max(finding.Mentions, s.linkOf(line(found[0])))
			left.undo, left.other = undoes[x.Thing], found[0]
			if l.write == nil || ev.Link >= l.link {
				return shownBy(d, calling(changed, ev, left)...)
			}
		}
	}
	if l.write == nil {
		r := s.onlyShared(blocks)
		if r == nil {
			return nil
		}
		ev.Link, why.kind, why.variable = finding.Mentions, whyReads, r.Name()
		return shownBy(d, at(s.lineOf(r), ev, why))
	}
	ev.Link = l.link
	return shownBy(d, s.changedBy(l, blocks, ev, why)...)
}

// calling returns where a test makes a change, after the call in the test that led there.
func calling(stack []trace.Frame, e finding.Evidence, why legator) (list []finding.Suspect) {
	if call := stack[len(stack)-1]; !why.needed && call != stack[0] {
		from := why
		from.called = true
		list = append(list, at(line(call), e, from))
	}
	return append(list, at(line(stack[0]), e, why))
}

// changedBy returns where a test makes the change that it leaves behind, and how it comes to that.
func (s *scene) changedBy(l legacy, blocks []int, ev finding.Evidence, why legator) (list []finding.Suspect) {
	why.variable = l.write.Name()
	writes, ran := s.Source.Of(l.write.Obj(), source.Write), func(w *source.Op) bool { return s.ran(w.Block) }
	if why.needed && !slices.ContainsFunc(writes, ran) && s.reads(l.write.Obj()) < never {
		without := why
		without.kind = whyUnset
		list = append(list, at(line(s.testFunc(s.Test.Name)), ev, without))
	}
	why.maybe = l.write.Maybe
	written := s.lineOf(l.write)
	switch {
	case l.via != nil:
		shared := why
		shared.reason, shared.variable = reason{whyReads, frameOf(written)}, l.via.Name()
		list = append(list, at(s.lineOf(l.via), ev, shared))
	case !why.needed:
		list = append(list, s.calledFor(l.write, blocks, ev, why)...)
	}
	return append(list, at(written, ev, why))
}

// maxCalls is how many calls deep a test is looked into for the change of a variable.
const maxCalls = 4

// calledFor returns the first call in the test of r, by the blocks that this runs, from which it comes to where it
// changes a variable: the variable is to be set back there.
func (s *scene) calledFor(write *source.Op, blocks []int, e finding.Evidence, r legator) []finding.Suspect {
	test := s.testFunc(r.test)
	fn := s.Source.DeclAt(test.File, test.Line)
	if fn == nil {
		return nil
	}
	for _, call := range s.Source.In(fn, source.Call) {
		if slices.Contains(blocks, call.Block) && slices.Contains(s.Source.Inside(call, maxCalls, write.Kind), write) {
			r.called = true
			return []finding.Suspect{at(s.lineOf(call), e, r)}
		}
	}
	return nil
}

// toldBy returns the evidence that a test has a say in the outcome by having run before:
// runs whose order differs, or an experiment.
func (s *scene) toldBy(e *divergence.Earlier, name string) (finding.Evidence, *finding.Verdict) {
	for i := range s.Test.Verdicts {
		v := &s.Test.Verdicts[i]
		if v.Kind() == "tests" && !v.Anywhere() && v.Needs() == !e.FailsIf && slices.Contains(v.Tests(), name) &&
			v.About(s.Failure) {
			return shown(v), v
		}
	}
	return finding.Evidence{Class: finding.Associated, Chance: true, Table: e.Table, P: e.P}, nil
}

func legatorOf(k kind, e *divergence.Earlier, test string) legator {
	return legator{reason: reason{kind: k}, tests: e.Tests, test: test, needed: !e.FailsIf}
}

// A legacy is a change by a test that outlives it, and is looked at later.
type legacy struct {
	write *source.Op
	via   *source.Op // reads the variable of the package by which it was reached; nil if the write names one
	link  finding.Link
	read  int // see [scene.reads]
}

// closer reports whether l is more likely the cause than best: a variable that failing runs
// read comes before one that they do not, and of several the one that is read closest.
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

// givesWay reports whether another change, which ran later, is rather the cause than l: unless l is closer.
func (l legacy) givesWay(x legacy) bool { return l.write == nil || !l.closer(x) }

// never is the distance of a read from the deciding condition if there is no read.
const never = math.MaxInt

// reads returns how far from the deciding condition of a step a variable is read, in the
// order of [source.Index.Flow], in a block that failing runs ran before; never if it
// is not. Of several steps the closest counts.
func (s *scene) reads(obj types.Object) int {
	best := never
	for _, st := range s.steps {
		best = min(best, s.readsAt(st, obj))
	}
	return best
}

// looked returns the operations of the deciding condition, and those that it is computed from,
// in the order of [source.Index.Flow].
func (s *scene) looked(st *step) []*source.Op {
	if st.looks == nil {
		exprs := s.deciding(st.d)
		st.looks = s.Source.Flow(maxSteps, exprs...)
		for _, e := range exprs {
			st.looks = append(s.Source.In(e), st.looks...)
		}
	}
	return st.looks
}

func (s *scene) readsAt(st *step, obj types.Object) int {
	if i := slices.IndexFunc(s.looked(st), func(r *source.Op) bool {
		return r.Kind == source.Read && slices.Contains(r.Path, obj) && s.ran(r.Block)
	}); i >= 0 {
		return i
	}
	return never
}

// ran reports whether failing runs have run a block before they diverge.
func (s *scene) ran(b int) bool {
	return slices.ContainsFunc(s.steps, func(st *step) bool {
		return slices.ContainsFunc(st.d.Common, func(c divergence.Count) bool { return c.Block == b })
	})
}

// legacy returns the closest change of earlier tests, by the blocks that they ran: to a
// variable of the package, or to something reached through one that the deciding condition
// reads too. It may have decided in any goroutine: one that waits for a channel that an
// earlier test has closed is seldom the one that fails.
func (s *scene) legacy(ran []int) (best legacy) {
	for _, st := range s.steps {
		if l := s.legacyAt(st, ran); l.write != nil && (best.write == nil || l.closer(best)) {
			best = l
		}
	}
	if best.write == nil {
		return s.common(ran)
	}
	return best
}

// common returns the change of earlier tests to the one variable of the package, or to something
// reached through it, that failing runs read too before they diverge. The source does not show that
// the deciding condition is computed from it: a goroutine may have told by a value that it sent, or
// by not sending. If there are several such variables none is returned.
func (s *scene) common(ran []int) (best legacy) {
	var global types.Object
	for _, w := range s.changes(ran) {
		via, obj := s.readBy(w, ran)
		switch {
		case obj == nil:
		case global != nil && global != obj:
			return legacy{}
		default:
			global = obj
			if x := (legacy{write: w, via: via, link: finding.Mentions, read: never}); best.givesWay(x) {
				best = x
			}
		}
	}
	return best
}

// onlyShared returns where failing runs read, before they diverge, the one variable of the
// package that some blocks read too and through which one can leave something to the other;
// nil if there are several.
func (s *scene) onlyShared(blocks []int) (read *source.Op) {
	for _, b := range blocks {
		for _, r := range s.Source.Block(b, source.Read) {
			if len(r.Path) == 0 || !source.Global(r.Path[0]) || !source.Holds(r.Path[0]) || source.IsError(r.Path[0]) ||
				!s.readsGlobal(r.Path[0]) {
				continue
			}
			if read != nil && read.Path[0] != r.Path[0] {
				return nil
			}
			if read == nil || s.ran(r.Block) && !s.ran(read.Block) {
				read = r
			}
		}
	}
	return read
}

// changes returns the changes by blocks, by a path, that outlive them.
func (s *scene) changes(blocks []int) (list []*source.Op) {
	for _, b := range blocks {
		for _, w := range s.Source.Block(b, source.Write, source.Release) {
			if len(w.Path) > 0 && (w.Kind != source.Release || outlasts(w)) {
				list = append(list, w)
			}
		}
	}
	return list
}

// globals returns where variables of the package are read, by some blocks or by the
// initializers of others, through which these blocks come to the variable of a change.
func (s *scene) globals(w *source.Op, ran []int) []*source.Op {
	return slices.DeleteFunc(s.Source.Refers(2*maxSteps, w), func(r *source.Op) bool {
		return r.Kind != source.Read || !source.Global(r.Path[0]) || !source.Holds(r.Path[0]) ||
			r.Block > 0 && !slices.Contains(ran, r.Block)
	})
}

// readBy returns the variable of the package through which some blocks come to that of a
// change, if failing runs have read it before they diverge, and where the blocks read it
// unless the change names it.
func (s *scene) readBy(w *source.Op, ran []int) (via *source.Op, obj types.Object) {
	if source.Global(w.Path[0]) {
		if s.readsGlobal(w.Path[0]) {
			return nil, w.Path[0]
		}
		return nil, nil
	}
	for _, r := range s.globals(w, ran) {
		if s.readsGlobal(r.Path[0]) {
			return r, r.Path[0]
		}
	}
	return nil, nil
}

// readsGlobal reports whether failing runs have read a variable of the package before they
// diverge.
func (s *scene) readsGlobal(obj types.Object) bool {
	return slices.ContainsFunc(s.Source.Of(obj, source.Read), func(r *source.Op) bool { return s.ran(r.Block) })
}

func (s *scene) legacyAt(st *step, ran []int) (best legacy) {
	for _, w := range s.changes(ran) {
		l := st.links[w]
		if l == finding.Unlinked {
			continue
		}
		via := s.reached(st, w, ran)
		if via == nil && !source.Global(w.Path[0]) {
			continue
		}
		if x := (legacy{write: w, via: via, link: l, read: s.reads(w.Obj())}); best.givesWay(x) {
			best = x
		}
	}
	return best
}

// outlasts reports whether a release outlives those that wait: a channel that is closed, or
// has a value in it.
func outlasts(o *source.Op) bool { return o.How == "close" || strings.HasSuffix(o.How, " send") }

// reached returns where some blocks read the variable of the package from which they
// come, without a copy being made, to that of a write, if the deciding condition of a step
// reads it too, or failing runs have run that very block; nil if the write names it
// itself.
func (s *scene) reached(st *step, w *source.Op, ran []int) *source.Op {
	if source.Global(w.Path[0]) {
		return nil
	}
	for _, r := range s.globals(w, ran) {
		if s.ran(r.Block) {
			return r
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
