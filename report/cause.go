package report

import (
	"cmp"
	"fmt"
	"html/template"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/stats"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// A causeView is the answer: what experiments have shown to make the test fail or, where
// they have shown nothing, what is likely.
type causeView struct {
	ID      string
	Kind    string // "concurrency", "" if that is not known
	Verdict string // "proved", "reproduced", "likely" or "unknown"
	Said    []say.Sentence
	Same    []relatedView     // the failure that has all the rest, nil if it is this one
	Code    []listing.Listing // the few lines that it is about
	Picture *picture          // in their place, of an order
	Bars    []barView
	Notes   []say.Sentence
	commands
	Longer  string // command that gives experiments more time
	Fix     []say.Sentence
	Explain string        // command that says more of this kind
	Advice  template.HTML // what it says, folded, of the first failure

	named []finding.Span // places that need not be named once more
}

// A barView is how many runs of one kind failed.
type barView struct {
	Label say.Sentence
	Text  string // "20 of 20"
	Width string // of 100
}

// commands repeat what was shown, "" if there is no replay file.
type commands struct{ Replay, Verify, Edits string }

// explain is the command that says more of a kind.
const explain = "fdebug help "

// maxFix is how many lines of advice there are.
const maxFix = 2

// causeOf returns the cause, as far as it is known, of f, the i-th failure, counted from 0.
func (v *viewer) causeOf(i int, f *finding.Failure) *causeView {
	c := v.toldBefore(i, f)
	if c == nil {
		c = v.known(i, f)
	}
	c.ID = fmt.Sprintf("cause-%d", i+1)
	kind := c.Kind
	c.Kind = strings.ReplaceAll(kind, "-", " ")
	if c.Same != nil {
		return c
	}
	c.Fix = c.Fix[:min(len(c.Fix), maxFix)]
	if advice(kind) != "" {
		c.Explain = explain + kind
	}
	if c.Replay == "" {
		c.Longer = v.longer()
	}
	return c
}

// toldBefore refers to an earlier failure of the page that was shown to have the same cause; nil if there is none.
func (v *viewer) toldBefore(i int, f *finding.Failure) *causeView {
	d := v.verdictFor(i, f)
	for k := 0; d != nil && k < i; k++ {
		if v.verdictFor(k, v.t.Failures[k]) == d {
			first := say.Code{Place: fmt.Sprintf("failure %d", k+1), Href: fmt.Sprintf("#failure-%d", k+1)}
			return &causeView{Kind: v.kindOf(d), Verdict: d.Class().String(), named: d.Window(),
				Same: []relatedView{{say.SameCause.With(), []say.Sentence{say.Of(first)}}}}
		}
	}
	return nil
}

func (v *viewer) known(i int, f *finding.Failure) *causeView {
	d := v.verdictFor(i, f)
	if d == nil && v.t.State() == finding.Recorder {
		return v.onlyRecorder()
	}
	if d != nil {
		s := v.t.Deadlock(d)
		if d.Outlived(f) {
			s = best(f)
		} else if d.Class() == finding.Proved {
			s = nil
		}
		if s == nil {
			return v.shown(d)
		}
		c := v.suspected(f, s)
		c.commands, c.Kind = v.verdictView(d), cmp.Or(c.Kind, v.kindOf(d))
		if d.Outlived(f) { // the act shows that it fails, and the go statement why
			c.Verdict = d.Class().String()
		}
		return c
	}
	switch s, runs := best(f), count(v.t.Runs); {
	case runs.Failed > 0 && runs.Passed == 0 && (s == nil || s.Class < finding.Mechanism) &&
		!strings.HasPrefix(f.Message, "WARNING: DATA RACE"):
		return &causeView{Verdict: "unknown", Said: []say.Sentence{say.NothingPass.With()}}
	case f.Hang != nil && len(f.Hang.Waits) > 0 &&
		(s == nil || f.Hang.Kind == finding.HangLeak && s.Class < finding.Associated):
		return v.hung(f) // a goroutine that is left is the failure itself
	case s != nil && (!few(f) || s.Class >= finding.Mechanism):
		return v.suspected(f, s)
	case len(v.t.Races) > 0 && v.t.Races[0].Of > 0:
		return v.race(&v.t.Races[0])
	case s != nil && s.Reason.Claim().Differs: // the divergence, at the condition that decides it
		return v.lookAt(v.unknown(f), s, nil)
	}
	return v.unknown(f)
}

// verdictFor returns the verdict on the i-th failure. The first has those about no failure that is shown, too.
func (v *viewer) verdictFor(i int, f *finding.Failure) *finding.Verdict {
	for k := range v.t.Verdicts {
		if d := &v.t.Verdicts[k]; d.About(f) {
			return d
		}
	}
	for k := range v.t.Verdicts {
		if d := &v.t.Verdicts[k]; i == 0 && !slices.ContainsFunc(v.t.Failures, d.About) {
			return d
		}
	}
	return nil
}

// best returns the place that is ranked first of a failure, nil if there is none.
func best(f *finding.Failure) *finding.Suspect {
	if len(f.Suspects) == 0 {
		return nil
	}
	return &f.Suspects[0]
}

// shown returns a proof as it is shown.
func (v *viewer) shown(d *finding.Verdict) *causeView {
	x := v.proofOf(d)
	c := &causeView{Kind: v.kindOf(d), Verdict: d.Class().String(), commands: v.verdictView(d),
		named: slices.Concat(d.Window(), d.Cure(), []finding.Span{d.At()})}
	v.draw(c, x) // its lines before what links to them
	c.Said = append([]say.Sentence{x.sentence()}, v.leaves(d)...)
	if v.t.Deadlock(d) != nil {
		c.Said = append(c.Said, say.Locks.With())
	}
	c.Bars, c.Notes = x.bars(), x.notes()
	c.Fix = x.fixes()
	return c
}

// few reports whether a failure has so few runs that what they have in common may be chance. Then no cause is told that
// rests on that, and no advice given.
func few(f *finding.Failure) bool { return len(f.Runs) < 3 }

// unknown is for a failure without a likely cause.
func (v *viewer) unknown(f *finding.Failure) *causeView {
	c := &causeView{Kind: v.t.Looks, Verdict: "unknown", Said: []say.Sentence{say.Unknown.With()}}
	if at, ok := v.firstDifference(f); ok {
		c.Said = []say.Sentence{say.LookAt.With(at)}
	}
	return c
}

// onlyRecorder is for a test that fails only with the recorder: what so many plain runs leave open.
func (v *viewer) onlyRecorder() *causeView {
	bound := say.Percent(stats.NoneBound(count(v.t.Plain).Passed))
	return &causeView{Verdict: "unknown", Said: []say.Sentence{say.OnlyRecorder.With(bound)}}
}

// hung is for a failure that waits, where no more is known of it.
func (v *viewer) hung(f *finding.Failure) *causeView {
	c, w := v.unknown(f), &f.Hang.Waits[0]
	at, ok := v.src.Frame(w.At)
	if !ok {
		return c
	}
	m := listing.NewMarker(v.src)
	m.Cause(at, listing.MarkHeld, waitMark(w).With())
	c.Code = v.Pieces(m)
	c.Said = []say.Sentence{say.Hang.With()}
	if !few(f) {
		c.Fix = []say.Sentence{say.FixWaitEnds.With()}
	}
	c.Verdict = "likely"
	if c.Kind == "" {
		c.Kind = f.Hang.Kind.Category()
	}
	c.Bars = []barView{v.hungBar(f.Hang)}
	c.named = append(c.named, at.Span)
	return c
}

// waitMark says of a line that a goroutine waits there.
func waitMark(w *finding.Wait) say.Label {
	if w.Stuck {
		return say.MarkStuck
	}
	return say.MarkWaits
}

// hungBar counts the runs that hung or left a goroutine.
func (v *viewer) hungBar(h *finding.Hang) barView {
	n := finding.Count{Failed: h.Failing, Of: count(v.t.Runs).decided()}
	if v.t.State() == finding.OnlySeen && v.f.Seen != nil { // which runs are compared was chosen by outcome
		n = v.f.Seen.All()
	}
	label := say.BarHung
	if h.Kind == finding.HangLeak {
		label = say.MarkWaits
	}
	return bar(label.With(), n.Failed, n.Of)
}

// verdictView returns the commands of what was shown.
func (v *viewer) verdictView(d *finding.Verdict) (c commands) {
	if d.Proof.Replay == "" {
		return c
	}
	name := shellQuote(v.clean.Line(v.replayName(d), 500))
	c.Replay, c.Verify = v.retried("replay", name), v.retried("verify", name)
	if d.Edits {
		c.Edits = v.retried("fix", name)
	}
	return c
}

// kindOf is the category of what was shown: that of the verdict, else that which the test
// looks like, else that of what was done.
func (v *viewer) kindOf(d *finding.Verdict) string {
	if d.Category != "" {
		return v.clean.Line(d.Category, 60)
	}
	if c := v.t.Looks; c != "" {
		return v.clean.Line(c, 60)
	}
	return d.Proof.CategoryOfKind()
}

// leaves says what the tests of a verdict leave changed, where the source shows that this one looks at it.
func (v *viewer) leaves(d *finding.Verdict) []say.Sentence {
	for s, r := range v.legators(d) {
		if left := r.Left(s, v); !left.None() {
			return []say.Sentence{left}
		}
	}
	return nil
}

// A legator is a reason about a test that leaves something behind.
type legator interface {
	Left(*finding.Suspect, finding.Coder) say.Sentence
	Undo(*finding.Suspect, finding.Coder) []say.Sentence
}

// legators yields the places with such a reason that a verdict has shown.
func (v *viewer) legators(d *finding.Verdict) iter.Seq2[*finding.Suspect, legator] {
	return func(yield func(*finding.Suspect, legator) bool) {
		if v.t == nil {
			return
		}
		for _, f := range v.t.Failures {
			for i := range f.Suspects {
				s := &f.Suspects[i]
				r, ok := s.Reason.(legator)
				if ok && s.Verdict != nil && s.Verdict.Signature() == d.Signature() && !yield(s, r) {
					return
				}
			}
		}
	}
}

// longer returns the command that gives experiments more time; "" if all was tried, or there
// was nothing to try.
func (v *viewer) longer() string {
	if t := v.t.Tried; t == nil || t.Complete {
		return ""
	}
	o := v.again()
	o.Flags = append(slices.DeleteFunc(slices.Clone(o.Flags), func(f string) bool {
		return strings.HasPrefix(f, "-experiments")
	}), "-experiments=10m")
	return v.command(o, "run", 50)
}

// tried says how far experiments came.
func (v *viewer) tried(t *finding.Test) (list []say.Sentence) {
	for i := range t.Verdicts {
		if p := &t.Verdicts[i].Proof; p.Runs > 0 {
			list = append(list, say.TriedMade.With(say.Count(p.Runs), say.Duration(p.Took)))
		}
	}
	x := t.Tried
	if x == nil || len(list) > 0 {
		return list
	}
	if x.CutOff && (x.Limit <= 0 || x.Runs == 0) {
		return []say.Sentence{say.TriedNone.With()}
	}
	return []say.Sentence{say.TriedAll.With(say.Count(x.Runs), say.Duration(x.Took))}
}

// replayName returns the name of a replay: its test if there is no other for that,
// else the name of the file, which fdebug finds in its store.
func (v *viewer) replayName(d *finding.Verdict) string {
	file := strings.ReplaceAll(d.Proof.Replay, `\`, "/")
	base, ok := strings.CutSuffix(path.Base(file), proof.Suffix)
	switch {
	case !ok:
		return d.Proof.Replay
	case v.t.Name == "":
		return base
	}
	for _, name := range []string{v.t.Name, packageName(v.r, v.t.Package) + "." + v.t.Name} {
		if v.replaysNamed(name) <= 1 {
			return name
		}
	}
	return base
}

// replaysNamed counts the replays that are called by the name of a test: those of a
// subtest are by that of its test too.
func (v *viewer) replaysNamed(name string) int {
	files := map[string]bool{}
	for _, t := range v.r.Tests {
		if !text.IsTest(name, t.Package, t.Name) && !text.IsTest(name, t.Package, trace.TopTest(t.Name)) {
			continue
		}
		for _, d := range t.Verdicts {
			if d.Proof.Replay != "" {
				files[d.Proof.Replay] = true
			}
		}
	}
	return len(files)
}
