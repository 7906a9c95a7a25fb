package experiment

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/trace"
)

// A Pair is two events of two goroutines. One comes before the other in runs
// that fail, and after it in runs that pass.
type Pair struct {
	// Moved had not happened when a run came to Seen, where runs part, if that run
	// failed and Late is set, and had happened if not.
	Moved, Seen Visit
	Late        bool
	// Failing and Passing are what comes right after Seen in runs of the two outcomes.
	Failing, Passing Visit
}

// A Visit is of a block by a goroutine, as a run was seen to make it.
type Visit struct {
	ID    trace.GoroutineID
	Class uint64
	Test  string
	Block uint32 // or a check, as an event; 0 for the goroutine's end
	Hit   int    // which time that the goroutine comes there, from 1
}

// site returns the visit as a place to hold at, or to wait for.
func (v Visit) site() Site {
	if v.Block == 0 {
		v.Block = perturb.End
	}
	return Site{G: perturb.Goroutine{ID: v.ID}, Block: int(v.Block), Hit: v.Hit, ByHit: true, Class: v.Class, Test: v.Test}
}

// goroutine returns a visit of its goroutine that is none of a block.
func (s Site) goroutine() Visit { return Visit{ID: s.G.ID, Class: s.Class, Test: s.Test} }

// An Ordered is the order of two events that makes a test fail: First comes before Then.
type Ordered struct {
	First, Then Site
	by          *ordering
}

const (
	maxPairsTried = 3 // among the pairs that hints name
	// maxBack is how many positions before an event are tried: the event may be in a
	// critical section that the other goroutine needs, so that it can't be held there.
	maxBack = 6
	// leastOrderLimit is how long an order is waited for at least.
	leastOrderLimit = 100 * time.Millisecond
	mostOrderLimit  = 2 * time.Second
	maxMeetings     = 60
	// maxAfter is how many blocks that follow the one at which it fails are looked at for
	// one at which it passes.
	maxAfter = 10
)

// A Meeting is an event at which runs part, with what comes right after where they do in
// runs of the two outcomes. Who else decides is not known.
type Meeting struct{ Seen, Failing, Passing Visit }

// A meeting is a [Meeting] at one position of another goroutine.
type meeting struct {
	*ordering
	then Site
}

// meetings returns what proposeMeetings proposes: each of the events in turn, first those of the
// goroutine that comes last, which is the one that fails.
func (s *bench) meetings() ([]*meeting, error) {
	var lists [][]*meeting
	for i := range s.Hints {
		m := s.Hints[i].Meeting
		if m == nil || m.Seen.ID == 0 {
			continue
		}
		o := &ordering{b: s, first: []Site{m.Seen.site()}, afterFirst: m.Failing.site(), afterPassing: m.Passing.site(), late: true}
		o.afterThen = o.afterPassing
		sites, err := s.meetingSites(m.Seen)
		if err != nil {
			return nil, err
		}
		var list []*meeting
		for _, site := range sites {
			list = append(list, &meeting{o, site})
		}
		lists = append(lists, list)
	}
	var all []*meeting
	for i := 0; i < maxMeetings; i++ {
		for k := len(lists) - 1; k >= 0; k-- {
			if i < len(lists[k]) {
				all = append(all, lists[k][i])
			}
		}
	}
	return all[:min(len(all), maxMeetings)], nil
}

// meetingSites returns the positions of other goroutines: of each block its second visit,
// since what was waited for is often the first, then the first and the last.
func (s *bench) meetingSites(seen Visit) ([]Site, error) {
	var lists [3][]Site
	for _, g := range s.p.Goroutines {
		if g.ID == seen.ID || g.Nth > 0 || g.Test == "" || g.Runs < s.p.Runs {
			continue
		}
		all, err := s.visitedBy(Visit{ID: g.ID, Class: g.Class, Test: g.Test})
		if err != nil {
			return nil, err
		}
		last := make(map[int]Site)
		for _, site := range all {
			last[site.Block] = site
			if site.Hit <= 2 {
				lists[2-site.Hit] = append(lists[2-site.Hit], site)
			}
		}
		for _, site := range all {
			if last[site.Block] == site && site.Hit > 2 {
				lists[2] = append(lists[2], site)
			}
		}
	}
	return slices.Concat(lists[:]...), nil
}

// An ordering looks for what forces a pair.
type ordering struct {
	b *bench
	// first and then are where the two goroutines can be held: the event itself, then
	// what comes before it. afterFirst and afterThen are what comes after the events.
	first, then           []Site
	afterFirst, afterThen Site
	afterPassing          Site // after first, in runs that pass
	late                  bool
}

// ordering finds the positions of a pair in what plain runs do.
func (s *bench) ordering(p *Pair) (*ordering, error) {
	moved, after, err := s.around(p.Moved)
	if err != nil {
		return nil, err
	}
	seen, _, err := s.around(p.Seen)
	if err != nil {
		return nil, err
	}
	if p.Late {
		return &ordering{b: s, first: seen, afterFirst: p.Failing.site(), afterPassing: p.Passing.site(), then: moved, afterThen: after, late: true}, nil
	}
	return &ordering{b: s, first: moved, afterFirst: after, then: seen, afterThen: p.Passing.site()}, nil
}

// around returns the positions from a visit backwards in its goroutine, and the one after
// it. Where plain runs don't come to it there is the visit alone, and the goroutine's end.
func (s *bench) around(v Visit) (back []Site, after Site, err error) {
	after = Visit{ID: v.ID, Class: v.Class, Test: v.Test}.site()
	back = []Site{v.site()}
	all, err := s.visitedBy(v)
	i := slices.IndexFunc(all, func(x Site) bool { return x.Block == int(v.Block) && x.Hit == v.Hit })
	if i < 0 || err != nil {
		return back, after, err
	}
	back[0] = all[i]
	for k := i - 1; k >= 0 && len(back) < maxBack; k-- {
		back = append(back, all[k])
	}
	if i+1 < len(all) {
		after = all[i+1]
	}
	return back, after, nil
}

// visitedBy returns all that the goroutine of a visit comes to, in order, in the plain run
// in which it comes to most: what happens in later rounds of a loop has not happened in
// each run.
func (s *bench) visitedBy(v Visit) ([]Site, error) {
	blocks, ok := s.most[v.ID]
	if !ok {
		name, err := s.longest(v.ID)
		if err != nil {
			return nil, err
		}
		if name != "" {
			if blocks, err = s.streamIn(name, v.ID); err != nil {
				return nil, err
			}
		}
		s.most[v.ID] = blocks
	}
	hits := make(map[int]int)
	var list []Site
	for i, b := range blocks {
		if b == 0 {
			continue
		}
		hits[b]++
		list = append(list, Site{
			G: perturb.Goroutine{ID: v.ID}, Event: int64(i), Block: b, Hit: hits[b], ByHit: true, Class: v.Class, Test: v.Test,
		})
	}
	return list, nil
}

// longest returns the trace of the plain run in which a goroutine comes to most, "" if
// none has it.
func (s *bench) longest(id trace.GoroutineID) (name string, err error) {
	most := int64(-1)
	for _, o := range s.plain {
		if o.Trace == "" {
			continue
		}
		t, err := s.open(o.Trace)
		if err != nil {
			return "", err
		}
		for _, g := range t.Goroutines {
			if g.ID == id && g.Len() > most {
				name, most = o.Trace, g.Len()
			}
		}
		t.Close()
	}
	return name, nil
}

// order has a goroutine wait at a site until the other has come to its own.
func (o *ordering) order(hold, until Site) perturb.Act {
	limit := min(max(leastOrderLimit, 2*o.b.p.Elapsed), mostOrderLimit)
	return perturb.Order(hold.position(), until.position(), limit)
}

// firstVisits returns, of what follows a position, where each block is come to first.
func firstVisits(all []Site, after Site) (list []Site) {
	for _, site := range all[slices.Index(all, after)+1:] {
		if site.Block != after.Block && !slices.ContainsFunc(list, func(o Site) bool { return o.Block == site.Block }) && len(list) < maxAfter {
			list = append(list, site)
		}
	}
	return list
}

// orderTiming says of a finding whether a goroutine waited for about as long as the
// source sleeps: then that sleep is what the test counts on.
func (s *bench) orderTiming(f *Finding) {
	var held []time.Duration
	for _, o := range f.Traces.Fail {
		held = append(held, o.heldFor())
	}
	if len(held) == 0 || len(f.Trial.Plan.Acts) > 1 {
		return
	}
	d := median(held)
	for _, l := range s.limits() {
		if l.sleep && l.about(d) {
			f.Limit = l.String()
		}
	}
}

// orderDetails completes a finding by how an order came about in its runs.
func (b *bench) orderDetails(f *Finding) {
	o := f.ordered.by
	b.orderTiming(f)
	for i := 0; i < len(o.first) && o.late && f.Slept == ""; i++ {
		f.Slept = b.sleptAt(&o.first[i])
	}
}
