package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A shownProof is what was shown of a failure, as it is said: by the kind of proof.
type shownProof struct {
	v    *viewer
	d    *finding.Verdict
	kind proofKind
	set  proof.Act     // of a setting: the first that is set
	says say.Choice    // of one choice
	row  proofRow      // of its kind
	held time.Duration // the dose that was confirmed
}

// SaidProof is the cause that a proof shows, in plain text: for commands that have no runs to
// compare. r has the source.
func SaidProof(r *finding.Result, p *proof.Proof) string {
	v := newViewer(r)
	v.of(&finding.Test{Package: p.Package, Name: p.Test})
	return v.proofOf(&finding.Verdict{Proof: *p}).sentence().String()
}

// A proofKind says which act decides. Each has one sentence, its bars, its mark and its fix.
type proofKind uint8

const (
	proofHold  proofKind = iota
	proofHolds           // several at once
	proofOrder
	proofChoice
	proofTimers  // two of them
	proofSetting // of the system around the program
	proofTests   // fails after others
	proofNeeds   // fails without others
)

// A proofRow is what stands in the bars and in the source, whatever the code.
type proofRow struct {
	with, elsewhere, cure, plain say.Label
	mark                         say.Label
}

var proofRows = map[proofKind]proofRow{
	proofHold:   {say.MarkDelayed, say.BarElsewhere, say.BarOtherInstead, say.BarNotDelayed, say.MarkDelayed},
	proofHolds:  {say.BarAllDelayed, say.BarElsewhere, say.BarOtherInstead, say.BarNotDelayed, say.MarkDelayed},
	proofOrder:  {with: say.BarFirst, cure: say.BarOther, plain: say.BarPlain, mark: say.MarkEarly},
	proofTimers: {with: say.BarLate, cure: say.BarLater, plain: say.BarPlain, mark: say.MarkTimer},
	proofChoice: {say.BarThis, say.BarChosenElse, say.BarAnother, say.BarPlain, say.MarkChoice},
	proofTests:  {elsewhere: say.BarAfterOthers, plain: say.BarAlone, mark: say.MarkReadHere},
	proofNeeds:  {with: say.BarAlone, elsewhere: say.BarAfterOthers, mark: say.MarkReadHere},
}

// proofOf finds the kind of a verdict. What sets the most comes first: a hold that needs
// a choice is a hold, and a setting that needs tests is a setting.
func (v *viewer) proofOf(d *finding.Verdict) *shownProof {
	x := &shownProof{v: v, d: d, held: d.Proof.Confirmed.Held}
	acts := d.Proof.Plan
	if d.Proof.Always {
		acts = d.Proof.Opposite
	}
	if h := acts.First(proof.Act.Holds); x.held == 0 && h != nil {
		x.held = h.Dose
	}
	if x.held == 0 {
		x.held = d.Proof.Smallest
	}
	switch set := acts.Set(); {
	case d.Proof.Law.Kind == proof.LawTimers && len(d.Window()) == 2:
		x.kind = proofTimers
	case len(set) > 0:
		x.kind, x.set = proofSetting, set[0]
		says := x.set.Says()
		x.row = proofRow{with: says.With, elsewhere: say.BarSetElse, cure: says.Cure, plain: say.BarPlain, mark: says.Mark}
		return x
	case d.Needs():
		x.kind = proofNeeds
	case len(d.Tests()) > 0:
		x.kind = proofTests
	case len(d.Holds()) > 1:
		x.kind = proofHolds
	case d.Ordered():
		x.kind = proofOrder
	case d.Proof.Held():
		x.kind = proofHold
	default:
		x.kind = proofChoice
		if says, _ := x.chosen(d.Kind()); says.Cause != nil && len(d.Window()) < 2 {
			x.says, x.row = says, proofRow{says.With, say.BarChosenElse, says.Cure, say.BarPlain, says.Mark}
			return x
		}
	}
	x.row = proofRows[x.kind]
	return x
}

// nearlyAlways is the share of runs that must fail for an act to make the test fail.
const nearlyAlways = 0.95

// verb says what the act does: it does not always make the test fail, or others do too.
func (x *shownProof) verb() say.Verb {
	d, c := x.d, &x.d.Proof.Confirmed
	switch {
	case d.Proof.Always:
		return say.Passes
	case c.With.Of > 0 && share(c.With.Failed, c.With.Of) < nearlyAlways, d.Anywhere():
		return say.CanFail
	}
	return say.Fails
}

// sentence is the cause.
func (x *shownProof) sentence() say.Sentence {
	v, d, does := x.v, x.d, x.verb()
	switch x.kind {
	case proofSetting:
		if w := d.Window(); x.readings() {
			return say.ClockEnds.With(does, say.Limit(d.Proof.Law.Unit), v.Code(w[0]), v.Code(w[1]))
		}
		if cause := x.set.Says().Cause; cause != nil {
			set := say.Set{Value: x.set.Value, Unit: x.set.Unit, Text: say.Name(listing.Visible(x.set.Text))}
			if set.From, set.To = set.Value, set.Value; set.Unit > 0 {
				set.From = set.Value % set.Unit
				set.To = set.From
			}
			if l := d.Proof.Law; l != (proof.Law{}) {
				set.Unit, set.From, set.To = l.Unit, l.From, l.To
			}
			return cause(does, set)
		}
		return say.Unknown.With() // a control, in a file that fdebug has not written
	case proofTimers:
		at := x.timers()
		return say.Timers.With(does, v.Code(at[0]), v.Code(at[1]))
	case proofTests, proofNeeds:
		return x.tests(does)
	case proofHolds:
		return say.HoldSeveral.With(does, say.Count(len(d.Holds())))
	case proofOrder:
		return x.order(does, d.Proof.Law.After)
	case proofHold:
		return x.hold(does)
	}
	return x.choice(does)
}

// order says what comes before what, or between that and a step before it.
func (x *shownProof) order(does say.Verb, after *proof.Place) say.Sentence {
	first, then := x.d.Window()[0], x.d.Window()[1]
	f, b := x.v.Code(first), x.v.Code(then)
	switch {
	case after == nil && first == then:
		return say.OrderSame.With(does, f)
	case after == nil:
		return say.Order.With(does, f, b)
	case after.Shown != then:
		return say.Between.With(does, f, x.v.Code(after.Shown), b)
	case first == then:
		return say.AtOnce.With(does, f)
	}
	return say.Within.With(does, f, b)
}

// readings reports whether two readings of the clock decide.
func (x *shownProof) readings() bool {
	return x.d.Proof.Law.Kind == proof.LawEnds && len(x.d.Window()) == 2
}

// timers returns where the two times are set that decide: in the source, if a place says it.
func (x *shownProof) timers() []finding.Span {
	if s := x.v.firstOf(x.d); s != nil && s.Reason.Claim().Other.File != "" {
		return []finding.Span{s.Span, x.v.framePlace(s.Reason.Claim().Other).Span}
	}
	return x.d.Window()
}

// tests names the tests that decide.
func (x *shownProof) tests(does say.Verb) say.Sentence {
	tests := x.d.Tests()
	words := say.AfterTest
	if x.kind == proofNeeds {
		words = say.UnlessTest
	}
	return words.With(does, say.Name(x.v.clean.Line(strings.Join(tests, ", "), 200)))
}

// hold says who is delayed, and for how long.
func (x *shownProof) hold(does say.Verb) say.Sentence {
	v, d, long := x.v, x.d, say.Duration(x.held)
	if limit, at := x.limit(); limit > 0 {
		return say.HoldLimit.With(does, say.Limit(limit), v.Code(at))
	}
	held := d.Proof.Always && len(d.Cure()) > 0
	switch {
	case x.held == 0:
		return say.HoldSome.With(does)
	case held:
		return say.Hold.With(does, long)
	case d.Proof.Law.Kind == proof.LawDeadline:
		return say.ClockPasses.With(does, long)
	case d.Proof.ChosenKinds() != "":
		return say.HoldChoice.With(does, long)
	case d.Started().File != "" && d.Several():
		return say.HoldClass.With(does, v.Line(d.Started()), long)
	case d.Started().File != "":
		return say.Hold.With(does, long)
	case d.StartedBy() != "":
		return say.HoldLibrary.With(does, say.Name(v.funcName(d.StartedBy())), long)
	case d.InTest() != "":
		return say.HoldTest.With(does, v.Name(d.InTest()), long)
	}
	return say.HoldTest.With(does, say.Name(v.testName()), long)
}

// limit returns the limit of time that a hold exceeds, and where that is given; 0 if none is known.
func (x *shownProof) limit() (limit time.Duration, at finding.Span) {
	s := x.v.firstOf(x.d)
	if s == nil || x.d.Proof.Always {
		return 0, at
	}
	return s.Reason.Claim().Allows, s.Span
}

// choice says what is chosen at random.
func (x *shownProof) choice(does say.Verb) say.Sentence {
	v, d := x.v, x.d
	switch n := len(d.Window()); {
	case n > 1:
		return say.Choices.With(does, say.Count(n), v.Code(d.Window()[0]))
	case n == 0:
		return say.Chance.With(does)
	}
	at := finding.Chosen(v, d.Window()[0])
	if l := d.Proof.Law; l != (proof.Law{}) {
		at.Unit, at.From, at.To, at.Of = l.Unit, l.From, l.To, int(l.Of)
		at.Key, at.Before = v.Name(l.Key), v.Name(l.Before)
	}
	if d.Proof.Law.Of.Taken() {
		at.Taken = v.Line(trace.Frame{File: d.Window()[0].File, Line: int(at.From)})
	}
	if x.says.Cause != nil {
		return x.says.Cause(does, at)
	}
	return say.SelectSome.With(does, at.At)
}

// bars are the runs of a confirmation, one bar for each kind of them.
func (x *shownProof) bars() (list []barView) {
	d, c := x.d, x.d.Proof.Confirmed
	if len(d.Cure()) > 0 && !d.Cures() && !d.Proof.Always { // it was tried, and is none
		c.Cure = finding.Count{}
	}
	with, cure, plain := x.row.with.With(), x.row.cure.With(), x.row.plain.With()
	switch x.kind {
	case proofTests:
		with = x.after()
	case proofNeeds:
		cure = x.after()
	}
	if d.Proof.Always {
		with, cure, plain = say.BarPlain.With(), with, say.BarPlain.With()
	}
	for _, b := range []struct {
		label say.Sentence
		c     finding.Count
	}{
		{with, c.With}, {x.row.elsewhere.With(), c.Sham}, {cure, c.Cure},
		{plain, c.Plain},
	} {
		if b.c.Of > 0 && !b.label.None() {
			list = append(list, bar(b.label, b.c.Failed, b.c.Of))
		}
	}
	return list
}

// after names the tests that ran before, if it is one.
func (x *shownProof) after() say.Sentence {
	if tests := x.d.Tests(); len(tests) == 1 {
		return say.BarAfter.With(say.Name(x.v.clean.Line(tests[0], 60)))
	}
	return say.BarAfterThese.With()
}

func bar(label say.Sentence, k, n int) barView {
	return barView{label, fmt.Sprintf("%d of %d", k, n), fmt.Sprint(100 * k / max(1, n))}
}

// notes stand under the bars: runs that count on no side.
func (x *shownProof) notes() (list []say.Sentence) {
	c := x.d.Proof.Confirmed
	if n := c.With.Missed + c.None(); n > 0 {
		list = append(list, say.BarMissed.With(say.Count(n)))
	}
	if n := c.With.Other; n > 0 {
		list = append(list, say.BarDifferent.With(say.Count(n)))
	}
	if x.d.Class() == finding.Proved && c.Sham.Of == 0 && (x.kind == proofHold || x.kind == proofHolds) {
		list = append(list, say.BarNothingToComp.With())
	}
	return list
}

// tableBars are bars of recorded runs.
func tableBars(t divergence.Table) []barView {
	if t.Total() == 0 {
		return nil
	}
	return []barView{
		bar(say.BarFailingRuns.With(), t.FailTaken, t.FailTaken+t.FailNot),
		bar(say.BarPassingRuns.With(), t.PassTaken, t.PassTaken+t.PassNot),
	}
}

// firstOf returns the first place that a verdict is about, nil if there is none.
func (v *viewer) firstOf(d *finding.Verdict) *finding.Suspect {
	if v.t == nil { // the verdict stands by itself
		return nil
	}
	for _, f := range v.t.Failures {
		for i := range f.Suspects {
			s := &f.Suspects[i]
			if x := s.Verdict; x != nil && x.Signature() == d.Signature() && x.Kind() == d.Kind() {
				return s
			}
		}
	}
	return nil
}
