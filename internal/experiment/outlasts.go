package experiment

import (
	"errors"
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
	Text string        // as it is written in the source, with its place; "" if that is not known
}

// empty reports whether a plan proves nothing of the test, since it only outlasts a limit of time. The limit is kept.
func (b *bench) empty(p search.Plan, failure string) (bool, error) {
	o, t := b.sigs[failure], b.trial(p)
	if o == nil {
		return false, nil
	}
	limit, err := b.outlasts(t, &o.Signature)
	if errors.Is(err, errSpent) {
		b.spent, err = true, search.ErrSpent
	}
	if limit == nil {
		return false, err
	}
	limit.Sig = o.Signature
	b.limited = append(b.limited, *limit)
	for _, a := range p {
		if h, ok := a.(act); ok && h.Holds() {
			b.short[h.At.Class] = b.farBelow(limit.Dose)
		}
	}
	return true, err
}

// outlasts returns the limit of time that decides where a trial makes the test fail only because goroutines are held
// for longer than that; nil if there is none. Then a much shorter hold does not, and neither does the same one with
// timers that fire later, and clocks that stand still meanwhile. A sleep is no limit: it is as long as before.
func (b *bench) outlasts(t Trial, sig *runner.Signature) (*Limit, error) {
	dose := t.dose()
	below := b.farBelow(dose)
	if dose <= below {
		return nil, nil
	}
	with := proof.Count{Failed: limitRuns, Of: limitRuns}
	is, err := b.passes(t.times(float64(below)/float64(dose), freedom.Step.Holds), sig, with)
	if err != nil || !is {
		return nil, err
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
	if w := b.limitUpTo(dose); w != nil && b.setsTimer(w.File, w.Line) {
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

// knownLimit reports whether holds have shown that a failure comes when something takes longer than a limit of time.
func (b *bench) knownLimit(sig runner.Signature) bool {
	return slices.ContainsFunc(b.limited, func(l Limit) bool { return same(l.Sig, sig) })
}

// farBelow returns a hold far shorter than any limit that one of a length may outlast: any machine may delay so long.
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

// setsTimer reports whether a timer is set in a line.
func (b *bench) setsTimer(file string, line int) bool {
	return slices.ContainsFunc(b.askers(trace.ActTimer), func(block uint32) bool {
		span, ok := b.Sites.Pos(int(block))
		return ok && span.Has(file, line)
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

// later returns acts that have timers fire later, and clocks stand still during holds, as far as the test has any.
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

// hardlyEver reports whether plain runs, and recorded ones that are like them, fail so seldom that they pass as a cure.
func (b *bench) hardlyEver(sig *runner.Signature) bool {
	c := b.plainCount(sig)
	if r := b.recorded(sig); proof.Chance(c, r) >= proof.ShamDiffers {
		c = c.Plus(r)
	}
	return c.FailsRarely()
}
