package freedom

import (
	"slices"

	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/trace"
)

// What a secure generator draws can't be repeated, so no plan has it.
var cryptoRandFreedom = Freedom{
	Name:     "crypto/rand",
	Category: "randomness",
	Legal:    `"Read fills b with cryptographically secure random bytes": two draws may be the same.`,
	Source:   "https://pkg.go.dev/crypto/rand#Read",
	observe:  observeCryptoRand,
	Choice:   drawsNumber,
}

// observeCryptoRand tells of each place whether a draw there was that of an earlier one there. Nothing in a run has a
// say in that. A failing run draws less often, since it ends: so of other runs only as many draws count as a failing
// run has at most.
func observeCryptoRand(r *Runs) (list []fact.Observation) {
	draws, most := make([]map[int][]bool, len(r.List)), make(map[int]int)
	for i, x := range r.List {
		draws[i] = r.repeats(x)
		for block, is := range draws[i] {
			if x.Failed {
				most[block] = max(most[block], len(is))
			}
		}
	}
	var blocks []int
	for block := range most {
		blocks = append(blocks, block)
	}
	slices.Sort(blocks)
	for _, block := range blocks {
		p := Place{Site: Site{Block: block}}
		p.Span, _ = r.Sites.Pos(block)
		list = append(list, fact.Observation{Kind: "crypto/rand", Exogenous: true, Shape: fact.Bit,
			What: &Seen{Measure: Twice, At: []Place{p}},
			Values: r.each(func(i int, _ *Run) float64 {
				is := draws[i][block]
				if len(is) == 0 {
					return nan
				}
				return bit(slices.Contains(is[:min(len(is), most[block])], true))
			})})
	}
	return list
}

// repeats says of the draws of a run at each block, in order, whether they were that of an earlier one there.
func (r *Runs) repeats(x *Run) map[int][]bool {
	list := make(map[int][]bool)
	number, block := make(map[*trace.Note]int), make(map[int]int) // of a draw; where the one with a number was
	for i, n := range x.notes(trace.ActCrypto) {
		number[n] = i
	}
	r.asked(x, trace.ActCrypto, func(from asker, _ int, n *trace.Note) {
		at, ok := block[number[n]-int(n.Value)]
		block[number[n]] = from.block
		list[from.block] = append(list[from.block], n.Value > 0 && ok && at == from.block)
	})
	return list
}
