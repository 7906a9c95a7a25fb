package law

import (
	"context"
	"math"
	"slices"
)

// tries is how many failing runs are looked into.
const tries = 18

// Find returns the law of a hold, of kind None if it has none. plain is the rate at which the test fails by itself.
func Find(ctx context.Context, r Runner, plain float64) (Law, error) {
	f := &finder{ctx: ctx, run: r, plain: min(max(plain, leastRate), mostRate)}
	for range tries {
		from := f.from
		held, err := r.Held(ctx, from, f.gates())
		if err != nil || held == nil {
			return Law{Runs: f.runs}, err
		}
		law := f.explain(held)
		if law.Runs = f.runs; law.Kind != None || f.spent() {
			return law, f.err
		}
		if f.from.is(from) { // at a later step of G, the same is tried again
			f.try++
		}
	}
	return Law{Runs: f.runs}, nil
}

// A finder looks for a law.
type finder struct {
	ctx   context.Context
	run   Runner
	plain float64
	from  Step // where G is held, of no goroutine if as the act says
	try   int  // so many failing runs were looked into before, with G held there
	alone int  // the number of the only other goroutine whose steps are cut, from 1; 0 for all
	each  bool // those like G do as they like, and others wait for each of them where they wait for G
	slow  int  // how many runs with cuts passed that were all to pass
	runs  int
	err   error // the first of a run; no more are made then

	held   *Held
	at     Step   // of G, where it waits
	others []Step // meanwhile, by time
	turns  []Wait // where the other one is like G, the rest like it begin after both, one after the other
}

// gates has those like G wait where they begin until G is where it is to be held: what they did before may have made the
// test fail.
func (f *finder) gates() []Wait {
	if f.from.G == 0 {
		return nil
	}
	var begin []Step
	for _, s := range f.held.alike(Step{G: f.from.G})[1:] {
		begin = append(begin, f.held.course(s.G)[0])
	}
	return each(begin, []Step{f.from})
}

// explain finds the law by one failing run.
func (f *finder) explain(h *Held) Law {
	f.held, f.at, f.others = h, h.G[h.At], h.meanwhile()
	if len(f.others) == 0 {
		return f.late()
	}
	// If it fails with nothing of what the others did, this run failed by itself, or G was held too early, or those like G
	// must not be late either.
	before := f.before(false)
	if before && (f.alone > 0 || f.from.G == 0 && len(h.alike(f.at)) > 1) {
		f.from = f.at
		return Law{}
	}
	last, got := f.lastCut()
	if got.fails() && f.latest(last) {
		f.from = f.at
		return Law{}
	}
	if before {
		if len(h.alike(f.at)) == 1 || f.before(true) {
			return Law{}
		}
		last, got = f.lastCut()
	}
	if !got.fails() {
		if f.alone > 0 || got.of() == 0 || last+1 < len(f.others) { // what was left out may decide
			return Law{}
		}
		if f.slow++; f.slow < 2 { // a run that failed by itself may seem to be so
			return Law{}
		}
		return f.late()
	}
	partner, ok := f.partner(last)
	if !ok {
		return Law{}
	}
	if h.course(partner.G).after(partner).Timer {
		return Law{Kind: Deadline, B: f.at, F: partner}
	}
	return f.window(partner)
}

// before chooses whose steps are cut, and reports whether it fails with none of them.
func (f *finder) before(each bool) bool {
	f.each, f.others = each, f.held.meanwhile()
	f.choose()
	return !f.seldom(f.cutting(-1))
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

// choose leaves the steps of one other goroutine, if those of one are cut, or there are too many: then those come early
// that did meanwhile what G was about to do. Goroutines like G that do as they like are not cut.
func (f *finder) choose() {
	f.turns = nil
	f.others = slices.DeleteFunc(f.others, func(s Step) bool { return f.each && f.held.Class[s.G] == f.held.Class[f.at.G] })
	did := make(map[Goroutine]bool) // whether it did the same
	for _, s := range f.others {
		did[s.G] = did[s.G] || s.Block == f.at.Block
	}
	// The cuts of several goroutines can be such that none of them is at fault, where two are held up one after the
	// other, or one stops with a lock that the next one needs. Then those of one alone work: two of three tries.
	f.alone = (f.try - f.try/3) * min(f.try%3, 1)
	if len(did) > mostOthers {
		f.alone++
	}
	if f.alone == 0 {
		return
	}
	var list, rest []Goroutine
	for _, c := range f.held.Others {
		if same, ok := did[c[0].G]; ok && (same || len(list) == 0) {
			list = append(list, c[0].G)
		} else if ok {
			rest = append(rest, c[0].G)
		}
	}
	list = append(list, rest...)
	g := list[(f.alone-1)%len(list)]
	f.others = slices.DeleteFunc(f.others, func(s Step) bool { return s.G != g })
	f.turns = f.held.turns(f.at.G, g)
}

// mostOthers is how many other goroutines G waits for in one run, one after the other: each may be in vain.
const mostOthers = 16

// late returns a deadline if time alone decides, and what waited so long, if it was something else.
func (f *finder) late() Law {
	run := func() (Outcome, error) { return f.run.Hold(f.ctx, f.at) }
	if !f.ask(run, func(*Outcome) bool { return true }).fails() {
		return Law{}
	}
	law := Law{Kind: Deadline, B: f.at}
	if i := slices.IndexFunc(f.others, func(s Step) bool { return s.Timer }); i >= 0 {
		law.F = f.held.course(f.others[i].G).before(f.others[i])
	}
	return law
}

// partner returns the step of another goroutine that decides. It ends at the first cut that fails, or at a cut right
// before it that has no answer.
func (f *finder) partner(last int) (Step, bool) {
	passes, fails := f.first(-1, last, f.cut)
	for i := fails; i > passes && !f.spent(); i-- {
		end := f.others[i]
		step := f.held.course(end.G).before(end)
		if !step.is(end) && f.meets(step) {
			return f.early(step), true
		}
	}
	return Step{}, false
}

// meets reports whether it fails once another goroutine does a step while G is held.
func (f *finder) meets(step Step) bool { return f.ask(f.waiting(f.meet(f.at, step))).fails() }

// early returns the first visit of a step's statement, if that one decides too: how often a loop comes to it differs from
// run to run.
func (f *finder) early(step Step) Step {
	first := step
	if first.Hit = 1; step.Hit > 1 && f.meets(first) {
		return first
	}
	return step
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
	for i := 1; i <= 2*hole && !f.spent(); i++ {
		k := m + i/2*(1-i%2*2) // m, m+1, m-1, ...
		if k <= a || k >= b {
			continue
		}
		if got := try(k); got.of() > 0 {
			return k, got
		}
	}
	return m, answer{}
}

// hole is how many steps in a row may have no answer: a critical section that the other goroutine needs is one.
const hole = 24

// window finds the steps of G between which the partner has to come.
func (f *finder) window(partner Step) Law {
	g := f.held.G
	f.turns = f.held.turns(f.at.G, partner.G)
	steps := g[:len(g)-1]
	at := steps.index(f.at)
	last := f.end(at, len(steps), func(k int) answer { return f.ask(f.waiting(f.meet(steps[k], partner))) })
	b := steps[last]
	opposite, each := f.least(f.opposite(b, partner)), f.never(b, partner)
	if len(each.waits) > 1 && f.some(opposite, 0, many).failed > 0 {
		opposite = each
	}
	got := f.some(opposite, 1, few)
	if got.failed > 1 {
		return Law{}
	}
	law := Law{Kind: Order, B: b, F: partner, Waits: slices.Concat(f.least(f.meet(b, partner)).waits, f.turns),
		Elsewhere: slices.Concat([]Wait{{b, partner}}, opposite.waits[:opposite.free], f.turns)}
	whole := func(k int) answer { return f.ask(f.waiting(f.whole(steps[k], partner))) }
	if at > 0 && !whole(0).fails() {
		law.Kind, law.A = Between, steps[f.start(at, whole)]
	}
	if got.passed == 0 { // G waits for the other one there, so that one can only be earlier
		if law.Kind != Between {
			return Law{}
		}
		if opposite, law.Elsewhere = f.least(f.meet(law.A, partner)), nil; !f.seldom(opposite) {
			return Law{}
		}
	}
	law.Opposite = slices.Concat(opposite.waits, f.turns)
	return law
}

// end returns the last number from at on, where it fails, below n that fails. It passes over those without an answer,
// but G comes to none behind one to which it does not come.
func (f *finder) end(at, n int, ask func(int) answer) int {
	try := func(k int) answer {
		got := ask(k)
		if got.of() == 0 && got.away {
			got = answer{passed: 1, ratio: passes}
		}
		return got
	}
	a, b := at, n
	for step := 1; a+step < b; step *= 2 {
		k, got := a+step, answer{}
		for to := min(b, k+hole); k < to && got.of() == 0 && !f.spent(); k++ {
			got = try(k)
		}
		if !got.fails() {
			b = a + step
			break
		}
		a = k - 1
	}
	a, _ = f.first(a, b, func(k int) answer {
		got := try(k)
		got.ratio = -got.ratio // the other way round
		return got
	})
	return a
}

// start returns the last number below at, where it fails, that passes, as 0 does. It is seldom far: it is looked for in
// ever longer steps.
func (f *finder) start(at int, try func(int) answer) int {
	passes, fails := 0, at
	for step := 1; passes == 0 && step < at; step *= 2 {
		switch got := try(at - step); {
		case got.fails():
			fails = at - step
		case got.of() > 0:
			passes = at - step
		}
	}
	passes, _ = f.first(passes, fails, try)
	return passes
}

// latest moves the step at which G waits to the last one at which the last cut suffices, and reports whether that is
// another one: from an earlier one, a cut would let G do things after it that another cut does not. Where G had a lock
// there that others need, it is also where they come on.
func (f *finder) latest(cut int) bool {
	g := f.held.G
	at := f.end(f.held.At, len(g)-1, func(k int) answer {
		f.at = g[k]
		return f.cut(cut)
	})
	f.at = g[at]
	return at > f.held.At
}

func (f *finder) spent() bool { return f.err != nil || f.ctx.Err() != nil }

// Rates of a sequential test (Wald 1945): whether runs fail nearly always or as often as without anything done to them.
const (
	nearlyAlways = 0.95
	leastRate    = 0.15 // how often plain runs are believed to fail at least; less is not known from a few
	mostRate     = 0.7
	longest      = 24 // runs of one answer
	without      = 2  // runs that tell nothing after which there is no answer
	few          = 8  // runs, at most one of them failing
	many         = 20 // runs that show whether one of many goroutines suffices
)

// Bounds of the logarithm of the likelihood ratio: 3 % wrongly failing, and 5 % wrongly passing.
const (
	fails, passes = 3.5, -2.9
)

// An answer is what runs of one kind said.
type answer struct {
	failed, passed, missed int
	ratio                  float64 // logarithm of the likelihood ratio
	away                   bool    // in the last run others waited for G in vain: it does not come without them
}

func (a answer) of() int     { return a.failed + a.passed }
func (a answer) fails() bool { return a.ratio > 1 }

// ask makes runs until it is known whether they fail. told says whether one with an outcome counts.
func (f *finder) ask(run func() (Outcome, error), told func(*Outcome) bool) answer {
	return f.made(run, told, func(a *answer) bool {
		return a.ratio >= fails || a.ratio <= passes || a.of()+a.missed >= longest || a.of() == 0 && a.missed >= without
	})
}

// seldom reports whether at most one of a few runs of a plan fails.
func (f *finder) seldom(p plan) bool {
	got := f.some(p, 1, few)
	return got.failed <= 1 && got.passed > 0
}

// some makes runs of a plan until more than so many fail, whether they waited in vain or not.
func (f *finder) some(p plan, most, of int) answer {
	run, told := f.waiting(p)
	return f.made(run, func(o *Outcome) bool { return o.Failed || told(o) }, func(a *answer) bool {
		return a.failed > most || a.of() >= of || a.missed >= few
	})
}

// made makes runs until they are enough.
func (f *finder) made(run func() (Outcome, error), told func(*Outcome) bool, enough func(*answer) bool) (a answer) {
	up, down := math.Log(nearlyAlways/f.plain), math.Log((1-nearlyAlways)/(1-f.plain))
	for !enough(&a) && !f.spent() {
		o, err := run()
		f.runs++
		a.away = o.away
		switch {
		case err != nil:
			f.err = err
		case !o.Failed && !o.Passed, !told(&o):
			a.missed++
		case o.Failed:
			a.failed, a.ratio = a.failed+1, a.ratio+up
		default:
			a.passed, a.ratio = a.passed+1, a.ratio+down
		}
	}
	return a
}
