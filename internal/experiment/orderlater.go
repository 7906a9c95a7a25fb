package experiment

import (
	"slices"
)

// cureLater looks for the other order where it is not enough that the late goroutine has come past
// the event that a hint names, which is where the comparison saw it last: what decides may come
// after that. The goroutine that looked waits until the late one has ended. If the test passes so,
// the earliest position that suffices in place of the end is looked for, and what comes
// last before it becomes the event: the one that must have happened.
func (o *ordering) cureLater(f *Finding, need int) error {
	all, err := o.lateSites(f)
	at := slices.Index(all, f.ordered.Then)
	if at < 0 || err != nil {
		return err
	}
	end := f.ordered.Then.goroutine().site()
	for _, first := range o.first {
		cured, err := o.passesWith(f, do(o.order(first, end)), need)
		if err != nil {
			return err
		}
		if !cured {
			continue
		}
		until, err := o.earliest(f, first, all[at+1:], need)
		if err != nil {
			return err
		}
		return o.latest(f, all[at+1:at+1+until])
	}
	return nil
}

// earliest returns the index of the first of some sites, in the order in which the late goroutine
// comes to them, that it suffices to wait for; their number, if only its end does. It halves, since
// where one suffices so does what comes after it.
func (o *ordering) earliest(f *Finding, first Site, sites []Site, need int) (int, error) {
	in, out := 0, len(sites)
	for in < out {
		mid := (in + out) / 2
		passes, err := o.passesWith(f, do(o.order(first, sites[mid])), need)
		if err != nil {
			return 0, err
		}
		if passes {
			out = mid
		} else {
			in = mid + 1
		}
	}
	return out, nil
}

// latest holds the late goroutine as late as the test still fails: of the sites up to what it suffices
// to wait for, the last is tried first. Where it can't be held there, as in a critical section
// that the other one needs, what comes before is.
func (o *ordering) latest(f *Finding, sites []Site) error {
	for _, then := range slices.Backward(sites[max(0, len(sites)-maxBack):]) {
		for _, t := range o.failing(then) {
			is, acts, err := o.s.always(o.s.ctx, "orders", t, &f.Sig, true, o.s.inARow(&f.Sig))
			if err != nil {
				return err
			}
			if is && acts {
				f.Trial, f.ordered.Then = t, then
				return nil
			}
		}
	}
	return nil
}
