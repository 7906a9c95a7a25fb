package divergence

import (
	"cmp"
	"slices"

	"github.com/fdebug/fdebug/trace"
)

// A ValueKind is the kind of value that is recorded at a place.
type ValueKind string

const (
	ValueOperand  ValueKind = "operand"  // an operand of a condition or a failed check
	ValueArgument ValueKind = "argument" // an argument of a call in a condition or a failed check
	ValueReceived ValueKind = "received" // from a channel
	ValueCall     ValueKind = "call"     // result of a call that is not determined by the program
)

// A ValueSite is a place at which traces have values: [trace.Value.Site] is its index in [Input.Values].
type ValueSite struct {
	Kind ValueKind `json:"kind"`
	Expr string    `json:"expr"`
	File string    `json:"file"` // as in trace.Sites
	Line int       `json:"line"`
	// Decides is the last common event of the divergence that an operand decides, or 0.
	Decides trace.Event `json:"decides,omitempty"`
	// Source says what brings the value in from outside: "math/rand". From are the sites with a Source
	// from which an operand may be computed. It is not kept with traces, because it follows from the code.
	Source string `json:"source,omitempty"`
	From   []int  `json:"-"`
}

// A Seen is a value and the runs that had it.
type Seen struct {
	Hash uint64
	Text string
	Runs []int
}

// An OperandValues has the values of an operand when runs diverged, the most frequent first.
type OperandValues struct {
	Site int
	// Nth says which value of the site it is in each run, from 0. It is -1 if it is the one with
	// which the run came to the divergence, and not the same one in all runs.
	Nth              int
	Unlike           bool // Nth is -1
	Passing, Failing []Seen
	// Apart is how far the values of the two outcomes are apart, from 0 (the same values equally
	// often) to 1 (no value in common).
	Apart float64
}

// values fills in the results of traces with values. It uses the chain.
func (a *analysis) values() {
	if len(a.in.Values) == 0 {
		return
	}
	for i, s := range a.in.Values {
		if (s.Kind == ValueOperand || s.Kind == ValueArgument) && s.Decides != 0 {
			if v := a.operand(i); v.Apart > 0 {
				a.out.Operands = append(a.out.Operands, v)
			}
		}
	}
	a.out.Data = a.dataDivergence()
}

// operand collects the values of an operand over all runs.
func (a *analysis) operand(site int) OperandValues {
	v := OperandValues{Site: site, Nth: -1}
	at := func(run int) (trace.Value, bool) { return trace.Value{}, false }
	if f := a.decidedBy(a.in.Values[site].Decides); f != nil {
		at = func(run int) (trace.Value, bool) { return a.valueAt(f, run, site) }
	} else if l, nth := a.lastCall(site); l != nil {
		v.Nth = nth
		at = func(run int) (trace.Value, bool) {
			x, ok := nthValue(l.streams[run], site, nth)
			return x, ok && x.Pos <= a.end(l, run) // a value after the failure is not its cause
		}
	}
	var pass, fail []Seen
	first := -1
	for run := range a.in.Runs {
		x, ok := at(run)
		if !ok {
			continue
		}
		if first < 0 {
			first = x.Nth
		}
		v.Unlike = v.Unlike || v.Nth < 0 && x.Nth != first
		if a.in.Runs[run].Failed {
			fail = see(fail, x, a.in.Runs[run].N)
		} else {
			pass = see(pass, x, a.in.Runs[run].N)
		}
	}
	if v.Nth < 0 && !v.Unlike {
		v.Nth = first
	}
	if len(pass) == 0 || len(fail) == 0 {
		return v
	}
	v.Passing, v.Failing = byFrequency(pass), byFrequency(fail)
	v.Apart = apart(pass, fail)
	if !telling(v.Passing, v.Failing) {
		v.Apart = 0
	}
	return v
}

// telling reports whether values that differ say more than that no two runs are alike: a good part of the runs of one
// outcome has the same value, or all are numbers, greater in the runs of one outcome than in all of the other.
func telling(pass, fail []Seen) bool {
	for _, side := range [][]Seen{pass, fail} {
		if n := runsIn(side); n > 1 && 3*len(side[0].Runs) >= n {
			return true
		}
	}
	if runsIn(pass) == 1 && runsIn(fail) == 1 {
		return true
	}
	pl, ph, ok := bounds(pass)
	fl, fh, too := bounds(fail)
	return ok && too && (ph < fl || fh < pl)
}

// bounds returns the smallest and the largest value, if all are numbers.
func bounds(list []Seen) (lo, hi float64, ok bool) {
	for i, s := range list {
		x, ok := numeric(s.Text)
		if !ok {
			return 0, 0, false
		}
		if i == 0 {
			lo, hi = x, x
		}
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi, len(list) > 0
}

// decidedBy returns the divergence of the chain after the given event, or nil if these runs do not have it.
func (a *analysis) decidedBy(e trace.Event) *finding {
	for i := len(a.shown) - 1; i >= 0; i-- {
		if a.shown[i].lastCommon() == e {
			return a.shown[i]
		}
	}
	return nil
}

// valueAt returns the value with which a run came to a divergence: the last one recorded before, unless its statement
// began again after that and did not reach it. Runs that are not known to have come there have none.
func (a *analysis) valueAt(f *finding, run, site int) (trace.Value, bool) {
	for _, p := range slices.Concat(f.fails, f.passes, f.others) {
		if g := f.lane.streams[run]; p.run == run && g != nil {
			v, ok := lastValue(g, site, p.pos)
			return v, ok && !a.begun(g, site, v.Pos, p.pos)
		}
	}
	return trace.Value{}, false
}

// onLine reports whether an event is of a block that includes a line.
func (a *analysis) onLine(e trace.Event, file string, line int) bool {
	b, ok := e.Block()
	if !ok {
		return false
	}
	span, ok := a.in.Sites.Pos(b)
	return ok && span.Has(file, line)
}

// begun reports whether a goroutine ran a block with a site's line between two positions.
func (a *analysis) begun(g *trace.Goroutine, site int, from, to int64) (found bool) {
	s := a.in.Values[site]
	err := eachChunk(g, from, func(pos int64, events []trace.Event) bool {
		for _, e := range events[:max(0, min(int64(len(events)), to-pos))] {
			found = found || a.onLine(e, s.File, s.Line)
		}
		return !found && pos+int64(len(events)) < to
	})
	return found || err != nil
}

// lastCall returns which value of a site was the last one before the failed check, and on which goroutine. It returns
// nil if that is not the same in all failing runs, because values of different calls must not be compared.
func (a *analysis) lastCall(site int) (on *lane, nth int) {
	for run, r := range a.in.Runs {
		var best *lane
		at, n := int64(0), 0
		for _, l := range a.lanes {
			if g := l.streams[run]; g != nil && r.Failed {
				v, ok := lastValue(g, site, a.end(l, run))
				if t := estimate(g, v.Pos); ok && (best == nil || t > at) {
					best, at, n = l, t, v.Nth
				}
			}
		}
		switch {
		case best == nil:
		case on == nil:
			on, nth = best, n
		case on != best || nth != n:
			return nil, 0
		}
	}
	return on, nth
}

// nthValue returns the n-th value of a site on a goroutine.
func nthValue(g *trace.Goroutine, site, n int) (trace.Value, bool) {
	if g != nil {
		for _, v := range g.Values {
			if v.Site == site && v.Nth == n {
				return v, true
			}
		}
	}
	return trace.Value{}, false
}

// end returns the position up to which a goroutine can cause the failure: that of its failed check, or its end.
func (a *analysis) end(l *lane, run int) int64 {
	if pos, ok := a.checks[run].cut[l]; ok {
		return pos - 1 // cut is after the check
	}
	return l.streams[run].Len()
}

// lastValue returns the last value of a site before position end.
func lastValue(g *trace.Goroutine, site int, end int64) (trace.Value, bool) {
	for i := len(g.Values) - 1; i >= 0; i-- {
		if v := g.Values[i]; v.Site == site && v.Pos <= end {
			return v, true
		}
	}
	return trace.Value{}, false
}

// see adds a run's value to a list.
func see(list []Seen, v trace.Value, run int) []Seen {
	i := slices.IndexFunc(list, func(s Seen) bool { return s.Hash == v.Hash })
	if i < 0 {
		return append(list, Seen{v.Hash, v.Text, []int{run}})
	}
	list[i].Runs = append(list[i].Runs, run)
	return list
}

func byFrequency(list []Seen) []Seen {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(x, y Seen) int { return cmp.Compare(len(y.Runs), len(x.Runs)) })
	return list
}

// apart returns the total variation distance between two lists.
func apart(pass, fail []Seen) float64 {
	nPass, nFail := runsIn(pass), runsIn(fail)
	common := 0.0
	for _, p := range pass {
		for _, f := range fail {
			if p.Hash == f.Hash {
				common += min(float64(len(p.Runs))/float64(nPass), float64(len(f.Runs))/float64(nFail))
			}
		}
	}
	return max(0, 1-common)
}

func runsIn(list []Seen) (n int) {
	for _, s := range list {
		n += len(s.Runs)
	}
	return n
}
