package report

import "github.com/fdebug/fdebug/divergence"

// listings makes the source listings of the k-th divergence of failure i.
func (v *viewer) listings(i, k int, d *divergence.Divergence) *divergenceView {
	w := &divergenceView{ID: "d" + thousands(int64(i+1)) + "-" + thousands(int64(k+1))}
	m := newMarker(v.src)
	m.common(d.Common)
	last, pass, fail := v.ends(d)
	if last != nil && !(d.SamePath && fail != nil && last.File == fail.File && last.End == fail.End) {
		m.callout(*last, callout{"common", v.lastText(d)})
	}
	if pass != nil {
		m.side(*pass, "pass", passText(d))
	}
	if fail != nil {
		m.side(*fail, "fail", failText(d))
	}
	failed, known := v.src.frame(v.f.Frame)
	if known && (fail == nil || fail.Block != 0 || fail.File != failed.File || fail.Start != failed.Start) {
		m.callout(failed, callout{"here", "test failed here"})
	}
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
	var calls []place // where each function of the path calls the next, zero if unknown
	for i, c := range d.Path {
		p, ok := v.src.block(c.Block)
		if !ok || i == len(d.Path)-1 {
			calls = append(calls, place{})
			continue
		}
		m.at(p.File, p.End).focus = true
		p.Start = p.End
		calls = append(calls, p)
	}
	for i, c := range d.Path {
		if v.r.Sites == nil || c.Func < 0 || c.Func >= len(v.r.Sites.Funcs) {
			continue
		}
		var lead prose
		if i > 0 && calls[i-1].File != "" {
			lead = v.place(say("called from "), calls[i-1])
		}
		add(c.Func, lead)
	}
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
	if left > 0 {
		v.leftIn = true
		w.RestNote = plural(left, "more function") + " left out."
	}
}
