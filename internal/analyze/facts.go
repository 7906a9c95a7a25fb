package analyze

import (
	"context"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/fact"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// A ranking is what the recorded runs of a failure show, the best first.
type ranking struct {
	runs  *freedom.Runs
	facts []fact.Fact
}

// rankFacts ranks what recorded runs show of a failure, and keeps it.
func (an *Analyzer) rankFacts(ctx context.Context, u *runner.Unit, g *runner.Group, traces *traceSet,
	f *finding.Failure) error {
	r, err := an.factsOf(ctx, u, g, traces, f)
	if r == nil || err != nil {
		return err
	}
	if an.ranked == nil {
		an.ranked = make(map[*finding.Failure]*ranking)
	}
	r.follow(f.Analysis.Earlier)
	an.ranked[f] = r
	f.Facts = r.told()
	return nil
}

// follow puts what a run may have caused itself behind the tests that decide by having run before, if there are any.
func (r *ranking) follow(e *divergence.Earlier) {
	for i := range r.facts {
		r.facts[i].Behind = r.facts[i].Behind || e != nil && !r.facts[i].Exogenous
	}
}

// maxFacts is how many facts are kept.
const maxFacts = 8

// told returns the first facts, each of other places than those before it.
func (r *ranking) told() (list []finding.Fact) {
	for i := range r.facts {
		x := factOf(&r.facts[i])
		if len(list) < maxFacts && !slices.ContainsFunc(list, x.Same) {
			list = append(list, x)
		}
	}
	return list
}

// factOf turns a fact into data of a report.
func factOf(f *fact.Fact) finding.Fact {
	s := f.What.(*freedom.Seen)
	x := finding.Fact{Freedom: f.Kind, Measure: string(s.Measure), Unit: s.Unit, Chance: f.Exogenous,
		Behind: f.Behind, P: f.Corrected, Likely: f.Stands()}
	x.Table, x.More = f.Table, f.Outside && f.Shape != fact.Circle
	x.Late = s.Measure == freedom.Sequence && lateIn(s, f)
	x.At = spansOf(s)
	return x
}

// spansOf returns the places of an observation, the one to look at first before others.
func spansOf(s *freedom.Seen) (list []finding.Span) {
	for i := range s.At {
		list = append(list, s.At[(i+s.Moved)%len(s.At)].Span)
	}
	return list
}

// factsOf ranks the differences between the runs of u that failed as those of g and the ones that passed. It returns nil
// if there are none of either.
func (an *Analyzer) factsOf(ctx context.Context, u *runner.Unit, g *runner.Group, traces *traceSet,
	f *finding.Failure) (*ranking, error) {
	r := RunsOf(u, g, traces.get)
	if r == nil {
		return nil, nil
	}
	r.Sites, r.Source = an.Sites, an.Load(ctx, an.packagesOf(f))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	list, err := freedom.Rank(r)
	if err != nil {
		return nil, err
	}
	r.Forget()
	return &ranking{runs: r, facts: list}, nil
}

// RunsOf returns the runs of a test that failed in one way or passed, nil if there are none of both: one check
// may say several things, which are one way. open opens a trace.
func RunsOf(u *runner.Unit, g *runner.Group, open func(*runner.Run) (*trace.Trace, error)) *freedom.Runs {
	failed := make(map[*runner.Run]bool)
	for _, o := range u.Groups {
		if o == g || o.Signature.Frame == g.Signature.Frame && o.Signature.Frame.Line > 0 {
			for _, x := range o.Runs {
				failed[x.Run] = true
			}
		}
	}
	r, passed := &freedom.Runs{Test: u.Test}, 0
	for _, x := range u.Runs {
		is := failed[x.Run]
		if !is && x.Status != runner.Passed || x.Run.Provoked != "" || x.Run.For != "" || len(r.List) == fact.MaxRuns {
			continue
		}
		run := &freedom.Run{Failed: is, Started: x.Run.Started}
		if !x.Run.Untraced {
			run.Trace, _ = open(x.Run) // what can't be read is warned of already
		}
		if r.List = append(r.List, run); !is {
			passed++
		}
	}
	if passed == 0 || passed == len(r.List) {
		return nil
	}
	return r
}

const (
	maxFactHints = 4 // facts that experiments try first
	leastP       = 1e-9
	hinted       = 0.2 // corrected p-value up to which one is worth a few runs
)

// facts adds what recorded runs show.
func (h *hints) facts(r *ranking) {
	if r == nil {
		return
	}
	n := 0
	for i := range r.facts {
		f := &r.facts[i]
		if f.Corrected > hinted || f.Behind || n == maxFactHints {
			continue
		}
		n++
		h.fact(f)
	}
}

func (h *hints) fact(f *fact.Fact) {
	s := f.What.(*freedom.Seen)
	for i := range s.At {
		p := &s.At[(i+s.Moved)%len(s.At)]
		x := freedom.Hint{Span: p.Span, P: max(f.Corrected, leastP)}
		if i == 0 {
			x.Fails, x.Passes = freedom.Set(f)
		}
		h.add(x)
	}
}

// lateIn reports whether in failing runs the event that moved came after the other one.
func lateIn(s *freedom.Seen, f *fact.Fact) bool {
	first := f.Outside // in failing runs the first of At came first: a value of 1, and not 0
	return first == (s.Moved == 1)
}
