package experiment

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/law"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/trace"
)

// An Ordered is the order of two events that makes a test fail: First comes before Then.
type Ordered struct{ First, Then Site }

// orderLimit is how long an order is waited for in a test that takes so long.
func orderLimit(usual time.Duration) time.Duration {
	return min(max(leastOrderLimit, 2*usual), mostOrderLimit)
}

const (
	leastOrderLimit = 100 * time.Millisecond // for which an order is waited for
	mostOrderLimit  = 2 * time.Second
	lawTime         = time.Minute // for which a law is looked for beyond the time of the search
	mostMeeting     = lawTime / 2 // of it, where goroutines meet
)

// meets reports whether an act decides how goroutines meet.
func meets(a freedom.Step) bool { return a.Holds() || a.Orders() }

// narrowed returns the law behind a hold of a find that is confirmed, nil if it has none.
func (b *bench) narrowed(x *search.Found, hold act) (*search.Law, error) {
	if x.Confirmed.Verdict() < proof.Reproduced || x.Always || !b.does("order") {
		return nil, nil
	}
	plain, sig := x.Confirmed.Plain, b.sigs[x.Failure].Signature
	act := b.trial(search.Plan{hold}).Plan.Acts[0]
	run := &lawRunner{e: b.Experimenter, trial: b.trial(x.Plan).instead(act, act), act: act, sig: &sig,
		limit: orderLimit(b.Usual())}
	ctx, cancel := context.WithTimeout(b.ctx, mostMeeting)
	defer cancel()
	l, err := law.Find(ctx, run, float64(plain.Failed)/float64(max(plain.Of, 1)))
	says := ruled{Law: proof.Law{Kind: proof.LawOrder}}
	switch {
	case ctx.Err() != nil && b.ctx.Err() == nil:
		return nil, nil
	case errors.Is(err, errSpent):
		return nil, search.ErrSpent
	case err != nil || l.Kind == law.None:
		return nil, err
	case l.Kind == law.Deadline:
		if says.Kind = proof.LawDeadline; l.F.G != 0 {
			says.after = ptr(b.siteOf(l.F))
		}
		return &search.Law{Says: says}, nil
	case l.Kind == law.Between:
		says.Kind, says.after = proof.LawBetween, ptr(b.siteOf(l.A))
	}
	says.ordered = &Ordered{First: b.siteOf(l.F), Then: b.siteOf(l.B)}
	forced := func(waits []law.Wait) search.Plan { return b.forcing(x.Plan, waits, run.limit) }
	return &search.Law{Fails: []search.Plan{forced(l.Waits)}, Passes: []search.Plan{forced(l.Opposite)},
		Elsewhere: forced(l.Elsewhere), Says: says}, nil
}

// A ruled law has sites: where goroutines meet, the order that is forced and, if that is between, the step before it.
type ruled struct {
	proof.Law
	ordered *Ordered
	after   *Site
	blocks  []int // that set the two timers
}

// lend gives experiments the time for a law, and returns what takes it back.
func (b *bench) lend() (back func()) {
	more := func(d time.Duration) {
		b.mu.Lock()
		defer b.mu.Unlock()
		if !b.Until.IsZero() {
			b.Until = b.Until.Add(d)
		}
	}
	more(lawTime)
	return func() { more(-lawTime) }
}

// forcing returns a plan in which goroutines wait for each other, if they do, and all else is as in another one.
func (b *bench) forcing(p search.Plan, waits []law.Wait, limit time.Duration) search.Plan {
	if len(waits) == 0 {
		return nil
	}
	p = slices.DeleteFunc(slices.Clone(p), func(a search.Act) bool {
		t := b.trial(search.Plan{a})
		return t.Plan.Does(meets)
	})
	for _, w := range waits {
		p = append(p, b.act(freedom.Act[Site]{Kind: trace.ActOrder, At: b.siteOf(w.At), Until: b.siteOf(w.Until),
			Dose: limit}))
	}
	return p
}

// siteOf returns where a step of a law begins.
func (e *Experimenter) siteOf(s law.Step) Site {
	at := freedom.SiteAt(trace.GoroutineID(s.G), uint32(s.Block), s.Hit)
	if s.Block == 0 {
		at.Block = freedom.End
	}
	return at
}
