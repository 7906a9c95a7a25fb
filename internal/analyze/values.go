package analyze

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

const (
	ValuesDir  = "values"     // in the run directory: the runs that record values
	ValuesName = "sites.json" // in ValuesDir: the places, see divergence.ValueSite

	maxOperands = 5 // shown for a failure
)

// AddValues compares the runs that recorded values, if there are any, and adds
// what they show to the failures of a result.
func (an *Analyzer) AddValues(ctx context.Context, result *finding.Result) error {
	dir := filepath.Join(an.Dir, ValuesDir)
	data, err := os.ReadFile(filepath.Join(dir, ValuesName))
	if err != nil {
		return nil // none were recorded
	}
	var sites []divergence.ValueSite
	if err := json.Unmarshal(data, &sites); err != nil {
		an.Warnf("the values that were recorded are left out: %s: %v", filepath.Join(dir, ValuesName), err)
		return nil
	}
	for i, s := range sites {
		if s.Kind == "key" { // earlier versions recorded those of maps
			sites[i] = divergence.ValueSite{}
		}
	}
	runs, err := runner.Load(dir)
	if err != nil {
		return nil // interrupted before the first of them
	}
	sub := *an
	sub.Dir, sub.valueSites = dir, sites
	for _, pkg := range runs.Packages {
		if err := sub.valuesOf(ctx, pkg, result); err != nil {
			return err
		}
		result.Warnings = append(result.Warnings, unseen(pkg, result)...)
	}
	return nil
}

// valuesOf adds the values of one package's tests.
func (an *Analyzer) valuesOf(ctx context.Context, pkg *runner.Package, result *finding.Result) error {
	traces := newTraceSet(ctx, an.Dir)
	defer traces.close()
	for _, u := range pkg.Units() {
		for _, t := range result.Tests {
			if t.Package != pkg.ImportPath || t.Name != u.Test {
				continue
			}
			t.Alone = cmp.Or(alone(u), t.Alone)
			for _, f := range t.Failures {
				if g := groupFor(f, u.Groups); g != nil && f.Analysis != nil {
					if err := an.valuesOfFailure(ctx, t, u, g, traces, f); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// groupFor returns the failures with values that belong to a failure: those with
// its signature, or if it did not come again all at the same check, however they
// are worded; nil if there are none.
func groupFor(f *finding.Failure, groups []*runner.Group) *runner.Group {
	all := &runner.Group{}
	for _, g := range groups {
		if g.Signature.String() == f.Signature {
			return g
		}
		if f.Frame.File != "" && g.Signature.Frame == f.Frame {
			all.Signature = g.Signature
			all.Runs = append(all.Runs, g.Runs...)
		}
	}
	if len(all.Runs) == 0 {
		return nil
	}
	slices.SortFunc(all.Runs, func(x, y runner.UnitRun) int { return cmp.Compare(x.Run.N, y.Run.N) })
	return all
}

func (an *Analyzer) valuesOfFailure(ctx context.Context, t *finding.Test, u *runner.Unit, g *runner.Group,
	traces *traceSet, f *finding.Failure) error {
	if len(f.Analysis.Chain) > 0 {
		an.unvalued = an.origins(ctx, an.valueSites, t, f)
	}
	again, err := an.failure(ctx, u, g, traces)
	if err != nil {
		return err
	}
	f.ForValues.Failed = len(g.Runs)
	for _, r := range u.Runs {
		if r.Status == runner.Passed {
			f.ForValues.Passed++
		}
	}
	if again.LeftOut != "" {
		f.ValuesLeftOut = again.LeftOut
	}
	if again.Analysis != nil {
		an.describeValues(f, again.Analysis)
	}
	return nil
}

// describeValues adds to a failure what the analysis of runs with values shows.
func (an *Analyzer) describeValues(f *finding.Failure, a *divergence.Analysis) {
	list := slices.Clone(a.Operands)
	rank := func(v divergence.OperandValues) float64 {
		if an.valueSites[v.Site].Kind == divergence.ValueArgument {
			return v.Apart - 1 // what an operand is computed from comes after all operands
		}
		return v.Apart
	}
	slices.SortStableFunc(list, func(x, y divergence.OperandValues) int { return cmp.Compare(rank(y), rank(x)) })
	// What is different in nearly all runs of either outcome explains the most;
	// what hardly differs explains nothing next to it.
	list = slices.DeleteFunc(list, func(v divergence.OperandValues) bool {
		return v.Apart < 0.3 || v.Apart < list[0].Apart/2
	})
	list = list[:min(len(list), maxOperands)]
	for _, v := range list {
		s := an.valueSites[v.Site]
		f.Values = append(f.Values, finding.Value{
			Expr: oneLine(s.Expr), At: an.place(s), Source: s.Source, Nth: v.Nth, Unlike: v.Unlike,
			Passing: seen(v.Passing), Failing: seen(v.Failing),
		})
	}
	if d := a.Data; d != nil {
		f.Data = append(f.Data, an.dataDivergence(d, an.fedBy(d.Site, a)))
		return
	}
	an.guessData(f, a, list)
}

// dataDivergence says where the values first differ, with the values that show it.
func (an *Analyzer) dataDivergence(d *divergence.DataDivergence, operand string) finding.DataDivergence {
	s := an.valueSites[d.Site]
	return finding.DataDivergence{
		Kind: finding.DataValue, Expr: oneLine(s.Expr), At: an.place(s), Source: s.Source,
		Operand: operand, Found: d, Passing: seen(d.Passing), Failing: seen(d.Failing),
	}
}

// fedBy returns an operand that decided and is the value of a site, or computed from
// it; "" if there is none.
func (an *Analyzer) fedBy(site int, a *divergence.Analysis) string {
	for _, v := range a.Operands {
		if v.Site == site || slices.Contains(an.valueSites[v.Site].From, site) {
			return oneLine(an.valueSites[v.Site].Expr)
		}
	}
	return ""
}

// oneLine returns source as one line.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// guessData names the sources that what decided is computed from, if no value
// of theirs alone predicts the outcome: a sum depends on the order of all its
// terms. What draws anew in each run is one without its values, too.
func (an *Analyzer) guessData(f *finding.Failure, a *divergence.Analysis, list []divergence.OperandValues) {
	for _, v := range list {
		for _, from := range an.byLikelihood(an.valueSites[v.Site].From) {
			n, of := a.Variety[from].Different, a.Variety[from].Runs
			if of < 2 || n < 2 {
				continue
			}
			s := an.valueSites[from]
			f.Data = append(f.Data, finding.DataDivergence{
				Kind: finding.DataVaries, Expr: oneLine(s.Expr), At: an.place(s), Source: s.Source,
				Operand: oneLine(an.valueSites[v.Site].Expr),
			})
			return
		}
	}
	for _, v := range list {
		for _, o := range an.unvalued[v.Site] {
			d := finding.DataDivergence{Kind: finding.DataVaries, Expr: oneLine(o.expr), At: o.at, Source: o.source,
				Operand: oneLine(an.valueSites[v.Site].Expr)}
			if d.Chance() {
				f.Data = append(f.Data, d)
				return
			}
		}
	}
}

// byLikelihood puts sources first that make new values at each call, and those
// last that are the same throughout a process.
func (an *Analyzer) byLikelihood(from []int) []int {
	rank := func(site int) int {
		switch source := an.valueSites[site].Source; source {
		case "math/rand", "math/rand/v2", "crypto/rand":
			return 0
		case "the process id", "the environment", "the host name", "the working directory", "a network address":
			return 2
		}
		return 1
	}
	list := slices.Clone(from)
	slices.SortStableFunc(list, func(x, y int) int { return cmp.Compare(rank(x), rank(y)) })
	return list
}

// place returns the place of a site.
func (an *Analyzer) place(s divergence.ValueSite) trace.Frame {
	return trace.Frame{File: filepath.Join(an.Sites.Root, filepath.FromSlash(s.File)), Line: s.Line}
}

// seen turns values into those of a report.
func seen(list []divergence.Seen) []finding.Seen {
	var out []finding.Seen
	for _, s := range list {
		out = append(out, finding.Seen{Text: s.Text, Runs: s.Runs, Hash: s.Hash})
	}
	return out
}
