package freedom

import (
	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// Read is how many bytes a read of a stream returned. What the other end wrote has a say in it.
type read struct{}

func (read) Name() string  { return "read" }
func (read) Legal() string { return legal("read") }

func (f read) Observe(r *Runs) (list []fact.Observation) {
	for _, a := range r.answers(trace.ActRead) {
		list = append(list, a.observe(r, f, Size, fact.Line, func(_ int, n *trace.Note) float64 { return float64(n.Value) }))
	}
	return list
}

// Set has the reads of the place return as little as in failing runs. No read can be made to return more.
func (read) Set(f *fact.Fact) (fails, passes [][]perturb.Act) {
	most := [][]perturb.Act{{perturb.Most(uint32(f.What.(*Seen).At[0].Block), max(int64(f.In.To), 1))}}
	if f.Outside {
		return nil, most
	}
	return most, nil
}
