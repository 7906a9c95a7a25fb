package report

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// draw adds the picture of an order, or the lines that a proof is about, each marked with what was done there.
func (v *viewer) draw(c *causeView, x *shownProof) {
	c.Picture = v.circle(v.t.Deadlock(x.d), v.f)
	if c.Picture == nil && x.kind == proofOrder {
		c.Picture = v.picture(x.d)
	}
	if c.Picture == nil {
		m := listing.NewMarker(v.src)
		v.markProof(m, x)
		c.Code = v.Pieces(m)
	}
}

// firstLine is the line before which a goroutine is held that is held at a block.
func firstLine(s finding.Span) finding.Span {
	s.End = s.Start
	return s
}

// markAt says what was done where a goroutine was held: at which visit, if it comes there often.
func (x *shownProof) markAt() say.Sentence {
	if at := x.d.Proof.Hold(); at != nil && at.Hit > 1 {
		return say.MarkDelayedNth.With(say.Count(at.Hit))
	}
	return say.MarkDelayed.With()
}

// markProof marks each place that a proof is about.
func (v *viewer) markProof(m *listing.Marker, x *shownProof) {
	d := x.d
	switch x.kind {
	case proofHold:
		v.markHold(m, x)
	case proofHolds:
		for _, h := range d.Holds()[:min(len(d.Holds()), 3)] {
			m.Cause(spanLines(firstLine(h.At)), listing.MarkHeld, say.MarkDelayed.With())
		}
	default:
		class, at := listing.MarkHeld, d.Window()
		if x.kind == proofTimers {
			at = x.timers()
		}
		for _, s := range at[:min(len(at), 3)] {
			m.Cause(spanLines(firstLine(s)), class, x.row.mark.With())
			class = listing.MarkOther // the first is the one that is told on a line
		}
	}
	for _, s := range d.Proof.Chosen()[:min(len(d.Proof.Chosen()), 2)] { // what a hold needs
		m.Cause(spanLines(firstLine(s)), listing.MarkOther, say.MarkChoice.With())
	}
	for i := range v.f.Suspects {
		s, claim := &v.f.Suspects[i], v.f.Suspects[i].Reason.Claim()
		if len(d.Tests()) > 0 && claim.Changes && s.Verdict != nil {
			m.Cause(spanLines(s.Span), listing.MarkHeld, say.MarkChanged.With(v.Name(d.Tests()[0])))
			if read := trace.LineOf(claim.Other.File, claim.Other.Line); claim.Other.File != "" && read != s.Span {
				m.Cause(spanLines(read), listing.MarkOther, say.MarkReadHere.With())
			}
			return
		}
	}
}

// markHold marks where a goroutine is held, what starts it if it is held from there, and the limit that it exceeds.
func (v *viewer) markHold(m *listing.Marker, x *shownProof) {
	d := x.d
	if d.Proof.Always && len(d.Cure()) > 0 {
		m.Cause(spanLines(firstLine(d.Cure()[0])), listing.MarkOther, say.WhyPasses.With())
		return
	}
	if limit, at := x.limit(); limit > 0 {
		m.Cause(spanLines(at), listing.MarkStart, say.MarkLimit.With())
	}
	at := d.At()
	if at.File == "" && len(d.Window()) > 0 {
		at = d.Window()[len(d.Window())-1]
	}
	if at.File != "" {
		m.Cause(spanLines(firstLine(at)), listing.MarkHeld, x.markAt())
	}
	if n := len(d.Window()); n > 1 && d.Window()[0] != at {
		m.Cause(spanLines(firstLine(d.Window()[0])), listing.MarkStart, say.MarkWindow.With())
	}
	if d.Cures() {
		m.Cause(spanLines(firstLine(d.Cure()[0])), listing.MarkOther, say.WhyPasses.With())
	}
}
