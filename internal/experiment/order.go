package experiment

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
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

// tryOrders forces two events that hints name into the order in which runs failed, and
// into the other one.
func (s *search) tryOrders() error {
	tried := 0
	for i := range s.Hints {
		p := s.Hints[i].Pair
		if p == nil || p.Moved.ID == 0 || p.Seen.ID == 0 || s.explained() {
			continue
		}
		if tried++; tried > maxPairsTried {
			break
		}
		o, err := s.ordering(p)
		if err != nil {
			return err
		}
		if err := o.find(); err != nil {
			return err
		}
		s.tell("orders", tried, maxPairsTried)
	}
	return nil
}

// A Meeting is an event at which runs part, with what comes right after where they do in
// runs of the two outcomes. Who else decides is not known.
type Meeting struct{ Seen, Failing, Passing Visit }

// tryMeetings has the events at which runs part, as far as hints name them, come while
// another goroutine is at one position or another: where that is decides if the test
// looks at what the other does again and again.
func (s *search) tryMeetings() error {
	list, err := s.meetings()
	if err != nil {
		return err
	}
	batch := max(s.Parallel, 1)
	for i := 0; i < len(list) && !s.explained(); i += batch {
		part := list[i:min(i+batch, len(list))]
		outs := make([]*Outcome, len(part))
		err := s.each(s.ctx, len(part), func(k int) (err error) {
			outs[k], err = s.first("meetings", part[k].trial())
			return err
		})
		if err != nil {
			return err
		}
		for k, out := range outs {
			if err := part[k].came(out); err != nil {
				return err
			}
		}
		s.tell("meetings", i+len(part), len(list))
	}
	return nil
}

// A meeting is a [Meeting] at one position of another goroutine.
type meeting struct {
	*ordering
	then Site
}

func (m *meeting) trial() Trial { return m.meeting(m.first[0], m.then, m.afterFirst) }

// meetings returns what tryMeetings tries: each of the events in turn, first those of the
// goroutine that comes last, which is the one that fails.
func (s *search) meetings() ([]*meeting, error) {
	var lists [][]*meeting
	for i := range s.Hints {
		m := s.Hints[i].Meeting
		if m == nil || m.Seen.ID == 0 {
			continue
		}
		o := &ordering{s: s, first: []Site{m.Seen.site()}, afterFirst: m.Failing.site(), afterPassing: m.Passing.site(), late: true}
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

// came looks into a meeting that failed.
func (m *meeting) came(out *Outcome) error {
	t := m.trial()
	if !out.Ran || !out.Failed || !t.met(out) {
		return nil
	}
	f, err := m.s.provoked(t, nil, out)
	if f == nil || err != nil {
		return err
	}
	f.ordered = &Ordered{First: m.first[0], Then: m.then}
	return m.conclude(f)
}

// meetingSites returns the positions of other goroutines: of each block its second visit,
// since what was waited for is often the first, then the first and the last.
func (s *search) meetingSites(seen Visit) ([]Site, error) {
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
	s *search
	// first and then are where the two goroutines can be held: the event itself, then
	// what comes before it. afterFirst and afterThen are what comes after the events.
	first, then           []Site
	afterFirst, afterThen Site
	afterPassing          Site // after first, in runs that pass
	late                  bool
}

// ordering finds the positions of a pair in what plain runs do.
func (s *search) ordering(p *Pair) (*ordering, error) {
	moved, after, err := s.around(p.Moved)
	if err != nil {
		return nil, err
	}
	seen, _, err := s.around(p.Seen)
	if err != nil {
		return nil, err
	}
	if p.Late {
		return &ordering{s: s, first: seen, afterFirst: p.Failing.site(), afterPassing: p.Passing.site(), then: moved, afterThen: after, late: true}, nil
	}
	return &ordering{s: s, first: moved, afterFirst: after, then: seen, afterThen: p.Passing.site()}, nil
}

// around returns the positions from a visit backwards in its goroutine, and the one after
// it. Where plain runs don't come to it there is the visit alone, and the goroutine's end.
func (s *search) around(v Visit) (back []Site, after Site, err error) {
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
func (s *search) visitedBy(v Visit) ([]Site, error) {
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
func (s *search) longest(id trace.GoroutineID) (name string, err error) {
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

// find looks for an order that fails, for the other one that passes, and confirms both.
func (o *ordering) find() error {
	for _, then := range o.then {
		for _, t := range o.failing(then) {
			f, err := o.fails(t, then)
			if err != nil {
				return err
			}
			if f != nil {
				return o.conclude(f)
			}
		}
	}
	return nil
}

// conclude looks for the other order and a sham of a finding, and confirms it.
func (o *ordering) conclude(f *Finding) error {
	if err := o.cure(f); err != nil {
		return err
	}
	if err := o.sham(f); err != nil {
		return err
	}
	if err := o.s.confirm(f); err != nil {
		return err
	}
	if err := o.s.passedSo(f); err != nil {
		return err
	}
	if f.Unforced.PassedSo > 0 {
		f.Verdict = min(f.Verdict, proof.Reproduced)
	}
	o.s.orderTiming(f)
	for i := 0; i < len(o.first) && o.late && f.Slept == ""; i++ {
		f.Slept = o.s.sleptAt(&o.first[i])
	}
	return o.s.keepFinding(f)
}

// failing returns trials in which then comes after first. Where a goroutine was late the
// other one may come too soon for that alone: then it waits until the late one is there.
func (o *ordering) failing(then Site) []Trial {
	list := []Trial{do(o.order(then, o.afterFirst))}
	if o.late {
		for _, first := range o.first[:min(len(o.first), 2)] {
			list = append(list, o.meeting(first, then, o.afterFirst))
		}
	}
	return list
}

// meeting returns a trial in which first comes while the other goroutine is at then.
func (o *ordering) meeting(first, then, afterFirst Site) Trial {
	return do(o.order(then, afterFirst), o.order(first, then))
}

// order has a goroutine wait at a site until the other has come to its own.
func (o *ordering) order(hold, until Site) perturb.Act {
	limit := min(max(leastOrderLimit, 2*o.s.p.Elapsed), mostOrderLimit)
	return perturb.Order(hold.position(), until.position(), limit)
}

// fails returns a finding if a trial fails again and again.
func (o *ordering) fails(t Trial, then Site) (*Finding, error) {
	out, err := o.s.first("orders", t)
	if err != nil || !out.Ran || !out.Failed || !t.met(out) {
		return nil, err
	}
	f, err := o.s.provoked(t, nil, out)
	if f != nil {
		f.ordered = &Ordered{First: o.first[0], Then: then}
	}
	return f, err
}

// cure looks for the other order: first after then.
func (o *ordering) cure(f *Finding) error {
	base, err := o.s.baseRate(&f.Sig)
	if err != nil {
		return err
	}
	need := min(o.s.passesInARow(base), proof.ConfirmRuns)
	for _, first := range o.first {
		if is, err := o.passesWith(f, do(o.order(first, o.afterThen)), need); is || err != nil {
			return err
		}
	}
	if !o.late {
		return nil
	}
	if err := o.cureLater(f, need); f.cure != nil || err != nil {
		return err
	}
	return o.cureMeeting(f, need)
}

// passesWith reports whether the test passes again and again with a trial, which is the cure then.
func (o *ordering) passesWith(f *Finding, t Trial, need int) (bool, error) {
	is, acts, err := o.s.always(o.s.ctx, "other order", t, &f.Sig, false, need)
	if err != nil || !is || !acts {
		return false, err
	}
	f.cure = &t
	return true, nil
}

// cureMeeting looks for a cure where the other goroutine may come to then again: first comes while
// it is at one of the positions that follow.
func (o *ordering) cureMeeting(f *Finding, need int) error {
	all, err := o.lateSites(f)
	if err != nil {
		return err
	}
	for _, next := range firstVisits(all, f.ordered.Then) {
		if is, err := o.passesWith(f, o.meeting(o.first[0], next, o.afterPassing), need); is || err != nil {
			return err
		}
	}
	return nil
}

// lateSites returns all that the goroutine that comes later in failing runs comes to, in order.
func (o *ordering) lateSites(f *Finding) ([]Site, error) {
	return o.s.visitedBy(f.ordered.Then.goroutine())
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
func (s *search) orderTiming(f *Finding) {
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

// sham chooses an order of the same goroutines that says nothing of the pair: the one that
// is held in failing runs waits for what the other does before.
func (o *ordering) sham(f *Finding) error {
	first := f.ordered.First
	all, err := o.s.visitedBy(first.goroutine())
	if err != nil {
		return err
	}
	tried := 0
	for _, other := range all {
		if other == f.ordered.First || tried == maxShams {
			break
		}
		tried++
		t := do(o.order(f.ordered.Then, other))
		for range shamRounds {
			if is, err := o.s.shamIs(f, t); is || err != nil {
				return err
			}
		}
	}
	return nil
}
