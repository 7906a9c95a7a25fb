package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// A waitsView is who waited for what when the failing runs ended.
type waitsView struct {
	Rows   []waitRow
	Benign []waitRow // goroutines that wait there in passing runs too
}

// A waitRow is a goroutine that waits, or several that wait alike.
type waitRow struct {
	Who, Where say.Sentence
	For        string       // the operand, and what the runtime says
	Stuck      say.Sentence // that it can never go on
	Holds      []say.Sentence
	Since      string
	Passing    string // in so many passing runs it went on
	N          int
}

// waits returns the rows of goroutines that waited, nil if the failing runs did not hang.
func (v *viewer) waits(h *finding.Hang) *waitsView {
	if h == nil || len(h.Waits) == 0 {
		return nil
	}
	w := &waitsView{}
	for i := range h.Waits {
		if x := &h.Waits[i]; x.Benign {
			w.Benign = addRow(w.Benign, v.waitRow(h, x))
		} else {
			w.Rows = addRow(w.Rows, v.waitRow(h, x))
		}
	}
	return w
}

// addRow appends a row, or counts it if there is one like it.
func addRow(rows []waitRow, r waitRow) []waitRow {
	for i := range rows {
		x := &rows[i]
		if x.Who.String() == r.Who.String() && x.Where.String() == r.Where.String() &&
			x.For == r.For && x.Stuck.String() == r.Stuck.String() && x.Passing == r.Passing {
			x.N++
			return rows
		}
	}
	return append(rows, r)
}

func (v *viewer) waitRow(h *finding.Hang, w *finding.Wait) waitRow {
	r := waitRow{Who: v.actor(w.By), Where: say.Of(v.at(v.framePlace(w.At))), Since: since(w), N: 1}
	r.For = strings.TrimSpace(say.Clip(v.clean.Line(w.For, 200)) + " " + v.clean.Line(w.Reason, 60))
	if w.Stuck {
		r.Stuck = say.MarkStuck.With()
	}
	for _, l := range w.Holds {
		at := v.at(v.framePlace(l.At))
		at.Text = v.clean.Line(l.Lock, 80)
		r.Holds = append(r.Holds, say.Of(at))
	}
	if h.Passing > 0 && w.Past+w.Never+w.Waiting > 0 {
		r.Passing = fmt.Sprintf("%d of %d", w.Past, h.Passing)
	}
	return r
}

// since says how long a goroutine had waited, "" if that is not known.
func since(w *finding.Wait) string {
	if w.Since <= 0 {
		return ""
	}
	return say.TwoDigits(w.Since)
}

// actor names a goroutine.
func (v *viewer) actor(a finding.Actor) say.Sentence {
	if a.Root {
		return say.OneName.With(say.Name(v.testName()))
	}
	at, own := v.src.Frame(a.Started)
	if own {
		return say.Of(v.code(at))
	}
	return say.OneName.With(say.Name(v.funcName(a.Started.Func)))
}
