package report

import (
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
)

// crashWords says what a statement had to do with the end of a process.
func crashWords(r *finding.Reason) string {
	switch {
	case r.Kind == finding.ReasonCrashCall:
		which := "which"
		if !r.Party.Same { // runs are counted by the statement, of whatever object it is
			which = "which, on the same " + r.Code + " or on another,"
		}
		return fmt.Sprintf("calls the function with %s at %s, %s %s", r.Party.Code, at(r.Other), which, partyCounts(r))
	case r.Crash == finding.CrashExit:
		return exitWords(r)
	}
	return partyWords(r, at(r.Other))
}

// doing says what a party does to the operand of what failed.
var doing = map[finding.CrashKind]string{
	finding.CrashSend: "closes", finding.CrashClose: "closes", finding.CrashMap: "writes", finding.CrashUnlock: "unlocks",
	finding.CrashNegative: "counts down", finding.CrashValue: "sets", finding.CrashWaitGroup: "uses",
}

// partyWords says what another statement had to do with a panic or a fatal error.
func partyWords(r *finding.Reason, other string) string {
	do, what := doing[r.Crash], "what may be the "+r.Code+" that "+other+" uses"
	if r.Crash == finding.CrashNegative && r.Party.Kind == finding.PartyLate {
		do = "counts up"
	}
	if r.Party.Same {
		what = r.Code + ", which " + other + " uses"
	}
	if r.Crash == finding.CrashValue && r.Party.Kind != finding.PartyConcurrent { // the one that died is left aside
		return fmt.Sprintf("%s %s; %s %s", do, what, othersOrder(r.Party), inCounts(r))
	}
	return fmt.Sprintf("%s %s; it %s", do, what, partyCounts(r))
}

// exitWords says who ended the process.
func exitWords(r *finding.Reason) string {
	text := "the call of " + r.Party.Code
	if r.Party.Code == "" {
		text = "a panic"
	}
	if r.Party.Test != "" {
		text += " in " + r.Party.Test
	}
	if !r.Party.Only {
		return fmt.Sprintf("%s may have ended the process: it came last in its goroutine in %d of %d failing runs", text, r.Seen, r.Of)
	}
	return fmt.Sprintf("%s ended the process in %d of %d failing runs", text, r.Seen, r.Of)
}

// partyCounts says in which runs it was so, to follow the statement.
func partyCounts(r *finding.Reason) string {
	if r.Party.Kind == finding.PartyConcurrent {
		return fmt.Sprintf("ran in another goroutine around the time at which the process died, in %d of %d failing runs", r.Seen, r.Of)
	}
	return partyOrder(r.Party) + " " + inCounts(r)
}

// inCounts are the runs in which it was so.
func inCounts(r *finding.Reason) string {
	t := r.Party.Table
	if t.PassTaken+t.PassNot == 0 {
		return fmt.Sprintf("in %d of %d failing runs", t.FailTaken, t.FailTaken+t.FailNot)
	}
	return ofRuns(t)
}

// othersOrder is partyOrder where only other goroutines than the one that died count.
func othersOrder(p *finding.Party) string {
	switch {
	case p.Kind == finding.PartyLate && p.Perhaps:
		return "perhaps no other goroutine had run it before"
	case p.Kind == finding.PartyLate:
		return "no other goroutine had run it before"
	case p.Perhaps:
		return "another goroutine had run it before, or it can't be told which came first,"
	}
	return "another goroutine had run it before"
}

func partyOrder(p *finding.Party) string {
	switch {
	case p.Kind == finding.PartyLate && p.Perhaps:
		return "may not have run before"
	case p.Kind == finding.PartyLate:
		return "had not run before"
	case p.Perhaps:
		return "ran before, or it can't be told which came first,"
	}
	return "ran before"
}

// outlivesWords says of a goroutine that was running yet when its test had completed how that could be.
func outlivesWords(r *finding.Reason) string {
	did := "failed or logged after " + r.Code + " had completed"
	if r.Late {
		did = "ended the process after " + r.Code + " had passed"
	}
	late := fmt.Sprintf("the goroutine that is started at %s, which %s", at(r.Other), did)
	switch {
	case r.Kind == finding.ReasonOutlives && r.Late:
		return "starts the goroutine that " + did
	case r.Kind == finding.ReasonOutlives:
		return "starts the goroutine that " + did + ", for which package testing ended the process"
	case r.Kind == finding.ReasonOutlivesSleep:
		return "sleeps for a time before the test ends, and does not wait, as far as the source shows, for " + late
	case r.Kind == finding.ReasonOutlivesSignal:
		return fmt.Sprintf("ends the wait at %s, and then the goroutine that is started at %s goes on: it %s", at(r.Then), at(r.Other), did)
	}
	return "the test ends after this without having waited, as far as the source shows, for " + late
}

// unwaitedWords says of a goroutine that tells that it is done that nothing waits for it.
func unwaitedWords(r *finding.Reason) string {
	text := fmt.Sprintf("nothing waits here, or anywhere, for %s, by which the goroutine started at %s tells what it has done, at %s, as far as the source shows", r.Code, at(r.Other), at(r.Then))
	if r.Kind == finding.ReasonUnwaitedSleep {
		text = fmt.Sprintf("sleeps for a time; nothing waits for %s, by which the goroutine started at %s tells what it has done, at %s, as far as the source shows", r.Code, at(r.Other), at(r.Then))
	}
	if d := r.Verdict; d != nil {
		return fmt.Sprintf("%s: with that goroutine held%s%s the test failed in %s, with nothing changed in %s", text, heldAt(d), lasting(d), inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain))
	}
	return text
}
