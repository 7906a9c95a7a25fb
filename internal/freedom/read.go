package freedom

import (
	"math"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/trace"
)

var readFreedom = Freedom{
	Name:     "read",
	Varies:   "How many bytes a Read from a socket returns.",
	Legal:    `"If some data is available but not len(p) bytes, Read conventionally returns what is available instead of waiting for more."`,
	Source:   "https://pkg.go.dev/io#Reader",
	Sites:    "calls that read, or start what reads in a library",
	Dose:     "most bytes",
	Category: "network",
	observe:  observeRead,
	set:      setRead,
	Asked:    true,
	Tries:    func(block uint32, _ Guess) []Act { return []Act{Most(block, 1), Most(block, 16)} },
	aspects: []aspect{
		{what: ReadMost, name: "most", opposites: func(a Act, _ Guess) []Act {
			return []Act{Most(a.At.Block, math.MaxInt32)}
		}},
	},
}

// ReadMost makes reads of Block return at most Value bytes.
const ReadMost Aspect = trace.ReadMost

// Most limits how many bytes reads of a block return.
func Most(block uint32, n int64) Act {
	return Act{Kind: trace.ActRead, What: ReadMost, At: Position{Block: block}, Value: n}
}

// observeRead tells how many bytes a read of a stream returned. What the other end wrote has a say in it.
func observeRead(r *Runs) (list []fact.Observation) {
	for _, a := range r.answers(trace.ActRead) {
		list = append(list, a.observe(r, Size, fact.Line, func(_ int, n *trace.Note) float64 {
			return float64(n.Value)
		}))
	}
	return list
}

// setRead has the reads of the place return as little as in failing runs. No read can be made to return more.
func setRead(f *fact.Fact) (fails, passes [][]Act) {
	most := [][]Act{{Most(uint32(f.What.(*Seen).At[0].Block), max(int64(f.In.To), 1))}}
	if f.Outside {
		return nil, most
	}
	return most, nil
}
