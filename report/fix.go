package report

import (
	"go/ast"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
)

// fixes says what to try for what was shown: by the place that comes first of it, where the
// source lacks something there, else by the proof.
func (x *shownProof) fixes() []say.Sentence {
	v, d := x.v, x.d
	if d.Proof.Within() {
		return []say.Sentence{say.FixGuard.With()}
	}
	if v.t != nil {
		if s := v.t.Deadlock(d); s != nil {
			return s.Reason.Words(s, v).Fix
		}
		if s := v.firstOf(d); s != nil {
			if fix := s.Reason.Words(s, v).Fix; len(fix) > 0 {
				return fix
			}
		}
	}
	switch x.kind {
	case proofSetting:
		var list []say.Sentence
		if x.readings() {
			list = append(list, say.FixOnce.With())
		}
		for _, t := range x.set.Says().Fix {
			list = append(list, t.With())
		}
		return list
	case proofTimers:
		at := x.timers()
		return []say.Sentence{say.FixTimers.With(v.Code(at[1]), v.Code(at[0])), say.FixClock.With()}
	case proofTests, proofNeeds:
		return x.testsFix()
	case proofOrder:
		return x.orderFix()
	case proofHold:
		return x.holdFix()
	case proofHolds:
		return x.checkFix()
	}
	return x.choiceFix()
}

// orderFix is for two events whose order decides.
func (x *shownProof) orderFix() []say.Sentence {
	early, first := x.v.Code(x.d.Window()[0]), x.v.Code(x.d.Window()[1])
	return []say.Sentence{say.FixWait.With(first, early)}
}

// checkFix is for what comes late in several goroutines, or in no order: the check waits for none of it.
func (x *shownProof) checkFix() []say.Sentence {
	if f := x.v.f; f != nil {
		if at, own := x.v.src.Frame(f.Frame); own {
			return []say.Sentence{say.FixCheck.With(x.v.code(at))}
		}
	}
	return []say.Sentence{say.FixStep.With()}
}

// holdFix is for a goroutine that comes late, where no law says for whom.
func (x *shownProof) holdFix() []say.Sentence {
	v, d := x.v, x.d
	started := v.Line(d.Started())
	switch {
	case d.Proof.ChosenKinds() == "select" && len(d.Proof.Chosen()) > 0:
		return []say.Sentence{say.FixSelect.With(v.Code(d.Proof.Chosen()[0]))}
	case started.Place != "":
		return []say.Sentence{say.FixWaitGo.With(started)}
	}
	if d.Proof.Law.Kind == proof.LawDeadline {
		return []say.Sentence{say.FixTimer.With(), say.FixClock.With()}
	}
	return []say.Sentence{say.FixTimer.With()}
}

// choiceFix is for what is chosen at random.
func (x *shownProof) choiceFix() (list []say.Sentence) {
	if x.d.Category == "floating-point" {
		list = append(list, say.FixTolerance.With())
	}
	kinds := strings.Split(x.d.Kind(), "+")
	for _, kind := range kinds {
		says, at := x.chosen(kind)
		if says.Fix == nil || at.File == "" { // it is not known what to change
			continue
		}
		fix := says.Fix(finding.Chosen(x.v, at))
		if len(kinds) > 1 {
			fix = fix[:1]
		}
		list = append(list, fix...)
	}
	return list
}

// chosen returns the words for choices of a kind, and where one is made: of several the last, which the cause names.
func (x *shownProof) chosen(kind string) (says say.Choice, at finding.Span) {
	if w := x.d.Window(); len(w) > 0 {
		at = w[0]
	}
	for _, a := range slices.Concat(x.d.Proof.Opposite, x.d.Proof.Plan) {
		if a.Kind.String() != kind {
			continue
		}
		if says = a.Choice(); a.At != nil && a.At.Shown.File != "" {
			at = a.At.Shown
		}
	}
	return says, at
}

// testsFix is for state that another test leaves behind, or that this one needs.
func (x *shownProof) testsFix() []say.Sentence {
	v, d := x.v, x.d
	who := v.Name(strings.Join(d.Tests(), ", "))
	if x.kind == proofNeeds {
		return []say.Sentence{say.FixSetUp.With(who)}
	}
	for s, r := range v.legators(d) {
		if fix := r.Undo(s, v); fix != nil {
			return fix
		}
	}
	return []say.Sentence{say.FixUndo.With()}
}

// Drawn is the call that draws a number on a line, else the line.
func (v *viewer) Drawn(at finding.Span) say.Code {
	c := v.Code(at)
	if text, line := v.src.Drawn(at.File, at.Start, max(at.Start, at.End)); text != "" {
		return v.Named(say.Clip(text), finding.Span{File: at.File, Start: line})
	}
	if v.t == nil {
		return c
	}
	for _, f := range v.t.Failures {
		for i := range f.Data {
			d := &f.Data[i]
			if p := v.framePlace(d.At); p.File == at.File && at.Start <= p.Start &&
				p.Start <= max(at.Start, at.End) && d.Expr != "" {
				return v.Named(say.Clip(d.Expr), p.Span)
			}
		}
	}
	return c
}

// Ranged returns the operand of a range statement on a line, without text if there is none.
func (v *viewer) Ranged(at finding.Span) say.Code {
	c := v.at(spanLines(at))
	for _, loop := range v.src.Ranges(at.File, at.Start) {
		switch loop.X.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			if text, ok := v.src.ExprText(at.File, loop.X); ok {
				c.Text = v.clean.Code(text)
			}
		}
	}
	return c
}
