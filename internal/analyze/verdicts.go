package analyze

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/diagnose"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/perturb"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/source"
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
	Tried    *finding.Tried    `json:"tried,omitempty"` // of the top-level test as a whole
	// Otherwise are ways in which perturbed runs failed and no recorded one, without a verdict.
	Otherwise []Otherwise `json:"otherwise,omitempty"`
}

// An Otherwise is a failure that came under perturbations and that no more is known of.
type Otherwise struct {
	Signature  string `json:"signature"`
	Failed, Of int    // runs
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

// verdicts returns what experiments have shown, here or in the process that has written the run
// directory; nil if none were made.
func (an *Analyzer) verdicts() []TestVerdict {
	if an.shown != nil {
		return an.shown
	}
	data, err := os.ReadFile(filepath.Join(an.Dir, VerdictsName))
	if err != nil {
		return nil
	}
	list := []TestVerdict{}
	if err := json.Unmarshal(data, &list); err != nil {
		an.Warnf("what experiments have shown is left out: %s: %v", VerdictsName, err)
		return nil
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
			if v.Package == t.Package && v.Test == t.Name {
				takeVerdicts(t, v.Verdicts)
			}
		}
		an.countElse(t)
		noteOtherwise(t, result.Tests, list)
		noteBeside(t, result.Tests, list)
		slices.SortStableFunc(t.Verdicts, func(a, b finding.Verdict) int { return int(b.Class) - int(a.Class) })
	}
}

// takeVerdicts adds the verdicts about failures that a test has, and names the others: what
// was made to fail in another way is no cause of the failures that came by themselves.
func takeVerdicts(t *finding.Test, list []finding.Verdict) {
	for i := range list {
		v := &list[i]
		if about(t, v) {
			t.Verdicts = append(t.Verdicts, *v)
			continue
		}
		note := fmt.Sprintf("experiments also made it fail in a way that no recorded run did, in %d of %d runs: %s", v.Proof.Confirmed.With.Failed, v.Proof.Confirmed.With.Of, v.Signature)
		if !slices.Contains(t.Warnings, note) {
			t.Warnings = append(t.Warnings, note)
		}
	}
}

// noteOtherwise names the other ways in which a test failed when it was perturbed, and those of
// tests in the same top-level test which have no page.
func noteOtherwise(t *finding.Test, tests []*finding.Test, list []TestVerdict) {
	for _, v := range list {
		paged := slices.ContainsFunc(tests, func(o *finding.Test) bool { return o.Package == v.Package && o.Name == v.Test })
		if v.Package != t.Package || v.Test != t.Name && (paged || trace.TopTest(v.Test) != trace.TopTest(t.Name)) {
			continue
		}
		for _, x := range v.Otherwise {
			note := fmt.Sprintf("perturbed runs also failed (%s) in a way that none of the runs compared here did, and what makes it fail so each time was not found: %s", times(x.Failed), x.Signature)
			if !slices.Contains(t.Warnings, note) {
				t.Warnings = append(t.Warnings, note)
			}
		}
	}
}

// times says how many runs it is about.
func times(n int) string {
	if n == 1 {
		return "1 run"
	}
	return fmt.Sprintf("%d runs", n)
}

// noteBeside names what experiments have shown of another test in the same top-level test, which has
// no page: it is no cause of the failures of t, but tells where to look.
func noteBeside(t *finding.Test, tests []*finding.Test, list []TestVerdict) {
	for _, v := range list {
		shown := slices.ContainsFunc(tests, func(o *finding.Test) bool { return o.Package == v.Package && o.Name == v.Test })
		if len(v.Verdicts) == 0 || shown || v.Package != t.Package || trace.TopTest(v.Test) != trace.TopTest(t.Name) {
			continue
		}
		x := &v.Verdicts[0]
		note := fmt.Sprintf("experiments made %s fail, which has no page of its own, in %d of %d runs (%s): %s", v.Test, x.Proof.Confirmed.With.Failed, x.Proof.Confirmed.With.Of, x.Kind(), x.Signature)
		if !slices.Contains(t.Warnings, note) {
			t.Warnings = append(t.Warnings, note)
		}
		if t.Tried != nil {
			tried := *t.Tried
			t.Tried, tried.Beside = &tried, v.Test
		}
	}
}

// about reports whether a verdict is about a failure of a test, or about one that came with
// nothing perturbed. In hunts all failures were provoked.
func about(t *finding.Test, v *finding.Verdict) bool {
	natural := slices.ContainsFunc(t.Runs, func(r finding.Run) bool { return r.Failure >= 0 && r.Provoked == "" })
	return v.Proof.Natural || !natural || slices.ContainsFunc(t.Failures, v.About)
}

// VerdictOf turns a finding of experiments into a verdict. r is its proof, which
// knows places by their source, and name that of its file.
func (an *Analyzer) VerdictOf(f *experiment.Finding, r *proof.Proof, name string) finding.Verdict {
	v := finding.Verdict{
		Class: finding.Reproduced, Category: categoryOf(f), Signature: f.Signature.String(), Place: f.Signature.Place(),
		Proof: *r, Replay: name, Path: f.Path, CurePath: f.CurePath,
	}
	if f.Verdict == experiment.Proved {
		v.Class = finding.Proved
	}
	if v.Category == "concurrency" && goesOn(r) && !an.calledBack(f) {
		v.Category = "async-wait"
	}
	if f.Still != nil {
		v.Still = countOf(f.Still)
		if at := appendSpan(an.Sites, nil, int(f.Reading)); f.Reading != 0 && len(at) == 1 {
			v.Reading = at[0]
		}
	}
	an.placeVerdict(&v, f, r)
	v.ShamAt = an.shamAt(f)
	v.Early = an.earlyOf(f, r)
	nameHeld(&v, an.Sites, f, r)
	return v
}

// placeVerdict sets where the perturbations of a finding act, and where its cure does.
func (an *Analyzer) placeVerdict(v *finding.Verdict, f *experiment.Finding, r *proof.Proof) {
	if w := f.Window; w != nil {
		v.Proof.FromStart = w.FromBeginning
		v.Ends = []int{w.First.Hit, w.Last.Hit}
		if before := appendSpan(an.Sites, nil, w.Before); len(before) > 0 {
			v.Before = before[0]
		}
	}
	switch {
	case v.Held() || f.Window != nil:
		v.Window = windowOf(an.Sites, f)
		if v.ChosenKinds() != "" {
			v.Chosen = an.choices(f)
		}
	case r.Plan.Does(proof.Act.Sets) || r.Plan.Does(proof.Act.Collects):
		v.Window = an.asked(f)
	default:
		v.Window = an.choices(f)
	}
	if len(f.Sites) == 1 && len(f.Trial.Plan.Of(perturb.Act.Holds)) == 1 {
		if at := appendSpan(an.Sites, nil, f.Sites[0].Block); len(at) == 1 {
			v.At = at[0]
			v.Visits = []int{f.Sites[0].Hit}
		}
	}
	if o := f.Ordered; o != nil {
		v.Visits = []int{o.First.Hit, o.Then.Hit}
		v.Events = eventsOf(an.Sites, r)
		v.PassedSo, v.PassedOf, v.FailedElse, v.FailedOf = o.PassedSo, o.PassedOf, o.FailedElse, o.FailedOf
		v.Amid, v.Past = o.Amid, an.past(o)
	}
	if c := f.CureSite; c != nil {
		v.Cure = appendSpan(an.Sites, v.Cure, c.Block)
		v.CureVisit = c.Hit
		v.CureOwn = len(f.Sites) == 1 && c.Class == f.Sites[0].Class
	}
}

// past returns how far the other goroutine of an order was in runs that pass.
func (an *Analyzer) past(o *experiment.Ordered) *finding.Past {
	if o.Past == nil {
		return nil
	}
	p := &finding.Past{Visit: o.Past.Hit, Amid: o.PastAmid, Ended: o.PastEnd}
	if at := appendSpan(an.Sites, nil, o.Past.Block); len(at) == 1 && !p.Ended {
		p.At = at[0]
	}
	return p
}

// shamAt returns where the same was done that did not matter, zero if that is not known.
func (an *Analyzer) shamAt(f *experiment.Finding) (at finding.Span) {
	b, kind := f.ShamPlace()
	span, ok := an.Sites.Pos(b)
	switch {
	case b == 0 || !ok:
		return at
	case kind == trace.ActStall:
		return finding.Span{File: span.File, Start: span.Start, End: span.End}
	}
	return an.choice(b, span, kind)
}

// nameHeld sets which goroutines a finding holds.
func nameHeld(v *finding.Verdict, sites *trace.Sites, f *experiment.Finding, r *proof.Proof) {
	v.Holds = holdsOf(sites, f, r)
	if held := r.Plan.First(proof.Act.Holds); held != nil && v.Holds == nil {
		g := held.At.Goroutine
		h := holdOf(sites, g, r)
		v.Started, v.StartedBy, v.InTest = h.Started, h.StartedBy, h.InTest
		v.Every = g != nil && g.All && !g.First
		v.OneOf = g != nil && !v.Every && (g.Nth > 0 || g.Among > 0)
	}
}

// earlyOf returns who comes too early while the goroutine of a finding is held, nil if that is not known.
func (an *Analyzer) earlyOf(f *experiment.Finding, r *proof.Proof) *finding.Early {
	if f.Early == nil || r.Early == nil {
		return nil
	}
	at := appendSpan(an.Sites, nil, f.Early.Site.Block)
	if len(at) == 0 {
		return nil
	}
	g := r.Early.At.Goroutine
	h := holdOf(an.Sites, g, r)
	return &finding.Early{
		At: at[0], Visit: f.Early.Site.Hit, Path: f.Early.Path, Held: countOf(&f.Early.Held),
		Started: h.Started, StartedBy: h.StartedBy, InTest: h.InTest, Root: g.Started().Test != "",
	}
}

// calledBack reports whether where another goroutine is held for the test to pass is reached through code that is no
// test's: what the code under test calls is no step of the test itself.
func (an *Analyzer) calledBack(f *experiment.Finding) bool {
	path := f.CurePath
	if f.Early != nil {
		path = f.Early.Path
	}
	return slices.ContainsFunc(path, func(c divergence.Call) bool {
		at, ok := an.Sites.Pos(c.Block)
		return ok && !strings.HasSuffix(at.File, "_test.go")
	})
}

// eventsOf returns the goroutines of the two events of an order.
func eventsOf(sites *trace.Sites, r *proof.Proof) (list []finding.Hold) {
	a, b := r.Events()
	if a == nil || a.Goroutine == nil || b.Goroutine == nil {
		return nil
	}
	first, then := a.Goroutine, b.Goroutine
	alike := slices.Equal(first.Chain, then.Chain)
	for _, g := range []*proof.GoroutineRef{first, then} {
		h := holdOf(sites, g, r)
		if alike || g.Nth > 0 {
			h.Nth = g.Nth + 1
		}
		list = append(list, h)
	}
	return list
}

// holdsOf returns the goroutines that a finding holds at once, nil if it is one or their
// order was forced.
func holdsOf(sites *trace.Sites, f *experiment.Finding, r *proof.Proof) (list []finding.Hold) {
	holds := r.Plan.Of(proof.Act.Holds)
	if len(holds) < 2 || len(f.Sites) != len(holds) || f.Window != nil || f.Ordered != nil {
		return nil
	}
	for i, s := range holds {
		h := holdOf(sites, s.At.Goroutine, r)
		if at := appendSpan(sites, nil, f.Sites[i].Block); len(at) > 0 {
			h.At = at[0]
		}
		list = append(list, h)
	}
	return list
}

// windowOf returns the lines of a finding's window, or of the places where it acts.
func windowOf(sites *trace.Sites, f *experiment.Finding) (list []finding.Span) {
	switch {
	case f.Window != nil:
		return appendSpan(sites, appendSpan(sites, nil, f.Window.First.Block), f.Window.Last.Block)
	case f.Ordered != nil: // two, be they of one line
		return slices.Concat(appendSpan(sites, nil, f.Ordered.First.Block), appendSpan(sites, nil, f.Ordered.Then.Block))
	}
	for _, b := range f.Places() {
		list = appendSpan(sites, list, b)
	}
	return list
}

// choices returns where the choices are made that decide. The runtime knows them by the
// last event before: the choice is made in its block or, once the function has come back,
// in a caller. If the source leaves open in which, it is the block that is named.
func (an *Analyzer) choices(f *experiment.Finding) (list []finding.Span) {
	by := f.Trial.Plan
	if f.Decides != nil && f.Cure != nil { // of which a block is named by what makes it pass
		by = f.Cure.Plan
	}
	an.foresee(an.packagesAt(f.Places()))
	for _, pin := range by.Of(perturb.Act.Chooses) {
		b := int(pin.At.Block)
		span, ok := an.Sites.Pos(b)
		if !ok {
			continue
		}
		if s := an.choice(b, span, pin.Kind); !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// asked returns where a program asks the system for what was set, and before which blocks
// something was done to it.
func (an *Analyzer) asked(f *experiment.Finding) (list []finding.Span) {
	set := f.Trial.Plan.First(perturb.Act.Sets)
	if set.Kind != 0 {
		an.foresee(an.packagesAt(f.Places()))
	}
	for _, b := range f.Places() {
		span, ok := an.Sites.Pos(b)
		if !ok {
			continue
		}
		s := finding.Span{File: span.File, Start: span.Start, End: span.Start}
		if set.Kind != 0 {
			s = an.choice(b, span, set.Kind)
		}
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// choice returns where a choice of a kind is made that comes after the event of a block.
func (an *Analyzer) choice(b int, block trace.Span, kind trace.ActKind) finding.Span {
	x := an.load(an.packagesAt([]int{b}))
	drawn := x.Drawn(b, func(o *source.Op) bool { return chooses(o, kind) })
	if walks := x.Ranges(b); kind == trace.ActMap && len(drawn) == 0 && len(walks) == 1 {
		file, line := x.Place(walks[0])
		return finding.Span{File: file, Start: line, End: line}
	}
	if len(drawn) == 0 || len(drawn) > 1 && drawn[0].Block != b {
		return finding.Span{File: block.File, Start: block.End, End: block.End, After: true}
	}
	last := drawn[len(drawn)-1]
	file, line := x.Place(last)
	return finding.Span{File: file, Start: x.Line(drawn[0].Node), End: line}
}

// chooses reports whether an operation makes choices of a kind.
func chooses(o *source.Op, kind trace.ActKind) bool {
	switch kind {
	case trace.ActMap:
		return o.How == "map order"
	case trace.ActSelect:
		return o.How == "select" || o.How == "poll"
	}
	if kind >= trace.ActClock { // of the others the index does not know
		return kind == trace.ActClock && strings.HasPrefix(o.How, "time.Now")
	}
	return strings.Contains(o.How, "math/rand") || strings.HasPrefix(o.How, "hash/maphash")
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
	return finding.Count{Failed: c.Failed, Of: c.Of, Other: c.Other, Missed: c.Missed}
}

// startedAt returns the go statement of a goroutine, zero for a test's own.
func startedAt(sites *trace.Sites, g *proof.GoroutineRef) trace.Frame {
	if g == nil || len(g.Chain) == 0 {
		return trace.Frame{}
	}
	last := g.Chain[len(g.Chain)-1]
	if last.Test != "" || last.File == "" {
		return trace.Frame{}
	}
	return trace.Frame{Func: last.In, File: filepath.Join(sites.Root, filepath.FromSlash(last.File)), Line: last.Line}
}

// startedBy returns the function that started a goroutine from outside of the user's
// code, "" for one that was started there and for a test's own.
func startedBy(g *proof.GoroutineRef) string {
	if last := g.Started(); last.Test == "" && last.File == "" {
		return last.In
	}
	return ""
}

// holdOf says which goroutine a replay is about: where it was started, and in which test.
func holdOf(sites *trace.Sites, g *proof.GoroutineRef, r *proof.Proof) finding.Hold {
	return finding.Hold{Started: startedAt(sites, g), StartedBy: startedBy(g), InTest: otherTest(g, r)}
}

// otherTest returns the test in whose goroutine one was started, or whose own it is, "" for the one that failed.
func otherTest(g *proof.GoroutineRef, r *proof.Proof) string {
	if g == nil || len(g.Chain) == 0 || r.Signature.Test == "" || g.Chain[0].Test == r.Signature.Test {
		return ""
	}
	return g.Chain[0].Test
}

// atCheck puts the first event of an order into the line of the failed check, if it is where the function
// that is called there begins: what that is given was evaluated before, and it is the reading of that which
// comes before the other event, or not.
func atCheck(t *finding.Test, in diagnose.Input) {
	path, ours := in.Sites.Rel(in.Failure.Frame.File)
	for i := range t.Verdicts {
		v := &t.Verdicts[i]
		if !ours || !v.Ordered() || !v.About(in.Failure) {
			continue
		}
		line, first := in.Failure.Frame.Line, v.Window[0]
		if !in.Source.Enters(path, line, first.File, first.Start) {
			continue
		}
		v.Window = []finding.Span{{File: path, Start: line, End: line}, v.Window[1]} // what was kept stays as it is
		if len(v.Visits) > 0 {
			v.Visits = append([]int{0}, v.Visits[1:]...)
		}
	}
}
