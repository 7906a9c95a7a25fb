package report

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// SaidProof is the cause that a proof shows, in plain text: for commands that have no runs to
// compare. r has the source.
func SaidProof(r *finding.Result, p *proof.Proof) string {
	v := newViewer(r)
	v.of(&finding.Test{Package: p.Package, Name: p.Test})
	return v.proofOf(verdictOf(p)).sentence().String()
}

// verdictOf is the verdict of a proof that stands by itself.
func verdictOf(p *proof.Proof) *finding.Verdict {
	d := &finding.Verdict{Proof: *p, Class: finding.Reproduced}
	if p.Verdict == "proved" {
		d.Class = finding.Proved
	}
	switch first, then := p.Events(); {
	case first != nil:
		d.Window = []finding.Span{spanOf(first), spanOf(then)}
		d.Events = []finding.Hold{heldBy(p, first), heldBy(p, then)}
	case p.Plan.Does(proof.Act.Holds):
		holds := p.Plan.Of(proof.Act.Holds)
		d.At = spanOf(holds[0].At)
		h := heldBy(p, holds[0].At)
		d.Started, d.StartedBy, d.InTest = h.Started, h.StartedBy, h.InTest
		if g := holds[0].At.Goroutine; g != nil {
			d.Every = g.All && !g.First
			d.OneOf = !d.Every && (g.Nth > 0 || g.Among > 0)
		}
		for i := range p.Window() {
			d.Window = append(d.Window, spanOf(&p.Window()[i]))
		}
		for _, a := range holds {
			if len(holds) > 1 {
				d.Holds = append(d.Holds, heldBy(p, a.At))
			}
		}
	default:
		for i := range p.At {
			d.Window = append(d.Window, spanOf(&p.At[i]))
		}
		for _, a := range p.Plan {
			if a.At != nil && len(p.At) == 0 {
				d.Window = append(d.Window, spanOf(a.At))
			}
		}
	}
	for _, a := range p.CureHolds() {
		d.Cure = append(d.Cure, spanOf(a.At))
	}
	return d
}

func spanOf(p *proof.Place) finding.Span {
	return finding.Span{File: p.File, Start: p.Line, End: p.Line}
}

// heldBy names the goroutine that a place is of by what started it.
func heldBy(p *proof.Proof, at *proof.Place) finding.Hold {
	h := finding.Hold{At: spanOf(at)}
	s := at.Goroutine.Started()
	switch {
	case s.File != "":
		h.Started = trace.Frame{File: s.File, Line: s.Line}
	case s.Test != "" && trace.TopTest(s.Test) != p.Test:
		h.InTest = s.Test
	case s.Test == "":
		h.StartedBy = s.In
	}
	return h
}
