package perturb

import (
	"math"

	"github.com/fdebug/fdebug/trace"
)

var readKind = Kind{
	Name:     "read",
	Varies:   "How many bytes a Read from a socket returns.",
	Legal:    `"If some data is available but not len(p) bytes, Read conventionally returns what is available instead of waiting for more."`,
	Source:   "https://pkg.go.dev/io#Reader",
	Sites:    "calls that read, or start what reads in a library",
	Dose:     "most bytes",
	Category: "network",
	Asked:    true,
	Tries:    func(block uint32, _ Guess) []Act { return []Act{Most(block, 1), Most(block, 16)} },
	aspects: []aspect{
		{what: ReadMost, name: "most", opposites: func(a Act, _ Guess) []Act {
			return []Act{Most(a.At.Block, math.MaxInt32)}
		}},
	},
}

// ReadMost makes reads of Block return at most Value bytes.
const ReadMost Aspect = 48

// Most limits how many bytes reads of a block return.
func Most(block uint32, n int64) Act {
	return Act{Kind: trace.ActRead, What: ReadMost, At: Position{Block: block}, Value: n}
}
