package analyze

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/trace"
)

// Hints returns what comparing the runs of a top-level test suggests to experiments: the
// places of its suspects, and those that their reasons name, in the order of the
// suspects; then the orders of goroutines and the divergences themselves. Failures that
// are seen more often come first.
func (an *Analyzer) Hints(r *finding.Result, pkg, test string) []experiment.Hint {
	h := &hints{root: an.Sites.Root}
	for _, t := range r.Tests {
		if top, _, _ := strings.Cut(t.Name, "/"); t.Package != pkg || top != test {
			continue
		}
		for _, f := range t.Failures {
			h.suspects(f.Suspects)
			h.orders(f.Orders)
			h.divergences(an.Sites, f)
		}
	}
	return h.list
}

// A hints collects hints, each once.
type hints struct {
	root string
	list []experiment.Hint
}

func (h *hints) suspects(list []finding.Suspect) {
	for i := range list {
		x := &list[i]
		switch x.Reason.Kind {
		case finding.ReasonExperiment, finding.ReasonHeldStart, finding.ReasonCure, finding.ReasonCheck: // shown already; where it only surfaces
		case finding.ReasonTest, finding.ReasonTestBefore:
			h.add(experiment.Hint{Tests: x.Reason.Tests})
		case finding.ReasonDraw, finding.ReasonDrawVaries, finding.ReasonSelect, finding.ReasonSelectOnce:
			h.lines(x.File, x.Start, x.End, true)
			h.frame(x.Reason.Other)
		default:
			h.lines(x.File, x.Start, x.End, false)
			h.frame(x.Reason.Other)
		}
	}
}

func (h *hints) orders(list []finding.Order) {
	for _, o := range list {
		h.frame(o.A)
		h.frame(o.B)
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
				h.lines(span.File, span.Start, span.End, false)
			}
		}
	}
}

func (h *hints) frame(f trace.Frame) {
	file := f.File
	if rel, err := filepath.Rel(h.root, file); err == nil && filepath.IsAbs(file) {
		file = filepath.ToSlash(rel)
	}
	h.lines(file, f.Line, f.Line, false)
}

func (h *hints) lines(file string, start, end int, draw bool) {
	if file != "" && start > 0 {
		h.add(experiment.Hint{File: file, Start: start, End: end, Draw: draw})
	}
}

func (h *hints) add(x experiment.Hint) {
	for _, old := range h.list {
		if len(x.Tests) == 0 && len(old.Tests) == 0 && old.File == x.File && old.Start == x.Start && old.End == x.End {
			return
		}
	}
	h.list = append(h.list, x)
}

// Recorded returns what became of a top-level test in the runs of its package.
func Recorded(p *runner.Package, test string) []experiment.Recorded {
	var list []experiment.Recorded
	for _, run := range p.Runs {
		r := experiment.Recorded{Seed: run.Seed}
		r.Shuffle, _ = strconv.ParseInt(run.Shuffle, 10, 64) // "" for none
		ran := false
		for _, o := range run.Outcomes {
			if top, _, _ := strings.Cut(o.Test, "/"); top != test {
				continue
			}
			if o.Test == test {
				ran = ran || o.Status == runner.Passed
				r.Elapsed = o.Elapsed
			}
			if o.Status.Failing() && !o.ByChild && !r.Failed {
				r.Failed, r.Signature = true, o.Signature
			}
		}
		if ran || r.Failed {
			list = append(list, r)
		}
	}
	return list
}
