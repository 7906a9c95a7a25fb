package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A search is one call of [Experimenter.Find].
type search struct {
	*Experimenter
	ctx     context.Context
	plain   []*Outcome // runs without a perturbation
	p       *profile
	passed  []Site // at which a stall of sweepDose did not fail, for shams
	tried   map[runner.Signature]int
	found   []*Finding
	started time.Time
	streams map[trace.GoroutineID][]int // of the profile, as far as they were read
	most    map[trace.GoroutineID][]int // the same, of the plain run in which the goroutine comes to most

	longer   int             // stalls that were tried again for longer
	limitsOf []timeLimit     // see limits
	some     int             // runs of random stalls that were reduced though these fail only sometimes
	complex  []complexStalls // found, and put off
	random   []randomFailure // the same, by random perturbations
	rare     []rareFailure   // put off before it was looked into

	passSeeds []uint64 // with which a run passed
	passing   map[runner.Signature]*passing
	failing   []pinFailure // not looked into yet
	notDraws  bool         // the choices of runs that failed, made again, let it pass
	suggested []Site       // see suggestedSites
	done      []Site       // that a stall of sweepDose was tried at
	left      bool         // something was left out for being brief

	unexplained []pinFailure // seeds with which it failed, and passed
	asks        []trace.Draw // see survey; nil before it
	clocked     bool         // screenClock was made
	seconds     bool         // phasesOfSecond was
	seeded      bool         // seeds were tried for one that passes; see confirmPins
	limited     bool         // screenLimits was
	scanFailed  int          // trials of a scan that failed
	pending     *Finding     // that is looked into, without a verdict so far
	putOff      bool         // a failure was; see isOther
	others      bool         // these are looked into too
}

// A Result is what Find has found out about a test.
type Result struct {
	Findings []*Finding
	Plain    proof.Count // runs without a perturbation: how many failed with any signature
	NotRun   bool        // no plain run came to the test
	provoked bool        // something was, whatever became of it
	// explained is set if what was looked for is proved. Details of it may be missing.
	explained bool
	// Open is what failed each time that it was tried again, or more often with random
	// perturbations than chance would have it, and was not confirmed when the
	// time was up; nil if there is nothing like that.
	Open     *Finding
	Failed   int    // trials that failed, of the share of a process; see Experimenter.Share
	Complete bool   // nothing is left to be tried
	step     string // that was under way when the time was up
	Sites    int    // positions that the sweep tried or would have
	All      int    // distinct positions, were none equivalent
}

// Find provokes failures of the test, up to the end of its time. It begins anew each
// time; runs that the log has are not made again, so that another call goes on.
func (e *Experimenter) Find(ctx context.Context) (*Result, error) {
	if e.Log == nil {
		e.Log = newLog()
	}
	e.mu.Lock()
	e.grace = false
	e.mu.Unlock()
	if e.Facts && e.Share == nil && len(e.Candidates) == 0 {
		return e.findByFacts(ctx)
	}
	s, res := e.newSearch(ctx), &Result{}
	err := s.steps(res)
	if err == nil && s.putOff && !s.explained() { // nothing is left but other failures; the log has all runs so far
		began := s.started
		s, res = e.newSearch(ctx), &Result{}
		s.started, s.others = began, true
		err = s.steps(res)
	}
	res.Findings = s.found
	res.provoked, res.explained, res.Failed = e.grace, s.explained(), s.scanFailed
	e.took += e.now().Sub(s.started)
	if errors.Is(err, errSpent) && s.p != nil {
		res.Open = s.unfinished()
	}
	if errors.Is(err, errSpent) || errors.Is(err, errBrief) {
		return res, nil
	}
	return res, err
}

func (e *Experimenter) newSearch(ctx context.Context) *search {
	e.mu.Lock()
	e.asked = make(map[string]int)
	e.mu.Unlock()
	return &search{Experimenter: e, ctx: ctx, tried: make(map[runner.Signature]int), passing: make(map[runner.Signature]*passing), started: e.now(), streams: make(map[trace.GoroutineID][]int), most: make(map[trace.GoroutineID][]int)}
}

// steps makes one step after the other, the cheapest first.
func (s *search) steps(res *Result) error {
	res.step = "plain"
	err := s.runPlain()
	res.Plain = s.plainCount(nil) // as far as they were made
	if err != nil {
		return err
	}
	switch {
	case res.Plain.Of == 0:
		res.NotRun = true
		return nil
	case s.Share != nil:
		return s.scanSteps(res)
	case len(s.Candidates) > 0:
		return s.confirmSteps(res)
	}
	res.step = "tests before"
	if s.tries(res.step) {
		if err := s.orderFirst(); err != nil {
			return err
		}
	}
	switch {
	case s.explained():
		res.step, res.Complete = "", true
		return nil
	case s.alwaysFails():
		return s.passSteps(res)
	}
	return s.failSteps(res)
}

// passSteps looks for what makes a test pass that always fails.
func (s *search) passSteps(res *Result) error {
	res.step = "what passes"
	if !s.tries(res.step) {
		res.Complete = true
		return nil
	}
	err := s.whatPasses()
	res.Complete = err == nil
	return err
}

// failSteps looks for what makes a test fail.
func (s *search) failSteps(res *Result) error {
	res.Sites, res.All = len(s.p.Sites()), s.p.all
	for _, step := range s.order() {
		if len(s.Only) > 0 && !slices.Contains(s.Only, step.name) {
			continue
		}
		res.step, s.pending = step.name, nil
		if !s.tries(step.name) {
			continue
		}
		if err := step.do(); err != nil {
			return err
		}
		if len(s.found) > 0 && s.explained() {
			break
		}
	}
	res.step, res.Complete = "", !s.left
	return nil
}

// A step tries one kind of perturbation.
type step struct {
	name string
	do   func() error
}

// fewSites is how many positions a test may have for all of them to be tried before
// anything random is, which finds less in fewer runs: internal/lab/accuracy/results/experiments.jsonl.
const fewSites = 100

// order returns the steps in the order in which they are made. Single stalls come before
// random perturbations and before the clock, whose phases have to be waited for, unless
// there are very many: far more flakes hang on a goroutine (Luo et al. 2014, table 2: 66 % are
// async waits or concurrency, 3 % time), and the first stall that fails comes early. But where
// plain runs often fail by themselves it is by chance that random ones seem to bring it, and all single stalls come first.
// Of random perturbations stalls come first, and yields and priorities after all that finds more.
func (s *search) order() []step {
	first := []step{{"facts", s.tryFacts}, {"seeds", s.replaySeeds}, {"hinted clock", s.hintedClock}, {"hinted limits", s.hintedLimits}, {"orders", s.tryOrders}, {"suggested", s.trySuggested}, {"meetings", s.tryMeetings}, {"what is not suggested", s.stopIfBrief}, {"pins", s.screenPins}}
	clock := []step{{"clock", s.screenClock}}
	random := []step{{"random stalls", s.screenStalls}}
	chance := []step{{"yields", s.screenYields}, {"priorities", s.screenSched}}
	single := []step{{"stalls before selects", s.sweepSelects}, {"stalls", s.sweep}, {"classes", s.sweepClasses}, {"other tests", s.otherTests}}
	end := []step{{"what takes longer", s.stopIfFirst}}
	later := []step{{"later visits", s.sweepLater}}
	more := []step{{"late timers", s.screenTimers}, {"reads", s.screenReads}, {"directories", s.screenDirs}, {"limits", s.screenLimits}, {"collector", s.screenCollector}, {"collections", s.sweepCollector}, {"calendar", s.screenCalendar}, {"pairs", s.sweepPairs}, {"more pins", s.morePins}, {"stalls with a seed", s.sweepSeeded}}
	last := []step{{"several stalls", s.severalAfterAll}, {"random ones", s.randomAfterAll}, {"long stalls", s.sweepLong}}
	if s.failsOften() || s.p != nil && len(s.p.Sites()) <= fewSites {
		return slices.Concat(first, single, end, clock, later, random, more, chance, last)
	}
	return slices.Concat(first, clock, random, end, single, more, later, chance, last)
}

// failsOften reports whether some failure is frequent among plain runs.
func (s *search) failsOften() bool {
	often := func(sig runner.Signature) bool { return s.frequent(&sig) }
	return slices.ContainsFunc(s.Natural, often)
}

// errBrief says that what remains is not for a brief search.
var errBrief = errors.New("only what is suggested is tried")

func (s *search) stopIfBrief() error {
	if s.brief {
		return errBrief
	}
	return nil
}

// isOther reports whether a failure is not one that comes by itself. It says nothing about
// the latter, so it is put off until nothing else is left to be tried.
func (s *search) isOther(sig runner.Signature) bool {
	other := len(s.Natural) > 0 && !s.natural(sig) && !s.others
	if other {
		s.mu.Lock() // it is asked by runs side by side
		s.putOff = true
		s.mu.Unlock()
	}
	return other
}

func (s *search) stopIfFirst() error {
	if s.First {
		return errBrief
	}
	return nil
}

// explained reports whether what is looked for is proved: then the search for more ends. That is
// any failure of a test that is not known to fail by itself. Of one that is, a proof for each
// subtest that fails so, of one of its own failures: what makes another one fail, or this
// one in another way, leaves the failure that somebody has seen as it was.
func (s *search) explained() bool {
	if s.all || !proves(s.found, nil) {
		return false
	}
	if s.others {
		return true
	}
	wanted := s.wanted()
	return !slices.ContainsFunc(wanted, func(w runner.Signature) bool {
		return !proves(s.found, slices.DeleteFunc(slices.Clone(wanted), func(o runner.Signature) bool { return o.Test != w.Test }))
	})
}

// proves reports whether one of the findings is proved, and about one of the signatures;
// without these, about any failure.
func proves(found []*Finding, sigs []runner.Signature) bool {
	return slices.ContainsFunc(found, func(f *Finding) bool {
		about := func(sig runner.Signature) bool { return same(f.Sig, sig) }
		return f.Verdict == proof.Proved && f.Artefact == "" && !f.Nap && (sigs == nil || slices.ContainsFunc(sigs, about))
	})
}

// wanted returns how the test is known to fail with nothing perturbed.
func (s *search) wanted() []runner.Signature {
	list := slices.Clone(s.Natural)
	for _, o := range s.plain {
		if o.Ran && o.Failed && !slices.ContainsFunc(list, func(sig runner.Signature) bool { return same(sig, o.Signature) }) {
			list = append(list, o.Signature)
		}
	}
	return list
}

const (
	plainRuns   = 5  // at first: how long it takes, what it does
	alwaysRuns  = 20 // that must all fail for a test to count as one that always does
	plainPasses = 3  // of these with traces for the profile
)

// runPlain makes the first runs and the profile.
func (s *search) runPlain() error {
	for i := range alwaysRuns {
		if i >= plainRuns && slices.ContainsFunc(s.plain, func(o *Outcome) bool { return !o.Failed }) {
			break
		}
		o, err := s.run(s.ctx, "plain", Trial{}, true)
		if err != nil {
			return err
		}
		s.plain = append(s.plain, o)
		of := plainRuns
		if i >= of {
			of = alwaysRuns
		}
		s.tell("plain run", i+1, of)
	}
	var walls []time.Duration
	var passing []*Outcome
	for _, o := range s.plain {
		if !o.Ran {
			continue
		}
		walls = append(walls, o.Wall)
		if !o.Failed && len(passing) < plainPasses {
			passing = append(passing, o)
		}
	}
	if len(walls) == 0 {
		s.p = &profile{}
		return nil
	}
	s.mu.Lock()
	s.usual = median(walls)
	s.mu.Unlock()
	if len(passing) == 0 { // it always fails: what it does then has to do
		passing = s.plain
	}
	var err error
	s.p, err = s.profile(passing)
	s.profileOf = s.p
	return err
}

// inARow returns how many runs in a row must fail with a signature for a perturbation
// to be looked into: as many as plain runs hardly ever do.
func (s *search) inARow(sig *runner.Signature) int {
	c := s.plainAndRecorded(sig)
	return min(max(runsUntil(c.Failed, c.Of, 0.002), 3), 16)
}

// runsUntil returns in how many runs it has a probability of at most p that each does what k
// of n did.
func runsUntil(k, n int, p float64) int {
	rate := float64(k+1) / float64(n+2)
	runs := 0
	for all := 1.0; all > p; runs++ {
		all *= rate
	}
	return runs
}

// plainAndRecorded returns how often runs failed with a signature that were not
// perturbed. Recorded runs of the whole package are counted if it is the same in them.
func (s *search) plainAndRecorded(sig *runner.Signature) proof.Count {
	c := s.plainCount(sig)
	if r := s.recorded(sig); proof.Chance(c, r) >= proof.ShamDiffers {
		c.Failed, c.Of = c.Failed+r.Failed, c.Of+r.Of
	}
	return c
}

// plainCount counts the plain runs by a signature, or by any failure if it is nil.
func (s *search) plainCount(sig *runner.Signature) proof.Count { return countIn(s.plain, sig) }

// countIn counts runs by a signature, whatever acted in them, or by any failure if it is nil.
func countIn(outs []*Outcome, sig *runner.Signature) (c proof.Count) {
	for _, o := range outs {
		addRun(&c, &Trial{}, o, sig)
	}
	return c
}

// recorded counts the recorded runs by a signature.
func (s *search) recorded(sig *runner.Signature) proof.Count {
	var c proof.Count
	for _, r := range s.Recorded {
		addRun(&c, &Trial{}, &Outcome{Ran: true, Failed: r.Failed, Signature: r.Signature}, sig)
	}
	return c
}

// known reports whether failures of that signature are explained already, were
// looked into often enough, or are put off.
func (s *search) known(sig runner.Signature) bool {
	if s.isOther(sig) {
		return true
	}
	for _, f := range s.found {
		if f.Verdict == proof.Proved && !f.Nap && same(f.Sig, sig) {
			return true
		}
	}
	for t, n := range s.tried {
		if same(t, sig) && n >= maxTries {
			return true
		}
	}
	return false
}

// maxTries is how often failures of one signature are looked into without a proof.
const maxTries = 3

// provoked looks into a trial that failed once: whether it does so again, and what is
// the least of it that suffices.
func (s *search) provoked(t Trial, sites []Site, o *Outcome) (*Finding, error) {
	sig := o.Signature
	s.pending = nil
	if s.known(sig) {
		return nil, nil
	}
	s.mu.Lock()
	s.grace = true
	s.mu.Unlock()
	found := s.sofar()
	times := s.inARow(&sig)
	again, acts, err := s.always(s.ctx, "again", t, &sig, true, times)
	if err != nil || !again || !acts {
		return nil, err
	}
	s.tried[sig]++
	s.pending = &Finding{
		Proof: proof.Proof{Test: s.Test, Message: o.Message, Natural: s.natural(sig), Found: found},
		Sig:   sig, Trial: t, sites: sites, Again: times,
	}
	return s.pending, nil
}

func (s *search) natural(sig runner.Signature) bool {
	return slices.ContainsFunc(s.Natural, func(n runner.Signature) bool { return same(n, sig) }) ||
		slices.ContainsFunc(s.plain, func(o *Outcome) bool { return o.Failed && same(o.Signature, sig) })
}

// conclude confirms a finding and keeps it. A stall that then turns out to be too short is
// made longer, and confirmed anew.
func (s *search) conclude(f *Finding) error {
	if err := s.confirm(f); err != nil {
		return err
	}
	if f.shownByCure() {
		f.Verdict = proof.None
		return s.conclude(f.always())
	}
	for longer := f.lengthened(); longer != nil; longer = f.lengthened() {
		if err := s.confirm(longer); errors.Is(err, errSpent) {
			break // what is confirmed already is kept
		} else if err != nil {
			return err
		}
		*f = *longer
	}
	return s.keepFinding(f)
}

// spent says of a finding what was spent until its verdict, the first time that there
// was one: another call of Find only repeats what the log has.
func (s *search) spent(f *Finding) {
	key := f.Sig.String() + " " + f.Kind()
	x, ok := s.shown[key]
	if !ok {
		x.runs, x.kept = s.madeAndKept()
		x.took = s.took + s.now().Sub(s.started)
		if s.shown == nil {
			s.shown = make(map[string]effort)
		}
		s.shown[key] = x
	}
	f.Runs, f.Kept, f.Took = x.runs, x.kept, x.took
}

// keepFinding keeps a finding that was confirmed.
func (s *search) keepFinding(f *Finding) error {
	s.pending = nil
	if f.Verdict == proof.None {
		return nil
	}
	s.spent(f)
	for i, old := range s.found {
		if same(old.Sig, f.Sig) {
			if f.better(old) {
				s.found[i] = f
			}
			return nil
		}
	}
	s.found = append(s.found, f)
	s.tell(fmt.Sprintf("found: %s", f.Kind()), 0, 0)
	return nil
}

func (f *Finding) better(old *Finding) bool {
	if f.Nap != old.Nap && f.Verdict == proof.Proved && old.Verdict == proof.Proved {
		return old.Nap
	}
	if f.Verdict != old.Verdict {
		return f.Verdict > old.Verdict
	}
	return f.Smallest < old.Smallest
}
