package report

import (
	"go/ast"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// fixes says what to try for what was shown: by the place that comes first of it, where the
// source lacks something there, else by the proof.
func (x *shownProof) fixes() []say.Sentence {
	v, d := x.v, x.d
	if v.t != nil {
		if s := v.t.Deadlock(d); s != nil {
			return v.reasonFix(s)
		}
		if s := v.firstOf(d); s != nil {
			if fix := v.reasonFix(s); len(fix) > 0 {
				return fix
			}
		}
	}
	switch x.kind {
	case proofSetting:
		var list []say.Sentence
		for _, t := range settingOf(x.set).fix {
			list = append(list, t.With())
		}
		return list
	case proofTests, proofNeeds:
		return x.testsFix()
	case proofSuite:
		return []say.Sentence{say.FixUndo.With()}
	case proofOrder:
		return x.orderFix()
	case proofHold:
		return x.holdFix()
	case proofHolds, proofSchedule:
		return []say.Sentence{say.FixStep.With(), say.FixOrders.With()}
	}
	return x.choiceFix()
}

// orderFix is for two events whose order decides.
func (x *shownProof) orderFix() []say.Sentence {
	early, first := x.v.spanCode(x.d.Window()[0]), x.v.spanCode(x.d.Window()[1])
	if x.d.Alike() { // which of them is first can't matter
		return []say.Sentence{say.FixStep.With(), say.FixOrders.With()}
	}
	return []say.Sentence{say.FixWait.With(first, early), say.FixOrders.With()}
}

// holdFix is for a goroutine that comes late.
func (x *shownProof) holdFix() []say.Sentence {
	v, d := x.v, x.d
	started := v.frameCode(d.Started())
	switch other, known := otherPlace(d); {
	case d.Proof.Category == "time" || d.Proof.Still.Of > 0:
		return []say.Sentence{say.FixClock.With(), say.FixOnce.With()}
	case inInit(d.Started()):
		return []say.Sentence{say.FixInit.With(started)}
	case d.ChosenKinds() == "select" && len(d.Chosen()) > 0:
		return []say.Sentence{say.FixSelect.With(v.spanCode(d.Chosen()[0]))}
	case x.choosesLate():
		return []say.Sentence{say.FixSelect.With(v.spanCode(d.Window()[len(d.Window())-1]))}
	case x.section() != nil:
		return []say.Sentence{*x.section()}
	case known && started.Place != "":
		return []say.Sentence{say.FixWaitStart.With(started, v.spanCode(other)), say.FixOrders.With()}
	case known && d.At().File != "":
		return []say.Sentence{say.FixWait.With(v.spanCode(d.At()), v.spanCode(other)), say.FixOrders.With()}
	case started.Place != "":
		return []say.Sentence{say.FixWaitGo.With(started), say.FixOrders.With()}
	}
	return []say.Sentence{say.FixOrders.With(), say.FixTimer.With()}
}

// section is the advice for a window within one function in which nothing is waited for: one
// lock can be held over it. Nil if there is no such window.
func (x *shownProof) section() *say.Sentence {
	d, src := x.d, x.v.src
	n := len(d.Window())
	if n == 0 || d.Proof.FromStart {
		return nil
	}
	from, to := d.Window()[0], d.Window()[n-1]
	if d.Cures() {
		from = d.Cure()[0]
	}
	if from.File != to.File || from.Start >= to.Start || src.funcAt(from.File, from.Start) != src.funcAt(to.File, to.Start) || src.waitsBetween(from.File, from.Start, max(to.Start, to.End)).waits {
		return nil
	}
	s := say.FixLock.With(x.v.spanCode(from), x.v.spanCode(to))
	return &s
}

// choosesLate reports whether the goroutine comes late to a select, when more of its cases are ready.
func (x *shownProof) choosesLate() bool {
	d := x.d
	n := len(d.Window())
	return n > 0 && !d.Proof.FromStart && x.v.src.waitsBetween(d.Window()[0].File, d.Window()[0].Start, max(d.Window()[n-1].Start, d.Window()[n-1].End)).selects
}

// inInit reports whether a frame is in an init function, or in the initialization of package variables.
func inInit(f trace.Frame) bool {
	name := f.Func[strings.LastIndexByte(f.Func, '/')+1:]
	_, name, _ = strings.Cut(name, ".")
	return trace.InInit(name)
}

// choiceFix is for what is chosen at random.
func (x *shownProof) choiceFix() (list []say.Sentence) {
	v, d := x.v, x.d
	if len(d.Window()) == 0 {
		return []say.Sentence{say.FixSeed.With(), say.FixCompare.With()}
	}
	at := d.Window()[len(d.Window())-1]
	kind := d.Kind()
	if d.Proof.Category == "floating-point" {
		list = append(list, say.FixTolerance.With())
	}
	if strings.Contains(kind, "rand") {
		if d.Proof.Category == "async-wait" { // for how long somebody sleeps
			return []say.Sentence{say.FixTimer.With()}
		}
		list = append(list, say.FixRange.With(v.drawn(d.Window()[0])), say.FixSeed.With())
	}
	if strings.Contains(kind, "map") {
		fix := []say.Sentence{say.FixSort.With(v.spanCode(at)), say.FixCompare.With()}
		if s := v.firstOf(d); s != nil && s.Reason.Gathers != "" {
			fix[0] = say.FixSortList.With(say.Name(v.clean.line(s.Reason.Gathers, 60)), v.spanCode(at))
		}
		if len(list) > 1 { // each of the two has its line
			list = list[1:]
		}
		list = append(list, fix...)
	}
	if strings.Contains(kind, "select") {
		list = append(list, say.FixSelect.With(v.spanCode(at)))
	}
	return list
}

// testsFix is for state that another test leaves behind, or that this one needs.
func (x *shownProof) testsFix() []say.Sentence {
	v, d := x.v, x.d
	who := say.Name(v.clean.line(strings.Join(d.Tests(), ", "), 200))
	if x.kind == proofNeeds {
		return []say.Sentence{say.FixSetUp.With(who)}
	}
	if p := d.Pollution; p != nil && len(p.Vars) > 0 {
		return v.resetFix(p.Vars[0].Name, spanLines(p.Vars[0].At), who)
	}
	for _, f := range v.t.Failures {
		for i := range f.Suspects {
			if r := &f.Suspects[i].Reason; r.Verdict != nil && r.Verdict.Signature() == d.Signature() && r.Var != "" {
				return v.resetFix(r.Var, suspectPlace(&f.Suspects[i]), say.Name(v.clean.line(r.Code, 200)))
			}
		}
	}
	return []say.Sentence{say.FixUndo.With()}
}

// resetFix says how what a test changes is undone, by its name.
func (v *viewer) resetFix(name string, at place, who say.Name) []say.Sentence {
	if strings.Contains(name, " ") { // the environment, the working directory
		return []say.Sentence{say.FixUndo.With()}
	}
	c := v.at(at)
	c.Text = v.clean.line(name, 100)
	return []say.Sentence{say.FixReset.With(c, who)}
}

// A reasonFix is what to try at a place, with what fills its slots: h is the place itself, t what comes then, o the
// other place, n the operand, l the lock that is held, L the limit.
type reasonFix struct {
	words say.Template
	slots string
}

// reasonFixes are for places at which the source lacks something. They hold whether an experiment has shown the cause or not.
var reasonFixes = map[finding.ReasonKind]reasonFix{
	finding.ReasonAddInside: {say.FixAdd, "n"}, finding.ReasonRaceAdd: {say.FixAdd, "n"},
	finding.ReasonRaceUnlock: {say.FixKeepLock, "nt"}, finding.ReasonRaceNoLock: {say.FixTakeLock, "lh"}, finding.ReasonRaceUnguarded: {say.FixTakeLock, "lh"},
	finding.ReasonRaceLook: {say.FixWait, "oh"}, finding.ReasonRaceBranch: {say.FixWait, "oh"}, finding.ReasonLate: {say.FixWait, "ho"}, finding.ReasonEarly: {say.FixWait, "oh"},
	finding.ReasonRace: {say.FixGuard, ""}, finding.ReasonRaceGo: {say.FixGuard, ""}, finding.ReasonRaceLost: {say.FixGuard, ""},
	finding.ReasonRaceShared: {say.FixGuard, ""}, finding.ReasonTurns: {say.FixGuard, ""}, finding.ReasonConcurrent: {say.FixGuard, ""},
	finding.ReasonRaceSleep: {say.FixSleep, "h"}, finding.ReasonTimedWait: {say.FixSleep, "h"}, finding.ReasonSleep: {say.FixSleep, "h"},
	finding.ReasonSleepHeld: {say.FixSleep, "h"}, finding.ReasonSleepBefore: {say.FixSleep, "h"}, finding.ReasonUnwaitedSleep: {say.FixSleep, "h"},
	finding.ReasonMeasuredLate: {say.FixMeasure, "ho"}, finding.ReasonUnwaited: {say.FixWaitGo, "o"},
	finding.ReasonLimit: {say.FixLimit, "Lh"}, finding.ReasonLimitNear: {say.FixLimit, "Lh"}, finding.ReasonLimitHeld: {say.FixLimit, "Lh"},
	finding.ReasonOutlives: {say.FixEnd, ""}, finding.ReasonOutlivesEnd: {say.FixEnd, ""}, finding.ReasonOutlivesSleep: {say.FixEnd, ""}, finding.ReasonRaceOutlives: {say.FixEnd, ""},
	finding.ReasonOutlivesSignal: {say.FixSignalLast, ""}, finding.ReasonUnset: {say.FixSetUp, "n"},
	finding.ReasonLockOrder: {say.FixLockOrder, "ln"}, finding.ReasonSelfLock: {say.FixSelfLock, "n"}, finding.ReasonLeakedLock: {say.FixLeaked, "n"},
	finding.ReasonSelect: {say.FixSelect, "h"}, finding.ReasonSelectOnce: {say.FixSelect, "h"},
}

// fill fills the slots of a template with what a reason is about.
func (v *viewer) fill(words say.Template, slots string, s *finding.Suspect) say.Sentence {
	r := &s.Reason
	var values []say.Value
	for _, slot := range slots {
		values = append(values, map[rune]say.Value{
			'h': v.code(suspectPlace(s)), 't': v.frameCode(r.Then), 'o': v.frameCode(r.Other),
			'n': say.Name(v.clean.line(nameOf(r), 100)), 'l': say.Name(v.clean.line(r.Held, 100)), 'L': say.Limit(r.Limit), 'F': say.Fails,
		}[slot])
	}
	return words.With(values...)
}

// reasonFix says how to mend a place; nil if the source lacks nothing there.
func (v *viewer) reasonFix(s *finding.Suspect) []say.Sentence {
	r := &s.Reason
	if f, ok := reasonFixes[r.Kind]; ok {
		return []say.Sentence{v.fill(f.words, f.slots, s)}
	}
	d := r.Verdict
	switch {
	case r.Kind == finding.ReasonSignal || r.Kind == finding.ReasonRaceSignal:
		return []say.Sentence{v.signalFix(s)}
	case r.Kind == finding.ReasonNeverEnds:
		return endedFix(r)
	case r.Kind == finding.ReasonLook && d != nil && d.Started().File != "":
		return []say.Sentence{say.FixWaitStart.With(v.frameCode(d.Started()), v.code(suspectPlace(s)))}
	case r.Kind == finding.ReasonAsserted:
		return []say.Sentence{say.FixSort.With(v.frameCode(r.Then)), say.FixCompare.With()}
	case d != nil:
		return nil
	}
	return v.guessedFix(s)
}

// signalFix says that what ends a wait, which is there, must come later.
func (v *viewer) signalFix(s *finding.Suspect) say.Sentence {
	after := v.frameCode(s.Reason.Then)
	if d := s.Reason.Verdict; d != nil && after.Place == "" {
		if after = v.spanCode(d.At()); d.At().File == "" && len(d.Window()) > 0 {
			after = v.spanCode(d.Window()[len(d.Window())-1])
		}
	}
	if after.Place == "" {
		return say.FixSignalLast.With()
	}
	return say.FixSignal.With(v.code(suspectPlace(s)), after)
}

// guessedFix is for what was not shown.
func (v *viewer) guessedFix(s *finding.Suspect) []say.Sentence {
	r := &s.Reason
	here := v.code(suspectPlace(s))
	switch r.Kind {
	case finding.ReasonTest, finding.ReasonPolluted, finding.ReasonPutBack, finding.ReasonTestCall, finding.ReasonShared, finding.ReasonCommon:
		who := say.Name(v.clean.line(nameOf(r), 200))
		if !r.FailsIf {
			return []say.Sentence{say.FixSetUp.With(who)}
		}
		if r.Var == "" {
			return []say.Sentence{say.FixUndo.With()}
		}
		return v.resetFix(r.Var, suspectPlace(s), who)
	case finding.ReasonDraw, finding.ReasonDrawVaries:
		switch r.Source {
		case "map order":
			return []say.Sentence{say.FixSort.With(here), say.FixCompare.With()}
		case "the clock":
			return []say.Sentence{say.FixClock.With()}
		}
		if randomSource(r.Source) {
			return []say.Sentence{say.FixRange.With(v.drawn(finding.Span{File: s.File, Start: s.Start, End: s.End})), say.FixSeed.With()}
		}
	case finding.ReasonCrash:
		return v.crashFix(s)
	}
	return nil
}

// crashFix is for another statement that has to do with a panic or a fatal error.
func (v *viewer) crashFix(s *finding.Suspect) []say.Sentence {
	switch r := &s.Reason; {
	case r.Crash == finding.CrashNegative || r.Crash == finding.CrashWaitGroup:
		return []say.Sentence{v.fill(say.FixAdd, "n", s)}
	case r.Crash == finding.CrashSend || r.Crash == finding.CrashClose:
		return []say.Sentence{v.fill(say.FixWait, "oh", s)}
	case r.Crash == finding.CrashValue && r.Party != nil && r.Party.Kind == finding.PartyLate:
		return []say.Sentence{v.fill(say.FixWait, "ho", s)}
	case r.Crash == finding.CrashMap || r.Crash == finding.CrashValue:
		return []say.Sentence{say.FixGuard.With()}
	}
	return nil
}

// endedFix says how a goroutine signals that is made to end before it has.
func endedFix(r *finding.Reason) []say.Sentence {
	list := []say.Sentence{say.FixDefer.With()}
	if r.By == finding.EndedByFailNow {
		list = append(list, say.FixFailNow.With())
	}
	return list
}

// drawn is the call that draws a number on a line, else the line.
func (v *viewer) drawn(at finding.Span) say.Code {
	c := v.spanCode(at)
	if v.t == nil {
		return c
	}
	for _, f := range v.t.Failures {
		for i := range f.Data {
			d := &f.Data[i]
			if p := v.framePlace(d.At); p.File == at.File && at.Start <= p.Start && p.Start <= max(at.Start, at.End) && d.Expr != "" {
				c = v.at(p)
				c.Text = say.Clip(v.clean.line(d.Expr, 200))
				return c
			}
		}
	}
	return c
}

// ranged is what a range statement on a line goes through, without text if there is none.
func (v *viewer) ranged(at finding.Span) say.Code {
	c := v.at(spanLines(at))
	for _, loop := range v.src.ranges(at.File, at.Start) {
		switch loop.X.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr:
			if text, ok := v.src.exprText(at.File, loop.X); ok {
				c.Text = v.clean.code(text)
			}
		}
	}
	return c
}
