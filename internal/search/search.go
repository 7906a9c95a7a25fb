package search

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
)

// A Search looks for the acts that decide whether one test fails. Set the exported fields and call [Search.Find].
type Search struct {
	Runner    Runner
	Proposers []Proposer
	// Known are runs that were made before with nothing done to them.
	Known Tally
	// Wanted are the failures that are looked for, any if there are none.
	Wanted   []string
	Parallel int // runs that are asked for at once, 0 for one
	Most     int // runs of proposals after which it goes on only for plans that runs speak for, 0 for no limit
	// Worth reports whether the search goes on for a plan, which was tried or not. It may be nil. Cut is set if plans were
	// left for which it did not, or for Most.
	Worth func(p Plan, tried bool) bool
	Cut   bool
	// Tell is called with a find before it is confirmed, and whenever more is known of it; with nil when it is put
	// off. It may be nil.
	Tell func(*Found)
	// Lend gives more time for a law, and returns what takes it back. It may be nil.
	Lend func() (back func())
	// Empty reports whether a failure by a plan proves nothing of the test. It may be nil.
	Empty func(p Plan, failure string) (bool, error)

	ctx    context.Context
	plain  counts
	fails  string // the failure of most plain runs: then the plan looked for makes the test pass; "" if there is none
	hyps   []*hypothesis
	trust  []float64 // by freedom, the last is that of pairs: by which factor its proposals are more or less likely
	tried  []int     // by freedom: runs of its proposals
	tries  int       // of all
	best   *Found
	later  []*Found // that can't be proved, and are confirmed if nothing is
	runs   int
	took   map[proof.Tells]time.Duration // how long the last run took, by its outcome
	paired int                           // proposals that others were tried with
}

const (
	firstRuns    = 5    // with nothing done
	plainEnough  = 20   // before something that failed is kept
	plainMany    = 60   // where they neither seldom nor nearly always fail
	mostly       = 0.75 // share of failing runs from which on plans are to make the test pass
	nearlyAlways = 0.95 // and from which on the test fails each time
	seldom       = 0.2  // share below which passing shows nothing
	disproved    = 0.5  // factor for a freedom whose proposal was kept and is not proved
	unmet        = 0.2  // factor for a proposal for each run in which it did not act, if it did in none
	guess        = 0.05 // probability of a proposal that nothing speaks for, at most
	least        = 1e-4 // probability of a proposal that is still tried when runs speak against it
)

// counts are outcomes of runs with one plan.
type counts struct {
	failed         map[string]int
	passed, missed int
	none           int // did not come to the test
}

func (c *counts) add(o Outcome) {
	switch o.shows("") {
	case proof.TellsNothing:
		c.none++
	case proof.TellsMissed:
		c.missed++
	case proof.TellsPass:
		c.passed++
	default:
		if c.failed == nil {
			c.failed = make(map[string]int)
		}
		c.failed[o.Failure]++
	}
}

func (c *counts) total() int {
	n := c.passed + c.missed + c.none
	for _, k := range c.failed {
		n += k
	}
	return n
}

// of counts runs by a failure: others count on no side.
func (c *counts) of(failure string, passing bool) score {
	s := score{c.failed[failure], c.passed}
	if passing {
		s.yes, s.no = s.no, s.yes
	}
	return s
}

// lost reports whether a plan is given up, of whose runs so many count: it did not act in more, or others do not come
// to the test.
func (c *counts) lost(of int) bool {
	return c.missed >= maxMissed && c.missed > of || (proof.Count{Of: of, None: c.none}).Lost()
}

// acts reports whether there are few runs in which a plan did not act, for those that count: a plan that acts only in
// runs that fail anyway, as behind the check, says nothing.
func (c *counts) acts(of score) bool { return c.missed <= 1+of.of()/4 }

// A hypothesis is a proposal with the results of its runs.
type hypothesis struct {
	Proposal
	plan    Plan
	freedom int
	counts  counts
	done    map[string]any // of a run with each failure, the one that did the least
	passed  any            // of one that passed
	pending int            // runs of it that are being made
	closed  bool
	paired  bool    // it does two things, and one of them alone made the test fail sometimes
	odds    float64 // that its runs have shown, when there were
	plain   int     // so many plain ones; 0 if that is not known
}

// Find returns the best that was found until something is proved, nothing is left to be tried, or the
// time is up; nil if nothing was found.
func (s *Search) Find(ctx context.Context) (*Found, error) {
	s.begin(ctx)
	err := s.find()
	if err == nil || errors.Is(err, ErrSpent) {
		err = s.putOff()
	}
	if err == nil && s.best != nil && s.best.Verdict >= proof.Reproduced {
		if err = s.narrow(s.best); err == nil {
			err = s.window(s.best)
		}
	}
	if errors.Is(err, ErrSpent) {
		err = nil
	}
	return s.best, err
}

// maxLater is how many of the finds put off are confirmed: of many, one would seem to suffice by chance.
const maxLater = 2

// putOff confirms the finds put off: the first that suffices is the best that there is.
func (s *Search) putOff() error {
	for _, f := range s.later[:min(len(s.later), maxLater)] {
		if s.best != nil && s.best.Verdict > proof.None {
			return nil
		}
		if err := s.conclude(f); err != nil {
			return s.unfinished(f, err)
		}
	}
	return nil
}

func (s *Search) begin(ctx context.Context) {
	s.ctx, s.took = ctx, make(map[proof.Tells]time.Duration)
	s.plain = counts{passed: s.Known.Passed, failed: maps.Clone(s.Known.Failed)}
}

func (s *Search) find() error {
	if err := s.plainRuns(firstRuns - s.plain.total()); err != nil {
		return err
	}
	if list := s.failures(); len(list) > 0 && s.typical().rate() >= seldom {
		if err := s.settle(list[0]); err != nil {
			return err
		}
	}
	s.fails = s.mostly()
	s.propose()
	for {
		batch := s.next()
		if len(batch) == 0 {
			return nil
		}
		if err := s.try(batch); err != nil {
			return err
		}
		for _, h := range batch {
			if err := s.judge(h); err != nil || s.proved() {
				return err
			}
		}
	}
}

func (s *Search) proved() bool { return s.best != nil && s.best.Verdict == proof.Proved }

// plainRuns makes n runs with nothing done.
func (s *Search) plainRuns(n int) error {
	if n <= 0 {
		return nil
	}
	outs, err := s.run(make([]Plan, n), false)
	for _, o := range outs {
		s.plain.add(o)
	}
	return err
}

// settle makes plain runs until it is known how often they fail in some way.
func (s *Search) settle(failure string) error {
	for {
		more := enough(s.plain.of(failure, false)) - s.plain.total()
		if more <= 0 {
			return nil
		}
		if err := s.plainRuns(min(more, plainEnough)); err != nil {
			return err
		}
	}
}

// run makes runs, and counts them.
func (s *Search) run(plans []Plan, fresh bool) ([]Outcome, error) {
	outs, err := s.Runner.Run(s.ctx, plans, fresh)
	s.runs += len(outs)
	for _, o := range outs {
		s.took[o.Is] = o.Took
	}
	return outs, err
}

// short reports whether the time left is no more than a confirmation takes, with the controls that it has to have. Then
// nothing is refined any more.
func (s *Search) short() bool { return !s.proved() && s.late() }

// late reports it whether something is proved or not.
func (s *Search) late() bool {
	each := s.took[proof.TellsFailure] + 2*s.took[proof.TellsPass]
	return s.Runner.Left() < (maxShams+proof.ConfirmRuns)*each
}

// mostly returns the failure with which most plain runs fail, "" if there is none.
func (s *Search) mostly() string {
	for _, f := range s.failures() {
		if c := s.plain.of(f, false); c.of() > 0 && c.rate() >= mostly {
			return f
		}
	}
	return ""
}

// failures returns those of the plain runs that are looked for, the most frequent first.
func (s *Search) failures() (list []string) {
	for f := range s.plain.failed {
		if s.wants(f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b string) int {
		return cmp.Or(s.plain.failed[b]-s.plain.failed[a], strings.Compare(a, b))
	})
	return list
}

func (s *Search) wants(failure string) bool {
	return len(s.Wanted) == 0 || slices.Contains(s.Wanted, failure)
}

// propose takes in the proposals of the freedoms. If the test mostly fails, each is tried for whether
// it makes it pass, also those proposed to make it fail.
func (s *Search) propose() {
	pairs := len(s.Proposers)
	s.trust, s.tried = slices.Repeat([]float64{1}, pairs+1), make([]int, pairs+1)
	passing := s.fails != ""
	for i, f := range s.Proposers {
		for _, p := range f.Propose() {
			if !passing || len(p.Passes) == 0 {
				s.hyps = append(s.hyps, &hypothesis{Proposal: p, plan: p.Fails, freedom: i})
				continue
			}
			for _, plan := range append(slices.Clone(p.Passes), p.Fails) {
				h := &hypothesis{Proposal: p, plan: plan, freedom: i}
				h.Prior /= float64(len(p.Passes) + 1)
				s.hyps = append(s.hyps, h)
			}
		}
	}
}

// next returns the hypotheses to run next: the most probable ones, blind ones for the runs that those of their freedoms
// have had. So the freedoms share these runs by the probability of their best, from the first one on, however long a run
// takes.
func (s *Search) next() (batch []*hypothesis) {
	for range max(s.Parallel, 1) {
		var best *hypothesis
		value, goOn := 0.0, false
		for _, h := range s.hyps {
			p := s.belief(h)
			if h.closed || p < h.floor() {
				continue
			}
			goOn = goOn || s.worth(h)
			if h.blind() {
				p /= float64(1 + s.tried[h.freedom])
			}
			if p /= float64(uint(1) << min(h.pending, 30)); p > value {
				best, value = h, p
			}
		}
		if !goOn {
			s.Cut = best != nil && len(batch) == 0
			break
		}
		best.pending++
		if best.blind() {
			s.tried[best.freedom]++
		}
		s.tries++
		batch = append(batch, best)
	}
	return batch
}

// blind reports whether neither runs nor what was known before speak for a hypothesis.
func (h *hypothesis) blind() bool { return h.odds <= 1 && h.Prior <= guess }

// worth reports whether the search goes on for a hypothesis. It does if runs speak for it.
func (s *Search) worth(h *hypothesis) bool {
	return h.odds > 1 || h.paired || (s.Most == 0 || s.tries < s.Most) &&
		(s.Worth == nil || s.Worth(h.plan, h.counts.total() > 0))
}

// floor is how probable a hypothesis must be to be tried. One of very many, as each place of a large program
// is, may be less probable than most, and is tried until a run speaks against it.
func (h *hypothesis) floor() float64 { return min(least, h.Prior/2) }

// belief is how probable it is that a hypothesis is right.
func (s *Search) belief(h *hypothesis) float64 {
	p := min(h.Prior*s.trust[h.freedom], 0.999)
	if h.plain != s.plain.total() {
		_, h.odds = s.shown(h)
		h.plain = s.plain.total()
	}
	odds := h.odds * p / (1 - p)
	if h.counts.missed == h.counts.total()-h.counts.none {
		odds *= math.Pow(unmet, float64(h.counts.missed))
	}
	return odds / (1 + odds)
}

// shown returns the failure that the runs of a hypothesis show most, and how much.
func (s *Search) shown(h *hypothesis) (failure string, odds float64) {
	if f := s.fails; f != "" {
		return f, h.counts.of(f, true).odds(s.plain.of(f, true), partWeigh)
	}
	for f := range h.counts.failed {
		x := h.counts.of(f, false).odds(s.plain.of(f, false), partWeigh)
		if s.wants(f) && (failure == "" || x > odds || x == odds && f < failure) {
			failure, odds = f, x
		}
	}
	if failure == "" {
		odds = score{0, h.counts.passed}.odds(s.typical(), partWeigh)
	}
	return failure, odds
}

// typical is how often plain runs fail in the most frequent way.
func (s *Search) typical() score {
	if list := s.failures(); len(list) > 0 {
		return s.plain.of(list[0], false)
	}
	return score{0, s.plain.passed}
}

// try makes a run of each of a batch. Before something that failed is kept it must be known how often plain runs do.
func (s *Search) try(batch []*hypothesis) error {
	var plans []Plan
	for _, h := range batch {
		plans = append(plans, h.plan)
	}
	failed := slices.ContainsFunc(batch, func(h *hypothesis) bool { return len(h.counts.failed) > 0 })
	more := 0
	if plain := s.typical(); failed && plain.of() < enough(plain) {
		more = len(batch)
	}
	outs, err := s.run(append(plans, make([]Plan, more)...), false)
	for i, o := range outs {
		if i >= len(batch) {
			s.plain.add(o)
			continue
		}
		h := batch[i]
		h.counts.add(o)
		h.plain = 0
		h.note(o)
	}
	for _, h := range batch {
		h.pending = 0
	}
	return err
}

// enough is how many plain runs must be known, by how many fail.
func enough(plain score) int {
	if seldom <= plain.rate() && plain.rate() < nearlyAlways {
		return plainMany
	}
	return plainEnough
}

func (h *hypothesis) note(o Outcome) {
	switch o.shows("") {
	case proof.TellsPass:
		h.passed = o.Done
	case proof.TellsFailure:
		if h.done == nil {
			h.done = make(map[string]any)
		}
		if old := h.done[o.Failure]; old == nil || len(parts(h.plan, o.Done)) <= len(parts(h.plan, old)) {
			h.done[o.Failure] = o.Done
		}
	}
}

const maxMissed = 3 // runs in which a plan may not act before it is given up

// judge drops a hypothesis, or looks into it.
func (s *Search) judge(h *hypothesis) error {
	if h.closed {
		return nil
	}
	failure, passing := s.fails, true
	if failure == "" {
		failure, _ = s.shown(h)
		passing = false
	}
	c, plain := h.counts.of(failure, passing), s.typical()
	if failure != "" {
		plain = s.plain.of(failure, passing)
	}
	switch is := c.decide(plain, partWeigh, WronglyDropped); {
	case is == kept && failure != "" && h.counts.acts(c):
		h.closed = true
		return s.examine(h, failure, passing)
	case is != goOn, h.counts.lost(c.of()), h.counts.total() >= 2*patience:
		h.closed = true
		s.pair(h, failure)
	}
	return nil
}

const (
	ofTwo     = 0.3 // probability that a plan that fails sometimes does so with one of some other acts
	maxPaired = 4   // proposals that others are tried with: in a test that seldom fails many fail by chance
)

// pair proposes a plan that made the test fail sometimes together with each of its partners, which it may need.
func (s *Search) pair(h *hypothesis, failure string) {
	if s.fails != "" || failure == "" || h.counts.failed[failure] == 0 || s.plain.failed[failure] > 0 ||
		h.paired || s.paired == maxPaired {
		return
	}
	s.paired++
	others := s.partners(&Found{Failure: failure, Plan: h.plan}, h)
	for _, o := range others {
		s.hyps = append(s.hyps, &hypothesis{plan: slices.Concat(h.plan, o), freedom: len(s.Proposers), paired: true,
			Proposal: Proposal{Prior: ofTwo / float64(len(others))}})
	}
}

// examine refines, controls and confirms a hypothesis that was kept, unless a narrower one is proved.
func (s *Search) examine(h *hypothesis, failure string, passing bool) error {
	if err := s.narrower(h); err != nil || s.proved() {
		return s.unfinished(&Found{Failure: failure, Plan: h.plan.surely()}, err)
	}
	if !passing && s.unprovable(h, failure) {
		empty, err := s.empty(h.plan, failure)
		if err != nil || empty {
			return err
		}
		return s.narrowOr(&Found{Failure: failure, Plan: h.plan.surely()}, h)
	}
	s.tell(&Found{Failure: failure, Plan: h.plan}) // time is left for it
	f, err := s.refined(h, failure, passing)
	if f == nil {
		s.tell(nil)
		return err
	}
	if err == nil {
		err = s.control(f, h)
	}
	if err != nil {
		return s.unfinished(f, err)
	}
	if !s.short() && (!s.provable(f) || f.vague(h)) {
		return s.narrowOr(f, h)
	}
	seemed := s.passes(f)
	err = s.conclude(f)
	if err == nil && (seemed && !s.passes(f) || f.Always && !s.proved()) { // more plain runs fail, or pass, than it seemed
		err = s.concludeOpposite(f, h)
	}
	if err != nil {
		return s.unfinished(f, err)
	}
	if f.Verdict != proof.Proved && !f.Always {
		if err := s.joined(f, h); err != nil {
			return err
		}
	}
	if !s.proved() {
		s.trust[h.freedom] *= disproved
		s.tell(nil)
	}
	return nil
}

// empty reports whether a failure by a plan proves nothing of the test.
func (s *Search) empty(p Plan, failure string) (bool, error) {
	if s.Empty == nil {
		return false, nil
	}
	return s.Empty(p, failure)
}

// narrowOr narrows a find that has no controls, or puts it off: a law has its own.
func (s *Search) narrowOr(f *Found, h *hypothesis) error {
	err := s.narrow(f)
	if err == nil && !s.proved() {
		s.delay(f, h)
	}
	return err
}

// delay puts off a find that can't be proved.
func (s *Search) delay(f *Found, h *hypothesis) {
	s.later = append(s.later, f)
	s.trust[h.freedom] *= disproved
	s.tell(nil)
}

// unprovable reports whether there is no opposite to look for, of a test that often fails: then nothing is to be shown.
func (s *Search) unprovable(h *hypothesis, failure string) bool {
	f := &Found{Failure: failure, Plan: h.plan}
	if !slices.Equal(parts(h.plan, h.done[failure]), h.plan) {
		return false
	}
	return !s.rare(f) && len(f.opposites(h)) == 0
}

// provable reports whether there are the controls that a proof takes.
func (s *Search) provable(f *Found) bool {
	return f.Opposite != nil || f.Elsewhere != nil && s.rare(f)
}

// vague reports whether a plan that sets the whole of a freedom decides, and nothing tells which part: opposites that
// add to it did not let the test pass. Another plan of the freedom may tell more.
func (f *Found) vague(h *hypothesis) bool {
	of := parts(f.Plan, h.done[f.Failure])
	return f.Opposite != nil && !f.adds(f.Opposite) && len(of) > 1 && !slices.Equal(of, f.Plan) &&
		slices.ContainsFunc(f.opposites(&hypothesis{}), f.adds)
}

// rare reports whether plain runs seldom fail.
func (s *Search) rare(f *Found) bool {
	return s.allPlain(f).of(f.Failure, false).rate() < seldom
}

// passes reports whether nearly all plain runs pass. Once those of a confirmation are made, they decide: a proof rests
// on them.
func (s *Search) passes(f *Found) bool {
	if plain := f.Confirmed.Plain; plain.Of > 0 {
		return proof.Passes(plain)
	}
	plain := s.plain.of(f.Failure, false)
	return proof.Count{Failed: plain.yes, Of: plain.of()}.FailsRarely()
}

// allPlain counts plain runs, those of a confirmation too.
func (s *Search) allPlain(f *Found) *counts {
	plain := s.plain.of(f.Failure, false)
	failed, of := plain.yes+f.Confirmed.Plain.Failed, plain.of()+f.Confirmed.Plain.Of
	return &counts{failed: map[string]int{f.Failure: failed}, passed: of - failed}
}

// concludeOpposite looks for acts that make the test pass, or fail, now that plain runs are known not to, and confirms
// the find anew with those, if there are any.
func (s *Search) concludeOpposite(f *Found, h *hypothesis) error {
	look := s.opposite
	if f.Always {
		look = s.turned
	}
	if err := look(f, h); err != nil || f.Always || f.Opposite == nil {
		return err
	}
	return s.conclude(f)
}

// conclude confirms something, and keeps it.
func (s *Search) conclude(f *Found) error {
	s.tell(f)
	if err := s.confirm(f); err != nil {
		return err
	}
	s.keep(f)
	return nil
}

// unfinished keeps a find that was not confirmed to the end.
func (s *Search) unfinished(f *Found, err error) error {
	if f != nil && errors.Is(err, ErrSpent) {
		s.keep(f)
	}
	return err
}

func (s *Search) keep(f *Found) {
	if s.best == nil || f.Verdict > s.best.Verdict {
		s.best = f
	}
	s.tell(f)
}

func (s *Search) tell(f *Found) {
	if s.Tell != nil {
		s.Tell(f)
	}
}
