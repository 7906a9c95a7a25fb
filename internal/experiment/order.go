package experiment

import (
	"cmp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
)

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
	maxMeetings     = 60 // positions of other goroutines
	// maxAfter is how many blocks that follow the one at which it fails are looked at for one at which it passes.
	maxAfter = 10
)

// meetings returns the acts of each meeting that hints name, with one position of another goroutine after the other:
// those of the goroutine that fails last come first. The cause may come before runs part: so the goroutine is also
// tried where it last went on after a wait.
func (b *bench) meetings() (lists [][]turn, err error) {
	var listed []Site
	for _, h := range slices.Backward(b.Hints) {
		m := h.Meeting
		if m == nil || m.Seen.G.ID == 0 {
			continue
		}
		woken, err := b.woken(m.Seen)
		if err != nil {
			return nil, err
		}
		sites, err := b.meetingSites(woken)
		if err != nil {
			return nil, err
		}
		lists = append(lists, turns(b, m, m.Seen, sites))
		if !visits(m.Seen, woken) && !slices.Contains(listed, woken) {
			lists, listed = append(lists, turns(b, m, woken, sites)), append(listed, woken)
		}
	}
	return lists, nil
}

// turns has a goroutine be at one place while another one is at each of some sites.
func turns(b *bench, m *freedom.Meeting, first Site, sites []Site) (list []turn) {
	o := &ordering{b: b, first: []Site{first}, afterFirst: m.Failing, afterPassing: m.Passing,
		afterThen: m.Passing, late: true}
	for _, then := range sites[:min(len(sites), maxMeetings)] {
		list = append(list, turn{o: o, hold: then, until: o.afterFirst, then: then, amid: first})
	}
	return list
}

// meetingSites returns the positions of other goroutines: of each block its second visit,
// since it often waited for the first, then the first and the last. Those come first that others
// are at about when the goroutine comes to a place: they may meet by chance.
func (b *bench) meetingSites(place Site) ([]Site, error) {
	var lists [3][]Site
	own, err := b.course("", place.G.ID)
	if err != nil {
		return nil, err
	}
	apart := make(map[Site]int64)
	for _, g := range b.p.Goroutines {
		if g.ID == place.G.ID || g.Nth > 0 || g.Test == "" || g.Runs < b.p.Runs {
			continue
		}
		all, err := b.visitedBy(g.site())
		if err != nil {
			return nil, err
		}
		c, _ := b.course("", g.ID) // read just now
		last := make(map[int]Site)
		for _, site := range all {
			d := c.at(site.Event) - own.at(place.Event)
			last[site.Block], apart[site] = site, max(d, -d)
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
	for _, list := range lists {
		slices.SortStableFunc(list, func(x, y Site) int { return cmp.Compare(apart[x], apart[y]) })
	}
	return slices.Concat(lists[:]...), nil
}

// An ordering looks for acts that force a pair.
type ordering struct {
	b *bench
	// first and then are where the two goroutines can be held: the event itself, then
	// those before it. afterFirst and afterThen come after the events.
	first, then           []Site
	afterFirst, afterThen Site
	afterPassing          Site // after first, in runs that pass
	late                  bool
}

// ordering finds the positions of a pair in plain runs.
func (b *bench) ordering(p *freedom.Pair) (*ordering, error) {
	moved, after, err := b.around(p.Moved)
	if err != nil {
		return nil, err
	}
	seen, _, err := b.around(p.Seen)
	if err != nil {
		return nil, err
	}
	if p.Late {
		return &ordering{b: b, first: seen, afterFirst: p.Failing, afterPassing: p.Passing, then: moved,
			afterThen: after, late: true}, nil
	}
	return &ordering{b: b, first: moved, afterFirst: after, then: seen, afterThen: p.Passing}, nil
}

// around returns the positions from a visit backwards in its goroutine, and the one after
// it. Where plain runs don't come to it there is the visit alone, and the goroutine's end.
func (b *bench) around(v Site) (back []Site, after Site, err error) {
	after = freedom.SiteAt(v.G.ID, v.Class, v.Test, freedom.End, 0)
	back = []Site{v}
	all, err := b.visitedBy(v)
	i := slices.IndexFunc(all, func(s Site) bool { return visits(v, s) })
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
// in which it comes to most: later rounds of a loop do not come in each run.
func (b *bench) visitedBy(v Site) ([]Site, error) {
	c, err := b.course("", v.G.ID)
	v.ByHit = true
	return along(v, c.blocks), err
}

// woken returns where a goroutine went on after its last wait before a visit: its way depends on values that it read
// since. It is the visit itself if the goroutine did not wait.
func (b *bench) woken(v Site) (Site, error) {
	all, err := b.visitedBy(v)
	i := slices.IndexFunc(all, func(s Site) bool { return visits(v, s) })
	if i < 0 || err != nil {
		return v, err
	}
	c, err := b.course("", v.G.ID)
	for _, x := range slices.Backward(c.g.Stamps) {
		if x.GoesOn && x.Pos <= all[i].Event {
			i = slices.IndexFunc(all, func(site Site) bool { return site.Event >= x.Pos })
			break
		}
	}
	return all[i], err
}

// visits reports whether two sites of a goroutine are one visit.
func visits(v, site Site) bool { return site.Block == v.Block && site.Hit == v.Hit }

// order has a goroutine wait at a site until the other has come to its own.
func (o *ordering) order(hold, until Site) freedom.Step {
	limit := min(max(leastOrderLimit, 2*o.b.p.Elapsed), mostOrderLimit)
	return freedom.Order(hold.Position(), until.Position(), limit)
}

// firstVisits returns the first visit of each block after a position.
func firstVisits(all []Site, after Site) (list []Site) {
	for _, site := range all[slices.Index(all, after)+1:] {
		if site.Block != after.Block && !slices.ContainsFunc(list, func(o Site) bool {
			return o.Block == site.Block
		}) && len(list) < maxAfter {
			list = append(list, site)
		}
	}
	return list
}

// orderTiming says of a finding whether a goroutine waited for about as long as the
// source sleeps: then the test counts on that sleep.
func (b *bench) orderTiming(f *Finding) {
	var held []time.Duration
	for _, o := range f.Traces.Fail {
		held = append(held, o.heldFor())
	}
	if len(held) == 0 || len(f.Trial.Plan.Acts) > 1 {
		return
	}
	b.asLongAsSlept(f, median(held))
}

// orderDetails completes a finding by how an order came about in its runs.
func (b *bench) orderDetails(f *Finding) {
	o := f.ordered.by
	b.orderTiming(f)
	for i := 0; i < len(o.first) && o.late && f.Slept == ""; i++ {
		f.Slept = b.sleptAt(&o.first[i])
	}
}
