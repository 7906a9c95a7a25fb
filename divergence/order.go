package divergence

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/trace"
)

// An Order says how far another goroutine had come when a goroutine came to a divergence, where
// that differs between failing and passing runs: "in all passing runs the worker had run
// queue.go:44 by then, in all failing runs it had not".
//
// It relies on the stamps in the traces (see [trace.Goroutine.Between]): an event counts as
// earlier or later only if the bounds of the two times leave no doubt, and runs in which they
// overlap are not counted. Both orders were seen, on the same path up to there, so nothing in the
// program enforces either. Only an experiment can show that the order decides.
type Order struct {
	Divergence int           // index in Analysis.Chain
	Class      []trace.Frame // of the other goroutine
	Late       bool          // it was late in failing runs; false: it was early
	Block      int           // the block that had or had not run; 0 if the event is a check
	Event      int64         // number of that event in the other goroutine's stream
	// Missing holds the blocks that the other goroutine had run by the time of the divergence in the run where it was
	// earlier (of Pass and Fail) and not in the other, in the order in which they first ran. Block comes first.
	Missing []Missed

	Pass, Fail OrderRun // a run of each outcome

	// Waited are the blocks in which the goroutine that came to the divergence had waited before,
	// in Fail, the last first.
	Waited []int
	// GivenLess says that the other goroutine had ended in Fail, at the same block as in Pass: it was not late, but
	// had less to do. It is not set if a select ended the goroutine, which may have had more to do.
	GivenLess bool

	// Table counts failing and passing runs in which the event had not happened if Late, or in
	// which it had otherwise. Runs in doubt are left out.
	Table Table
	P     float64 // Fisher's exact test on Table, two-sided
}

// A Missed is a block that one side of an Order had run and the other had not.
type Missed struct {
	Block int
	First int64 // number of its first event in the other goroutine's stream
	Nth   int64 // which visit to the block that is, 1 = first

	// Table counts runs as that of the Order does, but by whether the block had run Nth times,
	// wherever that is in the stream of a run.
	Table Table
}

// An OrderRun is one run's side of an Order.
type OrderRun struct {
	Anchor    *trace.Goroutine // the one that came to the divergence
	AnchorPos int64            // its position there
	Other     *trace.Goroutine // nil if it had not run in this run
	Done      int64            // how many events it had certainly written by then
	Last      trace.Event      // the last of these events, or 0
}

const (
	maxOrders      = 3  // in an Analysis
	maxMissing     = 50 // blocks in an Order
	minOrderExcess = 0.7
)

// orders adds to the result which of two events comes first where that goes with the outcome. It
// looks at each divergence that is shown, first at the one nearest the failed check, because the
// view of the goroutine that failed matters most.
func (a *analysis) orders() error {
	for i := len(a.shown) - 1; i >= 0; i-- {
		for _, o := range a.ordersAt(i) {
			if len(a.out.Orders) == maxOrders {
				return nil
			}
			if err := a.missing(o); err != nil {
				return err
			}
			if err := a.countMissing(o); err != nil {
				return err
			}
			a.out.Orders = append(a.out.Orders, o.Order)
		}
	}
	return nil
}

// An orderFinding is an Order with where it was found.
type orderFinding struct {
	Order
	lane *lane
	rank int
	at   []standing // of all runs
}

// ordersAt returns the orders at one divergence, best first.
func (a *analysis) ordersAt(i int) []*orderFinding {
	f := a.shown[i]
	anchors := a.anchors(f)
	var list []*orderFinding
	for _, l := range a.lanes {
		if l == f.lane || !l.named() || slices.ContainsFunc(a.shown, func(s *finding) bool { return s.lane == l }) {
			continue
		}
		if o := a.orderOf(l, anchors, i > 0); o != nil && !a.ledTo(l, i) {
			o.Divergence = i
			list = append(list, o)
		}
	}
	slices.SortStableFunc(list, func(x, y *orderFinding) int {
		return cmp.Or(cmp.Compare(x.rank, y.rank), cmp.Compare(x.P, y.P))
	})
	return list
}

// ledTo reports whether no passing run has the goroutine of a lane, and its starters in failing runs had diverged
// from the passing ones before divergence i. Then an earlier divergence explains that it ran, not an order.
func (a *analysis) ledTo(l *lane, i int) bool {
	for run, g := range l.streams {
		if g != nil && (!a.in.Runs[run].Failed || !a.divergedBefore(g, run, i)) {
			return false
		}
	}
	return true
}

// divergedBefore reports whether the goroutine that started g was at a divergence before
// divergence i of the chain, and started g after that.
func (a *analysis) divergedBefore(g *trace.Goroutine, run, i int) bool {
	return slices.ContainsFunc(a.shown[:i], func(f *finding) bool {
		parent := f.lane.streams[run]
		return parent != nil && parent.ID == g.Parent && slices.ContainsFunc(f.fails, func(p place) bool {
			lo, _ := parent.Between(p.pos)
			return p.run == run && lo <= g.Start
		})
	})
}

// An anchor is where and when a run came to a divergence.
type anchor struct {
	run    int
	g      *trace.Goroutine
	pos    int64
	lo, hi int64
}

// anchors returns the runs that came to a divergence: those that took it and the passing runs
// that went the other way. If a run came there several times, the last time counts.
func (a *analysis) anchors(f *finding) []anchor {
	last := map[int]int64{}
	for _, p := range slices.Concat(f.fails, f.passes) {
		last[p.run] = max(last[p.run], p.pos)
	}
	var list []anchor
	for _, run := range slices.Sorted(maps.Keys(last)) {
		p, g := place{run, last[run]}, f.lane.streams[run]
		if g == nil {
			continue
		}
		// The deciding value was read after the last common event and before the next.
		lo, _ := g.Between(max(p.pos-1, 0))
		_, hi := g.Between(p.pos)
		list = append(list, anchor{p.run, g, p.pos, lo, hi})
	}
	return list
}

// A standing says how far another goroutine had come at an anchor: sure events had happened, and
// those from never on had not.
type standing struct {
	anchor
	other       *trace.Goroutine
	sure, never int64
}

// orderOf looks for the event of lane l whose having happened separates failing from passing runs
// best. later says that runs had diverged elsewhere before.
func (a *analysis) orderOf(l *lane, anchors []anchor, later bool) *orderFinding {
	var at []standing
	var events []int64
	for _, s := range anchors {
		st := standing{anchor: s, other: l.streams[s.run]}
		if st.other != nil {
			st.sure, st.never = progress(st.other, s.lo, s.hi)
		}
		at = append(at, st)
		events = append(events, st.sure, st.never)
	}
	slices.Sort(events)
	var best *orderFinding
	for _, e := range slices.Compact(events) {
		o := a.tableOf(at, e)
		if o != nil && (best == nil || o.P < best.P) {
			best = o
		}
	}
	if best == nil || a.confounded(best, anchors, later) {
		return nil
	}
	best.lane, best.Class, best.at = l, a.classes[l.class].frames, at
	if !a.show(best, at) {
		return nil
	}
	return best
}

// confounded reports whether the goroutine that diverged had itself come further, or less far, in
// failing runs. That would explain the other's standing: a server has handled more requests when
// its client parts in a later iteration. So does an earlier divergence that makes it come sooner, or later: the answer
// of a server that refused comes before all that the test does while one that works is awaited.
func (a *analysis) confounded(o *orderFinding, anchors []anchor, later bool) bool {
	var pos [2][]int64
	for _, s := range anchors {
		i := 0
		if a.in.Runs[s.run].Failed {
			i = 1
		}
		pos[i] = append(pos[i], s.pos)
	}
	for i := range pos {
		if len(pos[i]) == 0 {
			return true
		}
		slices.Sort(pos[i])
	}
	pass, fail := pos[0][len(pos[0])/2], pos[1][len(pos[1])/2]
	switch {
	case o.Late:
		return (later || fail < pass) && a.sooner(anchors, true)
	default:
		return (later || fail > pass) && a.sooner(anchors, false)
	}
}

// sooner reports whether runs of one outcome mostly came to a divergence sooner after the
// goroutine began than those of the other: in four of five pairs.
func (a *analysis) sooner(anchors []anchor, failed bool) bool {
	pairs, sooner := 0, 0
	for _, s := range anchors {
		for _, t := range anchors {
			if a.in.Runs[s.run].Failed == failed && a.in.Runs[t.run].Failed != failed {
				pairs++
				if s.hi-s.g.Start < t.hi-t.g.Start {
					sooner++
				}
			}
		}
	}
	return 5*sooner >= 4*pairs
}

// tableOf counts the runs in which event e had happened, or returns nil if that does not separate them.
func (a *analysis) tableOf(at []standing, e int64) *orderFinding {
	var late Table
	for _, s := range at {
		if s.sure > e || s.never <= e {
			late.Add(a.in.Runs[s.run].Failed, s.sure <= e)
		}
	}
	if 3*(late.PassTaken+late.PassNot) < 2*a.cohort.nPass || 3*(late.FailTaken+late.FailNot) < 2*a.cohort.nFail {
		return nil // in doubt in too many runs
	}
	o := &orderFinding{Order: Order{Event: e, Late: true, Table: late}}
	if late.Excess() < 0 {
		o.Late, o.Table = false, late.Inverse()
	}
	o.P = a.cohort.fact.Fisher(o.Table)
	if o.Table.Excess() < minOrderExcess || o.P > stats.Strong && !(o.Table.Perfect() && a.cohort.nFail < 4) {
		return nil
	}
	return o
}

// show chooses a run of each outcome, the middle one by how far the other goroutine had come.
func (a *analysis) show(o *orderFinding, at []standing) bool {
	for _, failed := range []bool{false, true} {
		var fit []standing
		for _, s := range at {
			happened := failed != o.Late // only runs that the table counts
			if a.in.Runs[s.run].Failed == failed && (happened && s.sure > o.Event || !happened && s.never <= o.Event) {
				fit = append(fit, s)
			}
		}
		if len(fit) == 0 {
			return false
		}
		slices.SortStableFunc(fit, func(x, y standing) int { return cmp.Compare(x.sure, y.sure) })
		s := fit[(len(fit)-1)/2]
		r := OrderRun{Anchor: s.g, AnchorPos: s.pos, Other: s.other, Done: s.sure}
		if s.other != nil {
			r.Last = eventAt(s.other, s.sure-1)
		}
		if failed {
			o.Fail = r
		} else {
			o.Pass = r
		}
	}
	o.Waited = waitedBefore(o.Fail.Anchor, o.Fail.AnchorPos)
	o.GivenLess = a.givenLess(o)
	// A goroutine stopped halfway says more than one that had not begun.
	if slow := o.slower(); slow.Other == nil || slow.Done == 0 {
		o.rank++
	}
	if o.lane.background {
		o.rank += 2
	}
	return true
}

// maxWaited is how many waits of a goroutine are considered.
const maxWaited = 8

// waitedBefore returns the blocks in which a goroutine waited before a position, the last first.
func waitedBefore(g *trace.Goroutine, pos int64) (list []int) {
	for i := len(g.Stamps) - 1; i >= 0 && len(list) < maxWaited; i-- {
		if s := g.Stamps[i]; !s.GoesOn && s.Pos > 0 && s.Pos <= pos {
			if b, ok := eventAt(g, s.Pos-1).Block(); ok && !slices.Contains(list, b) {
				list = append(list, b)
			}
		}
	}
	return list
}

func (a *analysis) givenLess(o *orderFinding) bool {
	fail, pass := o.Fail.Other, o.Pass.Other
	if !o.Late || fail == nil || pass == nil || fail.End == 0 || pass.End == 0 || pass.Len() == 0 ||
		o.Fail.Done != fail.Len() {
		return false
	}
	b, ok := o.Fail.Last.Block()
	return ok && a.in.Sites.Has(b) && a.in.Sites.Blocks[b].Kind != trace.BlockComm &&
		eventAt(pass, pass.Len()-1) == o.Fail.Last
}

// slower returns the side on which the event had not happened.
func (o *Order) slower() OrderRun {
	if o.Late {
		return o.Fail
	}
	return o.Pass
}

// faster returns the side on which it had happened.
func (o *Order) faster() OrderRun {
	if o.Late {
		return o.Pass
	}
	return o.Fail
}

// missing fills in the event's block and later ones.
func (a *analysis) missing(o *orderFinding) error {
	fast := o.faster()
	if b, ok := eventAt(fast.Other, o.Event).Block(); ok {
		o.Block = b
	}
	return o.addMissing(fast.Other, o.Event, fast.Done)
}

// addMissing adds the blocks that a goroutine ran between two events and that are not in Missing.
func (o *orderFinding) addMissing(g *trace.Goroutine, from, to int64) error {
	if from >= to {
		return nil
	}
	return eachChunk(g, from, func(pos int64, events []trace.Event) bool {
		for i, e := range events {
			if pos+int64(i) >= to {
				return false
			}
			b, ok := e.Block()
			if !ok {
				continue
			}
			known := slices.ContainsFunc(o.Missing, func(m Missed) bool { return m.Block == b })
			if !known && len(o.Missing) < maxMissing {
				o.Missing = append(o.Missing, Missed{Block: b, First: pos + int64(i)})
			}
		}
		return true
	})
}

// progress returns how many events of g had certainly happened before lo, and from which event on
// none had happened by hi.
func progress(g *trace.Goroutine, lo, hi int64) (sure, never int64) {
	n := g.Len()
	if g.Start >= hi {
		return 0, 0
	}
	before := func(i int64) bool { _, latest := g.Between(i); return latest <= lo }
	after := func(i int64) bool { earliest, _ := g.Between(i); return earliest >= hi }
	sure = int64(sort.Search(int(n), func(i int) bool { return !before(int64(i)) }))
	never = int64(sort.Search(int(n), func(i int) bool { return after(int64(i)) }))
	return sure, max(never, sure)
}
