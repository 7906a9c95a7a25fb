package analyze

import (
	"cmp"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Hints returns the hints for experiments with a top-level test: the facts of its recorded runs, the
// best first; the places of its suspects, and those that their reasons name, in the order of the suspects; then
// the divergences themselves. Failures that are seen more often come first.
func (an *Analyzer) Hints(r *finding.Result, pkg, test string) []freedom.Hint {
	h := &hints{root: an.Sites.Root}
	for _, t := range r.Tests {
		if top, _, _ := strings.Cut(t.Name, "/"); t.Package != pkg || top != test {
			continue
		}
		for _, f := range t.Failures {
			h.facts(an.ranked[f])
		}
		for _, f := range t.Failures {
			h.suspects(f.Suspects)
			h.divergences(an.Sites, f)
		}
	}
	return h.list
}

// A hints collects hints, each once.
type hints struct {
	root string
	list []freedom.Hint
}

func (h *hints) suspects(list []finding.Suspect) {
	for i := range list {
		x := &list[i]
		switch c := x.Reason.Claim(); {
		case x.Verdict != nil, c.Try == finding.TryNothing: // it is shown, or nothing can be
		case c.Try == finding.TryTests:
			h.add(freedom.Hint{Tests: c.Tests})
		default:
			h.add(freedom.Hint{Span: x.Span, Draw: c.Try == finding.TryChoices})
			h.add(h.at(c.Other))
		}
	}
}

// divergences adds where runs part: the last that they have in common.
func (h *hints) divergences(sites *trace.Sites, f *finding.Failure) {
	if f.Analysis == nil {
		return
	}
	for _, d := range f.Analysis.Chain {
		if b, ok := d.LastCommon.Block(); ok && sites.Has(b) {
			if span, ok := sites.Pos(b); ok {
				h.add(freedom.Hint{Span: span})
			}
		}
	}
}

// at returns a hint of a line.
func (h *hints) at(f trace.Frame) freedom.Hint {
	file := f.File
	if rel, err := filepath.Rel(h.root, file); err == nil && filepath.IsAbs(file) {
		file = filepath.ToSlash(rel)
	}
	return freedom.Hint{Span: trace.LineOf(file, f.Line)}
}

// add adds a hint, unless there is one of the same lines: that learns from it what the fact is.
func (h *hints) add(x freedom.Hint) {
	if len(x.Tests) == 0 && (x.File == "" || x.Start <= 0) {
		return
	}
	for i := range h.list {
		old := &h.list[i]
		if len(x.Tests) == 0 && len(old.Tests) == 0 && old.File == x.File && old.Start == x.Start && old.End == x.End {
			old.P = cmp.Or(old.P, x.P)
			old.Fails, old.Passes = append(old.Fails, x.Fails...), append(old.Passes, x.Passes...)
			return
		}
	}
	h.list = append(h.list, x)
}

// Recorded returns the outcomes of a top-level test in the runs of its package.
func Recorded(p *runner.Package, test string) []experiment.Recorded {
	var list []experiment.Recorded
	for _, run := range p.Runs {
		r := experiment.Recorded{Seed: run.Seed}
		r.Shuffle, _ = strconv.ParseInt(run.Shuffle, 10, 64) // "" for none
		became := run.Became(test)
		if r.Failed = became.Status.Failing(); r.Failed {
			r.Signature = became.Outcome.Signature
		} else if became.Status != runner.Passed {
			continue
		}
		if o := run.Outcome(test); o != nil {
			r.Elapsed = o.Elapsed
		}
		list = append(list, r)
	}
	return list
}
