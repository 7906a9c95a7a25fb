package report

import (
	"fmt"
	"path"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// Why says why a place is named, to follow it: a sentence without a capital and
// without a full stop.
func Why(s *finding.Suspect) string {
	r := &s.Reason
	other := at(r.Other)
	switch r.Kind {
	case finding.ReasonExperiment:
		return experimentWords(r.Verdict, there(r), heldWords(s))
	case finding.ReasonWindow:
		return windowWords(r.Verdict)
	case finding.ReasonHeldStart, finding.ReasonCure:
		return besidesWords(r, there(r))
	case finding.ReasonSignal, finding.ReasonLook, finding.ReasonSleepHeld:
		return partnerWords(r, other)
	case finding.ReasonRace, finding.ReasonRaceGo, finding.ReasonRaceLost, finding.ReasonRaceSignal:
		return raceWords(r)
	case finding.ReasonLockOrder:
		return fmt.Sprintf("locks %s while it holds %s (since %s); another goroutine holds one and waits for another too", r.Code, r.Held, other)
	case finding.ReasonSelfLock:
		return fmt.Sprintf("waits for %s, which by its name the same goroutine holds", r.Code)
	case finding.ReasonLeakedLock:
		return fmt.Sprintf("locks %s, which is not unlocked on the way out of the function", r.Code)
	case finding.ReasonNeverEnds:
		return fmt.Sprintf("the goroutine that ends the wait at %s in passing runs%s ended here without doing so", other, with(r.Code))
	case finding.ReasonTooEarly:
		return fmt.Sprintf("begins to wait when what ends the wait in passing runs%s has already been done", with(r.Code))
	case finding.ReasonTurned:
		return fmt.Sprintf("the goroutine that ends the wait at %s in passing runs%s went another way here", other, with(r.Code))
	case finding.ReasonEndsWait:
		if r.Runs.Total() == 0 {
			return fmt.Sprintf("ends the wait at %s in passing runs", other)
		}
		t, said := r.Runs, "can end the wait at %s; ran in %d of %d passing runs, and by then in %d of %d failing runs"
		if r.Before {
			said = "can end the wait at %s; had run by then in %d of %d passing and %d of %d failing runs"
		}
		return fmt.Sprintf(said, other, t.PassNot, t.PassTaken+t.PassNot, t.FailNot, t.FailTaken+t.FailNot)
	case finding.ReasonWaits:
		return fmt.Sprintf("a goroutine waits here in the end of %d of %d failing runs", r.Seen, r.Of)
	case finding.ReasonGaveUp:
		return fmt.Sprintf("a goroutine gave up waiting here in %d of %d failing runs", r.Seen, r.Of)
	case finding.ReasonWaited:
		return fmt.Sprintf("a goroutine waited here when %d of %d failing runs failed", r.Seen, r.Of)
	case finding.ReasonTest:
		return fmt.Sprintf("%s changes %s here%s; %s%s", r.Code, r.Var, alsoIn(r.Of-1), readsIt(r, "this test reads it; "), before(s))
	case finding.ReasonShared:
		return fmt.Sprintf("the package's variable %s is read here by %s, which by it comes to what it changes at %s; %s%s", r.Var, r.Code, other, readsIt(r, "this test reads it too; "), before(s))
	case finding.ReasonTestBefore:
		return before(s)
	case finding.ReasonDraw:
		if r.Code == "" {
			return fmt.Sprintf("what is drawn here (%s) predicts the outcome: %s", r.Source, dataWhy(r.Data))
		}
		return fmt.Sprintf("%s depends on %s here: %s", operand(r), r.Source, dataWhy(r.Data))
	case finding.ReasonDrawVaries:
		if r.Data != nil && r.Data.Kind == finding.DataPermuted { // by the types of what is called
			return fmt.Sprintf("%s (%s)", dataWhy(r.Data), r.Source)
		}
		said := fmt.Sprintf("%s may depend on %s here, which differs from run to run; ", operand(r), r.Source)
		if r.Data != nil && r.Data.OperandTells {
			return said + fmt.Sprintf("no failing run in the table of values had a value of %s that a passing one had", operand(r))
		}
		return said + "no one value or limit was shown to tell failing from passing runs"
	case finding.ReasonLate:
		return fmt.Sprintf("%s had not run this when the test came to %s, %s", another(r), other, ofRuns(s.Table))
	case finding.ReasonEarly:
		return fmt.Sprintf("%s had already run this when the test came to %s, %s", another(r), other, ofRuns(s.Table))
	case finding.ReasonGo:
		if r.Late {
			return fmt.Sprintf("%s that runs %s in passing runs; it had not when the test came to where they diverge %s", startsOne(r), other, ofRuns(s.Table))
		}
		return fmt.Sprintf("%s that runs %s; it had when the test came to where the runs diverge %s", startsOne(r), other, ofRuns(s.Table))
	case finding.ReasonTimedWait:
		return fmt.Sprintf("sleeps for a fixed time instead of waiting for %s, which had not run %s", other, ofRuns(s.Table))
	case finding.ReasonTurns:
		return fmt.Sprintf("at least %d goroutines whose lifetimes overlap change what %s looks at, at least one of them here; what is left there may depend on how they take turns", r.Seen, other)
	case finding.ReasonSleep:
		return fmt.Sprintf("sleeps for a fixed time before it looks at what another goroutine changes at %s, %s", other, aroundWords(r))
	case finding.ReasonConcurrent:
		return concurrentWords(r, other)
	case finding.ReasonSelect:
		return fmt.Sprintf("of the cases of this select that are ready, Go takes one at random; %d of %d runs had to wait here. It took the case at %s %s", r.Seen, r.Of, other, ofRuns(s.Table))
	case finding.ReasonSelectOnce:
		return fmt.Sprintf("this select does not wait: what it finds ready depends on how far other goroutines have come. It took the case at %s %s", other, ofRuns(s.Table))
	case finding.ReasonLimit:
		return fmt.Sprintf("a limit of %v: the wait at %s took longer than that %s", r.Limit, other, ofRuns(s.Table))
	case finding.ReasonDivergence:
		if r.Called {
			return "runs diverge in what is called here, and go on differently when it has returned: " + thatWay(r.Loop, s.Table)
		}
		if r.Alike > 1 {
			return "runs diverge here, in one of several goroutines that are started at the same place: " + thatWay(r.Loop, s.Table)
		}
		return "runs diverge here: " + thatWay(r.Loop, s.Table)
	case finding.ReasonCheck:
		return "the check that failed"
	case finding.ReasonDied:
		return "the statement in which the process died"
	case finding.ReasonCrash:
		if r.Crash == finding.CrashExit {
			return exitWords(r)
		}
		return partyWords(r, other)
	case finding.ReasonCrashCall:
		return fmt.Sprintf("calls the function with %s at %s, which %s", r.Party.Code, other, partyCounts(r))
	}
	return ""
}

// there says where the runs of an experiment failed, of a failure that says something else
// at the same check.
func there(r *finding.Reason) string {
	if r.Other.File == "" {
		return ""
	}
	return " at " + at(r.Other) + " (in these words or others)"
}

// windowWords says what the end of a window has to do with what was shown elsewhere.
func windowWords(d *finding.Verdict) string {
	switch {
	case d.At.File == "" && d.FromBeginning:
		return "an end of the window; in the runs that count the goroutine was held from its beginning"
	case d.At.File == "":
		return "an end of the window in which a goroutine was held; at which place of it was not kept"
	}
	return fmt.Sprintf("an end of the window; in the runs that count the goroutine was held at %s:%d", path.Base(d.At.File), d.At.Start)
}

// besidesWords says what an experiment has shown about another place than that at which
// it acts.
func besidesWords(r *finding.Reason, there string) string {
	d := r.Verdict
	if r.Kind == finding.ReasonCure {
		where := "here"
		if r.Called {
			where = "here, or in what is called here,"
		}
		return fmt.Sprintf("with a goroutine held %s instead the test failed%s in %s, without it in %s", where, there, inRuns(d.Cured), shareOf(d.Plain))
	}
	held := "held from its beginning"
	if !d.FromBeginning {
		held = "held"
		if d.At.File != "" {
			held += fmt.Sprintf(" at %s:%d", path.Base(d.At.File), d.At.Start)
		}
	}
	return fmt.Sprintf("starts a goroutine; with that %s for %s or more the test failed%s in %s, without it in %s",
		held, sufficient(d.Smallest), there, inRuns(d.With), shareOf(d.Plain))
}

// partnerWords says what the goroutine does, or does not do, for which the one that was
// held was late.
func partnerWords(r *finding.Reason, other string) string {
	d := r.Verdict
	held := fmt.Sprintf("for %s or more the test failed in %s, without it in %s", sufficient(d.Smallest), inRuns(d.With), shareOf(d.Plain))
	switch r.Kind {
	case finding.ReasonSignal:
		return fmt.Sprintf("ends the wait at %s too early: with the goroutine held after this %s", other, held)
	case finding.ReasonSleepHeld:
		return fmt.Sprintf("sleeps for a fixed time, and does not wait for the goroutine that is started at %s, as far as the source shows: with that held %s", other, held)
	}
	return fmt.Sprintf("comes here without having waited for the goroutine that is started at %s, as far as the source shows: with that held %s", other, held)
}

// experimentWords says what was done to make the test fail, and how often it did.
func experimentWords(d *finding.Verdict, there, here string) string {
	counts := fmt.Sprintf("failed%s in %s, without it in %s", there, inRuns(d.With), shareOf(d.Plain))
	switch {
	case len(d.Settings) > 0 && len(d.Tests) > 0:
		return fmt.Sprintf("if %s the test, after %s in the same process, %s", SaidSettings(d.Settings), strings.Join(d.Tests, ", "), counts)
	case len(d.Settings) > 0:
		return fmt.Sprintf("if %s the test %s", SaidSettings(d.Settings), counts)
	case d.Smallest > 0:
		if n := len(d.Holds); n > 1 {
			return fmt.Sprintf("with a goroutine held here and %s held elsewhere, for %s or more each, the test %s", plural(n-1, "other"), sufficient(d.Smallest), counts)
		}
		return fmt.Sprintf("with a goroutine held %s for %s or more the test %s", here, sufficient(d.Smallest), counts)
	case d.Ordered():
		return "one of two events whose order decides: with one order the test " + counts + otherOrder(d)
	case d.Held():
		return fmt.Sprintf("with a goroutine held %s the test %s", here, counts)
	case d.Needs():
		return fmt.Sprintf("alone the test failed in %s, after %s in the same process in %s", inRuns(d.With), strings.Join(d.Tests, ", "), shareOf(d.Cured))
	case len(d.Tests) > 0:
		return fmt.Sprintf("after %s in the same process the test %s", strings.Join(d.Tests, ", "), counts)
	}
	chosen := "here"
	if whereChosen(d) != "at" {
		chosen = "here or after this"
	}
	return fmt.Sprintf("with what is chosen at random %s (%s) fixed to one choice the test %s", chosen, d.Kind, counts)
}

// heldWords says where a goroutine was held, of a place that is where, or that has the
// line in it: it may begin with what the goroutine did right before.
func heldWords(s *finding.Suspect) string {
	r := &s.Reason
	at := r.Verdict.At
	switch {
	case at.File != "" && at.Start != s.Start && r.Since > 0:
		return fmt.Sprintf("after this, at %s:%d,", path.Base(at.File), at.Start)
	case at.File != "" && at.Start != s.Start:
		return fmt.Sprintf("at %s:%d", path.Base(at.File), at.Start)
	case r.Since > 0:
		return fmt.Sprintf("after line %d", r.Since)
	}
	return "here"
}

// otherOrder says how often it failed with the other order of two events.
func otherOrder(d *finding.Verdict) string {
	if d.Cured.Of == 0 {
		return ""
	}
	return fmt.Sprintf(", with the other order in %s", shareOf(d.Cured))
}

// concurrentWords says when another goroutine writes what decides.
func concurrentWords(r *finding.Reason, other string) string {
	when := "it is read at " + other
	if !r.Read {
		when = "they diverge at " + other
	}
	if r.Code != "" {
		return fmt.Sprintf("in %s %s writes this while this test runs or later; %s", seenIn(r), r.Code, when)
	}
	if r.Late {
		return fmt.Sprintf("in %s another goroutine writes this after %s", seenIn(r), when)
	}
	if r.Again {
		return fmt.Sprintf("in %s another goroutine writes this around the time when %s, and again after that", seenIn(r), when)
	}
	return fmt.Sprintf("in %s another goroutine writes this around the time when %s; by the recorded times either may have come first", seenIn(r), when)
}

// seenIn names the failing runs in which something was seen, of those that were looked at.
func seenIn(r *finding.Reason) string {
	if r.Seen == r.Of && !r.Partly {
		return ofAll(r.Seen, r.Of, "failing run")
	}
	if r.Partly {
		return fmt.Sprintf("%d of %s that were looked at", r.Seen, plural(r.Of, "failing run"))
	}
	return fmt.Sprintf("%d of %s", r.Seen, plural(r.Of, "failing run"))
}

// aroundWords says likewise when what is looked at after a sleep is changed.
func aroundWords(r *finding.Reason) string {
	if r.Late {
		return fmt.Sprintf("in %s after that", seenIn(r))
	}
	if r.Again {
		return fmt.Sprintf("in %s around that time, and again after it", seenIn(r))
	}
	return fmt.Sprintf("in %s around that time; by the recorded times either may have come first", seenIn(r))
}

func raceWords(r *finding.Reason) string {
	text := fmt.Sprintf("a data race: nothing orders this %s and the %s of the same memory at %s", r.Access, r.OtherAccess, at(r.Other))
	if r.Lost {
		text = fmt.Sprintf("a data race: nothing orders this %s and a %s of the same memory by the goroutine started at %s", r.Access, r.OtherAccess, at(r.Other))
	}
	switch {
	case r.Kind == finding.ReasonRaceLost && r.Lost:
		text = fmt.Sprintf("starts a goroutine that takes part in a data race: nothing orders its %s and a %s of the same memory by the goroutine started at %s", r.Access, r.OtherAccess, at(r.Other))
	case r.Kind == finding.ReasonRaceLost:
		text = fmt.Sprintf("starts a goroutine that takes part in a data race: nothing orders its %s and the %s of the same memory at %s", r.Access, r.OtherAccess, at(r.Other))
	case r.Kind == finding.ReasonRaceSignal:
		text = fmt.Sprintf("ends the wait at %s before the %s at %s, which is one side of a data race", at(r.Other), r.Access, at(r.Then))
	case r.Kind == finding.ReasonRaceGo:
		text = fmt.Sprintf("starts the goroutine that makes the %s at %s, which is one side of a data race", r.Access, at(r.Other))
	case r.Held != "":
		text += fmt.Sprintf("; that one is made under the lock %s, and this one under none", r.Held)
	}
	if r.Of > 0 {
		text += fmt.Sprintf(" (seen in %d of %d runs with the race detector%s)", r.Seen, r.Of, apart(r))
	}
	return text
}

// apart says of a race that it was seen only where the test passed, if it failed in other
// runs of that kind.
func apart(r *finding.Reason) string {
	if r.Runs.FailTaken > 0 || r.Runs.FailNot == 0 {
		return ""
	}
	return fmt.Sprintf(", in all of which this test passed; it failed in %d of the others", r.Runs.FailNot)
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
	t := r.Party.Table
	switch {
	case r.Party.Kind == finding.PartyConcurrent:
		return fmt.Sprintf("ran in another goroutine around the time at which the process died, in %d of %d failing runs", r.Seen, r.Of)
	case t.PassTaken+t.PassNot == 0:
		return fmt.Sprintf("%s in %d of %d failing runs", partyOrder(r.Party), t.FailTaken, t.FailTaken+t.FailNot)
	}
	return partyOrder(r.Party) + " " + ofRuns(t)
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

func with(code string) string {
	if code == "" {
		return ""
	}
	return ", with " + code + ","
}

// operand names what is computed from a draw.
func operand(r *finding.Reason) string {
	if r.Code == "" {
		return "what decides"
	}
	return r.Code
}

// alsoIn says that something is done in other lines too.
func alsoIn(lines int) string {
	if lines < 1 {
		return ""
	}
	return fmt.Sprintf(", and in %s", plural(lines, "other line"))
}

// readsIt is what is said if failing runs were seen to read what is changed.
func readsIt(r *finding.Reason, said string) string {
	if !r.Read {
		return ""
	}
	return said
}

// before says in which runs tests had run before, or what an experiment has shown of that.
func before(s *finding.Suspect) string {
	if d := s.Reason.Verdict; d != nil {
		after, without := d.With, d.Plain
		if d.Needs() {
			after, without = d.Cured, d.With
		}
		return fmt.Sprintf("after %s in the same process the test failed in %s, without in %s", strings.Join(d.Tests, ", "), inRuns(after), shareOf(without))
	}
	t := s.Table
	fail, pass := t.FailTaken, t.PassTaken
	if !s.Reason.FailsIf {
		fail, pass = t.FailNot, t.PassNot
	}
	who := strings.Join(s.Reason.Tests, " and ")
	if len(s.Reason.Tests) > 1 {
		who = "at least one of " + who
	}
	return fmt.Sprintf("%s had run before in %d of %d failing and %d of %d passing runs",
		who, fail, t.FailTaken+t.FailNot, pass, t.PassTaken+t.PassNot)
}

// ofRuns says in how many runs something was so.
func ofRuns(t divergence.Table) string {
	return fmt.Sprintf("in %d of %d failing and %d of %d passing runs", t.FailTaken, t.FailTaken+t.FailNot, t.PassTaken, t.PassTaken+t.PassNot)
}

// thatWay says what the table of a divergence counts.
func thatWay(l *divergence.Loop, t divergence.Table) string {
	fails, passes := t.FailTaken+t.FailNot, t.PassTaken+t.PassNot
	if l != nil && l.Failing+l.Passing > 0 { // those of which it is known
		fails, passes = l.Failing, l.Passing
	}
	runs := fmt.Sprintf("%d of %d failing and %d of %d passing runs", t.FailTaken, fails, t.PassTaken, passes)
	switch {
	case l == nil:
		return runs + " went the same way"
	case l.Limit == 0:
		return runs + " went the way of the others in no iteration of this loop"
	case l.More:
		return fmt.Sprintf("%s made at least %d iterations of this loop", runs, l.Limit)
	}
	return fmt.Sprintf("%s made fewer than %d iterations of this loop", runs, l.Limit)
}

// at names a place in a sentence.
func at(f trace.Frame) string { return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line) }

// another names a goroutine that is not the one that failed.
func another(r *finding.Reason) string {
	switch {
	case r.Alike < 2 || r.Started.File == "":
		return "another goroutine"
	case r.Nth == 0:
		return "one of the goroutines started at " + at(r.Started)
	}
	return fmt.Sprintf("the %s goroutine started at %s", ordinal(int64(r.Nth)), at(r.Started))
}

// startsOne says which goroutine a statement starts.
func startsOne(r *finding.Reason) string {
	switch {
	case r.Alike < 2:
		return "starts the goroutine"
	case r.Nth == 0:
		return "starts several goroutines, one of which is the one"
	}
	return fmt.Sprintf("starts several goroutines, the %s of which is the one", ordinal(int64(r.Nth)))
}
