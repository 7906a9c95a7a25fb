package experiment

import (
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
)

// meets reports whether an act decides how goroutines meet.
func meets(a freedom.Step) bool { return a.Holds() || a.Orders() }

// narrow returns the finding of the law behind another one, if fresh runs prove it: else that one.
func (b *bench) narrow(f *Finding, x *searched) (*Finding, error) {
	if f.Verdict < proof.Reproduced || b.spent || x.Always || !b.does("order") || !f.Trial.Plan.Does(meets) {
		return f, nil
	}
	defer b.lend(lawTime)()
	plain, sig := x.Confirmed.Plain, b.sigs[x.Failure].Signature
	l, err := b.Law(b.ctx, f.Trial, &sig, float64(plain.Failed)/float64(max(plain.Of, 1)))
	switch {
	case err != nil || l.Kind == law.None:
		return f, err
	case l.Kind == law.Deadline:
		f.Law.Kind = proof.LawDeadline
		return f, nil
	}
	next := &searched{Failure: x.Failure, Tried: x.Tried, Plan: b.forcing(x.Plan, l.Waits),
		Opposite: b.forcing(x.Plan, l.Opposite)}
	if l.Elsewhere != nil {
		next.Elsewhere = b.forcing(x.Plan, l.Elsewhere)
	}
	s := &search.Search{Runner: b, Known: b.known()}
	if err = s.Confirm(b.ctx, next); err != nil || next.Verdict != proof.Proved {
		return f, err
	}
	f = b.finding(next)
	b.ruled(f, &l)
	return f, nil
}

// lend gives experiments more time, and returns what takes it back.
func (b *bench) lend(more time.Duration) (back func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	until := b.Until
	if !until.IsZero() {
		b.Until = until.Add(more)
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.Until = until
	}
}

// forcing returns a plan in which goroutines wait for each other, and all else is as in another one.
func (b *bench) forcing(p search.Plan, waits []law.Wait) search.Plan {
	p = slices.DeleteFunc(slices.Clone(p), func(a search.Act) bool {
		t := b.trial(search.Plan{a})
		return t.Plan.Does(meets)
	})
	for _, w := range waits {
		p = append(p, b.act(freedom.Act[Site]{Kind: trace.ActOrder, At: b.siteOf(w.At), Until: b.siteOf(w.Until),
			Dose: orderLimit(b.p.Elapsed)}))
	}
	return p
}

// siteOf returns where a step of a law begins.
func (e *Experimenter) siteOf(s law.Step) Site {
	at := Site{G: freedom.Goroutine{ID: trace.GoroutineID(s.G)}, Block: s.Block, Hit: s.Hit, ByHit: true, Test: e.Test}
	if s.Block == 0 {
		at.Block = freedom.End
	}
	return at
}

// ruled completes the finding of a law by its steps.
func (b *bench) ruled(f *Finding, l *law.Law) {
	f.ordered = &Ordered{First: b.siteOf(l.F), Then: b.siteOf(l.B)}
	f.Law.Kind = proof.LawOrder
	if l.Kind == law.Between {
		f.Law.Kind, f.after = proof.LawBetween, ptr(b.siteOf(l.A))
	}
}
