package law

import "slices"

// A plan is waits that force how goroutines meet.
type plan struct {
	waits []Wait
	must  int // number of the wait that has to act, -1 for none
	// free is the number from which on a wait may run into its limit: a goroutine that stops there holds a lock that G
	// needs. Then it goes on, and what follows is as if it had not stopped.
	free int
}

// waiting returns how a plan is run, and which of its runs tell something.
func (f *finder) waiting(p plan) (run func() (Outcome, error), told func(*Outcome) bool) {
	run = func() (Outcome, error) {
		o, err := f.run.Wait(f.ctx, slices.Concat(p.waits, f.turns))
		o.away = p.must >= 0 && slices.ContainsFunc(o.vain(), func(n int) bool {
			return n < len(p.waits) && p.waits[n].Until.is(p.waits[p.must].At)
		})
		return o, err
	}
	return run, func(o *Outcome) bool {
		if p.must >= 0 && !slices.Contains(o.Acted, p.must) {
			return false
		}
		return !slices.ContainsFunc(o.vain(), func(n int) bool { return p.free == 0 || n < p.free })
	}
}

// meet is G being before a step while another goroutine does one of its own.
func (f *finder) meet(at, partner Step) plan {
	past := f.held.course(partner.G).after(partner)
	p := plan{waits: []Wait{{partner, at}, {at, past}}, must: 1, free: 2}
	if past.Block != 0 {
		p.waits = append(p.waits, Wait{past, f.held.G.after(at)})
	}
	return p
}

// opposite is another goroutine being before one of its steps while G does its own. G then waits for it: it may do the
// same again.
func (f *finder) opposite(b, partner Step) plan {
	past := f.held.G.after(b)
	p := plan{waits: []Wait{{partner, past}}, must: -1, free: 1}
	if past.Block != 0 {
		p.waits = append(p.waits, Wait{past, f.held.course(partner.G).after(partner)})
	}
	return p
}

// never is each goroutine like another one being before the step while all that are like G do theirs: if these are the
// same, somebody has to be the first.
func (f *finder) never(b, partner Step) plan {
	if f.held.Class[b.G] == f.held.Class[partner.G] {
		return plan{}
	}
	waits := each(f.held.alike(partner), f.held.pasts(b))
	return plan{waits: waits, must: -1, free: len(waits)}
}

// each has goroutines wait before steps, each until all others have come to theirs.
func each(at, until []Step) (list []Wait) {
	for _, s := range at {
		for _, u := range until {
			list = append(list, Wait{s, u})
		}
	}
	return list
}

// least returns a plan without the stop that comes last in it, if that was in vain: the goroutine stopped where it has
// what the other one needs, or that goes elsewhere.
func (f *finder) least(p plan) plan {
	run, told := f.waiting(p)
	stopped := true
	f.ask(run, func(o *Outcome) bool {
		stopped = stopped && !slices.Contains(o.Unmet, p.free)
		return told(o)
	})
	if !stopped {
		p.waits = p.waits[:p.free]
	}
	return p
}

// whole is G being before a step while another goroutine does all that it did meanwhile, from one of its steps on. It
// may wait for G at last, but not before that step: there G has a lock that it needs.
func (f *finder) whole(at, partner Step) plan {
	end := partner
	for _, s := range f.others {
		if s.G == partner.G {
			end = s
		}
	}
	past := f.held.course(partner.G).after(partner)
	return plan{waits: []Wait{{partner, at}, {at, past}, {at, end}}, must: 1, free: 2}
}

// cut asks what comes of a run in which each other goroutine has come to its last step up to the i-th of them, and does
// not do it before G is past its own. With -1, they do nothing until G is there, and G does not wait.
func (f *finder) cut(i int) answer {
	return f.ask(f.waiting(f.cutting(i)))
}

func (f *finder) cutting(i int) plan {
	pasts := []Step{f.held.G.after(f.at)}
	if f.each {
		pasts = f.held.pasts(f.at)
	}
	var gates, arrivals []Wait
	var stops []Step
	first, came := make(map[Goroutine]bool), make(map[Goroutine]bool)
	for _, s := range slices.Backward(f.others[:i+1]) {
		if !came[s.G] {
			came[s.G] = true
			arrivals = append(arrivals, Wait{f.at, s})
			if s.Block != 0 {
				stops = append(stops, s)
			}
		}
	}
	for _, s := range f.others {
		if s.Block == 0 || first[s.G] { // nothing of it comes before
			continue
		}
		first[s.G] = true
		gates = append(gates, Wait{s, f.at})
		if !came[s.G] {
			stops = append(stops, s)
		}
	}
	p := plan{waits: slices.Concat(gates, arrivals, each(stops, pasts)), must: -1, free: len(gates) + len(arrivals)}
	if len(arrivals) > 0 {
		p.must = len(gates)
	}
	return p
}
