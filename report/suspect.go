package report

import (
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// maxSuspects is how many places of a failure are in result.json.
const maxSuspects = 5

// suspected is for a failure that nothing was shown of: the sentence of the proof that would
// be made at the place that is ranked first.
func (v *viewer) suspected(f *finding.Failure, s *finding.Suspect) *causeView {
	c, w := v.unknown(f), s.Reason.Words(s, v)
	sure := s.Class >= finding.Mechanism
	if len(w.Cause) == 0 || !sure && (s.Class < finding.Associated || s.P > stats.Strong) {
		return v.lookAt(c, s, w.Fix)
	}
	c.Verdict, c.Said = "likely", w.Cause
	if c.Picture = v.circle(s, f); c.Picture == nil {
		m := listing.NewMarker(v.src)
		m.Cause(spanLines(clipped(s)), listing.MarkHeld, w.Mark)
		for _, o := range w.Other {
			if p := v.framePlace(o.At); p.File != "" {
				m.Cause(spanLines(trace.LineOf(p.File, p.Start)), listing.MarkOther, o.Mark)
			}
		}
		c.Code = v.Pieces(m)
	}
	if !sure {
		c.Said[0] = c.Said[0].Likely()
		c.Bars = tableBars(s.Table)
	}
	if h := f.Hang; h != nil && h.Failing > 0 {
		c.Bars = []barView{v.hungBar(h)}
		if c.Kind == "" {
			c.Kind = h.Kind.Category()
		}
	}
	if n := s.Reason.Claim().Raced; n.Of > 0 {
		c.Bars = []barView{bar(say.BarRaced.With(), n.Failed, n.Of)}
	}
	c.Fix = w.Fix
	c.named = append(c.named, s.Span)
	return c
}

// lookAt names the place that is ranked first, instead of where runs first differ, of a cause that is unknown: one
// place to look at. Where runs differ is shown with how it fails.
func (v *viewer) lookAt(c *causeView, s *finding.Suspect, fix []say.Sentence) *causeView {
	if s.Surfaces() {
		return c
	}
	if !s.Reason.Claim().Differs {
		m := listing.NewMarker(v.src)
		m.Cause(spanLines(clipped(s)), listing.MarkHeld, s.Reason.Why(v))
		c.Code = v.Pieces(m)
	}
	c.Said = []say.Sentence{say.LookAt.With(v.Code(s.Span))}
	c.Fix = fix
	c.named = append(c.named, s.Span)
	return c
}

// clipped is a place cut to the lines that an excerpt has.
func clipped(s *finding.Suspect) finding.Span {
	return finding.Span{File: s.File, Start: s.Start, End: min(s.End, s.Start+listing.MaxExcerpt)}
}

// Why says why a place is named.
func Why(s *finding.Suspect) string {
	return s.Reason.Why(&viewer{clean: listing.NewCleaner("", nil)}).String()
}

// race returns the report of the race detector, where nothing else is known.
func (v *viewer) race(r *finding.Race) *causeView {
	c := &causeView{Kind: "concurrency", Verdict: "likely", Said: []say.Sentence{say.Race.With()},
		Fix: []say.Sentence{say.FixGuard.With()}}
	m := listing.NewMarker(v.src)
	for i := range r.Accesses {
		a := &r.Accesses[i]
		mark := a.Kind.Mark()
		if a.Lost {
			mark = say.MarkStartsGo
		}
		if p := v.framePlace(a.At); p.File != "" {
			m.Cause(p, listing.MarkHeld, mark.With())
			c.named = append(c.named, trace.LineOf(p.File, p.Start))
		}
	}
	c.Code = v.Pieces(m)
	c.Bars = []barView{bar(say.BarRaced.With(), r.Seen, r.Of)}
	return c
}

// An otherView is another place to look at.
type otherView struct {
	Place  say.Sentence
	Why    say.Sentence
	Counts say.Sentence
}

// names reports whether the cause names a place, or marks its first line.
func (c *causeView) names(at finding.Span) bool {
	is := func(x finding.Span) bool { return x.File == at.File && x.Start == at.Start }
	return slices.ContainsFunc(c.named, is) || c.Picture != nil &&
		slices.ContainsFunc(c.Picture.Sides[0].Steps, func(s pictureStep) bool { return is(s.span) }) ||
		slices.ContainsFunc(c.Code, func(l listing.Listing) bool {
			return l.Path == at.File && slices.ContainsFunc(l.Rows, func(r listing.Row) bool {
				return r.N == at.Start && r.Class != ""
			})
		})
}

// others are the places that the cause does not name, the best first.
func (v *viewer) others(f *finding.Failure, c *causeView) (out []otherView) {
	for i := range f.Suspects {
		s := &f.Suspects[i]
		at := s.Span
		if len(out) == topOthers {
			break
		}
		if c.names(at) {
			continue
		}
		o := otherView{Place: say.Of(v.Code(at)), Why: s.Reason.Why(v)}
		if t := s.Table; t.Total() > 0 && s.Class < finding.Reproduced {
			o.Counts = say.WhyCounts.With(say.Count(t.FailTaken), say.Count(t.FailTaken+t.FailNot),
				say.Count(t.PassTaken), say.Count(t.PassTaken+t.PassNot))
		} else if s.Seen > 0 {
			o.Counts = say.WhySeen.With(say.Count(s.Seen), say.Count(s.Of))
		}
		c.named = append(c.named, at)
		out = append(out, o)
	}
	return out
}
