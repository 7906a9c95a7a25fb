package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A causeView, a reproView, a suspectView and a valueView are what experiments
// have added, ready to be shown.
type causeView struct {
	Category, Words, Confidence, Why string
	Evidence                         []string
	Advice                           string // Markdown, "" if there is none
}

type reproView struct {
	What, Rate, Replay, Verify string
}

// Command is the command that replays r.
func (r reproView) Command() command { return command{"Replay", r.Replay} }

type suspectView struct {
	Place prose
	Code  string
	Why   string
}

type valueView struct {
	Expr             string
	Place            prose
	Source           string
	Passing, Failing []seenView
}

type seenView struct {
	Text string
	N    string
}

// explain fills in the parts that experiments have added.
func (v *viewer) explain(w *view) {
	if c := v.t.Cause; c != nil {
		w.Cause = &causeView{
			Category: v.clean.line(c.Category, 60), Words: strings.ReplaceAll(v.clean.line(c.Category, 60), "-", " "),
			Confidence: percent(c.Confidence), Why: v.clean.line(c.Why, 1000), Advice: advice(c.Category),
		}
		for _, e := range c.Evidence {
			w.Cause.Evidence = append(w.Cause.Evidence, v.clean.line(e, 1000))
		}
	}
	for i, s := range v.t.Suspects {
		if i == 5 {
			break
		}
		at := place{File: s.File, Start: s.Start, End: max(s.Start, s.End), Lines: []int{s.Start}}
		w.Suspects = append(w.Suspects, suspectView{v.place(nil, at), v.quoted(at, false), v.clean.line(s.Why, 1000)})
	}
	for _, r := range v.t.Repros {
		file := shellQuote(v.clean.line(r.File, 500))
		w.Repros = append(w.Repros, reproView{
			What: v.clean.line(r.What, 500), Rate: fmt.Sprintf("failed %d of %d", r.Reproduced, r.Of),
			Replay: "fdebug replay " + file, Verify: "fdebug verify " + file,
		})
	}
}

// values returns the values that decided, passing against failing.
func (v *viewer) values(values []Value) []valueView {
	var out []valueView
	for _, x := range values {
		at, _ := v.src.frame(x.At)
		out = append(out, valueView{
			Expr: v.clean.line(x.Expr, 200), Place: v.place(nil, at), Source: v.clean.line(x.Source, 200),
			Passing: v.seen(x.Passing), Failing: v.seen(x.Failing),
		})
	}
	return out
}

func (v *viewer) seen(values []Seen) []seenView {
	var out []seenView
	for i, s := range values {
		if i == 8 {
			return append(out, seenView{fmt.Sprintf("%d more values", len(values)-i), ""})
		}
		out = append(out, seenView{v.clean.line(s.Text, 200), plural(len(s.Runs), "run")})
	}
	return out
}

func (v *viewer) framePlace(f trace.Frame) place {
	p, _ := v.src.frame(f)
	return p
}
