package analyze

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// VerdictsName is the file, in the run directory, with what experiments have shown.
const VerdictsName = "experiments.json"

// A TestVerdict is what experiments have shown about one top-level test of a package, or
// with Tried how far they came.
type TestVerdict struct {
	Package  string            `json:"package"`
	Test     string            `json:"test"`  // that failed: a subtest perhaps
	Place    string            `json:"place"` // of the failure: "file.go:12"
	Verdicts []finding.Verdict `json:"verdicts"`
	Tried    *finding.Tried    `json:"tried,omitempty"`
}

// WriteVerdicts keeps what experiments have shown in a run directory.
func WriteVerdicts(dir string, list []TestVerdict) error {
	data, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, VerdictsName), append(data, '\n'), 0o666)
}

// addVerdicts adds to the tests of a result what experiments have shown about them,
// the best first.
func (an *Analyzer) addVerdicts(result *finding.Result) {
	data, err := os.ReadFile(filepath.Join(an.Dir, VerdictsName))
	if err != nil {
		return // none were made
	}
	var list []TestVerdict
	if err := json.Unmarshal(data, &list); err != nil {
		an.Warnf("what experiments have shown is left out: %s: %v", VerdictsName, err)
		return
	}
	for _, t := range result.Tests {
		t.Verdicts, t.Tried = nil, nil
		for _, v := range list {
			if v.Package == t.Package && v.Tried != nil && v.Test == trace.TopTest(t.Name) {
				t.Tried = v.Tried
			}
			if v.Package == t.Package && v.Test == t.Name {
				t.Verdicts = append(t.Verdicts, v.Verdicts...)
			}
		}
		slices.SortStableFunc(t.Verdicts, func(a, b finding.Verdict) int { return int(b.Class) - int(a.Class) })
	}
}

// VerdictOf turns a finding of experiments into a verdict. r is its replay, which
// knows places by their source, and name that of its file.
func VerdictOf(sites *trace.Sites, f *experiment.Finding, r *experiment.Replay, name string) finding.Verdict {
	v := finding.Verdict{
		Class: finding.Reproduced, Kind: f.Kind(), Category: categoryOf(f), Signature: f.Signature.String(), Place: f.Signature.Place(),
		Natural: f.Natural, Smallest: f.Smallest, Artefact: f.Artefact, Limit: f.Limit,
		With: countOf(&f.Confirmed.With), Plain: countOf(&f.Confirmed.Plain), Sham: countOf(f.Confirmed.Sham), Cured: countOf(f.Confirmed.Cure),
		Runs: f.Runs, Took: f.Took, Replay: name, Tests: f.Needs,
	}
	if f.Verdict == experiment.Proved {
		v.Class = finding.Proved
	}
	if len(f.Trial.Before) > 0 {
		v.Tests = f.Trial.Before
	}
	if w := f.Window; w != nil {
		v.Window = appendSpan(sites, v.Window, w.First.Block)
		v.Window = appendSpan(sites, v.Window, w.Last.Block)
		v.FromBeginning = w.FromBeginning
	} else {
		for _, b := range f.Places() {
			v.Window = appendSpan(sites, v.Window, b)
		}
		if !v.Held() { // what chooses comes after the block's event: it ends it
			for i := range v.Window {
				v.Window[i].Start = v.Window[i].End
			}
		}
	}
	if f.CureSite != nil {
		v.Cure = appendSpan(sites, v.Cure, f.CureSite.Block)
	}
	if len(r.Stalls) > 0 {
		v.Started = startedAt(sites, r.Stalls[0].At.Goroutine)
	}
	return v
}

// appendSpan appends the lines of a block, unless they are the last in the list.
func appendSpan(sites *trace.Sites, list []finding.Span, b int) []finding.Span {
	span, ok := sites.Pos(b)
	if !ok {
		return list
	}
	s := finding.Span{File: span.File, Start: span.Start, End: span.End}
	if n := len(list); n > 0 && list[n-1] == s {
		return list
	}
	return append(list, s)
}

func countOf(c *experiment.Count) finding.Count {
	if c == nil {
		return finding.Count{}
	}
	return finding.Count{Failed: c.Failed, Of: c.Of, Missed: c.Missed}
}

// startedAt returns the go statement of a goroutine, zero for a test's own.
func startedAt(sites *trace.Sites, g *experiment.GoroutineRef) trace.Frame {
	if g == nil || len(g.Chain) == 0 {
		return trace.Frame{}
	}
	last := g.Chain[len(g.Chain)-1]
	if last.Test != "" || last.File == "" {
		return trace.Frame{}
	}
	return trace.Frame{Func: last.In, File: filepath.Join(sites.Root, filepath.FromSlash(last.File)), Line: last.Line}
}

// categoryOf returns the category of Luo et al. that a proof is one of, "" without a
// proof: what was chosen tells, and of a goroutine that was held whether the time is
// about one that the source sleeps for.
func categoryOf(f *experiment.Finding) string {
	if f.Verdict != experiment.Proved || f.Artefact != "" {
		return ""
	}
	switch kind := f.Kind(); {
	case kind == "map":
		return "unordered-collections"
	case kind == "rand":
		return "randomness"
	case kind == "tests":
		return "test-order"
	case f.Limit != "":
		return "async-wait"
	case strings.Contains(kind, "+") && !strings.Contains(kind, "stall"):
		return ""
	}
	return "concurrency"
}
