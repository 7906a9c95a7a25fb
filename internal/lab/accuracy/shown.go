package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/report"
)

// A shown is what experiments have shown for one program: the first proved verdict of its test,
// or else the first one.
type shown struct {
	*proof.Proof
	// whether a place that it names is on the cause, including the places in the list that it is the evidence for
	on       bool
	near     bool // the same, graded like injected flakes: a place of few lines may be two lines away
	first    bool // whether the first in the list is on the cause, with the verdict as its evidence
	category bool // whether it is right
}

// shownOf grades what experiments have shown for a program's test, or returns nil if they have
// shown nothing.
func shownOf(p *program, t *report.DocumentTest) *shown {
	if len(t.Experiments) == 0 {
		return nil
	}
	i := max(slices.IndexFunc(t.Experiments, func(p *proof.Proof) bool { return p.Verdict == proof.Proved }), 0)
	e := t.Experiments[i]
	places := placesOf(e)
	for _, s := range t.Suspects {
		if s.Class.String() == e.Verdict.String() {
			places = append(places, s.Span)
		}
	}
	on, near := slices.ContainsFunc(places, p.has), slices.ContainsFunc(places, p.near)
	first := len(t.Suspects) > 0 && t.Suspects[0].Class.String() == e.Verdict.String() && p.has(t.Suspects[0].Span)
	return &shown{Proof: e, on: on, near: near, first: first, category: slices.Contains(p.categories, e.Category)}
}

// placesOf are all places that a proof names.
func placesOf(p *proof.Proof) (places []finding.Span) {
	add := func(list ...proof.Span) {
		for _, s := range list {
			if s.File != "" {
				places = append(places, finding.Span{File: s.File, Start: s.Start, End: max(s.Start, s.End)})
			}
		}
	}
	v := finding.Verdict{Proof: *p}
	add(v.Window()...)
	add(v.Cure()...)
	if at := v.Started(); at.File != "" {
		add(proof.Span{File: at.File, Start: at.Line})
	}
	if l := p.Law; l.After != nil {
		add(l.After.Shown)
	}
	return places
}

// How long a place may be and still say where to look, and how far from the cause a short one may
// be. Package inject grades the places of injected flakes the same way.
const (
	maxWindow = 10
	maxApart  = 2
	maxPoint  = 3
)

// has reports whether lines include one of the cause.
func (p *program) has(r finding.Span) bool {
	return r.End-r.Start < maxWindow && slices.ContainsFunc(p.cause, func(c place) bool {
		return c.file == r.File && r.Start <= c.line && c.line <= max(r.Start, r.End)
	})
}

// near reports whether lines include one of the cause, or are few and close to one.
func (p *program) near(r finding.Span) bool {
	end := max(r.Start, r.End)
	return p.has(r) || end-r.Start < maxPoint &&
		p.has(finding.Span{File: r.File, Start: r.Start - maxApart, End: end + maxApart})
}

// printShown writes what experiments have shown for each program that was flaky, and the sums.
func (t *table) printShown(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw,
		"\nprogram\tshown\tcategory\tright\tfirst on the cause\tany\twithin 2 lines\twith it\tnothing changed\truns\tseconds")
	var flaky, proved, first, on, near, category int
	for _, g := range t.grades {
		if !g.counts || len(g.program.cause) == 0 {
			continue
		}
		flaky++
		s := g.shown
		if s == nil {
			fmt.Fprintf(tw, "%s\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\n", g.program.name)
			continue
		}
		if s.Verdict == proof.Proved {
			proved, first, on, near, category = proved+1, first+one(s.first), on+one(s.on), near+one(s.near),
				category+one(s.category)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%.1f\n", g.program.name,
			s.Verdict.String()+" "+s.Kind(), cmp.Or(s.Category, "-"), yes(s.category), yes(s.first),
			yes(s.on), yes(s.near),
			share(s.Confirmed.With.Failed, s.Confirmed.With.Of), share(s.Confirmed.Plain.Failed, s.Confirmed.Plain.Of),
			s.Runs, s.Took.Seconds())
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w,
		"\nProved: %d of %d; of these the first place on the cause in %d, any in %d, within two lines of it in %d, the category right in %d.\n",
		proved, flaky, first, on, near, category)
	return err
}

func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
