package diagnose

import (
	"go/ast"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// A scene is a failure with the facts that several rules need.
type scene struct {
	Input
	a     *divergence.Analysis // nil if there was no run to compare with
	steps []*step              // for each divergence of the chain
}

// A step is a divergence with its deciding condition.
type step struct {
	d *divergence.Divergence
	// links says of operations how close their changes, or draws, are to the variables
	// that the condition or check reads.
	links map[*source.Op]finding.Link
	looks []*source.Op // see scene.looked; nil before they are asked for
}

// maxSteps is through how many assignments and calls the condition is followed back:
// from about 6 on that reaches most of a program.
const maxSteps = 4

func newScene(in Input) *scene {
	s := &scene{Input: in, a: in.Failure.Analysis}
	if s.a == nil {
		return s
	}
	for _, d := range s.a.Chain {
		st := &step{d: d, links: make(map[*source.Op]finding.Link)}
		exprs := s.deciding(d)
		for _, e := range exprs {
			s.enter(st, s.Source.In(e), finding.Decides)
		}
		s.enter(st, s.Source.Flow(maxSteps, exprs...), finding.Feeds)
		for _, o := range s.Source.Flow(2*maxSteps, exprs...) {
			if o.Kind == source.Draw { // there are few of them
				st.links[o] = max(st.links[o], finding.Feeds)
			}
		}
		s.mentioned(st)
		s.steps = append(s.steps, st)
	}
	return s
}

// deciding returns the deciding condition of a divergence, the expressions evaluated where
// runs diverge: by an if, or by the failed check.
func (s *scene) deciding(d *divergence.Divergence) []ast.Expr {
	var list []ast.Expr
	if b, ok := d.LastCommon.Block(); ok {
		if x := s.Source.Decision(b); x != nil {
			list = append(list, x.Looks...)
		}
	}
	path, ours := s.Sites.Rel(s.Failure.Frame.File)
	if ours && s.surfaces(d) && !s.Failure.Died() {
		list = append(list, s.Source.Check(path, s.Failure.Frame.Line)...)
	}
	return list
}

// holdsCheck reports whether the failed check lies in a block.
func (s *scene) holdsCheck(b int) bool {
	span, ok := s.Sites.Pos(b)
	path, ours := s.Sites.Rel(s.Failure.Frame.File)
	return ok && ours && span.Has(path, s.Failure.Frame.Line)
}

// enter enters operations into a step's links, and those that change, close or send to the
// variables that they read.
func (s *scene) enter(st *step, ops []*source.Op, link finding.Link) {
	for _, o := range ops {
		st.links[o] = max(st.links[o], link)
		if o.Kind != source.Read || o.Obj() == nil {
			continue
		}
		for _, w := range s.Source.Of(o.Obj(), source.Write, source.Init, source.Release) {
			if (w.Kind != source.Release || outlasts(w)) && !s.Source.Apart(w, o) {
				st.links[w] = max(st.links[w], link)
			}
		}
	}
}

// mentioned enters the changes of variables that the deciding function reads elsewhere.
func (s *scene) mentioned(st *step) {
	b, ok := st.d.LastCommon.Block()
	if !ok || !s.Sites.Has(b) {
		return
	}
	fn := s.Sites.Blocks[b].Func
	for _, c := range st.d.Common {
		if s.Sites.Blocks[c.Block].Func != fn {
			continue
		}
		for _, r := range s.Source.Block(c.Block, source.Read) {
			for _, w := range s.Source.Of(r.Obj(), source.Write) {
				if _, known := st.links[w]; !known && !s.Source.Apart(w, r) {
					st.links[w] = finding.Mentions
				}
			}
		}
	}
}

// link returns how close the changes of a block, by operations of some kinds, are to the deciding condition of a step,
// and the lines of the closest change; those of the block if there is none.
func (s *scene) link(st *step, b int, kinds ...source.Kind) (finding.Link, trace.Span) {
	span, _ := s.Sites.Pos(b)
	best := finding.Unlinked
	for _, w := range s.Source.Block(b, kinds...) {
		if l := st.links[w]; l > best {
			best, span = l, s.lineOf(w)
		}
	}
	return best, span
}

// linkOf returns how close the operations on some lines are to the deciding condition.
func (s *scene) linkOf(p finding.Span) (best finding.Link) {
	for _, st := range s.steps {
		for o, l := range st.links {
			if p.Has(s.fileOf(o), s.Source.Line(o.Node)) {
				best = max(best, l)
			}
		}
	}
	return best
}

// fileOf returns the file that an operation stands in.
func (s *scene) fileOf(o *source.Op) string {
	if !s.Sites.Has(o.Block) {
		return ""
	}
	return s.Sites.Files[s.Sites.FileOf(o.Block)].Path
}

// lineOf returns the line of an operation.
func (s *scene) lineOf(o *source.Op) trace.Span {
	n := s.Source.Line(o.Node)
	return trace.LineOf(s.fileOf(o), n)
}

// failed is the step of the goroutine that failed: the last of the chain; nil if
// there is none.
func (s *scene) failed() *step {
	if len(s.steps) == 0 {
		return nil
	}
	return s.steps[len(s.steps)-1]
}

// at makes a hypothesis about lines.
func at(span trace.Span, e finding.Evidence, r finding.Reason) finding.Suspect {
	return finding.Suspect{Span: span, Evidence: e, Reason: r}
}

// shownBy says which experiment shows some hypotheses, if one does.
func shownBy(v *finding.Verdict, list ...finding.Suspect) []finding.Suspect {
	for i := range list {
		list[i].Verdict = v
	}
	return list
}

// seenIn says in how many of some failing runs a hypothesis was so.
func seenIn(seen, of int, h finding.Suspect) finding.Suspect {
	h.Seen, h.Of = seen, of
	return h
}

// frame returns the first line of a block as a place relative to the module.
func (s *scene) frame(b int) trace.Frame {
	span, _ := s.Sites.Pos(b)
	return frameOf(span)
}

// end returns the last line of a block.
func (s *scene) end(b int) trace.Frame {
	span, _ := s.Sites.Pos(b)
	return trace.Frame{File: span.File, Line: span.End}
}

// rel makes a place relative to the module; the zero Frame if it is not in it.
func (s *scene) rel(f trace.Frame) trace.Frame {
	path, ok := s.Sites.Rel(f.File)
	if !ok {
		return trace.Frame{}
	}
	return trace.Frame{File: path, Line: f.Line}
}

// ours returns the frames of a stack in the module, with places relative to it.
func (s *scene) ours(stack []trace.Frame) (list []trace.Frame) {
	for _, f := range stack {
		if f = s.rel(f); f.File != "" {
			list = append(list, f)
		}
	}
	return list
}

// line returns a place as lines of a hypothesis.
func line(f trace.Frame) trace.Span { return trace.LineOf(f.File, f.Line) }
