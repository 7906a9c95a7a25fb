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
	switch r.Kind {
	case finding.ReasonExperiment, finding.ReasonWindow, finding.ReasonHeldStart, finding.ReasonCure, finding.ReasonHeldToo,
		finding.ReasonSignal, finding.ReasonAddInside, finding.ReasonLook, finding.ReasonSleepHeld, finding.ReasonSleepBefore, finding.ReasonLimitHeld, finding.ReasonMeasuredLate, finding.ReasonReading:
		return shownWords(s)
	case finding.ReasonRace, finding.ReasonRaceGo, finding.ReasonRaceLost, finding.ReasonRaceSignal, finding.ReasonRaceAdd,
		finding.ReasonRaceUnlock, finding.ReasonRaceNoLock, finding.ReasonRaceUnguarded, finding.ReasonRaceShared, finding.ReasonRaceLook, finding.ReasonRaceBranch, finding.ReasonRaceSleep, finding.ReasonRaceOutlives:
		return raceWords(s)
	case finding.ReasonLockOrder, finding.ReasonSelfLock, finding.ReasonLeakedLock:
		return lockWords(r)
	case finding.ReasonNeverEnds, finding.ReasonTooEarly, finding.ReasonTurned, finding.ReasonEndsWait:
		return wakerWords(r)
	case finding.ReasonWaits, finding.ReasonGaveUp, finding.ReasonWaited:
		return waiterWords(r)
	case finding.ReasonUnwaited, finding.ReasonUnwaitedSleep:
		return unwaitedWords(r)
	case finding.ReasonOutlives, finding.ReasonOutlivesEnd, finding.ReasonOutlivesSleep, finding.ReasonOutlivesSignal:
		return outlivesWords(r)
	case finding.ReasonTest, finding.ReasonTestCall, finding.ReasonShared, finding.ReasonCommon, finding.ReasonPolluted, finding.ReasonPutBack, finding.ReasonTestBefore, finding.ReasonUnset:
		return polluterWords(s)
	case finding.ReasonDraw, finding.ReasonDrawVaries:
		if Surfaces(s) {
			return fmt.Sprintf("what the failed check looks at comes from %s here, where the failure surfaces", r.Source)
		}
		return chanceWords(r)
	case finding.ReasonAsserted:
		return assertedWords(s)
	case finding.ReasonLate, finding.ReasonEarly, finding.ReasonGo, finding.ReasonTimedWait:
		return orderWords(r, s.Table)
	case finding.ReasonTurns, finding.ReasonSleep, finding.ReasonConcurrent:
		return writerWords(r)
	case finding.ReasonSelect, finding.ReasonSelectOnce, finding.ReasonLimit, finding.ReasonLimitNear:
		return waitEndWords(r, s.Table)
	case finding.ReasonDivergence:
		if Surfaces(s) {
			return straightWords(s.Table)
		}
		return divergedWords(r, s.Table)
	case finding.ReasonCheck:
		return "the check that failed"
	case finding.ReasonDied:
		return "the statement in which the process died"
	case finding.ReasonCrash, finding.ReasonCrashCall:
		return crashWords(r)
	}
	return ""
}

// lockWords says which lock is waited for in vain.
func lockWords(r *finding.Reason) string {
	switch r.Kind {
	case finding.ReasonLockOrder:
		return fmt.Sprintf("locks %s while it holds %s (since %s); another goroutine holds one and waits for another too", r.Code, r.Held, at(r.Other))
	case finding.ReasonSelfLock:
		return fmt.Sprintf("waits for %s, which by its name the same goroutine holds", r.Code)
	}
	return fmt.Sprintf("locks %s, which is not unlocked on the way out of the function", r.Code)
}

// wakerWords says what became of who ends a wait in passing runs.
func wakerWords(r *finding.Reason) string {
	other := at(r.Other)
	switch r.Kind {
	case finding.ReasonNeverEnds:
		by := ""
		if r.By != "" {
			by = ", by " + string(r.By) + ","
		}
		return fmt.Sprintf("the goroutine that ends the wait at %s in passing runs%s ended here%s without doing so", other, with(r.Code), by)
	case finding.ReasonTooEarly:
		return fmt.Sprintf("begins to wait when what ends the wait in passing runs%s has already been done", with(r.Code))
	case finding.ReasonTurned:
		return fmt.Sprintf("the goroutine that ends the wait at %s in passing runs%s went another way here", other, with(r.Code))
	}
	if r.Runs.Total() == 0 {
		return fmt.Sprintf("ends the wait at %s in passing runs", other)
	}
	t, said := r.Runs, "can end the wait at %s; ran in %d of %d passing runs, and by then in %d of %d failing runs"
	if r.Before {
		said = "can end the wait at %s; had run by then in %d of %d passing and %d of %d failing runs"
	}
	return fmt.Sprintf(said, other, t.PassNot, t.PassTaken+t.PassNot, t.FailNot, t.FailTaken+t.FailNot)
}

// waiterWords says in how many failing runs a goroutine waited.
func waiterWords(r *finding.Reason) string {
	switch r.Kind {
	case finding.ReasonWaits:
		return fmt.Sprintf("a goroutine waits here in the end of %d of %d failing runs", r.Seen, r.Of)
	case finding.ReasonGaveUp:
		return fmt.Sprintf("a goroutine gave up waiting here in %d of %d failing runs", r.Seen, r.Of)
	}
	return fmt.Sprintf("a goroutine waited here when %d of %d failing runs failed", r.Seen, r.Of)
}

// polluterWords says what a test that ran before has to do with it.
func polluterWords(s *finding.Suspect) string {
	r := &s.Reason
	switch r.Kind {
	case finding.ReasonTest:
		return fmt.Sprintf("%s %s %s%s here%s; %s%s", r.Code, changesWord(r), r.Var, leftAs(r), alsoIn(r.Of-1), readsIt(r, "this test reads it; "), before(s))
	case finding.ReasonTestCall:
		return fmt.Sprintf("%s comes from here to %s, where it %s %s%s; %s%s", r.Code, at(r.Other), changesWord(r), r.Var, leftAs(r), readsIt(r, "this test reads it; "), before(s))
	case finding.ReasonUnset:
		return fmt.Sprintf("this test reads %s, and nothing that it had run by then sets it; %s does at %s; %s", r.Var, r.Code, at(r.Other), before(s))
	case finding.ReasonShared:
		return fmt.Sprintf("the package's variable %s is read here by %s, which by it comes to what it %s at %s; %s%s", r.Var, r.Code, changesWord(r), at(r.Other), readsIt(r, "this test reads it too; "), before(s))
	case finding.ReasonCommon:
		return fmt.Sprintf("%s reads the package's variable %s here; of those that can hold anything it is the only one that this test, by then, reads too, as far as the source shows; %s", r.Code, r.Var, before(s))
	case finding.ReasonPolluted:
		return fmt.Sprintf("%s leaves the package's variable %s, which it reads here%s%s, otherwise than it was: %s", r.Code, r.Var, otherLines(r), readsIt(r, ", as this test does"), putBackWords(r.Verdict))
	case finding.ReasonPutBack:
		return fmt.Sprintf("this test begins with what %s has left in the package's variable %s: %s", r.Code, r.Var, putBackWords(r.Verdict))
	}
	return before(s)
}

// otherLines says on how many other lines a test that leaves a variable changed reads it, "" if on none.
func otherLines(r *finding.Reason) string {
	if r.Of < 2 {
		return ""
	}
	return " and on " + plural(r.Of-1, "other line")
}

// putBackWords says what became of a test before which the package variables of a verdict were put back.
func putBackWords(d *finding.Verdict) string {
	p := backOf(d)
	what := "it"
	if len(p.Vars) > 1 {
		what = varNames(&p)
	}
	said := fmt.Sprintf("with %s put back before this test that failed in %s", what, inRuns(p.Back))
	if p.Without.Of > 0 {
		return said + fmt.Sprintf(", with the %s put back instead in %s", plural(p.Others(), "other package variable"), shareOf(p.Without))
	}
	return said + fmt.Sprintf(", with nothing put back in %s", shareOf(p.Left))
}

// varNames names the variables of a pollution.
func varNames(p *finding.Pollution) string {
	var names []string
	for _, v := range p.Vars {
		names = append(names, v.Name)
	}
	return strings.Join(names, " and ")
}

// chanceWords says how a value that enters by chance decides, as far as that was shown.
func chanceWords(r *finding.Reason) string {
	switch {
	case r.Kind == finding.ReasonDraw && r.Code == "":
		return fmt.Sprintf("what is drawn here (%s) predicts the outcome: %s", r.Source, dataWhy(r.Data))
	case r.Kind == finding.ReasonDraw:
		return fmt.Sprintf("%s depends on %s here: %s", operand(r), r.Source, dataWhy(r.Data))
	case r.Data != nil && r.Data.Kind == finding.DataPermuted: // by the types of what is called
		return fmt.Sprintf("%s (%s)", dataWhy(r.Data), r.Source)
	}
	said := fmt.Sprintf("%s may depend on %s here, which differs from run to run; ", operand(r), r.Source)
	if r.Data != nil && r.Data.OperandTells {
		return said + fmt.Sprintf("no failing run in the table of values had a value of %s that a passing one had", operand(r))
	}
	return said + "no one value or limit was shown to tell failing from passing runs"
}

// orderWords says which goroutine came too late or too early.
func orderWords(r *finding.Reason, t divergence.Table) string {
	other, ran := at(r.Other), "this"
	switch {
	case r.Literal && (r.Kind == finding.ReasonLate || r.Kind == finding.ReasonEarly):
		ran = "the function literal here"
	case r.Literal:
		other = "the function literal at " + other
	}
	switch r.Kind {
	case finding.ReasonLate, finding.ReasonEarly:
		return fmt.Sprintf("%s %s when the run came to %s, %s%s", another(r), hadRun(r, ran), other, ofRuns(t), unordered(r.Of-t.FailTaken-t.FailNot))
	case finding.ReasonTimedWait:
		return fmt.Sprintf("sleeps for a time instead of waiting for %s, which %s had not run%s %s", other, another(r), timeCounted(r), ofRuns(t))
	}
	return fmt.Sprintf("%s %s when the run came to where the runs diverge, %s", startsOne(r), hadRun(r, other), ofRuns(t))
}

// unordered says how many failing runs the counts of an order leave out.
func unordered(n int) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%d more failing left out)", n)
}

// hadRun says what a goroutine had run, or not yet.
func hadRun(r *finding.Reason, what string) string {
	if r.Kind == finding.ReasonLate || r.Kind == finding.ReasonGo && r.Late {
		return "had not run " + what + timeCounted(r)
	}
	return "had already run " + what + timeCounted(r)
}

// timeCounted says which time of several was counted, "" if it is the first: in a loop the
// others came before.
func timeCounted(r *finding.Reason) string {
	if r.Times < 2 {
		return ""
	}
	return " for the " + ordinal(r.Times) + " time"
}

// writerWords says who else changes what is looked at.
func writerWords(r *finding.Reason) string {
	other := at(r.Other)
	switch r.Kind {
	case finding.ReasonTurns:
		return fmt.Sprintf("at least %d goroutines whose lifetimes overlap change what %s looks at, at least one of them here; what is left there may depend on how they take turns", r.Seen, other)
	case finding.ReasonSleep:
		return fmt.Sprintf("sleeps for a time before it looks at what another goroutine changes at %s, %s", other, aroundWords(r))
	}
	return concurrentWords(r, other)
}

// waitEndWords says by what a wait that may end in several ways ended.
func waitEndWords(r *finding.Reason, t divergence.Table) string {
	other := at(r.Other)
	switch r.Kind {
	case finding.ReasonSelect:
		return fmt.Sprintf("of the cases of this select that are ready, Go takes one at random. Where the runs diverge %d of %d had to wait for one; it took the case at %s %s", r.Seen, r.Of, other, ofRuns(t))
	case finding.ReasonSelectOnce:
		return fmt.Sprintf("this select does not wait: it looks once at what is ready by then. Where the runs diverge it took the case at %s %s", other, ofRuns(t))
	}
	if r.Kind == finding.ReasonLimitNear {
		return fmt.Sprintf("gives the limit of %v after which the test gives up at %s: %d of %s waited there for more than half of that", r.Limit, other, r.Seen, plural(r.Of, "passing run"))
	}
	return fmt.Sprintf("a limit of %v: the wait at %s took longer than that %s", r.Limit, other, ofRuns(t))
}

// divergedWords says how many runs went which way at a divergence.
func divergedWords(r *finding.Reason, t divergence.Table) string {
	way := thatWay(r.Loop, t)
	if r.Partly && r.Loop == nil {
		way = fmt.Sprintf("%d of %s went the same way, each at a pass where the passing runs that were compared with it went on otherwise", t.FailTaken, plural(t.FailTaken+t.FailNot, "failing run"))
	}
	switch {
	case r.Called:
		return "runs diverge in what is called here, and go on differently when it has returned: " + way
	case r.Alike > 1:
		return "runs diverge here, in one of several goroutines that are started at the same place: " + way
	}
	return "runs diverge here: " + way
}

// straightWords says how many runs went from a place to the failed check, or to the statement
// in which the process died.
func straightWords(t divergence.Table) string {
	return fmt.Sprintf("%s went straight from here to where the test fails", ofAll(t.FailTaken, t.FailTaken+t.FailNot, "failing run"))
}

// concurrentWords says when another goroutine writes what decides.
func concurrentWords(r *finding.Reason, other string) string {
	when := "it is read at " + other
	if !r.Read {
		when = "they come to " + other
	}
	if r.Code != "" {
		return fmt.Sprintf("in %s %s writes here while this test runs or later; %s", seenIn(r), r.Code, when)
	}
	if r.Late {
		return fmt.Sprintf("in %s another goroutine writes here after %s", seenIn(r), when)
	}
	if r.Again {
		return fmt.Sprintf("in %s another goroutine writes here around the time when %s, and again after that", seenIn(r), when)
	}
	return fmt.Sprintf("in %s another goroutine writes here around the time when %s; by the recorded times either may have come first", seenIn(r), when)
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

// changesWord says that a test changes something, or that a function may do so to which it is handed.
func changesWord(r *finding.Reason) string {
	if r.Maybe {
		return "may change"
	}
	return "changes"
}

// leftAs says what a variable is set to, "" if that is not known.
func leftAs(r *finding.Reason) string {
	if r.Left == "" {
		return ""
	}
	return " to " + r.Left
}

// before says in which runs tests had run before, or what an experiment has shown of that.
func before(s *finding.Suspect) string {
	if d := s.Reason.Verdict; d != nil {
		after, without := d.Proof.Confirmed.With, d.Proof.Confirmed.Plain
		if d.Needs() {
			after, without = d.Proof.Confirmed.Cure, d.Proof.Confirmed.With
		}
		return fmt.Sprintf("with just %s before it in the same process the test failed in %s, alone in %s", strings.Join(d.Tests(), ", "), inRuns(after), shareOf(without))
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
	case r.Alike < 2:
		return "another goroutine"
	case r.Started.File == "": // by a library
		return "a certain other goroutine, of several that are started alike,"
	case r.Nth == 0:
		return "a certain goroutine of those started at " + at(r.Started)
	}
	return fmt.Sprintf("the %s goroutine started at %s", ordinal(int64(r.Nth)), at(r.Started))
}

// startsOne says which goroutine a statement starts that had run something or not. Of several
// that are started there others may run it too.
func startsOne(r *finding.Reason) string {
	switch {
	case r.Alike < 2:
		return "starts a goroutine, which"
	case r.Nth == 0:
		return "starts several goroutines, a certain one of which"
	}
	return fmt.Sprintf("starts several goroutines, the %s of which", ordinal(int64(r.Nth)))
}
