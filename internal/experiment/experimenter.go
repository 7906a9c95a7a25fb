package experiment

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// An Experimenter makes experiments with one test. Set the exported fields and call [Experimenter.Find].
type Experimenter struct {
	Test     string // top-level
	Sites    *trace.Sites
	Source   func(file string) ([]byte, error) // by trace.File.Path
	Moved    Moved                             // of a proof that is tried again; nil if it is not known what was edited
	Parallel int                               // runs side by side, 0 for one
	Seed     uint64                            // of everything random
	Until    time.Time                         // no run begins later; zero for no limit
	// Grace is how much longer a provoked failure may be looked into.
	Grace time.Duration
	// Natural is how the test is known to fail without a perturbation; it may pass in
	// the few plain runs that are made here.
	Natural []runner.Signature
	// Like are failures that were seen elsewhere, as the source here explains them. If there are any, the search ends
	// when they are explained, and no other failure is looked into.
	Like  []*runner.Seen
	Kinds []string // of perturbation that are tried, as package freedom names them; nil for all
	// Hints and Recorded come from elsewhere: they say what to try first.
	Hints    []freedom.Hint
	Recorded []Recorded
	// Tests are all tests of the package, for hints that name some.
	Tests []string
	// OfSuite says that all of them ran in each recorded run, in an order of its own or that of the source.
	OfSuite bool
	Most    int       // runs after which nothing new is begun, 0 for no limit
	spare   time.Time // see Share.Spare
	Traces  bool      // keep those of confirmations, and of evidence: see Keeps
	Log     *Log      // of the runs made already, and of new ones

	// Run makes one run. keep says whether its trace is wanted. limit is how long the process may take.
	Run func(ctx context.Context, t Trial, keep bool, limit time.Duration) (Outcome, error)
	// Confirming is told when runs begin that a verdict rests on, and when they have ended: they are
	// not to overlap with others. nil where nothing runs beside.
	Confirming func(on bool)
	// opener opens a trace that was kept, nil for trace.Open.
	opener func(name string) (*trace.Trace, error)
	clock  func() time.Time // nil for time.Now
	// Report is told of progress, from one goroutine at a time; may be nil.
	Report func(Progress)

	mu       sync.Mutex
	asked    map[string]int // how often each run was asked for
	made     int            // runs made, not those from the log
	kept     int            // runs that the log had from before, and that were asked for
	usual    time.Duration  // wall time of a plain run
	grace    bool           // something that was found is being confirmed
	provoked bool           // something was
	// profileOf is the profile of plain runs, once there were some.
	profileOf *profile
	quiet     []bool        // see [source.Quiet]
	took      time.Duration // by earlier calls of Find
}

// A Progress is the progress of an experimenter.
type Progress struct {
	Test     string
	Doing    string // kinds of perturbation, "" for none
	Confirms bool   // a verdict rests on it
	Found    bool   // it decides
	Done, Of int    // of a share of trials; 0 for none
	Runs     int    // in all
}

// errSpent is returned when the time is up. The runs made are in the log.
var errSpent = errors.New("the time for experiments is spent")

// Runs returns how many runs were made, those from the log not counted.
func (e *Experimenter) Runs() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.made
}

// madeAndKept returns how many runs it was told of, and how many of them the log had from before.
func (e *Experimenter) madeAndKept() (runs, kept int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.made + e.kept, e.kept
}

// Took returns how long all calls of Find took.
func (e *Experimenter) Took() time.Duration { return e.took }

// Usual returns how long a plain run takes, 0 before there was one.
func (e *Experimenter) Usual() time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.usual
}

// run makes one run, unless the log has it. Each time that the same run is asked for it is another one, numbered from
// 0.
func (e *Experimenter) run(ctx context.Context, t Trial, keep bool) (*Outcome, error) {
	return e.runFor(ctx, t, keep, false)
}

// runAgain is run for one that looks into a failure.
func (e *Experimenter) runAgain(ctx context.Context, t Trial) (*Outcome, error) {
	return e.runFor(ctx, t, false, true)
}

// runFor is run for one that looks into a failure, or not.
func (e *Experimenter) runFor(ctx context.Context, t Trial, keep, again bool) (*Outcome, error) {
	data, err := json.Marshal(&t)
	if err != nil {
		return nil, err
	}
	key := fmt.Sprintf("%s\n%v\n%s", e.Test, again, data)
	e.mu.Lock()
	n := e.asked[key]
	e.asked[key] = n + 1
	e.mu.Unlock()
	key = fmt.Sprintf("%s\n%d", key, n)
	if o, kept := e.Log.outcome(key); o != nil {
		e.mu.Lock()
		if kept {
			e.kept++
		}
		e.mu.Unlock()
		return o, nil
	}
	if err := e.mayRun(ctx); err != nil {
		return nil, err
	}
	o, err := e.Run(ctx, t, keep, e.limit(&t))
	if err != nil {
		return nil, cmp.Or(whyEnded(ctx), err)
	}
	if o.TimedOut && o.heldFor() > e.limit(&t)/4 {
		o.Ran = false // fdebug itself has held it up for that long
	}
	if err := whyEnded(ctx); err != nil { // the run may have been ended by that
		return nil, err
	}
	e.mu.Lock()
	e.made++
	e.mu.Unlock()
	return &o, e.Log.addOutcome(key, LogLine{Test: e.Test, Kind: t.Done(&o), Again: again, Outcome: &o,
		Is: t.tells(&o, nil)})
}

func (e *Experimenter) now() time.Time {
	if e.clock != nil {
		return e.clock()
	}
	return time.Now()
}

// whyEnded returns why a context has ended, nil if it has not. A deadline is the end of the time for experiments.
func whyEnded(ctx context.Context) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return errSpent
	}
	return context.Cause(ctx)
}

// mayRun reports why no run may begin now.
func (e *Experimenter) mayRun(ctx context.Context) error {
	if err := whyEnded(ctx); err != nil {
		return err
	}
	if until := e.until(); !until.IsZero() && !e.now().Before(until) {
		return errSpent
	}
	return nil
}

// until is when no run begins any more, zero for no limit.
func (e *Experimenter) until() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.grace && !e.Until.IsZero() {
		return e.Until.Add(e.Grace)
	}
	return e.Until
}

const (
	usualLimit = 20 // times the usual time of a run: then it hangs
	leastLimit = 2 * time.Second
)

// limit is how long a run may take: a held goroutine may hold up all others, and each of a class waits by itself.
func (e *Experimenter) limit(t *Trial) time.Duration {
	e.mu.Lock()
	usual := e.usual
	e.mu.Unlock()
	switch {
	case usual == 0 && !e.Until.IsZero():
		return min(runner.DefaultLimit, max(e.Until.Add(e.Grace).Sub(e.now()), 5*time.Second))
	case usual == 0:
		return runner.DefaultLimit
	}
	return max(leastLimit, t.slowed(usualLimit*usual)) + 20*t.hold()
}

// each calls f with 0 to n-1, as many at a time as there may be runs side by side, up to the first error.
func (e *Experimenter) each(ctx context.Context, n int, f func(i int) error) error {
	var mu sync.Mutex
	var first error
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		if first != nil || next == n {
			return -1
		}
		next++
		return next - 1
	}
	var workers sync.WaitGroup
	for range min(max(e.Parallel, 1), n) {
		workers.Go(func() {
			for i := take(); i >= 0; i = take() {
				if err := f(i); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	workers.Wait()
	return first
}

// tell reports progress.
func (e *Experimenter) tell(p Progress) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.Report != nil {
		p.Test, p.Runs = e.Test, e.made
		e.Report(p)
	}
}

// ignoreSpent is for steps that may be left out when the time is up.
func ignoreSpent(err error) error {
	if errors.Is(err, errSpent) {
		return nil
	}
	return err
}

// open opens a trace, which can be read until ctx ends.
func (e *Experimenter) open(ctx context.Context, name string) (*trace.Trace, error) {
	if e.opener != nil {
		return e.opener(name)
	}
	return (&trace.Opener{Context: ctx}).Open(name)
}
