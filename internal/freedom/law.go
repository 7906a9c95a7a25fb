package freedom

import "math/rand/v2"

// A Law is what in the program decides: plans that all make the test fail, and plans that all make it pass.
type Law struct {
	Kind          string // where it has no range
	Fails, Passes [][]Act[Site]
	Range
}

// Fails asks whether the test fails with each of some plans.
type Fails func(plans ...[]Act[Site]) bool

// A Range has the values for which a test fails.
type Range struct {
	Unit int64 `json:"unit,omitempty"` // of time that they are parts of, or the limit of random numbers
	Of   Among `json:"of,omitempty"`   // of several random numbers
	From int64 `json:"from,omitempty"`
	To   int64 `json:"to,omitempty"` // the first that is none of them
	// Key is that of a map which decides by its place, or comes before others, in this order.
	Key    string `json:"key,omitempty"`
	Before string `json:"before,omitempty"`
}

const (
	inUnit = 8  // plans that must all make the test fail for a unit of time, or a draw, to decide alone
	atEdge = 2  // and for a value to be one of a range
	inLaw  = 20 // plans of a law for each outcome
	margin = 16 // the part at each end of a range that acts leave out: edges are not known better
)

// edge returns where values end for which the test fails, from in as far as most: the last or, where it goes up, the first
// that is none. It goes over multiples of a step, twice as many each time, and then by halves; each step divides the one
// before. An edge is known to the least. ok is false if the test fails with all that were tried.
func edge(in, most, least int64, steps []int64, fails func(int64) bool) (at int64, ok bool) {
	way := int64(1)
	if most < in {
		way = -1
	}
	near, far := int64(0), way*(most-in) // from in: it fails, and it does not
	try := func(d int64) {
		if fails(in + way*d) {
			near = d
		} else {
			far, ok = d, true
		}
	}
	for _, step := range steps {
		for jump := int64(1); ; jump *= 2 {
			first := near + step - mod(way*in+near, step)
			if first >= far {
				break
			}
			if jump > 1 {
				first += step * (jump - 1)
			}
			if ok || first >= far {
				first = near + step - mod(way*in+near, step)
				first += (far - 1 - first) / step / 2 * step
			}
			try(first)
		}
		if ok && far-near > least {
			try(map[int64]int64{1: far - least, -1: near + least}[way])
		}
		if ok && far-near <= least || !ok && near > 0 {
			break
		}
	}
	if way > 0 {
		return in + far, ok
	}
	return in - near, ok
}

func mod(a, b int64) int64 { return (a%b + b) % b }

// within returns a value of a range that is not near its ends.
func (r Range) within(rnd *rand.Rand) int64 {
	width := r.To - r.From
	return r.From + width/margin + rnd.Int64N(max(width-2*(width/margin), 1))
}
