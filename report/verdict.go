package report

import (
	"fmt"
	"go/token"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// A verdictView is what experiments have shown about a failure, ready to be shown.
type verdictView struct {
	Title    string // "Cause, proved by experiment"
	Kind     string // "async wait", "" if it does not follow
	Class    string // "proved"
	Said     prose
	Artefact string
	Bars     []barView
	Replay   string // commands, "" if there is no replay file
	Verify   string
	Edits    string // that tries edits; "" where there is none for what is shown
	Advice   string // Markdown, "" if there is none
	Cost     string
}

// A barView is how many runs of one kind failed.
type barView struct {
	Label, Text string
	Width       string // of 100
}

// verdicts returns the views of what experiments have shown.
func (v *viewer) verdicts() []verdictView {
	var out []verdictView
	for i := range v.t.Verdicts {
		out = append(out, v.verdictView(&v.t.Verdicts[i]))
	}
	return out
}

func (v *viewer) verdictView(d *finding.Verdict) verdictView {
	x := verdictView{
		Title: "Cause, reproduced by experiment", Class: d.Class.String(),
		Kind: strings.ReplaceAll(v.clean.line(d.Category, 60), "-", " "), Advice: advice(d.Category),
		Said: v.verdictSaid(d), Artefact: v.clean.line(d.Proof.Artefact, 300),
		Cost: v.cost(d),
		Bars: v.bars(d),
	}
	if d.Unshown() {
		x.Title = "Failure reproduced, cause not shown"
	}
	if d.Anywhere() {
		x.Said = x.Said.text(fmt.Sprintf(" With the same elsewhere it failed in %s: that it is this place is not shown.", shareOf(d.Proof.Confirmed.Sham)))
	}
	if d.Class == finding.Proved {
		x.Title = "Cause, proved by experiment"
		if len(d.Tests()) > 0 && d.FailedElse > 0 {
			x.Title = "A cause, proved by experiment"
		}
		if d.Proof.Confirmed.Sham.Of == 0 {
			x.Cost += " " + untried(d)
		}
	}
	if d.Replay != "" {
		name := shellQuote(v.clean.line(v.replayName(d), 500))
		x.Replay, x.Verify = v.typed("replay")+" "+name, v.typed("verify")+" "+name
		if v.editable(d) {
			x.Edits = v.typed("fix") + " " + name
		}
	}
	return x
}

// untried says that there was nothing to compare a proof with.
func untried(d *finding.Verdict) string {
	switch {
	case d.Proof.Always:
		return "No control was made at another place."
	case len(d.Tests()) > 0:
		return "No other test was tried in place of " + these(d) + "."
	}
	return "No other place was found at which the same acts and the test passes: there is no such control."
}

// bars returns what became of the runs of a confirmation, a bar for each kind of them.
func (v *viewer) bars(d *finding.Verdict) (list []barView) {
	l, cured := barLabelsOf(d), d.Proof.Confirmed.Cure
	l.sham += v.shamPlace(d)
	if d.Proof.Always && len(d.Settings()) == 0 {
		l.with, l.cure, l.plain = "nothing changed", "held there", "nothing changed, again"
		if !d.Held() {
			l.cure = "with one choice"
		}
	}
	if len(d.Cure) > 0 && !d.Cures() { // it was tried, and is none
		cured = finding.Count{}
	}
	var early finding.Count
	if d.Early != nil {
		early = d.Early.Held
	}
	for _, b := range []struct {
		label string
		c     finding.Count
	}{{l.with, d.Proof.Confirmed.With}, {l.sham, d.Proof.Confirmed.Sham}, {l.cure, cured}, {"other held too", early}, {"held here, the clock standing still", d.Still}, {l.plain, d.Proof.Confirmed.Plain}, {backLabel(d), backOf(d).Back}, {"all other variables put back", backOf(d).Without}} {
		if b.c.Of > 0 {
			list = append(list, bar(b.label, b.c))
		}
	}
	return list
}

// shamPlace names the place of the same elsewhere, in brackets; "" if that is not known.
func (v *viewer) shamPlace(d *finding.Verdict) string {
	s := d.ShamAt
	if s.File == "" {
		return ""
	}
	at := v.placeName(place{File: s.File, Start: s.Start, End: max(s.Start, s.End), Lines: []int{s.Start}})
	if s.After {
		at = "at or right after " + at
	}
	if slices.Contains(d.Cure, s) {
		at += ", in another goroutine"
	}
	return " (" + at + ")"
}

// backOf returns what is known of putting back package variables, which may be nothing.
func backOf(d *finding.Verdict) (p finding.Pollution) {
	if d.Pollution != nil {
		p = *d.Pollution
	}
	return p
}

// backLabel says which variables were put back.
func backLabel(d *finding.Verdict) string {
	if p := backOf(d); len(p.Vars) == 1 && token.IsIdentifier(p.Vars[0].Name) {
		return "after it, " + p.Vars[0].Name + " put back"
	} else if len(p.Vars) > 0 {
		return "after it, what it leaves put back"
	}
	return "after it, all variables put back"
}

// barLabels say what was done in the runs of each kind.
type barLabels struct{ with, sham, cure, plain string }

func barLabelsOf(d *finding.Verdict) barLabels {
	l := barLabels{"held here", "held elsewhere", "other held instead", "nothing changed"}
	if d.ChosenKinds() != "" {
		l.with = "held here, with this choice"
	}
	switch {
	case d.ChosenKinds() != "" && len(d.Cure) == 0:
		l.cure = "held here, with another choice"
	case d.Held() && d.CureOwn:
		l.cure = "held there instead"
	case d.Needs():
		l.with, l.cure, l.plain = "alone", "after just "+these(d), "with all tests, in one order"
	case len(d.Tests()) > 0:
		l.with, l.sham, l.plain = "after just "+these(d), "after just another", "alone"
		if len(d.Settings()) > 0 {
			l.cure = "set otherwise"
		}
	case d.Ordered():
		l.with, l.sham, l.cure = "in this order", "held only until an earlier step", orderOfCure(d)
	case len(d.Settings()) > 0:
		l.with, l.sham, l.cure = "set so", "set so elsewhere", "set otherwise"
	case !d.Held():
		l.with, l.sham, l.cure = "with this choice", "chosen so elsewhere", "with another choice"
	}
	return l
}

func bar(label string, c finding.Count) barView {
	return barView{label, failedOf(c), fmt.Sprintf("%d", 100*c.Failed/c.Of)}
}

// orderOfCure is the order of two events in which the test passes, in a label.
func orderOfCure(d *finding.Verdict) string {
	if d.Past == nil {
		return "in the other order"
	}
	return "if the first comes later"
}

// these names the tests of a verdict in a label.
func these(d *finding.Verdict) string {
	if len(d.Tests()) == 1 && token.IsIdentifier(d.Tests()[0]) {
		return d.Tests()[0]
	}
	return "these tests"
}

// shareOf says how many runs failed, and what else became of them: "4 of 20 (12 more runs do
// not count)".
func shareOf(c finding.Count) string { return ofWhat(c, "") }

// inRuns is the same with the word runs.
func inRuns(c finding.Count) string { return ofWhat(c, " runs") }

func ofWhat(c finding.Count, what string) string {
	text := fmt.Sprintf("%d of %d%s", c.Failed, c.Of, what)
	if also := besides(c); len(also) > 0 {
		text += " (" + strings.Join(also, ", ") + ")"
	}
	return text
}

// failedOf is the same where that stands by itself.
func failedOf(c finding.Count) string {
	return strings.Join(append([]string{fmt.Sprintf("%d of %d failed", c.Failed, c.Of)}, besides(c)...), ", ")
}

// besides says what else became of runs: they failed in another way, or do not count.
func besides(c finding.Count) (list []string) {
	if c.Other > 0 {
		list = append(list, fmt.Sprintf("%d more failed differently", c.Other))
	}
	if c.Missed > 0 {
		list = append(list, fmt.Sprintf("in %s it did not act", plural(c.Missed, "more run")))
	}
	return list
}

// SaidCause says what experiments have shown to make a test fail, with the command that
// does; nothing if none has.
func SaidCause(r *finding.Result, t *finding.Test) []string {
	if len(t.Verdicts) == 0 {
		return nil
	}
	v := newViewer(r)
	v.t = t
	d := v.verdictView(&t.Verdicts[0])
	title := d.Title
	if of := v.ofFailures(&t.Verdicts[0]); of != "" && of != "of failure 1" { // the terminal has the most frequent one first
		title += ", " + of
	}
	if d.Kind != "" {
		title += " (" + d.Kind + ")"
	}
	lines := []string{title + ": " + d.Said.Plain()}
	if d.Artefact != "" {
		lines = append(lines, "A deadline artefact: "+d.Artefact)
	}
	if d.Replay != "" {
		lines = append(lines, "Make it fail: "+d.Replay)
	}
	return lines
}

// verdictSaid says what makes the test fail, in one or two sentences.
func (v *viewer) verdictSaid(d *finding.Verdict) prose {
	switch {
	case len(d.Tests()) > 0:
		return v.testsSaid(d)
	case d.Ordered():
		return v.forcedSaid(d)
	case len(d.Settings()) > 0:
		return v.settingSaid(d)
	case d.Proof.Always:
		return v.alwaysSaid(d)
	case !d.Held():
		return v.choiceSaid(d)
	}
	long := strings.TrimPrefix(heldFor(d)+" ", " ")
	p := say("If ").add(v.whoOf(d)).text(" is held " + long)
	switch {
	case len(d.Holds) > 1:
		p = v.holdsSaid(d, long)
	case d.Proof.FromStart && d.Started.File != "" && !d.AtBeginning() && d.At.File != "":
		p = v.spanPlace(p.text("between its beginning and "), d.Window[len(d.Window)-1]).text(v.endWords(d, 1))
		p = v.place(p.text(", at "), heldPlace(d.At)).text(v.visitWords(d, 0))
	case d.Proof.FromStart && d.Started.File != "":
		p = p.text("from its beginning")
	case len(d.Window) > 1:
		p = v.spanPlace(p.text("between "), d.Window[0]).text(v.endWords(d, 0))
		p = v.spanPlace(p.text(" and "), d.Window[len(d.Window)-1]).text(v.endWords(d, 1))
		if times := v.visitWords(d, 0); times != "" {
			p = v.place(p.text(", at "), heldPlace(d.At)).text(times)
		}
	default:
		p = v.spans(p.text("at "), d.Window).text(v.visitsWords(d))
	}
	p = v.chosenBeside(p, d).text(fmt.Sprintf(", the test fails%s: in %s%s.", v.otherWords(d), inRuns(d.Proof.Confirmed.With), asEver(d)))
	if d.Class == finding.Proved && d.Cures() {
		who, kept := " If instead what comes to ", " is held there"
		if d.CureOwn {
			who, kept = " If "+ownWords(d)+" is held instead at ", ""
		}
		p = v.spans(p.text(who), d.Cure).text(fmt.Sprintf("%s%s, it failed in %s.", v.timeWords(d.CureVisit, d.Cure[0]), kept, shareOf(d.Proof.Confirmed.Cure)))
	}
	return v.stillSaid(v.earlySaid(p, d), d)
}

// asEver says in how many runs it failed with nothing changed, where those with a goroutine held do not
// differ from these: then what is shown is shown by what makes it pass.
func asEver(d *finding.Verdict) string {
	t := divergence.Table{FailTaken: d.Proof.Confirmed.With.Failed, FailNot: d.Proof.Confirmed.With.Of - d.Proof.Confirmed.With.Failed, PassTaken: d.Proof.Confirmed.Plain.Failed, PassNot: d.Proof.Confirmed.Plain.Of - d.Proof.Confirmed.Plain.Failed}
	if d.Proof.Confirmed.Plain.Of == 0 || t.Fisher() < ratesDiffer {
		return ""
	}
	return ", and with nothing changed in " + shareOf(d.Proof.Confirmed.Plain)
}

// stillSaid says that the time decides which passes while a goroutine is held, if that was shown.
func (v *viewer) stillSaid(p prose, d *finding.Verdict) prose {
	if d.Still.Of == 0 {
		return p
	}
	p = p.text(" Held likewise, with ")
	if d.Reading.File != "" {
		p = v.spanPlace(p.text("a clock that stands still meanwhile for what is read at "), d.Reading)
	} else {
		p = p.text("clocks that stand still meanwhile")
	}
	return p.text(fmt.Sprintf(", it failed in %s: how much time passes decides.", shareOf(d.Still)))
}

// chosenBeside says which choices were made on purpose while a goroutine was held.
func (v *viewer) chosenBeside(p prose, d *finding.Verdict) prose {
	kinds := d.ChosenKinds()
	switch {
	case kinds == "":
		return p
	case len(d.Chosen) == 0:
		return p.text(", and all that is chosen at random follows one seed")
	}
	return v.spans(p.text(", and what is chosen at random ("+v.kindWords(kinds)+") "+whereChosen(d.Chosen)+" "), d.Chosen).text(" is fixed to one choice")
}

// alwaysSaid is verdictSaid for a test that fails with nothing changed: it says what makes it pass.
func (v *viewer) alwaysSaid(d *finding.Verdict) prose {
	p := say(fmt.Sprintf("With nothing changed the test fails%s: in %s. If ", v.otherWords(d), inRuns(d.Proof.Confirmed.With)))
	if len(d.Cure) > 0 {
		p = v.spans(p.text("what runs "), d.Cure).text(v.timeWords(d.CureVisit, d.Cure[0])).text(" is held there")
	} else {
		p = p.text("what is chosen at random (" + v.kindWords(d.Kind()) + ") is fixed to one choice")
	}
	return p.text(fmt.Sprintf(", it failed in %s.", shareOf(d.Proof.Confirmed.Cure)))
}

// ownWords names who is held for a cure in the place of one like it, or of itself.
func ownWords(d *finding.Verdict) string {
	if !started(d) {
		return "it"
	}
	return "one that is started at the same place"
}

// started reports whether what is held is a goroutine of which it is known where, or by whom, it is started.
func started(d *finding.Verdict) bool { return d.Started.File != "" || d.StartedBy != "" }

// otherWords says that what failed, and where, if no failure that is shown says the same: runs
// count that fail at one check, or statement, in whatever words.
func (v *viewer) otherWords(d *finding.Verdict) string {
	if v.t == nil || d.Place == "" || len(v.t.Failures) == 0 || slices.ContainsFunc(v.t.Failures, func(f *finding.Failure) bool { return f.Signature == d.Signature }) {
		return ""
	}
	return " at " + v.clean.line(d.Place, 200) + ", in whatever words"
}

// visitWords says at which visit a goroutine is held, or an event of an order is meant; "" for
// the first where no other is seen to be possible.
func (v *viewer) visitWords(d *finding.Verdict, i int) string {
	if i >= len(d.Visits) {
		return ""
	}
	at := d.At
	if d.Ordered() {
		at = d.Window[i]
	}
	return v.timeWords(d.Visits[i], at)
}

// endWords says at which visit a window begins, or ends, if that is not the one at which the goroutine was held.
func (v *viewer) endWords(d *finding.Verdict, i int) string {
	if !d.Spans() {
		return ""
	}
	return v.timeWords(d.Ends[i], d.Window[min(i, len(d.Window)-1)])
}

// visitsWords is visitWords for a window that begins and ends at one place: at which other visits it is in it.
func (v *viewer) visitsWords(d *finding.Verdict) string {
	if !d.Spans() || len(d.Window) != 1 || d.Window[0] != d.At {
		return v.visitWords(d, 0)
	}
	nth := func(n int) string { return ordinal(int64(n)) }
	return fmt.Sprintf(" (the %s time, and likewise from the %s to the %s)", nth(d.Visits[0]), nth(d.Ends[0]), nth(d.Ends[1]))
}

// timeWords says which of several times is meant that a goroutine comes to a place, likewise.
func (v *viewer) timeWords(visit int, at finding.Span) string {
	switch {
	case visit >= 2:
		return " (the " + ordinal(int64(visit)) + " time)"
	case visit == 1 && (v.src.inLoop(at.File, at.Start) || v.ranAgain(at)):
		return " (the first time)"
	}
	return ""
}

// ranAgain reports whether a goroutine came to a place more than once, in the common part of runs.
func (v *viewer) ranAgain(at finding.Span) bool {
	if v.t == nil {
		return false
	}
	for _, f := range v.t.Failures {
		if f.Analysis == nil {
			continue
		}
		for _, d := range f.Analysis.Chain {
			if slices.ContainsFunc(d.Common, func(c divergence.Count) bool {
				if c.N < 2 {
					return false
				}
				p, ok := v.src.block(c.Block)
				return ok && p.File == at.File && p.Start == at.Start
			}) {
				return true
			}
		}
	}
	return false
}

// choiceSaid is verdictSaid for what is chosen at random: by the runtime, or by the
// scheduler.
func (v *viewer) choiceSaid(d *finding.Verdict) prose {
	kinds, proved := "what is chosen at random ("+v.kindWords(d.Kind())+")", d.Class == finding.Proved
	p := say("The test fails by " + kinds)
	if !proved {
		p = say("With " + kinds)
	}
	if len(d.Window) > 0 {
		p = v.spans(p.text(" "+whereChosen(d.Window)+" "), d.Window)
	}
	if !proved {
		return p.text(fmt.Sprintf(" fixed to one choice the test failed%s in %s, with nothing changed in %s.", v.otherWords(d), inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain)))
	}
	p = p.text(fmt.Sprintf(": with one choice it failed%s in %s", v.otherWords(d), inRuns(d.Proof.Confirmed.With)))
	if d.Proof.Confirmed.Cure.Of > 0 {
		p = p.text(fmt.Sprintf(", with another in %s", shareOf(d.Proof.Confirmed.Cure)))
		if d.Proof.Confirmed.Cure.Failed > 0 {
			return p.text(": something else decides with it.")
		}
	}
	return p.text(".")
}

// whereChosen says where a choice is made: at the lines given, or it was not found out how
// far behind them.
func whereChosen(list []finding.Span) string {
	if mayBeAfter(list) {
		return "at or right after"
	}
	return "at"
}

// mayBeAfter reports whether a choice that is made at some places may be made right after one.
func mayBeAfter(list []finding.Span) bool {
	return slices.ContainsFunc(list, func(s finding.Span) bool { return s.After })
}

// spans names the first places of a list, and says how many more there are.
func (v *viewer) spans(p prose, list []finding.Span) prose {
	shown := list[:min(len(list), 3)]
	for i, s := range shown {
		switch {
		case i > 0 && i == len(list)-1:
			p = p.text(" and ")
		case i > 0:
			p = p.text(", ")
		}
		p = v.spanPlace(p, s)
	}
	if n := len(list) - len(shown); n > 0 {
		p = p.text(" and " + plural(n, "more place"))
	}
	return p
}

func (v *viewer) spanPlace(p prose, s finding.Span) prose {
	at := place{File: s.File, Start: s.Start, End: max(s.Start, s.End), Lines: []int{s.Start}}
	if code := v.quoted(at, false); code != "" {
		p = p.code(code).text(" (")
		return v.place(p, at).text(")")
	}
	return v.place(p, at)
}

// dose is a time that a goroutine is held, in at most three digits.
func dose(d time.Duration) string {
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond} {
		if d >= unit {
			return d.Round(unit / 10).String()
		}
	}
	return d.String()
}

// lasting says for how long goroutines were held, if that was kept, and that choices were made
// on purpose beside it.
func lasting(d *finding.Verdict) string {
	if d.ChosenKinds() != "" {
		return heldFor(d) + " and random choices fixed"
	}
	return heldFor(d)
}

// heldFor says for how long goroutines were held, "" if that was not kept.
func heldFor(d *finding.Verdict) string {
	switch {
	case d.Proof.Confirmed.Held == 0:
		return ""
	case len(d.Holds) > 1: // it is that of the longest
		return " for up to " + dose(d.Proof.Confirmed.Held)
	}
	return " for " + dose(d.Proof.Confirmed.Held)
}

const maxSuspects = 5 // that are shown for a failure

type suspectView struct {
	Place prose
	Code  string
	Why   string
	Known string // how it is known: "associated, decides"
}

// suspects returns the places to look at first.
func (v *viewer) suspects(list []finding.Suspect) (out []suspectView) {
	for i := range list[:min(len(list), maxSuspects)] {
		s := &list[i]
		at := place{File: s.File, Start: s.Start, End: max(s.Start, s.End), Lines: []int{s.Start}}
		out = append(out, suspectView{v.place(nil, at), v.quoted(at, false), v.clean.line(Why(s), 1000), known(s)})
	}
	return out
}

// known says how a hypothesis is known, for whoever asks.
func known(s *finding.Suspect) string {
	text := "rule " + s.Rule + ": " + s.Class.String()
	if s.Link != finding.Unlinked {
		text += ", " + s.Link.String()
	}
	elsewhere := []finding.ReasonKind{finding.ReasonCure, finding.ReasonHeldToo, finding.ReasonWindow, finding.ReasonSignal, finding.ReasonAddInside, finding.ReasonUnwaited, finding.ReasonUnwaitedSleep, finding.ReasonLook, finding.ReasonSleepHeld, finding.ReasonSleepBefore, finding.ReasonLimitHeld, finding.ReasonMeasuredLate, finding.ReasonReading, finding.ReasonAsserted, finding.ReasonRaceUnlock, finding.ReasonRaceNoLock, finding.ReasonRaceUnguarded}
	// What is proved is so by the runs in which it stays away, and the table of those elsewhere is that of where the goroutine was held.
	if s.Table.Total() > 0 && s.Class != finding.Proved && !slices.Contains(elsewhere, s.Reason.Kind) {
		text += fmt.Sprintf(", p = %.2g", s.P)
	}
	return text
}

func (v *viewer) framePlace(f trace.Frame) place {
	p, _ := v.src.frame(f)
	return p
}
