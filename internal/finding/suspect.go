package finding

import (
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A Suspect is a place where the cause may lie, and not only where it surfaces: a
// hypothesis with its evidence.
type Suspect struct {
	File       string // relative to the module root
	Start, End int    // lines
	Rule       string // that proposed it
	Evidence
	Reason Reason
}

// A ReasonKind says what a hypothesis claims. Each is worded in package report.
type ReasonKind string

const (
	ReasonExperiment     ReasonKind = "experiment"      // Verdict; its runs failed at Other, in other words perhaps, if that is set
	ReasonWindow         ReasonKind = "window"          // Verdict: an end of the window, where it was not held in the runs that count
	ReasonHeldStart      ReasonKind = "held-start"      // Verdict: starts the goroutine that is held from its beginning
	ReasonCure           ReasonKind = "cure"            // Verdict: holding here makes the failure vanish
	ReasonHeldToo        ReasonKind = "held-too"        // Verdict: another goroutine comes here too early while one is held: held here too, it lets the test pass
	ReasonSignal         ReasonKind = "signal"          // Verdict: ends the wait at Other before the goroutine comes to where it was held
	ReasonLook           ReasonKind = "look"            // Verdict: another goroutine comes here, and no wait is seen before for the one that was held, which Other starts; but at Then, if set, which that one ended before it was held
	ReasonSleepHeld      ReasonKind = "sleep-held"      // Verdict: as ReasonLook, sleeping for a fixed time here
	ReasonAsserted       ReasonKind = "asserted"        // Code, or a list in it if Within is set, is compared in order here, or after it comes in here, and no sort of it is seen; in Seen of Of failing runs that recorded it it had what it had in a passing run, in an order that it had in none. Verdict, else Data, is about the order of a map at Then
	ReasonAddInside      ReasonKind = "add-inside"      // Verdict: adds to the group Code, which the wait at Other is for, in the goroutine that was held, and nothing does before that is started
	ReasonRaceAdd        ReasonKind = "race-add"        // adds to the group Code, which the wait at Other is for, in a goroutine that it is for, or another one that is started, and nothing does before; the access at Then and one after the wait are the sides of a race; or the two themselves if Lost is set
	ReasonSleepBefore    ReasonKind = "sleep-before"    // Verdict: sleeps for a time before it comes to Then, where holding makes the failure vanish, or which is one of two events whose order decides; it is held in the sleep itself if Then is not set
	ReasonReading        ReasonKind = "reading"         // Verdict: the clock is read here; with one that stands still meanwhile the hold brings nothing
	ReasonLimitHeld      ReasonKind = "limit-held"      // Verdict: the limit of time (Limit) after which the test gave up, at Other, is given here, and a hold about as long makes it fail
	ReasonMeasuredLate   ReasonKind = "measured-late"   // Verdict: the clock is read here for the time that the failed check measures, after the deadline at Other was set that it is compared with
	ReasonRaceSignal     ReasonKind = "race-signal"     // ends the wait at Other before the access at Then, which is one side of a race
	ReasonRaceUnlock     ReasonKind = "race-unlock"     // gives back the lock Code before the access at Then; the one at Other, unordered with it, is made under Held, if that is set, else after that lock was given back too
	ReasonRaceNoLock     ReasonKind = "race-no-lock"    // comes here, under no lock, to the access at Then; the one at Other, unordered with it, is made under Held
	ReasonRaceUnguarded  ReasonKind = "race-unguarded"  // as ReasonRaceNoLock, but the one at Other is made under no lock either: what both are about is, at Started, used under Held
	ReasonRaceShared     ReasonKind = "race-shared"     // gives Var, a variable of the package, to an instance; the accesses at Then and Other, unordered, are both made under Held, so that it is the lock of two
	ReasonRaceLook       ReasonKind = "race-look"       // comes here without a wait since the start, at Then, of the goroutine that makes the access at Other
	ReasonRaceBranch     ReasonKind = "race-branch"     // comes here to one side of a race without the wait for Code that another branch of the function has at Then; the goroutine that Started starts ends that wait after the access at Other, the other side
	ReasonRaceOutlives   ReasonKind = "race-outlives"   // the test Code ends here, as far as the source shows without having waited for the goroutine that makes the access at Then, unordered with the one at Other, of the test Var
	ReasonRaceSleep      ReasonKind = "race-sleep"      // as ReasonRaceLook, sleeping for a time here
	ReasonRace           ReasonKind = "race"            // this access and the one at Other were ordered by nothing in Seen of Of runs with the race detector, or in the failing runs if Of is 0; it is under no lock and the other one under Held, if that is set; Runs counts runs by whether it was seen
	ReasonRaceGo         ReasonKind = "race-go"         // starts the goroutine that makes the access at Other, which is one side of a race
	ReasonRaceLost       ReasonKind = "race-lost"       // starts the goroutine that makes an access, it is not known where, which nothing orders with the one at Other
	ReasonLockOrder      ReasonKind = "lock-order"      // Code is locked here while Held, locked at Other, is held, and another goroutine does the reverse
	ReasonSelfLock       ReasonKind = "self-lock"       // Code is waited for by the goroutine that holds it
	ReasonLeakedLock     ReasonKind = "leaked-lock"     // Code is locked here and not released on the way out
	ReasonNeverEnds      ReasonKind = "never-ends"      // the goroutine that ends the wait at Other in passing runs, with Code, ended here without
	ReasonTooEarly       ReasonKind = "too-early"       // the wait here begins when Code, which ends it in passing runs, has been done already
	ReasonTurned         ReasonKind = "turned"          // the goroutine that ends the wait at Other in passing runs, with Code, went another way here
	ReasonEndsWait       ReasonKind = "ends-wait"       // in passing runs this ends the wait at Other; Runs counts those that ran it
	ReasonUnwaited       ReasonKind = "unwaited"        // on the way to the failure nothing waits for the goroutine that Other starts, which tells by Code, at Then; Verdict, if that has held it
	ReasonUnwaitedSleep  ReasonKind = "unwaited-sleep"  // as ReasonUnwaited; a sleep stands here instead
	ReasonOutlives       ReasonKind = "outlives"        // starts the goroutine that was running yet, and failed or logged, or ended the process, when the test Code had completed
	ReasonOutlivesEnd    ReasonKind = "outlives-end"    // Code ends here without having waited for that goroutine, which Other starts, as far as the source shows
	ReasonOutlivesSleep  ReasonKind = "outlives-sleep"  // as ReasonOutlivesEnd; it sleeps for a time here before it ends
	ReasonOutlivesSignal ReasonKind = "outlives-signal" // ends the wait of Code at Then before what that goroutine, which Other starts, failed with
	ReasonWaits          ReasonKind = "waits"           // Seen of Of failing runs wait here in the end
	ReasonGaveUp         ReasonKind = "gave-up"         // Seen of Of failing runs gave up a wait here
	ReasonWaited         ReasonKind = "waited"          // Seen of Of failing runs waited here when they failed
	ReasonCrash          ReasonKind = "crash"           // Party, on Code, has to do with the failure (Crash) at Other
	ReasonCrashCall      ReasonKind = "crash-call"      // the function is called here that Other, a party too, is in
	ReasonTest           ReasonKind = "test"            // Tests had run before; Code, one of them, changes Var here, one of Of lines where it does, and this test reads it if Read is set
	ReasonTestCall       ReasonKind = "test-call"       // Tests had run before; Code, one of them, comes from here to Other, where it changes Var, and this test reads it if Read is set
	ReasonUnset          ReasonKind = "unset"           // Tests had not run before; this test reads Var, and does not set it on its way, as Code, one of them, does at Other
	ReasonShared         ReasonKind = "shared"          // Tests had run before; by Var, which is read here, Code, one of them, comes to what it changes at Other, and this test reads Var too if Read is set
	ReasonCommon         ReasonKind = "common"          // Tests had run before; Var, which is read here, is the only variable of the package that can hold something and that Code, one of them, reads too
	ReasonPolluted       ReasonKind = "polluted"        // Tests had run before; Code, one of them, leaves Var, which it reads here, otherwise than it was, and this test reads it here too if Read is set: see Verdict.Pollution
	ReasonPutBack        ReasonKind = "put-back"        // Tests had run before; with Var put back where this test begins it passes: see Verdict.Pollution
	ReasonTestBefore     ReasonKind = "test-before"     // this test had run before
	ReasonDraw           ReasonKind = "draw"            // chance (Source) enters here, and its value predicts the outcome
	ReasonDrawVaries     ReasonKind = "draw-varies"     // chance (Source) enters here, and Code, which decided, may be computed from it
	ReasonLate           ReasonKind = "late"            // another goroutine had not run this when the run came to Other; Of are all failing runs
	ReasonEarly          ReasonKind = "early"           // another goroutine had already run this when the run came to Other
	ReasonGo             ReasonKind = "go"              // starts the goroutine that had not run Other, or had
	ReasonTimedWait      ReasonKind = "timed-wait"      // waits for a time, and not for Other, which another goroutine runs
	ReasonTurns          ReasonKind = "turns"           // Seen goroutines that lived at the same time, and had ended, change this, and Other looks at the result
	ReasonSleep          ReasonKind = "sleep"           // the test sleeps here before it looks at what another goroutine changes at Other, about then
	ReasonConcurrent     ReasonKind = "concurrent"      // another goroutine changes this about when Other looks at it, or later
	ReasonSelect         ReasonKind = "select"          // several cases can be ready; Other is the case that failing runs took
	ReasonSelectOnce     ReasonKind = "select-once"     // this select does not wait
	ReasonLimit          ReasonKind = "limit"           // the limit of time (Limit) is given here, and the wait at Other came near to it or beyond
	ReasonLimitNear      ReasonKind = "limit-near"      // the limit (Limit) after which the test gave up, at Other, is given here, and Seen of Of passing runs have waited there for more than half of it
	ReasonDivergence     ReasonKind = "divergence"      // runs diverge here
	ReasonCheck          ReasonKind = "check"           // the check that failed, after a look at Other, if that stands before it
	ReasonDied           ReasonKind = "died"            // where the process died
)

// A Reason says why a place is named, as data. Kind says which fields are set.
type Reason struct {
	Kind  ReasonKind
	Other trace.Frame // file relative to the module root
	// Access and OtherAccess are the kinds of the accesses of a race.
	Access, OtherAccess AccessKind
	// Lost says that of the other access of a race it is only known which goroutine makes it:
	// the one started at Other.
	Lost       bool
	Then       trace.Frame      // what comes after a signal
	Waited     trace.Frame      // of one that comes too early for a goroutine which none of its functions starts: the last that it has waited for, by the source not that one
	Within     bool             // of what is compared: a list in it is meant
	Said       bool             // of what is compared: by what the check said it had what was wanted, in another order
	Called     bool             // of a divergence: it is in what is called here; of a cure: the goroutine may have been held in that
	Again      bool             // of a concurrent change: in the runs in which it came around the time of Other it also came certainly after it
	Gathers    string           // of a loop over a map: the list that it appends to, which is used at the last line without being sorted
	Late       bool             // of a goroutine: it is in failing runs that it had not run Other; of a concurrent change: in no run looked at it came around the time of Other, and in Seen after it; of what outlives a test: it ended the process itself
	Read       bool             // of a concurrent change: Other is where it is read, not only where runs diverge; of what tests change: failing runs read Var before they diverge
	Maybe      bool             // of what tests change: a function of others to which it is handed may do it
	Before     bool             // of what ends a wait: passing runs count that ran it before they came past
	FailsIf    bool             // of tests: it is failing runs that they had run before
	Code       string           // an operand, a statement or a test
	Var        string           // a variable
	By         Ending           // of a goroutine that ended: what made it
	Left       string           // of what tests change: what Var is set to, as it is written, if that is constant
	Held       string           // a lock
	Source     string           // where chance enters: "map order"
	Data       *DataDivergence  // of a draw
	Verdict    *Verdict         // of an experiment
	Crash      CrashKind        // what the runtime said
	Party      *Party           // of a crash
	Loop       *divergence.Loop // of a divergence by how often a loop goes round
	Tests      []string         // names of tests
	Limit      time.Duration    // of time
	Checked    bool             // the limit is one that the failed check holds against how long something took
	Runs       divergence.Table // what was counted, if it is not the evidence's table
	Seen       int
	Of         int
	Partly     bool        // Of are not all failing runs, but those that were looked at; of a divergence: passing runs count that were compared at the same pass
	Since      int         // of an experiment: the goroutine was held after this line; of what is compared: the line where it is
	Times      int64       // of a goroutine that was late or early: which time it ran it that is counted; 0 or 1: the first
	Nth, Alike int         // which goroutine is meant, of so many that were started at the same place; 0 if that is not known
	Started    trace.Frame // of a goroutine that was late or early: where it is started
	Literal    bool        // of one: what it had run, or not, is a function literal within that line
}

// An Order is a pair of events of two goroutines whose order goes with the
// outcome: A came before B in PassBefore of PassOf passing runs, and in
// FailBefore of FailOf failing runs.
type Order struct {
	A, B               trace.Frame
	PassBefore, PassOf int
	FailBefore, FailOf int
	// Found is what the comparison of traces has to say of it: A is then an
	// event of the goroutine that was late or early, B where the runs part. It
	// is needed for the picture.
	Found *divergence.Order
	Event divergence.Missed // A, and what was counted of it
}

// Count fills in the counts from the table of Event.
func (o *Order) Count(t divergence.Table) {
	o.PassBefore, o.PassOf = t.PassNot, t.PassNot+t.PassTaken
	o.FailBefore, o.FailOf = t.FailNot, t.FailNot+t.FailTaken
	if !o.Found.Late {
		o.PassBefore, o.FailBefore = t.PassTaken, t.FailTaken
	}
}
