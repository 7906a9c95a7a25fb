package experiment

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/runner"
)

// A Retrial is the perturbation of a replay file, in the code of today.
type Retrial struct {
	proof  *proof.Proof
	b      *bench
	Same   bool // the build is the one of the file: places are exact
	Trials []Trial
}

// A Tried has the results of the runs of a retrial.
type Tried struct {
	With     proof.Count
	Messages []string      // of failures, each once
	Masked   []string      // as signatures have them
	Dose     time.Duration // of its first stall, 0 for none
}

// begin makes the experimenter ready for runs outside of Find.
func (e *Experimenter) begin() {
	if e.Log == nil {
		e.Log = newLog()
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.asked == nil {
		e.asked = make(map[string]int)
	}
}

// Retry makes the trials that a replay file stands for in the build at hand, whose hash is given. In another build
// the places are found again, in plain runs; the error is a [GoneError] if one is not there any more.
func (e *Experimenter) Retry(ctx context.Context, p *proof.Proof, hash string, times float64) (*Retrial, error) {
	e.begin()
	s := &bench{Experimenter: e, ctx: ctx, p: &profile{}}
	if p.Build.Hash == hash {
		return &Retrial{proof: p, b: s, Same: true, Trials: []Trial{exact(p, times)}}, nil
	}
	if err := s.runPlain(); err != nil {
		return nil, err
	}
	if s.p.Runs == 0 {
		return nil, ErrNotRun
	}
	f := newFinder(e.Sites, e.Source, s.p)
	f.moved = e.Moved
	t, err := trialOf(p, times, f.find)
	if err != nil {
		return nil, err
	}
	re := &Retrial{proof: p, b: s, Trials: []Trial{t}}
	if t.Plan.Does(freedom.Step.Chooses) {
		re.Trials = e.reseeded(t)
	}
	return re, nil
}

// ErrNotRun says that no run comes to the test.
var ErrNotRun = errors.New("no run comes to the test")

// reseeded returns the trial, and the same with other seeds: in another build they give other choices.
func (e *Experimenter) reseeded(t Trial) []Trial {
	list := []Trial{t}
	s := &bench{Experimenter: e}
	for i := 1; i < 5*proof.ConfirmRuns; i++ {
		list = append(list, t.reseeded(s.seed("again", i)))
	}
	return list
}

// reseeded returns t with all of its choices by another seed.
func (t Trial) reseeded(seed uint64) Trial {
	return t.each(func(a freedom.Step) freedom.Step {
		if !a.Chooses() {
			return a
		}
		return a.Seeded(seed)
	})
}

// Settle returns the retrial with the first of its trials that fails: of several seeds it is the one whose choices
// are those of the replay file. If none does, it is returned as it is, and false.
func (e *Experimenter) Settle(ctx context.Context, re *Retrial, sig *runner.Signature) (*Retrial, bool, error) {
	for i, t := range re.Trials {
		var c proof.Count
		o, err := e.run(ctx, t, false)
		if err != nil {
			return nil, false, err
		}
		if addRun(&c, &t, o, sig); c.Failed > 0 {
			one := *re
			one.Trials = re.Trials[i : i+1]
			return &one, true, nil
		}
		e.tell(Progress{Doing: t.Kind(), Done: i + 1, Of: len(re.Trials)})
	}
	return re, false, nil
}

// With makes n runs of a retrial that count. sig says which failure counts, nil for any.
func (e *Experimenter) With(ctx context.Context, re *Retrial, sig *runner.Signature, n int) (*Tried, error) {
	e.begin()
	x := &Tried{}
	var walls []time.Duration
	x.Dose = re.Trials[0].dose()
	for made := 0; x.With.Wants(n) > 0; {
		batch := x.With.Wants(n)
		outs := make([]*Outcome, batch)
		err := e.each(ctx, batch, func(i int) (err error) {
			outs[i], err = e.run(ctx, re.Trials[(made+i)%len(re.Trials)], false)
			return err
		})
		if err != nil {
			return x, err
		}
		for i, o := range outs {
			x.add(&re.Trials[(made+i)%len(re.Trials)], o, sig)
			walls = append(walls, o.Wall)
		}
		made += batch
		e.tell(Progress{Doing: re.Trials[0].Kind(), Done: x.With.Of, Of: n})
	}
	e.expect(walls...)
	return x, nil
}

// expect has runs take as long as those that were made, as far as it isn't known yet how
// long they take: one that goes on for much longer hangs.
func (e *Experimenter) expect(walls ...time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.usual == 0 && len(walls) > 0 {
		e.usual = median(walls)
	}
}

// ExpectAs has runs take as long as those of another experimenter, of the same test in other
// code: it may do nothing there but hang.
func (e *Experimenter) ExpectAs(o *Experimenter) { e.expect(o.Usual()) }

func (x *Tried) add(t *Trial, o *Outcome, sig *runner.Signature) {
	addRun(&x.With, t, o, sig)
	if !o.Failed || !t.acted(o) {
		return
	}
	for _, m := range x.Messages {
		if runner.Wording(m) == runner.Wording(o.Message) { // addresses differ from run to run
			return
		}
	}
	x.Messages = append(x.Messages, o.Message)
	x.Masked = append(x.Masked, o.Signature.Message)
}

// Nothing is a retrial in which nothing is done.
func Nothing() *Retrial { return &Retrial{Trials: []Trial{{}}} }

// Reseeded returns the retrial with other seeds in turn, as one of another build has them.
func (e *Experimenter) Reseeded(re *Retrial) *Retrial {
	return &Retrial{proof: re.proof, b: re.b, Trials: e.reseeded(re.Trials[0])[1:]}
}

// After returns the retrial with its trials from the n-th on, then those before it.
func (re *Retrial) After(n int) *Retrial {
	next := *re
	n %= len(re.Trials)
	next.Trials = slices.Concat(re.Trials[n:], re.Trials[:n])
	return &next
}

// Traced returns the name of the trace of a passing run with nothing done, "" if none passed.
func (e *Experimenter) Traced(ctx context.Context) (string, error) {
	e.begin()
	for range plainRuns {
		o, err := e.run(ctx, Trial{}, true)
		if err != nil {
			return "", err
		}
		if o.Tells(nil) == proof.TellsPass && o.Trace != "" {
			return o.Trace, nil
		}
	}
	return "", nil
}

// Promised reports whether a count keeps the promise of a confirmation: it cannot be told to be less.
func Promised(now, was proof.Count) bool { return now.Failed > 0 && !proof.Told(was, now) }

// Outlasts reports whether a retrial fails only because it lasts longer than a limit of time.
func (re *Retrial) Outlasts() (bool, error) {
	if re.b.plain == nil {
		if err := re.b.runPlain(); err != nil {
			return false, err
		}
	}
	limit, err := re.b.outlasts(re.Trials[0], nil)
	return limit != nil, err
}

// Longest is for how long a goroutine waits at most: as long as it is held, or until another one comes.
func (re *Retrial) Longest() time.Duration { return re.Trials[0].Plan.First(meets).Dose }

// Longer returns the retrial with waits that many times as long.
func (re *Retrial) Longer(times float64) *Retrial {
	next := *re
	next.Trials = nil
	for _, t := range re.Trials {
		next.Trials = append(next.Trials, t.times(times, meets))
	}
	return &next
}
