package main

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/experiment"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/report"
)

// causeLines says what is done to make a test fail.
func causeLines(r *proof.Proof) []string {
	lines := placedLines(r)
	if text := report.SaidSettings(r.Plan.Of(proof.Act.Sets)); text != "" {
		lines = append(lines, "fails if "+text+askedWords(r)+afterWords(r))
	}
	if text := report.SaidSettings(r.Opposite.Of(proof.Act.Sets)); text != "" && !r.Plan.Does(proof.Act.Sets) {
		lines = append(lines, "fails with nothing changed, and passes if "+text)
	}
	lines = append(lines, cureLines(r, len(lines) == 0)...)
	if e := r.Early; e != nil {
		who := goroutineWords(e.At.Goroutine)
		if held := r.Plan.First(proof.Act.Holds); held != nil && who == goroutineWords(held.At.Goroutine) {
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
func placedLines(r *proof.Proof) (lines []string) {
	for i, s := range r.Plan.Of(proof.Act.Holds) {
		lines = append(lines, stallLine(r, s, i))
	}
	if first, then := r.Events(); first != nil {
		lines = append(lines, fmt.Sprintf("fails if %s comes to %s%s before %s comes to %s%s",
			goroutineWords(first.Goroutine), placeWords(*first), visitWords(first.Hit),
			goroutineWords(then.Goroutine), placeWords(*then), visitWords(then.Hit)))
	}
	lines = append(lines, drawnLines(r)...)
	for _, a := range r.Plan.Of(proof.Act.Collects) {
		lines = append(lines, "fails if garbage is collected before "+placeWords(*a.At))
	}
	return lines
}

// drawnLines says which choices are made on purpose, or that all are while a goroutine is held.
func drawnLines(r *proof.Proof) (lines []string) {
	verb, whole := "fails if", true
	holds, pins := r.Plan.Does(proof.Act.Holds), r.Plan.Of(proof.Act.Chooses)
	if holds {
		verb = "and"
	}
	for _, p := range pins {
		if at := p.At; at != nil {
			whole = false
			lines = append(lines, fmt.Sprintf("%s %s goes one way, drawn at or right after `%s` (%s:%d)", verb, drawWord(p.Kind), text.Clip(at.Last(), 60), at.File, at.Line))
		}
	}
	if whole && len(pins) > 0 && holds {
		lines = append(lines, "and all that is chosen at random follows one seed")
	}
	return lines
}

// cureLines says what is held for the test to pass. It always fails if that is all that is
// known; else what was tried as a cure, and is none, is left out.
func cureLines(r *proof.Proof, always bool) (lines []string) {
	verb := "passes if"
	if always {
		verb = "fails with nothing changed, and passes if"
	} else if !experiment.ConfirmationOf(r).Cured() {
		return nil
	}
	for _, c := range r.CureHolds() {
		lines = append(lines, fmt.Sprintf("%s %s is held for %v before %s", verb, goroutineWords(c.At.Goroutine), c.Dose, placeWords(*c.At)))
	}
	return lines
}

// unplacedLine says what is done that is of no place in the code.
func unplacedLine(r *proof.Proof) string {
	random := r.Plan.First(proof.Act.AtRandom)
	switch {
	case random != nil && random.Dose > 0:
		return fmt.Sprintf("fails if goroutines are held at random events, for up to %v", random.Dose)
	case random != nil && random.Kind == "yield":
		return "fails if goroutines give up the processor at random events"
	case random != nil:
		return "fails on one processor (GOMAXPROCS=1), with random priorities among goroutines"
	case r.Plan.Does(proof.Act.Chooses):
		return fmt.Sprintf("fails for some random choices (%s)", r.Kind())
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
	return fmt.Sprintf("fails with nothing changed, and passes for some random choices (%s)", r.Kind())
}

// afterWords names the tests that come before in the same process.
func afterWords(r *proof.Proof) string {
	if len(r.Before) == 0 {
		return ""
	}
	return fmt.Sprintf(", after %s in one process%s", strings.Join(r.Before, ", "), shuffleWords(r))
}

// askedWords names the places at which a program asks for what was set.
func askedWords(r *proof.Proof) string {
	var list []string
	for _, at := range r.Asked() {
		list = append(list, fmt.Sprintf("`%s` (%s:%d)", text.Clip(at.Last(), 60), at.File, at.Line))
	}
	if len(list) == 0 {
		return ""
	}
	words := ", as asked for at " + strings.Join(list, ", ")
	if r.Plan.Does(func(a proof.Act) bool { return a.Kind == "read" }) {
		words += " or by a goroutine of a library that is started there"
	}
	return words
}

// stallLine says that a goroutine is held. It is the i-th act that holds one.
func stallLine(r *proof.Proof, s proof.Act, i int) string {
	who := goroutineWords(s.At.Goroutine)
	verb := "fails if"
	if i > 0 {
		verb = "    and if"
	}
	long := ""
	if d := r.Confirmed.Held; d > 0 {
		long = " for " + d.String()
	}
	if i == 0 && r.Window() != nil {
		return fmt.Sprintf("%s %s is held%s %s", verb, who, long, windowWords(r))
	}
	return fmt.Sprintf("%s %s is held%s before %s", verb, who, long, placeWords(*s.At))
}

// windowWords says where a goroutine must be held. Where the window begins with the
// goroutine, it does with the statement that starts it.
func windowWords(r *proof.Proof) string {
	first, last := r.Window()[0], r.Window()[1]
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

func placeWords(p proof.Place) string {
	return fmt.Sprintf("`%s` (%s:%d)", text.Clip(p.Statement(), 60), p.File, p.Line)
}

// goroutineWords names a goroutine by the statement that started it.
func goroutineWords(g *proof.GoroutineRef) string {
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

func shuffleWords(r *proof.Proof) string {
	if r.Shuffle == 0 {
		return ""
	}
	return fmt.Sprintf(" (-shuffle %d)", r.Shuffle)
}
