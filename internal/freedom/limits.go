package freedom

import (
	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// Limits is which port a socket got, or that it got none.
type limits struct{}

func (limits) Name() string  { return "limits" }
func (limits) Legal() string { return legal("limits") }

// Observe tells whether there was an error, which port it was, and whether the run had it before. Nothing in
// a run has a say in which port the system chooses.
func (f limits) Observe(r *Runs) (list []fact.Observation) {
	for _, a := range r.answers(trace.ActLimits) {
		list = append(list, a.observe(r, f, Refused, fact.Bit, func(_ int, n *trace.Note) float64 { return bit(n.Value < 0) }))
		asked := false
		port := a.observe(r, f, Port, fact.Line, func(_ int, n *trace.Note) float64 {
			if n.Value <= 0 {
				return nan
			}
			asked = asked || n.Value&trace.PortAsked != 0
			return float64(n.Value &^ trace.PortAsked)
		})
		port.Exogenous = !asked
		list = append(list, port, a.observe(r, f, Twice, fact.Bit, func(i int, n *trace.Note) float64 { return bit(r.List[i].bound(n)) }))
	}
	return list
}

// bound reports whether the run had bound the port of a note before.
func (x *Run) bound(n *trace.Note) bool {
	for _, o := range x.notes(trace.ActLimits) {
		if o == n {
			return false
		} else if n.Value > 0 && o.Value&^trace.PortAsked == n.Value&^trace.PortAsked {
			return true
		}
	}
	return false
}

// Set takes the port away, or has the system choose a free one, of a fact that a socket got none.
func (limits) Set(f *fact.Fact) (fails, passes [][]perturb.Act) {
	s := f.What.(*Seen)
	if s.Aspect != Refused {
		return nil, nil
	}
	block := uint32(s.At[0].Block)
	taken, free := [][]perturb.Act{{perturb.Port(block, perturb.PortTaken)}}, [][]perturb.Act{{perturb.Port(block, perturb.PortFree)}}
	if f.Outside {
		return taken, free
	}
	return free, taken
}
