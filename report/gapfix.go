package report

import (
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// gapFix says how to mend a place at which the source lacks an order, or where tests meet
// in one variable; nil for other places. It holds whether an experiment has shown the cause or not: it
// is about what the race detector has seen, what had not been done when a test came on, or what a test was seen to depend on.
func (v *viewer) gapFix(s *finding.Suspect) []prose {
	r := &s.Reason
	here, then, other := v.spanPlace(nil, finding.Span{File: s.File, Start: s.Start, End: s.End}), v.codeOf(r.Then), v.codeOf(r.Other)
	look := v.spanPlace(nil, finding.Span{File: s.File, Start: max(s.Start, s.End), End: max(s.Start, s.End)}) // where it comes to, of a passage
	check := say("go test -race must not report it any more.")
	switch r.Kind {
	case finding.ReasonAddInside, finding.ReasonRaceAdd:
		p := say("Call ").code(r.Code + ".Add").text(" before the statement that starts the goroutine, and not in it: then ").add(other).text(" can't end before it is done.")
		if r.Kind == finding.ReasonAddInside {
			return []prose{p}
		}
		return []prose{p, check}
	case finding.ReasonSignal, finding.ReasonRaceSignal:
		fix := v.signalFix(r, here)
		if r.Kind == finding.ReasonSignal {
			return []prose{fix, noSleep()}
		}
		return []prose{fix, check}
	case finding.ReasonRaceUnlock:
		p := say("Give ").code(r.Code).text(" back only after ").add(then)
		if r.Held == "" && r.Then != r.Other {
			p = p.text(", and on the other side after ").add(other)
		}
		return []prose{p.text(": that belongs to what is done under it."), check}
	case finding.ReasonRaceNoLock:
		return []prose{say("Take ").code(r.Held).text(" before ").add(here).text(", as is done for ").add(other).text(", and hold it until what is called there has returned."), check}
	case finding.ReasonRaceUnguarded:
		return []prose{say("Take ").code(r.Held).text(" before ").add(here).text(", as is done for ").add(v.codeOf(r.Started)).text(", and hold it until what is called there has returned."), check}
	case finding.ReasonRaceShared:
		return []prose{say("Give each instance its own in place of ").code(r.Var).text(", or guard that by one lock for all instances."), check}
	case finding.ReasonRaceLook:
		return []prose{say("Before ").add(look).text(" wait until ").add(other).text(" has been done by the goroutine started at ").add(then).text(": call WaitGroup.Wait, or receive from a channel that it closes after that."), check}
	case finding.ReasonRaceBranch:
		return []prose{say("Wait for ").code(r.Code).text(" before ").add(here).text(" too, as is done at ").add(then).text("."), check}
	case finding.ReasonRaceSleep:
		return []prose{say("In place of the sleep wait until ").add(other).text(" has been done by the goroutine started at ").add(then).text(": call WaitGroup.Wait, or receive from a channel that it closes after that."), check}
	case finding.ReasonNeverEnds:
		return endedFix(r, here)
	case finding.ReasonMeasuredLate:
		return []prose{say("Read the clock at ").add(here).text(" before ").add(other).text(".")}
	case finding.ReasonLimit, finding.ReasonLimitNear, finding.ReasonLimitHeld:
		if r.Checked {
			return []prose{
				say("How long something takes is held against a limit at ").add(here).text(", and it takes longer on a busy machine: let the limit be several times that, and less than what the wrong behaviour would take."),
				say("Or check that what must not be waited for was not, in place of the time; or let the test have the clock (testing/synctest)."),
			}
		}
		more := []prose{say("Give several times the limit at ").add(here).text(": on a busy machine what is waited for takes longer, and a wait that ends when that is done costs no more where it passes.")}
		if r.Kind != finding.ReasonLimitHeld {
			return more
		}
		return append(more, say("That makes it rarer, and a hold longer than the new limit still makes it fail: if it fails with a limit of seconds too, something else is wrong."))
	case finding.ReasonTimedWait, finding.ReasonSleep:
		return []prose{
			say("In place of ").add(here).text(" wait until ").add(other).text(" has been done: receive from a channel that is closed right after it, or call WaitGroup.Wait. Where it can't say so, ask until it has been done, up to a limit of seconds."),
			say("A longer sleep is no fix: it makes that rarer."),
		}
	case finding.ReasonUnwaited, finding.ReasonUnwaitedSleep:
		return []prose{say("Wait for ").code(r.Code).text(" before the first line that needs what the goroutine started at ").add(other).text(" does, and after all that this one needs itself: call its Wait, or receive from it, if it is a channel, as often as something is sent.")}
	case finding.ReasonOutlivesEnd, finding.ReasonOutlivesSleep:
		return []prose{say("Before the test ends wait until the goroutine started at ").add(other).text(" has ended: call WaitGroup.Wait, or receive from a channel that it closes as the last. One that goes on for ever must be told to stop first.")}
	case finding.ReasonRaceOutlives:
		return []prose{say("Before the test ends wait until ").add(then).text(" has been done by its goroutine: call WaitGroup.Wait, or receive from a channel that it closes after that."), check}
	case finding.ReasonOutlivesSignal:
		return []prose{say("Do ").add(here).text(" only after all that the goroutine does with the test: ").code("defer").text(" it at its beginning.")}
	case finding.ReasonLockOrder:
		return []prose{say("Take ").code(r.Held).text(" and ").code(r.Code).text(" in one order wherever both are held: where they belong to two of one type, by something that orders these, as a name or number. Or guard both by one lock.")}
	case finding.ReasonSelfLock:
		return []prose{say("Give ").code(r.Code).text(" back before ").add(here).text(", or call there what expects it to be held: a goroutine that takes it twice waits for itself.")}
	case finding.ReasonLeakedLock:
		return []prose{say("Give ").code(r.Code).text(" back on every way out of the function: defer that right after it is taken.")}
	case finding.ReasonUnset:
		return []prose{say("Let this test set ").code(r.Var).text(" itself, as ").code(r.Code).text(" does at ").add(other).text(", and set it back with t.Cleanup: alone it must pass too.")}
	case finding.ReasonCommon:
		if !r.FailsIf { // what the other test leaves is what this one needs
			return []prose{say("Let this test make of ").code(r.Var).text(" itself what it needs, if it is that which ").code(r.Code).text(" leaves as this one needs it, and set it back with t.Cleanup: alone it must pass too.")}
		}
		return []prose{say("Give this test its own ").code(r.Var).text(", there or where it is handed out, if it is that which ").code(r.Code).text(" leaves changed. Set back there with t.Cleanup it must be with all that it points to, and other tests that rely on what is left would fail.")}
	case finding.ReasonAsserted:
		return v.assertedFix(r)
	}
	return nil
}

// endedFix says how a goroutine signals that is made to end before it has; nil if its function returned.
func endedFix(r *finding.Reason, here prose) []prose {
	if r.By == "" {
		return nil
	}
	signal := say("Signal with ").code("defer").text(" at the beginning of this goroutine")
	if r.Code != "" {
		signal = signal.text(": it does not come to ").code(r.Code)
	}
	list := []prose{signal.text(".")}
	if r.By == finding.EndedByFailNow {
		list = append(list, say("Use ").code("t.Error").text(" in place of ").add(here).text(": FailNow ends this goroutine."))
	}
	return list
}

// signalFix says that what ends a wait, which is there, must come later.
func (v *viewer) signalFix(r *finding.Reason, here prose) prose {
	after := v.codeOf(r.Then)
	if d := r.Verdict; d != nil && after == nil {
		if after = v.spanPlace(nil, d.At); d.At.File == "" && len(d.Window) > 0 {
			after = v.spanPlace(nil, d.Window[len(d.Window)-1])
		}
	}
	return say("Do ").add(here).text(" only after ").add(after).text(", and after all else that the wait at ").add(v.codeOf(r.Other)).text(" is for: that ends as soon as it is done.")
}

// codeOf is the code of a line, with its place.
func (v *viewer) codeOf(f trace.Frame) prose {
	if f.File == "" {
		return nil
	}
	return v.spanPlace(nil, finding.Span{File: f.File, Start: f.Line, End: f.Line})
}

// gapFixOf is the same for the locks that runs end in, else for what comes first of the places that a verdict is about.
func (v *viewer) gapFixOf(d *finding.Verdict) []prose {
	if s := v.t.Deadlock(d); s != nil {
		return v.gapFix(s)
	}
	if s := v.firstOf(d); s != nil {
		return v.gapFix(s)
	}
	return nil
}
