package experiment

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/law"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A lawRunner makes the runs of package law.
type lawRunner struct {
	e     *Experimenter
	trial Trial        // that makes the test fail
	act   freedom.Step // its last hold, which is to be explained
	sig   *runner.Signature
	limit time.Duration                    // of a wait
	whole map[trace.GoroutineID]law.Course // of a run that passes
	borne map[trace.Event]bool             // checks that fail there, as a panic that is recovered

	// Of the run that is read last:
	failed, latest int64      // bounds of when the first check failed
	unsure         []law.Step // the first of each other goroutine that may have come before the hold, or after
}

const (
	heldRuns  = 30 // that show nothing, after which no other one is tried
	gatedRuns = 6  // the same, where others wait for the goroutine to be held
)

// Held returns a failing run. Of a burst of events only the beginning has a time: what others did in one that began
// before the hold may have come after it. So they wait for it then.
func (l *lawRunner) Held(ctx context.Context, at law.Step, gates []law.Wait) (*law.Held, error) {
	trial := l.trial
	if at.G != 0 {
		trial = l.holding(at)
	}
	if len(gates) > 0 {
		if h, err := l.failing(ctx, l.waiting(trial, gates), gatedRuns); h != nil || err != nil {
			return h, err
		}
	}
	h, err := l.failing(ctx, trial, heldRuns)
	if h == nil || err != nil || len(l.unsure) == 0 {
		return h, err
	}
	late, at := l.failed >= h.From, h.G[h.At]
	var waits []law.Wait
	for _, s := range l.unsure {
		waits = append(waits, law.Wait{At: s, Until: at})
	}
	gated, err := l.failing(ctx, l.waiting(l.holding(at), waits), gatedRuns)
	switch {
	case err != nil || gated != nil && l.failed >= gated.From:
		return gated, err
	case late:
		return h, nil
	}
	return nil, nil
}

// failing makes runs of a trial until one fails while its first hold lasts, or may do so.
func (l *lawRunner) failing(ctx context.Context, t Trial, most int) (*law.Held, error) {
	if len(t.Plan.Of(freedom.Step.Orders)) > freedom.MaxOrders {
		return nil, nil // a run can't have so many
	}
	for range most {
		o, err := l.e.run(ctx, t, true)
		if err != nil {
			return nil, err
		}
		if t.tells(o, l.sig) != proof.TellsFailure || o.Trace == "" {
			continue
		}
		if h, err := l.read(ctx, o); h != nil || err != nil {
			return h, err
		}
	}
	return nil, nil
}

// read returns a run in which the goroutine may have been held before the test failed, nil if it was not.
func (l *lawRunner) read(ctx context.Context, o *Outcome) (*law.Held, error) {
	n := len(l.trial.Plan.Of(freedom.Step.Holds)) - 1
	i := slices.IndexFunc(o.Acts, func(a Act) bool { return a.Kind == l.act.Kind && a.Index == n && a.Applied })
	if i < 0 {
		return nil, nil
	}
	act := o.Acts[i]
	t, err := l.e.open(ctx, o.Trace)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	h := &law.Held{From: act.Start, To: cmp.Or(act.Held, law.Never-act.Start) + act.Start,
		Class: make(map[law.Goroutine]uint64)}
	if err := l.complete(ctx); err != nil {
		return nil, err
	}
	l.failed, l.latest, l.unsure = law.Never, law.Never, nil
	var own, first, more []law.Course
	seen := make(map[uint64]bool) // classes
	for _, g := range t.GoroutinesOf(l.e.Test) {
		c, at, err := l.course(t, g, act)
		h.Class[law.Goroutine(g.ID)] = g.Class
		switch {
		case err != nil:
			return nil, err
		case g.ID == act.ID:
			h.G, h.At = c, at
		case len(c) == 0:
		case g.Root && g.Test == act.Test:
			own = append(own, c)
		case g.Root || seen[g.Class]:
			more = append(more, c)
		default:
			first, seen[g.Class] = append(first, c), true
		}
	}
	h.Others = slices.Concat(own, first, more)
	if h.At >= len(h.G) || l.latest < h.From {
		return nil, nil
	}
	return h, nil
}

// complete reads what goroutines do in a run that passes.
func (l *lawRunner) complete(ctx context.Context) error {
	for n := 0; l.whole == nil && n < heldRuns; n++ {
		o, err := l.e.run(ctx, Trial{Before: l.trial.Before, Suite: l.trial.Suite, Shuffle: l.trial.Shuffle}, true)
		if err != nil {
			return err
		}
		if !o.Ran || o.Failed || o.Trace == "" {
			continue
		}
		t, err := l.e.open(ctx, o.Trace)
		if err != nil {
			return err
		}
		defer t.Close()
		l.whole, l.borne = make(map[trace.GoroutineID]law.Course), make(map[trace.Event]bool)
		for _, g := range t.GoroutinesOf(l.e.Test) {
			if l.whole[g.ID], _, err = l.course(t, g, Act{}); err != nil {
				return err
			}
		}
	}
	return nil
}

// course returns the steps of a goroutine that others can notice, and the number of the one before which it was held, if
// it was. One that the end of the run cut short goes on as in a run that passes.
func (l *lawRunner) course(t *trace.Trace, g *trace.Goroutine, act Act) (c law.Course, at int, err error) {
	id, quiet, held := law.Goroutine(g.ID), l.e.quietOnce(), g.ID == act.ID
	hits, unsure := make(map[int]int), false
	at = -1
	err = events(g, func(n int64, ev trace.Event) bool {
		earliest, latest := g.Between(n)
		if k, _, ok := ev.Check(); ok && !act.Applied {
			l.borne[ev] = true
		} else if ok && k != trace.CheckSkip && !l.borne[ev] && earliest < l.failed {
			l.failed, l.latest = earliest, latest
		}
		b, ok := ev.Block()
		if !ok || !l.e.Sites.Has(b) {
			return true
		}
		hits[b]++
		isHeld := held && at < 0 && n >= int64(act.Event)
		if quiet[b] && !isHeld && len(c) > 0 {
			return true
		}
		if isHeld {
			at = len(c)
		}
		from, _ := g.Burst(n)
		came := min(latest, earliest+eventTakes*(n-from))
		c = append(c, law.Step{G: id, Block: b, Hit: hits[b], At: came, Timer: byTimer(t, g, n)})
		if !held && !unsure && earliest < act.Start && act.Start <= latest {
			l.unsure, unsure = append(l.unsure, c[len(c)-1]), true
		}
		if d := came - act.Start; act.Start > 0 && (act.Held == 0 || d < act.Held) { // others take as long
			l.limit = max(l.limit, min(2*time.Duration(d), mostOrderLimit))
		}
		return true
	})
	if held && at < 0 { // to the end of the run
		at, c = len(c), append(c, law.Step{G: id, Block: int(act.Block), Hit: hits[int(act.Block)] + 1, At: act.Start})
	}
	switch {
	case g.End != 0:
		c = append(c, law.Step{G: id, At: g.End})
	case len(c) > 0:
		last, rest := c[len(c)-1], l.whole[g.ID]
		i := slices.IndexFunc(rest, func(s law.Step) bool { return s.Block == last.Block && s.Hit == last.Hit })
		if i < 0 { // it went another way then
			rest = law.Course{{G: id}}
		}
		for _, s := range rest[i+1:] {
			s.At = law.Never
			c = append(c, s)
		}
	}
	return c, at, err
}

// eventTakes is how long an event is believed to take, in ns, where nothing is known but when a burst of them began.
const eventTakes = 200

// byTimer reports whether a goroutine went on at an event because a timer was over, of things it had waited for.
func byTimer(t *trace.Trace, g *trace.Goroutine, n int64) bool {
	i := slices.IndexFunc(g.Stamps, func(s trace.Stamp) bool { return s.GoesOn && s.Pos == n })
	return i > 0 && g.Stamps[i].Waker == trace.WakerTimer && !g.Stamps[i-1].GoesOn &&
		t.Reasons[g.Stamps[i-1].Reason] == "select"
}

func (l *lawRunner) Wait(ctx context.Context, waits []law.Wait) (law.Outcome, error) {
	t := l.trial
	if t.Plan = t.Plan.Without(freedom.Step.Holds); len(waits) > freedom.MaxOrders {
		return law.Outcome{}, nil // a run can't have so many
	}
	return l.outcome(l.e.run(ctx, l.waiting(t, waits), false))
}

// waiting returns a trial in which goroutines wait for each other, too.
func (l *lawRunner) waiting(t Trial, waits []law.Wait) Trial {
	for _, w := range waits {
		t.Plan = t.Plan.With(freedom.Order(l.e.siteOf(w.At).Position(), l.e.siteOf(w.Until).Position(), l.limit))
	}
	return t
}

func (l *lawRunner) Hold(ctx context.Context, at law.Step) (law.Outcome, error) {
	return l.outcome(l.e.run(ctx, l.holding(at), false))
}

// holding returns the trial with a hold before a step, as long as sufficed.
func (l *lawRunner) holding(at law.Step) Trial {
	hold := freedom.Stall(l.e.siteOf(at).Position(), max(l.act.Dose, leastDose), false)
	return l.trial.instead(l.act, hold)
}

// outcome classifies a run by the failure that is explained, whether all of its waits have acted or not.
func (l *lawRunner) outcome(o *Outcome, err error) (x law.Outcome, _ error) {
	if err != nil {
		return x, err
	}
	is := o.Tells(l.sig)
	x.Failed, x.Passed = is == proof.TellsFailure, is == proof.TellsPass
	for _, a := range o.Acts {
		if a.Kind != trace.ActOrder || !a.Applied {
			continue
		}
		x.Acted = append(x.Acted, a.Index)
		if !a.Met {
			x.Unmet = append(x.Unmet, a.Index)
		}
		if !a.Met && a.Held >= int64(l.limit) {
			x.Expired = append(x.Expired, a.Index)
		}
	}
	return x, nil
}
