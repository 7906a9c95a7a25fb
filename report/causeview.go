package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/trace"
)

// A causeView, a reproView and a suspectView are what experiments have added,
// ready to be shown.
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

const maxSuspects = 5 // that are shown for a failure

type suspectView struct {
	Place prose
	Code  string
	Why   string
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
	for _, r := range v.t.Repros {
		file := shellQuote(v.clean.line(r.File, 500))
		w.Repros = append(w.Repros, reproView{
			What: v.clean.line(r.What, 500), Rate: fmt.Sprintf("failed %d of %d", r.Reproduced, r.Of),
			Replay: "fdebug replay " + file, Verify: "fdebug verify " + file,
		})
	}
}

// suspects returns the places to look at first.
func (v *viewer) suspects(list []Suspect) (out []suspectView) {
	for _, s := range list[:min(len(list), maxSuspects)] {
		at := place{File: s.File, Start: s.Start, End: max(s.Start, s.End), Lines: []int{s.Start}}
		out = append(out, suspectView{v.place(nil, at), v.quoted(at, false), v.clean.line(s.Why, 1000)})
	}
	return out
}

func (v *viewer) framePlace(f trace.Frame) place {
	p, _ := v.src.frame(f)
	return p
}
