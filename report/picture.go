package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/text"
)

// A picture is how two goroutines go on where the test passes, beside how they do where it fails.
type picture struct {
	Lanes [2]lane // of an order the goroutine that must come first, and the one that comes too early
	Sides [2]pictureSide
	first listing.Listing // the line that is named first
}

// A lane is one of the goroutines.
type lane struct {
	Who say.Sentence
	Nth int // among the goroutines that are started there, from 1; 0 if no others are known
}

// A pictureSide has the steps of runs of one outcome, as they follow each other.
type pictureSide struct {
	Class, Symbol string
	Word          say.Sentence
	Steps         []pictureStep
}

// A pictureStep is a line that a goroutine runs.
type pictureStep struct {
	Lane        int
	At          say.Sentence
	Func        string
	listing.Row              // without code if the source is not there
	Mark        say.Sentence // what is wrong with it
	span        finding.Span
}

// picture draws an order, or what comes between two steps, nil if the two goroutines can't be told apart.
func (v *viewer) picture(d *finding.Verdict) *picture {
	p, early, then := &picture{}, d.Window()[0], d.Window()[1]
	if e := d.Events(); len(e) == 2 {
		p.Lanes = [2]lane{v.lane(e[1]), v.lane(e[0])}
	}
	if early == then && p.Lanes[0].text() == p.Lanes[1].text() {
		return nil
	}
	f, b := v.step(1, early), v.step(0, then)
	if p.first = v.One(then.File, then.Start); d.Proof.Law.Kind != "" {
		if s := v.firstOf(d); s != nil { // where the edge is missing
			p.first = v.One(s.File, s.Start)
		}
	}
	if d.Proof.Law.After == nil {
		return p.sides([]pictureStep{b, f}, []pictureStep{f, b}, say.MarkEarly, 0)
	}
	a := v.step(0, d.Proof.Law.After.Shown)
	return p.sides([]pictureStep{a, b, f}, []pictureStep{a, f, b}, say.MarkBetween, 1)
}

// circle draws two goroutines that wait for each other's locks, nil if a failure does not end in that.
func (v *viewer) circle(s *finding.Suspect, f *finding.Failure) *picture {
	if s == nil || !s.Reason.Claim().Deadlock || f.Hang == nil || len(f.Hang.LockOrder) != 2 {
		return nil
	}
	h := f.Hang
	p, locks, waits := &picture{}, [2]pictureStep{}, [2]pictureStep{}
	for i, k := range h.LockOrder {
		w := &h.Waits[k]
		if len(w.Holds) == 0 {
			return nil
		}
		p.Lanes[i].Who = v.actor(w.By)
		locks[i] = v.step(i, v.framePlace(w.Holds[0].At).Span)
		waits[i] = v.step(i, v.framePlace(w.At).Span)
	}
	if p.Lanes[0].text() == p.Lanes[1].text() {
		p.Lanes[0].Nth, p.Lanes[1].Nth = 1, 2
	}
	p.first = v.One(s.File, s.Start)
	return p.sides([]pictureStep{locks[0], waits[0], locks[1], waits[1]},
		[]pictureStep{locks[0], locks[1], waits[0], waits[1]}, say.MarkWaits, 2, 3)
}

// sides sets the steps of either outcome, and marks those that are wrong. A line can be linked to once.
func (p *picture) sides(passes, fails []pictureStep, mark say.Label, wrong ...int) *picture {
	for i := range fails {
		fails[i].ID = ""
	}
	for _, i := range wrong {
		fails[i].Mark = mark.With()
	}
	p.Sides = [2]pictureSide{{"pass", "✓", say.BarPassingRuns.With(), passes},
		{"fail", "✗", say.BarFailingRuns.With(), fails}}
	return p
}

// lane names a goroutine.
func (v *viewer) lane(h finding.Hold) lane {
	l := lane{Nth: h.Nth}
	switch at, own := v.src.Frame(h.Started); {
	case h.InTest != "":
		l.Who = say.OneName.With(v.Name(h.InTest))
	case own:
		l.Who = say.Of(v.code(at))
	case h.StartedBy != "":
		l.Who = say.OneName.With(say.Name(v.funcName(h.StartedBy)))
	default:
		l.Who = say.OneName.With(say.Name(v.testName()))
	}
	return l
}

// step is the first line of a place.
func (v *viewer) step(lane int, at finding.Span) pictureStep {
	s := pictureStep{Lane: lane, span: at}
	if l := v.One(at.File, at.Start); len(l.Rows) > 0 {
		s.Row, s.Func = l.Rows[0], l.Func
	}
	s.At = say.Of(v.at(spanLines(at)))
	return s
}

// laneColumns is how much of a line the picture has as text.
const laneColumns = 36

func (l lane) text() string {
	s := text.Line(strings.ReplaceAll(l.Who.String(), "`", ""), laneColumns)
	if l.Nth > 0 {
		s += fmt.Sprintf(" #%d", l.Nth)
	}
	return s
}

// Text is the picture for Markdown: a line for each step, in the column of its goroutine.
func (p *picture) Text() string {
	rows := [][3]string{{"", p.Lanes[0].text(), p.Lanes[1].text()}}
	width := len([]rune(rows[0][1]))
	for _, side := range p.Sides {
		title := side.Symbol + " " + side.Word.String()
		for i, s := range side.Steps {
			row := [3]string{fmt.Sprintf("%-16s %2d", title, i+1)}
			row[1+s.Lane] = text.Line(strings.TrimSuffix(s.Source, " {"), laneColumns) + "  " + s.At.String()
			if !s.Mark.None() {
				row[1+s.Lane] += "  <- " + s.Mark.String()
			}
			rows, title, width = append(rows, row), "", max(width, len([]rune(row[1])))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-19s  %-*s  %s", row[0], width, row[1], row[2]), " ") + "\n")
	}
	return b.String()
}
