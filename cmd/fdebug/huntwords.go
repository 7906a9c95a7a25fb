package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/report"
)

// causeLines says what is done to make a test fail.
func causeLines(r *experiment.Replay) []string {
	lines := placedLines(r)
	if text := saidSettings(r.Settings); text != "" {
		lines = append(lines, "fails if "+text+askedWords(r)+afterWords(r))
	}
	if text := saidSettings(r.CuredBy); text != "" && len(r.Settings) == 0 {
		lines = append(lines, "fails with nothing changed, and passes if "+text)
	}
	lines = append(lines, cureLines(r, len(lines) == 0)...)
	if e := r.Early; e != nil {
		who := goroutineWords(e.At.Goroutine)
		if len(r.Stalls) > 0 && who == goroutineWords(r.Stalls[0].At.Goroutine) {
			who = strings.Replace(who, "a goroutine", "another goroutine", 1)
		}
		lines = append(lines, fmt.Sprintf("and passes if with that %s is held for %v before %s: %d of %d runs failed",
			who, e.Dose, placeWords(e.At), e.Held.Failed, e.Held.Of))
	}
	if len(lines) > 0 {
		return lines
	}
	return []string{unplacedLine(r)}
}

// placedLines says what is done at places in the code.
func placedLines(r *experiment.Replay) (lines []string) {
	for i := range r.Stalls {
		lines = append(lines, stallLine(r, i))
	}
	if r.First != nil && r.Then != nil {
		lines = append(lines, fmt.Sprintf("fails if %s comes to %s%s before %s comes to %s%s",
			goroutineWords(r.First.Goroutine), placeWords(*r.First), visitWords(r.First.Hit),
			goroutineWords(r.Then.Goroutine), placeWords(*r.Then), visitWords(r.Then.Hit)))
	}
	lines = append(lines, drawnLines(r)...)
	for _, at := range r.Collect {
		lines = append(lines, "fails if garbage is collected before "+placeWords(at))
	}
	return lines
}

// drawnLines says which choices are made on purpose, or that all are while a goroutine is held.
func drawnLines(r *experiment.Replay) (lines []string) {
	verb, whole := "fails if", true
	if len(r.Stalls) > 0 {
		verb = "and"
	}
	for _, p := range r.Pins {
		for _, at := range p.At {
			whole = false
			lines = append(lines, fmt.Sprintf("%s %s goes one way, drawn at or right after `%s` (%s:%d)", verb, drawWord(p.Kind), text.Clip(at.Last(), 60), at.File, at.Line))
		}
	}
	if whole && len(r.Pins) > 0 && len(r.Stalls) > 0 {
		lines = append(lines, "and all that is chosen at random follows one seed")
	}
	return lines
}

// cureLines says what is held for the test to pass. It always fails if that is all that is
// known; else what was tried as a cure, and is none, is left out.
func cureLines(r *experiment.Replay, always bool) (lines []string) {
	verb := "passes if"
	if always {
		verb = "fails with nothing changed, and passes if"
	} else if !r.Confirmed.Cured() {
		return nil
	}
	for _, c := range r.Cure {
		lines = append(lines, fmt.Sprintf("%s %s is held for %v before %s", verb, goroutineWords(c.At.Goroutine), c.Dose, placeWords(c.At)))
	}
	return lines
}

// unplacedLine says what is done that is of no place in the code.
func unplacedLine(r *experiment.Replay) string {
	switch {
	case r.Yield != nil && r.Yield.Stalls > 0:
		return fmt.Sprintf("fails if goroutines are held at random events, for up to %v", r.Yield.Stalls)
	case r.Yield != nil:
		return "fails if goroutines give up the processor at random events"
	case r.Sched != nil:
		return "fails on one processor (GOMAXPROCS=1), with random priorities among goroutines"
	case len(r.Pins) > 0:
		return fmt.Sprintf("fails for some random choices (%s)", r.Kind)
	case len(r.Before) > 0:
		return "fails" + strings.TrimPrefix(afterWords(r), ",")
	case len(r.Needs) > 0:
		run := "run"
		if len(r.Needs) == 1 {
			run = "runs"
		}
		return fmt.Sprintf("fails if it runs alone, and passes if just %s %s before it in the same process", strings.Join(r.Needs, ", "), run)
	case r.Suite:
		return "fails with the other tests of its package in one process"
	}
	return fmt.Sprintf("fails with nothing changed, and passes for some random choices (%s)", r.Kind)
}

// saidSettings says what the system around the program is set to, "" for nothing.
func saidSettings(settings []experiment.ReplaySetting) string {
	return report.SaidSettings(analyze.SettingsOf(settings))
}

// afterWords names the tests that come before in the same process.
func afterWords(r *experiment.Replay) string {
	if len(r.Before) == 0 {
		return ""
	}
	return fmt.Sprintf(", after %s in one process%s", strings.Join(r.Before, ", "), shuffleWords(r))
}

// askedWords names the places at which a program asks for what was set.
func askedWords(r *experiment.Replay) string {
	var list []string
	for _, at := range r.Asked {
		list = append(list, fmt.Sprintf("`%s` (%s:%d)", text.Clip(at.Last(), 60), at.File, at.Line))
	}
	if len(list) == 0 {
		return ""
	}
	words := ", as asked for at " + strings.Join(list, ", ")
	if slices.ContainsFunc(r.Settings, func(s experiment.ReplaySetting) bool { return s.Kind == "read" }) {
		words += " or by a goroutine of a library that is started there"
	}
	return words
}

func stallLine(r *experiment.Replay, i int) string {
	s := r.Stalls[i]
	who := goroutineWords(s.At.Goroutine)
	verb := "fails if"
	if i > 0 {
		verb = "    and if"
	}
	long := ""
	if d := r.Confirmed.Held; d > 0 {
		long = " for " + d.String()
	}
	if i == 0 && len(r.Window) == 2 {
		return fmt.Sprintf("%s %s is held%s %s", verb, who, long, windowWords(r))
	}
	return fmt.Sprintf("%s %s is held%s before %s", verb, who, long, placeWords(s.At))
}

// windowWords says where a goroutine must be held. Where the window begins with the
// goroutine, it does with the statement that starts it.
func windowWords(r *experiment.Replay) string {
	first, last := r.Window[0], r.Window[1]
	start := first.Goroutine.Started()
	switch {
	case r.FromStart && start.File != "":
		return fmt.Sprintf("between `%s` (%s:%d), which starts it, and %s", text.Clip(start.Text, 60), start.File, start.Line, placeWords(last))
	case first.Block == last.Block:
		return "before " + placeWords(first)
	}
	return fmt.Sprintf("between %s and %s", placeWords(first), placeWords(last))
}

// visitWords says at which visit a place is meant, if it is not the first.
func visitWords(hit int) string {
	if hit < 2 {
		return ""
	}
	return fmt.Sprintf(" (visit %d)", hit)
}

func placeWords(p experiment.Place) string {
	return fmt.Sprintf("`%s` (%s:%d)", text.Clip(p.Statement(), 60), p.File, p.Line)
}

// goroutineWords names a goroutine by the statement that started it.
func goroutineWords(g *experiment.GoroutineRef) string {
	if g == nil || len(g.Chain) == 0 {
		return "a goroutine"
	}
	who := "a goroutine"
	if g.All && !g.First {
		who = "every goroutine"
	}
	last := g.Chain[len(g.Chain)-1]
	switch {
	case last.Test != "":
		return "the goroutine of " + last.Test
	case last.File != "":
		return fmt.Sprintf("%s started at %s:%d", who, last.File, last.Line)
	}
	return fmt.Sprintf("%s started by %s", who, last.In)
}

func drawWord(kind string) string {
	switch kind {
	case "select":
		return "the choice among ready cases"
	case "map":
		return "the order of a map"
	}
	return "a random number"
}

func shuffleWords(r *experiment.Replay) string {
	if r.Shuffle == 0 {
		return ""
	}
	return fmt.Sprintf(" (-shuffle %d)", r.Shuffle)
}
