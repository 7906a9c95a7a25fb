package report

import (
	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/callpath"
)

// listings makes the source listings of the k-th divergence of failure i.
func (v *viewer) listings(i, k int, d *divergence.Divergence) *divergenceView {
	w := &divergenceView{ID: "d" + thousands(int64(i+1)) + "-" + thousands(int64(k+1))}
	m := newMarker(v.src)
	last, pass, fail := v.ends(d)
	m.common(d.Common, last)
	if last != nil && !(d.SamePath && fail != nil && last.File == fail.File && last.End == fail.End) {
		m.callout(*last, callout{"common", v.lastText(d)})
	}
	if pass != nil {
		m.side(*pass, "pass", passText(d))
	}
	if fail != nil {
		m.side(*fail, "fail", v.failText(d))
	}
	failed, known := v.src.frame(v.f.Frame)
	if known && (fail == nil || fail.Block != 0 || fail.File != failed.File || fail.Start != failed.Start) {
		m.callout(failed, callout{"here", "test failed here"})
	}
	v.markCauses(m)
	done := map[int]bool{}
	add := func(f int, lead prose) {
		if f = v.src.outermost(f); !done[f] {
			done[f] = true
			l := v.listing(m, f)
			l.Lead = lead
			w.Listings = append(w.Listings, l)
		}
	}
	v.path(m, d, add)
	ends := []*place{last, pass, fail}
	if known && k == len(v.f.Analysis.Chain)-1 {
		ends = append(ends, &failed)
	}
	for _, p := range ends {
		if p != nil && p.Func >= 0 && p.File != "" {
			add(p.Func, nil)
		}
	}
	v.rest(w, m, done)
	return w
}

// path adds the functions along the call path, each with the place it was
// called from. Marks come before listings, and a listing before what links to it.
func (v *viewer) path(m *marker, d *divergence.Divergence, add func(int, prose)) {
	if v.r.Sites == nil {
		return
	}
	steps := v.src.callers.Path(d.Path, d.Goroutine != nil && d.Goroutine.Entry.Func == initialiser)
	for i, s := range steps {
		if s.From != nil && s.From.Line > 0 {
			m.at(s.From.File, s.From.Line).focus = true
		}
		if p, ok := v.src.block(s.Block); ok && i < len(steps)-1 && steps[i+1].From == nil {
			m.at(p.File, p.End).focus = true
		}
	}
	for _, s := range steps {
		add(s.Func, v.calledFrom(s.From))
	}
}

// initialiser is what the goroutine was started with that initialises packages.
const initialiser = "runtime.main"

// calledFrom says where a function was called from, nil if that is not known.
func (v *viewer) calledFrom(from *callpath.Place) prose {
	switch {
	case from == nil:
		return nil
	case from.Line > 0:
		return v.place(say("called from "), place{File: from.File, Start: from.Line, End: from.Line})
	}
	return say("called from ").code(v.clean.line(v.r.Sites.Funcs[from.Func].Name, 80))
}

// rest adds the functions that the common part reached off the call path.
func (v *viewer) rest(w *divergenceView, m *marker, done map[int]bool) {
	left := 0
	for _, f := range m.funcs {
		switch {
		case done[f]:
		case v.room < codeRoom/4 || len(w.Rest) >= 150:
			left++
		default:
			l := v.listing(m, f)
			w.Rest = append(w.Rest, l)
		}
	}
	w.RestOf = len(w.Rest) + left
	if left > 0 {
		v.leftIn = true
		w.RestNote = plural(left, "more function") + " left out."
	}
}
