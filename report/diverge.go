package report

import (
	"fmt"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A howView is one divergence: a sentence or two, and the source along the call path.
type howView struct {
	ID       string
	Said     []say.Sentence
	Listings []listing.Listing
}

// divergence returns the view of the k-th divergence of failure i.
func (v *viewer) divergence(i, k int, d *divergence.Divergence) *howView {
	w := &howView{ID: fmt.Sprintf("d%d-%d", i+1, k+1)}
	marks, done := listing.NewMarker(v.src), map[int]bool{} // done are functions that are listed
	last, pass, fail := v.ends(d)
	marks.Common(d.Common, last)
	v.bubbles(marks, d, last, pass, fail)
	failed, known := v.src.Frame(v.f.Frame)
	if known && (fail == nil || fail.Block != 0 || fail.File != failed.File || fail.Start != failed.Start) {
		marks.Callout(failed, "here", say.FailedHere.With())
	}
	add := func(f int, lead say.Sentence) {
		if f = v.src.Outermost(f); !done[f] {
			done[f] = true
			l := v.Listing(marks, f)
			l.Lead = lead
			w.Listings = append(w.Listings, l)
		}
	}
	v.path(marks, d, add)
	ends := []*listing.Place{last, pass, fail}
	if known && k == len(v.f.Analysis.Chain)-1 {
		ends = append(ends, &failed)
	}
	for _, p := range ends {
		if p != nil && p.Func >= 0 && p.File != "" {
			add(p.Func, say.Sentence{})
		}
	}
	w.Said = v.diverges(d)
	return w
}

// bubbles puts into the source where the common part ends, and how many runs go on which way.
func (v *viewer) bubbles(m *listing.Marker, d *divergence.Divergence, last, pass, fail *listing.Place) {
	fails, passes := d.Table.FailTaken+d.Table.FailNot, d.Table.PassTaken+d.Table.PassNot
	if last != nil && !(d.SamePath && fail != nil && last.File == fail.File && last.End == fail.End) {
		text := say.LastCommon.With()
		if d.Exact && d.Iteration > 1 {
			text = say.LastNth.With(say.Count(d.Iteration))
		}
		m.Callout(*last, "common", text)
	}
	if pass != nil {
		took := d.PassTook
		if d.Loop != nil && !d.Loop.More {
			took = others(d)
		}
		text := say.NextPassing.With(say.Count(took), say.Count(passes))
		if took == 0 || d.FailNext == 0 && 2*took < passes { // most did not come here: the one that was compared did
			text = say.PassingAlone.With(say.Count(d.PassingRun))
		}
		m.Side(*pass, "pass", text)
	}
	if fail == nil {
		return
	}
	text := say.NextFailing.With(say.Count(d.Table.FailTaken), say.Count(fails))
	switch {
	case d.SamePath && v.f.Died():
		text = say.WhyDied.With()
	case d.SamePath:
		text = say.CheckFailed.With(say.Count(d.Table.FailTaken), say.Count(fails))
	}
	m.Side(*fail, "fail", text)
}

// others is how many passing runs were seen to make as many iterations as failing runs did not.
func others(d *divergence.Divergence) int {
	if d.Loop.Passing > 0 {
		return d.Loop.Passing - d.Table.PassTaken
	}
	return d.Table.PassNot
}

// diverges says where runs diverge and which way they go. Where failing runs go to the failed
// check the error has said it.
func (v *viewer) diverges(d *divergence.Divergence) (list []say.Sentence) {
	last, pass, fail := v.ends(d)
	switch {
	case d.SamePath, v.byDefinition(d):
		return nil
	case last == nil && d.CommonPrefix > 0:
		return []say.Sentence{say.TraceEnds.With()}
	case last == nil && d.Loop == nil:
		return nil
	}
	if len(d.Class) > 0 {
		if at, own := v.src.Frame(d.Class[len(d.Class)-1]); own {
			list = append(list, say.InGoroutine.With(v.code(at)))
		}
	}
	if d.Loop != nil {
		return append(list, v.iterations(d, last)...)
	}
	return append(list, v.ways(d, last, pass, fail)...)
}

// iterations says what was counted of a loop.
func (v *viewer) iterations(d *divergence.Divergence, last *listing.Place) []say.Sentence {
	head := v.event(trace.Event(d.Loop.Header))
	if head == nil {
		head = last
	}
	switch {
	case head == nil:
		return nil
	case d.Loop.More:
		return []say.Sentence{say.LoopMore.With(v.last(*head), say.Count(d.Loop.Limit))}
	}
	return []say.Sentence{say.LoopLess.With(v.last(*head), say.Count(d.Loop.Limit))}
}

// ways says where runs go from the last line in common.
func (v *viewer) ways(d *divergence.Divergence, last, pass, fail *listing.Place) []say.Sentence {
	if d.Left && pass != nil {
		return []say.Sentence{say.LoopNever.With(v.last(*last), v.code(*pass))}
	}
	at := say.Diverge.With(v.last(*last))
	if d.Exact && d.Iteration > 1 {
		at = say.DivergeNth.With(say.Count(d.Iteration), v.last(*last))
	}
	list := []say.Sentence{at}
	switch {
	case pass != nil && fail != nil:
		return append(list, say.Branch.With(v.code(*fail), v.code(*pass)))
	case fail != nil && d.PassNext == 0 && d.PassTook > 0 && d.PassTook == d.Table.PassTaken+d.Table.PassNot:
		return append(list, say.PassingEnd.With(v.code(*fail)))
	case fail != nil:
		return append(list, say.FailingGo.With(v.code(*fail)))
	case pass != nil && d.FailNext == 0 && d.Table.FailNot == 0:
		return append(list, say.FailingEnd.With(v.code(*pass)))
	}
	return list
}

// firstDifference is where runs first differ, for a failure whose cause is unknown.
func (v *viewer) firstDifference(f *finding.Failure) (at say.Code, ok bool) {
	if f.Analysis == nil || len(f.Analysis.Chain) == 0 {
		return at, false
	}
	d := f.Analysis.Chain[0]
	last, _, _ := v.ends(d)
	if last == nil || d.SamePath {
		return at, false
	}
	return v.last(*last), true
}

// byDefinition reports whether failing runs went on with the failed check itself, or with the
// block that it is in, and no passing run did. Where another goroutine failed it is not so: this
// one has come through.
func (v *viewer) byDefinition(d *divergence.Divergence) bool {
	if _, _, ok := d.FailNext.Check(); ok {
		return true
	}
	next, known := v.event(d.FailNext), false
	failed := listing.Place{}
	if v.f != nil {
		failed, known = v.src.Frame(v.f.Frame)
	}
	return d.Loop == nil && !d.OtherFailed && d.Table.PassTaken == 0 && next != nil && known &&
		next.Has(failed.File, failed.Start)
}

// path adds the functions along the call path, each with the place it was called from. Marks
// come before listings, and a listing before what links to it.
func (v *viewer) path(m *listing.Marker, d *divergence.Divergence, add func(int, say.Sentence)) {
	if v.r.Sites == nil {
		return
	}
	steps := d.Callers
	for i, s := range steps {
		if s.From.Line > 0 {
			m.At(s.From.File, s.From.Line).Focus = true
		}
		if p, ok := v.src.Block(s.Block); ok && i < len(steps)-1 && steps[i+1].From.File == "" {
			m.At(p.File, p.End).Focus = true
		}
	}
	for _, s := range steps {
		add(s.Func, v.calledFrom(s.From))
	}
}

// calledFrom names where a function was called from, if that is known.
func (v *viewer) calledFrom(from trace.Frame) (s say.Sentence) {
	if from.Line > 0 {
		return say.Of(v.at(listing.Place{Span: trace.LineOf(from.File, from.Line)}))
	}
	return s
}

// firstFunc returns the head of the function at the bottom of the call path.
func (v *viewer) firstFunc(d *divergence.Divergence) *listing.Place {
	if len(d.Path) == 0 || v.r.Sites == nil || d.Path[0].Func < 0 || d.Path[0].Func >= len(v.r.Sites.Funcs) {
		return nil
	}
	fn := v.r.Sites.Funcs[d.Path[0].Func]
	if fn.File < 0 || fn.File >= len(v.r.Sites.Files) {
		return nil
	}
	return &listing.Place{Span: trace.LineOf(v.r.Sites.Files[fn.File].Path, fn.Line), Func: d.Path[0].Func}
}
