package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
)

// A columnsView is what must come first beside what came too early, with an arrow from the
// one to the other.
type columnsView struct{ First, Then []listing.Listing }

// A phaseView is a period of the clock, with where in it the test has begun in recorded runs: passing above failing
// ones.
type phaseView struct {
	Sides  [2]valueSide
	Set    [2]stripDot // where experiments have let it begin, without X if they have not
	Period string
}

// A chip is a test in the order in which they run.
type chip struct {
	Name string
	Last bool // this test
}

// draw adds the lines that a proof is about, each marked with what was done there.
func (v *viewer) draw(c *causeView, x *shownProof) {
	d := x.d
	switch {
	case x.kind == proofOrder:
		c.Columns = v.columns(d.Window()[1], say.MarkFirst.With(), d.Window()[0], say.MarkEarly.With())
		return
	case x.kind == proofTests, x.kind == proofNeeds:
		for _, name := range d.Tests() {
			c.Chips = append(c.Chips, chip{v.clean.Line(name, 200), false})
		}
		c.Chips = append(c.Chips, chip{v.testName(), true})
	case x.kind == proofSetting && x.set.Name() == "clock phase":
		c.Phase = v.phase(x)
	}
	if other, ok := otherPlace(d); ok && x.kind == proofHold && !d.Proof.Always && d.At().File != "" {
		c.Columns = v.columns(d.At(), x.markAt(), other, say.MarkEarly.With())
		return
	}
	m := listing.NewMarker(v.src)
	v.markProof(m, x)
	c.Code = v.Pieces(m)
}

// otherPlace is where another goroutine comes too early while one is delayed.
func otherPlace(d *finding.Verdict) (s finding.Span, ok bool) {
	switch {
	case d.Early() != nil:
		return d.Early().At, true
	case d.Cures() && !d.CureOwn():
		return d.Cure()[0], true
	}
	return s, false
}

// columns are the lines around two events.
func (v *viewer) columns(first finding.Span, says say.Sentence, then finding.Span, saysThen say.Sentence) *columnsView {
	one := func(s finding.Span, mark listing.CauseMark, text say.Sentence) []listing.Listing {
		m := listing.NewMarker(v.src)
		m.Cause(spanLines(s), mark, text)
		return v.Pieces(m)
	}
	return &columnsView{one(firstLine(first), listing.MarkHeld, says),
		one(firstLine(then), listing.MarkOther, saysThen)}
}

// firstLine is the line before which a goroutine is held that is held at a block.
func firstLine(s finding.Span) finding.Span {
	s.End = s.Start
	return s
}

// markAt says what was done where a goroutine was held: at which visit, if it comes there often.
func (x *shownProof) markAt() say.Sentence {
	d := x.d
	if d.Proof.FromStart && d.AtBeginning() && d.At().File == "" {
		return say.MarkStarts.With()
	}
	if len(d.Visits()) == 1 && d.Visits()[0] > 1 {
		return say.MarkDelayedNth.With(say.Count(d.Visits()[0]))
	}
	return say.MarkDelayed.With()
}

// markProof marks each place that a proof is about.
func (v *viewer) markProof(m *listing.Marker, x *shownProof) {
	d := x.d
	switch x.kind {
	case proofHold:
		v.markHold(m, x)
	case proofHolds:
		for _, h := range d.Holds()[:min(len(d.Holds()), 3)] {
			m.Cause(spanLines(firstLine(h.At)), listing.MarkHeld, say.MarkDelayed.With())
		}
	default:
		class := listing.MarkHeld
		for _, s := range d.Window()[:min(len(d.Window()), 3)] {
			m.Cause(spanLines(firstLine(s)), class, x.row.mark.With())
			class = listing.MarkOther // the first is the one that is told on a line
		}
	}
	for _, s := range d.Proof.Chosen()[:min(len(d.Proof.Chosen()), 2)] { // what a hold needs
		m.Cause(spanLines(firstLine(s)), listing.MarkOther, say.MarkChoice.With())
	}
	if d.Pollution != nil && len(d.Tests()) > 0 {
		for _, at := range v.changed(d) {
			m.Cause(spanLines(at), listing.MarkHeld, say.MarkChanged.With(v.Name(d.Tests()[0])))
		}
	}
}

// changed is where a test changes what it leaves behind or, if that is not known, where that is declared.
func (v *viewer) changed(d *finding.Verdict) (list []finding.Span) {
	for i := range v.f.Suspects {
		s := &v.f.Suspects[i]
		if s.Reason.Claim().Changes && s.Verdict != nil {
			return []finding.Span{s.Lines()}
		}
	}
	for _, x := range d.Pollution.Vars[:min(len(d.Pollution.Vars), 2)] {
		list = append(list, x.At)
	}
	return list
}

// markHold marks where a goroutine is held, what starts it if it is held from there, and the limit that it exceeds.
func (v *viewer) markHold(m *listing.Marker, x *shownProof) {
	d := x.d
	if d.Proof.Always && len(d.Cure()) > 0 {
		m.Cause(spanLines(firstLine(d.Cure()[0])), listing.MarkOther, say.WhyPasses.With())
		return
	}
	if limit, at := x.limit(); limit > 0 {
		m.Cause(spanLines(at), listing.MarkStart, say.MarkLimit.With())
	}
	if d.Proof.FromStart && d.Started().File != "" && d.AtBeginning() {
		m.Cause(v.framePlace(d.Started()), listing.MarkHeld, say.MarkStarts.With())
		return
	}
	at := d.At()
	if at.File == "" && len(d.Window()) > 0 {
		at = d.Window()[len(d.Window())-1]
	}
	if at.File != "" {
		m.Cause(spanLines(firstLine(at)), listing.MarkHeld, x.markAt())
	}
	if n := len(d.Window()); n > 1 && d.Window()[0] != at {
		m.Cause(spanLines(firstLine(d.Window()[0])), listing.MarkStart, say.MarkWindow.With())
	}
	if d.Cures() {
		m.Cause(spanLines(firstLine(d.Cure()[0])), listing.MarkOther, say.WhyPasses.With())
	}
	if d.Proof.Reading.File != "" {
		m.Cause(spanLines(d.Proof.Reading), listing.MarkStart, say.MarkClock.With())
	}
}

// phase draws what an experiment has shown of a period of the clock.
func (v *viewer) phase(x *shownProof) *phaseView {
	w := v.period(time.Duration(x.set.Unit))
	if w == nil {
		return nil
	}
	fail, pass := x.set, x.d.Proof.Opposite.First(func(a proof.Act) bool {
		return a.Name() == x.set.Name() && a.Unit == x.set.Unit
	})
	w.set(1, &fail)
	w.set(0, pass)
	if x.d.Proof.Always {
		w.Set[0], w.Set[1] = w.Set[1], w.Set[0]
	}
	return w
}

func (w *phaseView) set(side int, a *proof.Act) {
	if a != nil {
		w.Set[side] = stripDot{X: phaseStrip(time.Duration(a.Unit)).percentAt(float64(a.Value)),
			Title: say.TwoDigits(time.Duration(a.Value))}
	}
}

// phaseStrip is the axis of a period.
func phaseStrip(unit time.Duration) *strip { return &strip{most: float64(unit)} }

// period draws where in a period of the clock the test has begun in recorded runs.
func (v *viewer) period(unit time.Duration) *phaseView {
	if unit <= 0 || v.f == nil {
		return nil
	}
	var sides [2]numbers
	for _, b := range v.f.Begun {
		at := float64(b.At.UnixNano() % int64(unit))
		side := 0
		if b.Failed {
			side = 1
		}
		sides[side] = append(sides[side], stripPoint{at, say.TwoDigits(time.Duration(at))})
	}
	w := &phaseView{Period: say.TwoDigits(unit), Sides: [2]valueSide{
		{Class: "pass", Symbol: "✓", Word: "passing"}, {Class: "fail", Symbol: "✗", Word: "failing"}}}
	for i, list := range sides {
		slices.SortFunc(list, func(a, b stripPoint) int { return cmp.Compare(a.x, b.x) })
		s := &w.Sides[i]
		s.Dots, s.Strip = phaseStrip(unit).dots(list), phaseStrip(unit).text(list)
	}
	return w
}
