package experiment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A bench is one call of [Experimenter.Find], or of [Experimenter.FindOrder]: it has a search make runs of one test.
type bench struct {
	*Experimenter
	ctx     context.Context
	plain   []*Outcome // runs without a perturbation
	p       *profile
	found   []*Finding
	started time.Time
	spent   bool // the time was up
	cut     bool // the rest was not worth its time
	alone   bool // runs are being made that a verdict rests on

	sigs    map[string]*Outcome     // the first with each failure, by the name that the search has for it
	came    map[string]int          // runs until each failure first came
	absent  map[Site]bool           // at which the goroutine of a site did not come in some run
	courses *courses                // of plain runs
	seeds   map[uint64]*proof.Count // how often the test failed with all choices by a seed
	pass    uint64                  // the one of them that is taken to pass
	fail    uint64                  // and to fail

	limitsOf  []timeLimit              // see limits
	limited   []Limit                  // that holds have shown
	short     map[uint64]time.Duration // how long goroutines of a class are held at most, where a longer hold showed one
	suggested []Site                   // see suggestedSites
	asks      []trace.Draw             // see survey; nil before it
}

// A Result is the result of Find for a test.
type Result struct {
	Findings []*Finding
	Plain    proof.Count // runs without a perturbation: how many failed with any signature
	NotRun   bool        // no plain run came to the test
	provoked bool        // something was, confirmed or not
	// explained is set if the cause looked for is proved. Details of it may be missing.
	explained bool
	// Open is the finding that failed each time that it was tried again, and was not confirmed when the time was up;
	// nil if there is none.
	Open     *Finding
	Limits   []Limit // that holds have shown
	Complete bool    // nothing is left to be tried
	Spared   bool    // the rest was not worth its time, see Share.Spare
}

// Done reports whether nothing is left to be tried, or can be. A nil result is of no search.
func (r *Result) Done() bool { return r != nil && (r.Complete || r.NotRun) }

// Find provokes failures of the test, up to the end of its time. It begins anew each
// time; runs that the log has are not made again, so that another call goes on.
func (e *Experimenter) Find(ctx context.Context) (*Result, error) {
	b, res := e.newBench(ctx), &Result{}
	defer b.courses.close()
	err := b.runPlain()
	res.Plain = b.plainCount(nil) // as far as they were made
	switch {
	case err != nil:
	case res.Plain.Of == 0:
		res.NotRun = true
	default:
		b.knowSeeds()
		err = cmp.Or(b.look(res), b.untouched())
	}
	b.confirming(false)
	e.took += e.now().Sub(b.started)
	res.Findings, res.Limits, res.provoked, res.explained = b.found, b.limited, e.provoked, b.explained()
	if errors.Is(err, errSpent) {
		return res, nil
	}
	return res, err
}

func (e *Experimenter) newBench(ctx context.Context) *bench {
	if e.Log == nil {
		e.Log = newLog()
	}
	e.mu.Lock()
	e.asked, e.grace, e.provoked = make(map[string]int), false, false
	e.mu.Unlock()
	b := &bench{
		Experimenter: e, ctx: ctx, p: &profile{}, started: e.now(), sigs: make(map[string]*Outcome),
		came:   make(map[string]int),
		absent: make(map[Site]bool), short: make(map[uint64]time.Duration), seeds: make(map[uint64]*proof.Count),
	}
	b.courses = newCourses(e.Sites, func(name string) (*trace.Trace, error) { return e.open(ctx, name) })
	return b
}

// explained reports whether the cause looked for is proved: then the search for more ends. That is
// one of any failure, if the test is not known to fail by itself. If it is, each subtest that fails
// so needs a proof of one of its own failures: the cause of another one's, or of another failure
// of this one, leaves the failure that somebody has seen as it was.
func (b *bench) explained() bool {
	return proves(b.found, nil) && len(b.unexplained()) == 0
}

// unexplained returns the names of failures that are looked for and have no proof: those seen elsewhere or, without
// any, those that are known to come by themselves, except those of subtests with a proof.
func (b *bench) unexplained() (names []string) {
	if len(b.Like) > 0 {
		return b.unlike()
	}
	wanted := b.wanted()
	for _, w := range wanted {
		ofTest := slices.DeleteFunc(slices.Clone(wanted), func(o runner.Signature) bool { return o.Test != w.Test })
		if name := nameOf(w); !proves(b.found, ofTest) && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// unlike returns the names of the failures seen elsewhere about which nothing is proved. A report of a race is its proof.
func (b *bench) unlike() (names []string) {
	for i, s := range b.Like {
		is := func(sig runner.Signature, said string) bool { return b.nameOf(sig, said) == likeName(i) }
		if !slices.ContainsFunc(b.found, func(f *Finding) bool { return f.explains() && is(f.Sig, f.Message) }) &&
			!(s.Raced() && slices.ContainsFunc(b.plain, func(o *Outcome) bool { return o.Failed && is(o.Signature, o.Message) })) {
			names = append(names, likeName(i))
		}
	}
	return names
}

// FailedLike counts the runs that failed as it was seen elsewhere.
func (e *Experimenter) FailedLike() (n int) {
	for _, x := range e.Failures() {
		if strings.HasPrefix(e.nameOf(x.Signature, x.Message), like) {
			n += x.Plain.Failed + x.Perturbed.Failed + x.Before
		}
	}
	return n
}

// proves reports whether one of the findings is proved, and about one of the signatures;
// without these, about any failure.
func proves(found []*Finding, sigs []runner.Signature) bool {
	return slices.ContainsFunc(found, func(f *Finding) bool {
		about := func(sig runner.Signature) bool { return same(f.Sig, sig) }
		return f.explains() && (sigs == nil || slices.ContainsFunc(sigs, about))
	})
}

// explains reports whether nothing need be looked for beyond a finding.
func (f *Finding) explains() bool { return f.Verdict == proof.Proved }

// wanted returns how the test is known to fail with nothing perturbed.
func (b *bench) wanted() []runner.Signature {
	list := slices.Clone(b.Natural)
	for _, o := range b.plain {
		if o.Tells(nil) == proof.TellsFailure && !slices.ContainsFunc(list, func(sig runner.Signature) bool {
			return same(sig, o.Signature)
		}) {
			list = append(list, o.Signature)
		}
	}
	return list
}

func (b *bench) natural(sig runner.Signature) bool {
	return slices.ContainsFunc(b.wanted(), func(n runner.Signature) bool { return same(n, sig) })
}

const (
	plainRuns   = 5  // at first: for its time and its profile
	alwaysRuns  = 20 // that must all fail for a test to count as one that always does
	plainPasses = 3  // of these with traces for the profile
)

// runPlain makes the first runs and the profile.
func (b *bench) runPlain() error {
	for i := range alwaysRuns {
		if c := b.plainCount(nil); i >= plainRuns && (c.Of == 0 || c.Failed < c.Of) {
			break
		}
		o, err := b.run(b.ctx, Trial{}, true)
		if err != nil {
			return err
		}
		b.plain = append(b.plain, o)
		b.tell(Progress{})
	}
	var walls []time.Duration
	var passing []*Outcome
	for _, o := range b.plain {
		is := o.Tells(nil)
		if is == proof.TellsNothing {
			continue
		}
		walls = append(walls, o.Wall)
		if is == proof.TellsPass && len(passing) < plainPasses {
			passing = append(passing, o)
		}
	}
	if len(walls) == 0 {
		return nil
	}
	b.mu.Lock()
	b.usual = median(walls)
	b.mu.Unlock()
	if len(passing) == 0 { // it always fails: failing runs have to do
		passing = b.plain
	}
	var err error
	b.p, err = b.profile(b.ctx, passing)
	b.profileOf = b.p
	return err
}

// Plain makes at most n runs with nothing done, with which Find begins, and counts them by how the test is known to fail.
// It ends when Find has its first runs and one has failed so.
func (e *Experimenter) Plain(ctx context.Context, n int) (c proof.Count, err error) {
	e.Log = cmp.Or(e.Log, newLog())
	e.asked = make(map[string]int)
	for range n {
		o, err := e.run(ctx, Trial{}, true)
		if err != nil {
			return c, err
		}
		sig := o.Signature
		if i := slices.IndexFunc(e.Natural, func(s runner.Signature) bool { return same(s, sig) }); i < 0 && o.Failed {
			sig = runner.Signature{} // another failure counts on no side
		}
		addRun(&c, &Trial{}, o, &sig)
		if c.Of >= plainRuns && c.Failed > 0 {
			break
		}
	}
	return c, nil
}

// AlwaysFails reports whether no plain run passed.
func (b *bench) AlwaysFails() bool {
	return !slices.ContainsFunc(b.plain, func(o *Outcome) bool { return o.Tells(nil) == proof.TellsPass })
}

// plainCount counts the plain runs by a signature, or by any failure if it is nil.
func (b *bench) plainCount(sig *runner.Signature) (c proof.Count) {
	for _, o := range b.plain {
		addRun(&c, &Trial{}, o, sig)
	}
	return c
}

// recorded counts the recorded runs by a signature.
func (b *bench) recorded(sig *runner.Signature) (c proof.Count) {
	for _, r := range b.Recorded {
		addRun(&c, &Trial{}, r.outcome(), sig)
	}
	return c
}
