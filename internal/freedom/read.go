package freedom

import (
	"math"

	"github.com/fdebug/fdebug/internal/say"
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
	Where:    ByAnswers,
	Verbs:    Verbs{Parts: setParts, Opposites: setOpposites, Elsewhere: setElsewhere, Narrower: heldAfter},
	Prior:    0.004, // 3 of the 35
	Asked:    true,
	Tries:    func(block uint32, _ Bench) []Step { return []Step{Most(block, 1), Most(block, 16)} },
	Propose:  []*Proposer{{Guesses: proposeReads}},
	aspects: []aspect{
		{what: ReadMost, name: "most",
			says: say.Setting{Cause: say.Decides(say.Read), With: say.BarPart, Cure: say.BarWhole, Mark: say.MarkReads,
				Fix: []say.Template{say.FixReadFull}}, byBlock: true, opposites: func(a Step, _ Bench) []Step {
				return []Step{Most(a.At.Block, math.MaxInt32)}
			}},
	},
}

// ReadMost makes reads of Block return at most Value bytes.
const ReadMost Aspect = trace.ReadMost

// Most limits how many bytes reads of a block return.
func Most(block uint32, n int64) Step {
	return Step{Kind: trace.ActRead, What: ReadMost, At: Position{Block: block}, Value: n}
}

// proposeReads has reads return less, those of one block, and all if there are several.
func proposeReads(f *Freedom, b Bench) []Guess {
	list := f.atAskers(b)
	if len(b.Askers(f.Act())) > 1 {
		list = append(list, each(f.Prior, Most(0, 1))...)
	}
	return list
}
