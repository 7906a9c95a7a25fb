package experiment

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/search"
	"github.com/fdebug/fdebug/trace"
)

const (
	belowLimit = 0.6 // times a limit in the source is far below it
	aboveUsual = 1.5 // times as long as the test takes is far above that
	lateBy     = 2   // times as long as goroutines are held are timers late
	limitRuns  = 5
)

// A Limit is a limit of time which decides only where a goroutine is held until it is over: no flake, but a failure
// that a slower machine would meet.
type Limit struct {
	Sig  runner.Signature
	Dose time.Duration // with which it is over
	// Text is the limit as it is written in the source, with its place; "" if that is not known.
	Text string
}

// empty reports whether a failure by a plan proves nothing of the test: it only lasts longer than a limit of time.
func (b *bench) empty(p search.Plan, failure string) (is bool, err error) {
	o, t := b.sigs[failure], b.trial(p)
	if o == nil {
		return false, nil
	}
	limit, err := b.noteLimit(t, o.Signature)
	if limit != nil {
		for _, a := range p {
			if h, ok := a.(act); ok && h.Holds() {
				b.short[h.At.Class] = b.farBelow(limit.Dose)
			}
		}
	}
	if errors.Is(err, errSpent) {
		b.spent, err = true, search.ErrSpent
	}
	return limit != nil, err
}

// noteLimit keeps the limit of time that a failure shows, and returns it; nil if it shows none.
func (b *bench) noteLimit(t Trial, sig runner.Signature) (*Limit, error) {
	l, err := b.outlasts(t, &sig)
	if l != nil {
		l.Sig = sig
		b.limited = append(b.limited, *l)
	}
	return l, err
}

// outlasts returns the limit of time that decides where a trial makes the test fail only because goroutines are held
// for longer than that; nil if there is none. Then a much shorter hold does not, and neither does the same one with
// timers that fire later, and clocks that stand still meanwhile. A sleep is no limit: it is as long as before.
func (b *bench) outlasts(t Trial, sig *runner.Signature) (*Limit, error) {
	dose, err := b.lasts(&t, sig)
	below := b.farBelow(dose)
	if err != nil || dose <= below {
		return nil, err
	}
	with := proof.Count{Failed: limitRuns, Of: limitRuns}
	if less := t.times(float64(below)/float64(dose), freedom.Step.Holds); !slices.Equal(less.Plan.Acts, t.Plan.Acts) {
		if is, err := b.passes(less, sig, with); err != nil || !is {
			return nil, err
		}
	}
	if with, err = b.count(b.ctx, t, sig, limitRuns); err == nil && with.Failed < limitRuns-1 {
		with, err = b.count(b.ctx, t, sig, proof.ConfirmRuns)
	}
	if err != nil {
		return nil, err
	}
	later, err := b.later(lateBy * max(dose, t.hold()))
	if err != nil || len(later) == 0 {
		return nil, err
	}
	if is, err := b.passes(t.with(later...), sig, with); err != nil || !is {
		return nil, err
	}
	if !b.hardlyEver(sig) { // the limit may decide in runs with nothing else done
		c, err := b.count(b.ctx, do(later...), sig, proof.ConfirmRuns)
		if err != nil || c.FailsRarely() {
			return nil, err
		}
	}
	l := &Limit{Dose: dose}
	if w := b.limitUpTo(dose); w != nil && b.setsTimer(w) {
		l.Text = w.String()
	}
	return l, nil
}

// times returns t with some acts, holds or limits of orders, that are n times as long.
func (t Trial) times(n float64, which func(freedom.Step) bool) Trial {
	return t.each(func(a freedom.Step) freedom.Step {
		if which(a) {
			a.Dose = time.Duration(float64(a.Dose) * n)
		}
		return a
	})
}

// lasts returns how long a trial holds up the test.
func (b *bench) lasts(t *Trial, sig *runner.Signature) (time.Duration, error) {
	if d := t.dose(); d > 0 || !t.Plan.Does(freedom.Step.Orders) {
		return d, nil
	}
	o, _, err := b.once(b.ctx, *t, sig)
	if err != nil {
		return 0, err
	}
	return o.heldFor(), nil
}

// knownLimit reports whether holds have shown that a failure comes when something takes longer than a limit of time.
func (b *bench) knownLimit(sig runner.Signature) bool {
	return slices.ContainsFunc(b.limited, func(l Limit) bool { return same(l.Sig, sig) })
}

// leftOver looks for limits of time in failures that have no verdict.
func (b *bench) leftOver() error {
	b.mu.Lock()
	b.grace = true
	b.mu.Unlock()
	for _, name := range slices.SortedFunc(maps.Keys(b.sigs), func(x, y string) int { return b.came[x] - b.came[y] }) {
		sig, t := b.sigs[name].Signature, b.made[name]
		if b.natural(sig) || slices.ContainsFunc(b.found, func(f *Finding) bool { return same(f.Sig, sig) }) ||
			b.knownLimit(sig) || slices.ContainsFunc(b.limited, func(l Limit) bool { return t.hold() >= l.Dose }) {
			continue
		}
		if _, err := b.noteLimit(t, sig); err != nil {
			return err
		}
	}
	return nil
}

// farBelow returns a hold that is far shorter than any limit which one of a length may outlast. A delay no longer
// than that can come on any machine.
func (b *bench) farBelow(dose time.Duration) time.Duration {
	d := times(b.p.Elapsed, aboveUsual)
	if l := b.limitUpTo(dose); l != nil {
		d = min(d, times(l.D, belowLimit))
	}
	return max(d, leastDose)
}

// limitUpTo returns the longest limit of time in the source that is no longer than a hold, nil if there is none.
func (b *bench) limitUpTo(dose time.Duration) (longest *timeLimit) {
	for _, l := range b.limits() {
		if !l.Slept && l.D <= dose && (longest == nil || l.D > longest.D) {
			longest = &l
		}
	}
	return longest
}

// setsTimer reports whether a timer is set in the lines of a limit.
func (b *bench) setsTimer(l *timeLimit) bool {
	return slices.ContainsFunc(b.askers(trace.ActTimer), func(block uint32) bool {
		span, ok := b.Sites.Pos(int(block))
		return ok && span.Has(l.File, l.Line)
	})
}

// passes reports whether a trial makes the test fail no more often than by itself, and less often than other runs did.
func (b *bench) passes(t Trial, sig *runner.Signature, with proof.Count) (bool, error) {
	c, err := b.count(b.ctx, t, sig, max(with.Of, limitRuns))
	most := 0
	if !b.hardlyEver(sig) {
		most = c.Of / 2
	}
	return c.Failed <= most && proof.Told(with, c), err
}

// later returns acts that have timers fire later, and clocks stand still while somebody is held, as far as the test
// has any.
func (b *bench) later(by time.Duration) (acts []freedom.Step, err error) {
	is, err := b.readsClock()
	if b.Asks(trace.ActTimer) {
		acts = append(acts, freedom.Late(0, by))
	}
	if is && freedom.OneClock([]freedom.Step{freedom.Still()}, offer{b}) {
		acts = append(acts, freedom.Still())
	}
	return acts, err
}

// hardlyEver reports whether plain runs fail with a signature so seldom that they would
// pass as a cure. Recorded runs of the whole package count if it is the same in them.
func (b *bench) hardlyEver(sig *runner.Signature) bool {
	c := b.plainCount(sig)
	if r := b.recorded(sig); proof.Chance(c, r) >= proof.ShamDiffers {
		c = c.Plus(r)
	}
	return c.FailsRarely()
}
