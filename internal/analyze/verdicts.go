package analyze

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/remedy"
	"github.com/fdebug/fdebug/trace"
)

// VerdictsName is the file, in the run directory, with what experiments have shown.
const VerdictsName = "experiments.json"

// A TestVerdict is what experiments have shown about one top-level test of a package, or
// with Tried how far they came.
type TestVerdict struct {
	Package  string            `json:"package"`
	Test     string            `json:"test"` // that failed: a subtest perhaps
	Verdicts []finding.Verdict `json:"verdicts"`
	Tried    *finding.Tried    `json:"tried,omitempty"` // of the top-level test as a whole
	// Otherwise are ways in which runs of experiments failed and no recorded one, without a verdict.
	Otherwise []Otherwise `json:"otherwise,omitempty"`
}

// Of reports whether it is about a test.
func (v *TestVerdict) Of(t *finding.Test) bool { return v.Package == t.Package && v.Test == t.Name }

// An Otherwise is a failure that came in experiments and that no more is known of.
type Otherwise struct {
	Signature string          `json:"signature"`
	Seen      *finding.SeenIn `json:",omitempty"` // nil in what older versions have written
}

// Keep takes in what experiments have shown, and keeps it in the run directory for a later process.
func (an *Analyzer) Keep(list []TestVerdict) error {
	an.shown = list
	return WriteVerdicts(an.Dir, list)
}

// WriteVerdicts keeps what experiments have shown in a run directory.
func WriteVerdicts(dir string, list []TestVerdict) error {
	data, err := json.MarshalIndent(list, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, VerdictsName), append(data, '\n'), 0o666)
}

// ReadVerdicts reads what experiments have shown in another process.
func ReadVerdicts(dir string) (list []TestVerdict, err error) {
	data, err := os.ReadFile(filepath.Join(dir, VerdictsName))
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, err
	}
	for _, t := range list {
		for _, v := range t.Verdicts {
			if v.Proof.Version != proof.Version {
				return nil, errors.New("written by another version of fdebug")
			}
		}
	}
	return list, nil
}

// verdicts returns the results of experiments, made here or in the process that has written the run
// directory; nil if none were made.
func (an *Analyzer) verdicts() []TestVerdict {
	if an.shown != nil {
		return an.shown
	}
	list, err := ReadVerdicts(an.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		an.Warnf("what experiments have shown is left out: %s: %v", VerdictsName, err)
	}
	return list
}

// addVerdicts adds to the tests of a result what experiments have shown about them,
// the best first.
func (an *Analyzer) addVerdicts(result *finding.Result) {
	list := an.verdicts()
	if list == nil {
		return
	}
	for _, t := range result.Tests {
		t.Verdicts, t.Tried = nil, nil
		for _, v := range list {
			if v.Tried != nil && v.Package == t.Package && v.Test == trace.TopTest(t.Name) {
				t.Tried = v.Tried
			}
			if v.Of(t) {
				t.Verdicts = append(t.Verdicts, slices.DeleteFunc(slices.Clone(v.Verdicts), func(x finding.Verdict) bool {
					return !about(t, &x)
				})...)
				noteSeen(t, v.Otherwise)
			}
		}
		slices.SortStableFunc(t.Verdicts, func(a, b finding.Verdict) int { return int(b.Class()) - int(a.Class()) })
		shownFirst(t)
	}
}

// edits reports whether package remedy has edits for what was proved.
func (an *Analyzer) edits(p *proof.Proof) bool {
	if p.Verdict != proof.Proved {
		return false
	}
	c := remedy.CauseOf(p)
	for _, f := range an.Sites.Files {
		if path.Dir(f.Name) == p.Package {
			c.Files = append(c.Files, f.Path)
		}
	}
	return len((&remedy.Proposer{Source: an.sources.read}).Propose(c)) > 0
}

// shownFirst moves the failures that something was shown of before the others: a line about a test is about its first
// one.
func shownFirst(t *finding.Test) {
	class := func(f *finding.Failure) finding.Class {
		for i := range t.Verdicts { // the best is the first
			if v := &t.Verdicts[i]; v.About(f) {
				return v.Class()
			}
		}
		return finding.Symptom
	}
	before := slices.Clone(t.Failures)
	slices.SortStableFunc(t.Failures, func(a, b *finding.Failure) int { return int(class(b)) - int(class(a)) })
	for i := range t.Runs {
		if r := &t.Runs[i]; r.Failure >= 0 {
			r.Failure = slices.Index(t.Failures, before[r.Failure])
		}
	}
}

// noteSeen tells the failures of a test how often they came in experiments.
func noteSeen(t *finding.Test, list []Otherwise) {
	for _, x := range list {
		for _, f := range t.Failures {
			if f.Signature == x.Signature {
				f.Seen = x.Seen
			}
		}
	}
}

// about reports whether a verdict is about a failure of a test, or about one that came with
// nothing perturbed. In hunts all failures were provoked.
func about(t *finding.Test, v *finding.Verdict) bool {
	natural := slices.ContainsFunc(t.Runs, func(r finding.Run) bool { return r.Failure >= 0 && r.Provoked == "" })
	return v.Proof.Natural || !natural || slices.ContainsFunc(t.Failures, v.About)
}

// Explain finds the lines of what is chosen or asked for. The runtime knows them by the
// last event before: the choice is made in its block or, once the function has come back,
// in a caller. If the source leaves open in which, it is the block that is named.
func (an *Analyzer) Explain(ctx context.Context, p *proof.Proof) {
	var blocks []int
	for _, at := range p.Places() {
		blocks = append(blocks, at.Block)
	}
	an.foresee(ctx, an.packagesAt(blocks))
	for _, acts := range []proof.Acts{p.Plan, p.Opposite, p.Elsewhere} {
		for i, a := range acts {
			if a.At != nil && (a.Chooses() || a.Sets()) {
				an.showChoice(ctx, acts[i].At, a.Kind)
			}
		}
	}
	kind := freedom.Of(p.Kind()).Act() // of choices; of several kinds none is known
	if set := p.Plan.First(proof.Act.Sets); set != nil {
		kind = set.Kind
	}
	for i := range p.Asked() {
		an.showChoice(ctx, &p.At[i], kind)
	}
}

// showChoice finds the lines of a place where a kind of choice is made.
func (an *Analyzer) showChoice(ctx context.Context, at *proof.Place, kind trace.ActKind) {
	if span, ok := an.Sites.Pos(at.Block); ok && kind != 0 {
		at.Shown = an.choice(ctx, at, span, kind)
	}
}
