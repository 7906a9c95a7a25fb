package fact

import (
	"math"
	"slices"
)

// A Shape says how an observation divides runs.
type Shape uint8

const (
	Bit    Shape = iota // 0 or 1
	Line                // at a threshold
	Circle              // into an arc and the rest: a phase, below the period
)

// An Observation is what was seen of one thing in each run.
type Observation struct {
	Kind      string // observations of one kind are corrected together
	Exogenous bool   // nothing in the run can have caused it
	Rank      int    // of kinds: where two separate the runs as well, the lower one comes first
	Shape     Shape
	Values    []float64 // by run; NaN where the run says nothing
	// Turns says of a Circle in which period each run was.
	Turns []int64
	// Prefer orders observations that no run tells apart, the lower ones first.
	Prefer []float64
	What   any // of the caller
}

// A Range is the values of a side. Of a Circle it may go past the end of the period: then To
// is less than From.
type Range struct{ From, To float64 }

// A split divides the runs in two.
type split struct {
	side set
	of   *Observation
	in   Range
}

// A point is runs with one value.
type point struct {
	v    float64
	runs set
}

// points returns the runs of an observation by value.
func (o *Observation) points(known *set) (list []point) {
	var order []int
	for i, v := range o.Values {
		if i < MaxRuns && known.has(i) && !math.IsNaN(v) {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch x, y := o.Values[a], o.Values[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	for _, i := range order {
		if v := o.Values[i]; len(list) == 0 || list[len(list)-1].v != v {
			list = append(list, point{v: v})
		}
		list[len(list)-1].runs.add(i)
	}
	return list
}

// splits calls visit with each way in which an observation divides the runs.
func (o *Observation) splits(known *set, visit func(split)) {
	list := o.points(known)
	if o.Shape == Circle {
		o.arcs(list, visit)
		return
	}
	var below set
	for i, p := range list[:max(len(list)-1, 0)] {
		below = below.or(p.runs)
		visit(split{below, o, Range{list[0].v, list[i].v}})
	}
}

// arcs divides a circle, in bins of about as many values each if there are very many.
func (o *Observation) arcs(list []point, visit func(split)) {
	type bin struct {
		from, to float64
		runs     set
	}
	var bins []bin
	n := min(len(list), maxBins)
	for i, p := range list {
		if at := i * n / len(list); at == len(bins) {
			bins = append(bins, bin{from: p.v})
		}
		b := &bins[len(bins)-1]
		b.to, b.runs = p.v, b.runs.or(p.runs)
	}
	for from := range bins {
		var side set
		for l := range len(bins) - 1 {
			b := &bins[(from+l)%len(bins)]
			side = side.or(b.runs)
			visit(split{side, o, Range{bins[from].from, b.to}})
		}
	}
}

// met reports whether a division of a circle was met in several periods, on both sides.
func (o *Observation) met(in, out *set) bool {
	if o.Shape != Circle || o.Turns == nil {
		return true
	}
	several := func(s *set) bool {
		turns := make(map[int64]bool)
		for i, t := range o.Turns[:min(len(o.Turns), MaxRuns)] {
			if s.has(i) {
				turns[t] = true
			}
		}
		return len(turns) >= leastPeriods
	}
	return several(in) && several(out)
}
