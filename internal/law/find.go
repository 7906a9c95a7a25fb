package law

import (
	"context"
	"math"
	"slices"
)

// tries is how many failing runs are looked into.
const tries = 6

// Find returns the law of an act, of kind None if it has none. plain is the rate at which the test fails by itself.
// until is the goroutine for which that of the act was waiting, 0 if it was held for a time.
func Find(ctx context.Context, r Runner, plain float64, until Goroutine) (Law, error) {
	f := &finder{ctx: ctx, run: r, plain: min(max(plain, leastRate), mostRate), until: until}
	for n := range tries {
		// The cuts of several goroutines can be such that none of them is at fault, where two are held up one after the
		// other. Then those of one alone work.
		f.alone = n >= tries/2 || until != 0 && n > 0
		held, err := r.Held(ctx)
		if err != nil || held == nil {
			return Law{Runs: f.runs}, err
		}
		if law := f.explain(held); law.Kind != None || f.err != nil {
			law.Runs = f.runs
			return law, f.err
		}
	}
	return Law{Runs: f.runs}, nil
}

// A finder looks for a law.
type finder struct {
	ctx   context.Context
	run   Runner
	plain float64
	until Goroutine
	alone bool // the cuts are of one other goroutine
	runs  int
	err   error // the first of a run; no more are made then

	held   *Held
	at     Step   // of G, where it waits
	others []Step // meanwhile, by time
}

// explain finds the law by one failing run.
func (f *finder) explain(h *Held) Law {
	f.held, f.at, f.others = h, h.G[h.At], h.meanwhile()
	if f.alone {
		f.onlyOne()
	}
	if len(f.others) == 0 {
		return f.late()
	}
	if f.until != 0 && !f.latest() {
		return Law{}
	}
	if f.failsBefore() {
		return Law{}
	}
	last, got := f.lastCut()
	if !got.fails() {
		return f.late()
	}
	partner, ok := f.partner(last)
	if !ok {
		return Law{}
	}
	if h.course(partner.G).after(partner).Timer {
		return Law{Kind: Deadline, B: f.at}
	}
	return f.window(partner)
}

// lastCut returns the last cut that has an answer: where all others wait for G in the end, those behind it have none.
func (f *finder) lastCut() (int, answer) {
	for i := len(f.others) - 1; i >= max(0, len(f.others)-hole) && !f.spent(); i-- {
		if got := f.cut(i); got.of() > 0 {
			return i, got
		}
	}
	return 0, answer{}
}

// onlyOne leaves the steps of one other goroutine: of the one that was waited for, or of the one that came first.
func (f *finder) onlyOne() {
	if len(f.others) == 0 {
		return
	}
	g := f.until
	if g == 0 {
		g = f.others[0].G
	}
	f.others = slices.DeleteFunc(f.others, func(s Step) bool { return s.G != g })
}

// late returns a deadline if time alone decides.
func (f *finder) late() Law {
	a := f.ask(func() (Outcome, error) { return f.run.Hold(f.ctx, f.at) }, nil)
	if !a.fails() {
		return Law{}
	}
	return Law{Kind: Deadline, B: f.at}
}

// failsBefore reports whether the test fails with nothing of what the others did: then this run failed by itself.
func (f *finder) failsBefore() bool {
	return !f.seldom(4, f.cutting(-1))
}

// partner returns the step of another goroutine that decides. It ends at the first cut that fails, or at a cut right
// before it that has no answer.
func (f *finder) partner(last int) (Step, bool) {
	passes, fails := f.first(-1, last, f.cut)
	for i := fails; i > passes && !f.spent(); i-- {
		end := f.others[i]
		step := f.held.course(end.G).before(end)
		if !step.is(end) && f.ask(f.waiting(f.meet(f.at, step))).fails() {
			return step, true
		}
	}
	return Step{}, false
}

// first narrows the numbers between a, which passes, and b, which fails, to two between which none has an answer.
func (f *finder) first(a, b int, try func(int) answer) (passes, fails int) {
	for b-a > 1 && !f.spent() {
		m, got := f.nearMiddle(a, b, try)
		switch {
		case got.of() == 0:
			return a, b
		case got.fails():
			b = m
		default:
			a = m
		}
	}
	return a, b
}

// nearMiddle returns the number between two that is the next to their middle and has an answer.
func (f *finder) nearMiddle(a, b int, try func(int) answer) (int, answer) {
	m := (a + b) / 2
	for d := 0; (m+d < b || m-d > a) && d < hole && !f.spent(); d++ {
		for _, k := range []int{m + d, m - d} {
			if k <= a || k >= b || d == 0 && k != m {
				continue
			}
			if got := try(k); got.of() > 0 {
				return k, got
			}
			if d == 0 {
				break
			}
		}
	}
	return m, answer{}
}

// hole is how many steps in a row may have no answer: a critical section that the other goroutine needs is one.
const hole = 24

// window finds the steps of G between which the partner has to come.
func (f *finder) window(partner Step) Law {
	g := f.held.G
	steps := g[:len(g)-1]
	at := steps.index(f.at)
	last := f.end(at, len(steps), func(k int) answer { return f.ask(f.waiting(f.meet(steps[k], partner))) })
	b := steps[last]
	law := Law{Kind: Order, B: b, F: partner, Waits: f.least(f.meet(b, partner)).waits,
		Opposite: []Wait{{At: partner, Until: g.after(b)}}}
	if first := f.held.course(partner.G)[0]; !first.is(partner) {
		law.Elsewhere = []Wait{{At: b, Until: first}}
	}
	if !f.seldom(8, plan{waits: law.Opposite, must: -1, free: 0}) {
		return Law{}
	}
	start := f.begin(at, func(k int) answer { return f.ask(f.waiting(f.whole(steps[k], partner))) })
	if start > 0 {
		law.Kind, law.A = Between, steps[start-1]
	}
	return law
}

// end returns the last number from at on, where it fails, below n that fails. It passes over those without an answer.
func (f *finder) end(at, n int, try func(int) answer) int {
	next := func(k, below int) (int, answer) {
		for to := min(below, k+hole); k < to && !f.spent(); k++ {
			if got := try(k); got.of() > 0 {
				return k, got
			}
		}
		return below, answer{}
	}
	a, b := at, n
	for step := 1; a+step < b; step *= 2 {
		k, got := next(a+step, b)
		if !got.fails() {
			b = a + step
			break
		}
		a = k
	}
	for b-a > 1 && !f.spent() {
		m := (a + b) / 2
		if k, got := next(m, b); got.fails() {
			a = k
		} else {
			b = m
		}
	}
	return a
}

// begin returns the first number up to at, where it fails, that fails.
func (f *finder) begin(at int, try func(int) answer) int {
	if at == 0 || try(0).fails() {
		return 0
	}
	_, at = f.first(0, at, try)
	return at
}

// latest moves the step at which G waits to the last one at which all that the other one does meanwhile suffices: from
// an earlier one, a cut would let G do things after it that another cut does not.
func (f *finder) latest() bool {
	mine := slices.DeleteFunc(slices.Clone(f.others), func(s Step) bool { return s.G != f.until })
	if len(mine) == 0 {
		return false
	}
	g := f.held.G
	last := f.end(f.held.At, len(g)-1, func(k int) answer {
		return f.ask(f.waiting(plan{waits: []Wait{{mine[0], g[k]}, {g[k], mine[len(mine)-1]}}, must: 1}))
	})
	f.at = g[last]
	return true
}

func (f *finder) spent() bool { return f.err != nil || f.ctx.Err() != nil }

// Rates of a sequential test (Wald 1945): whether runs fail nearly always or as often as without anything done to them.
const (
	nearlyAlways = 0.95
	leastRate    = 0.15 // how often plain runs are believed to fail at least; less is not known from a few
	mostRate     = 0.7
	longest      = 24 // runs of one answer
	without      = 4  // runs that tell nothing after which there is no answer
)

// Bounds of the logarithm of the likelihood ratio: 3 % wrongly failing, and 5 % wrongly passing.
const (
	fails, passes = 3.5, -2.9
)

// An answer is what runs of one kind said.
type answer struct {
	failed, passed int
	ratio          float64 // logarithm of the likelihood ratio
}

func (a answer) of() int     { return a.failed + a.passed }
func (a answer) fails() bool { return a.ratio > 1 }

// ask makes runs until it is known whether they fail. told says which runs count; nil if all with an outcome do.
func (f *finder) ask(run func() (Outcome, error), told func(*Outcome) bool) (a answer) {
	up, down := math.Log(nearlyAlways/f.plain), math.Log((1-nearlyAlways)/(1-f.plain))
	for n := 0; n < longest && a.ratio < fails && a.ratio > passes && (a.of() > 0 || n < without) && !f.spent(); n++ {
		o, err := run()
		f.runs++
		switch {
		case err != nil:
			f.err = err
		case told != nil && !told(&o):
		case o.Failed:
			a.failed, a.ratio = a.failed+1, a.ratio+up
		case o.Passed:
			a.passed, a.ratio = a.passed+1, a.ratio+down
		}
	}
	return a
}

// seldom reports whether at most one of some runs of a plan fails.
func (f *finder) seldom(runs int, p plan) bool {
	failed, passed, missed := 0, 0, 0
	run, told := f.waiting(p)
	for failed <= 1 && failed+passed < runs && missed < runs && !f.spent() {
		o, err := run()
		f.runs++
		switch {
		case err != nil:
			f.err = err
		case !told(&o) || !o.Failed && !o.Passed:
			missed++
		case o.Failed:
			failed++
		default:
			passed++
		}
	}
	return failed <= 1 && passed > 0
}
