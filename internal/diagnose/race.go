package diagnose

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/internal/source"
	"github.com/fdebug/fdebug/trace"
)

// What only this rule says.
const (
	likelyMark   say.Label    = "likely"
	keepLockFix  say.Template = "Unlock {name} only after {code}."
	unlocksWhy   say.Label    = "unlocks before the access"
	sharedWhy    say.Label    = "shares memory between instances"
	raceWhy      say.Label    = "data race"
	raceStartWhy say.Label    = "starts a goroutine of the data race"
)

var raceRule = Rule{
	Name: "race",
	Doc: `Two accesses to the same memory that the race detector saw unordered, at least one
of them a write. Each is a real race. What the source lacks to order them comes
first, such as a lock, a wait or an earlier Add. Then comes the side without a
lock. The race is likely the cause if what decides reads that memory. It may also
be another bug of the same test. A race seen only in passing runs is a hint.`,
	find: races,
	kinds: []*kind{
		whyRace, whyRaceUnlock, whyRaceShared, whyRaceLook, whyRaceSignal,
		whyRaceAdd, whyRaceSleep, whyRaceGo, whyRaceLost,
	},
}

// The two sides of a race, and what the source lacks to order them.
var (
	unordered  = []said{{say.Race, ""}}
	shares     = finding.Claim{Category: "concurrency"}
	missesWait = finding.Claim{Category: "concurrency", InTest: "async-wait"}

	whyRace       = &kind{name: "race", claim: shares, why: raceWhy, cause: unordered, fix: guardIt}
	whyRaceUnlock = &kind{
		name: "race-unlock", claim: shares, why: unlocksWhy,
		cause: unordered, mark: likelyMark, fix: []said{{keepLockFix, "nt"}},
	}
	whyRaceShared = &kind{
		name: "race-shared", claim: shares, why: sharedWhy,
		cause: unordered, mark: likelyMark, fix: guardIt,
	}
	whyRaceLook = &kind{
		name: "race-look", claim: missesWait, why: say.WhyNoWait,
		cause: unordered, mark: likelyMark, fix: []said{{say.FixWait, "oh"}},
	}
	whyRaceSignal = &kind{
		name: "race-signal", claim: missesWait, why: say.WhySignal,
		cause: unordered, mark: likelyMark, other: say.MarkWaits,
	}
	whyRaceAdd = &kind{
		name: "race-add", claim: missesWait, why: say.WhyAdds,
		cause: unordered, mark: likelyMark, other: say.MarkWaits, fix: addFirst,
	}
	whyRaceSleep = &kind{
		name: "race-sleep", claim: finding.Claim{Category: "async-wait"}, why: say.WhySleeps,
		cause: unordered, mark: likelyMark, fix: awaitIt,
	}
	whyRaceGo = &kind{
		name: "race-go", why: raceStartWhy,
		cause: unordered, mark: say.MarkStartsGo, fix: guardIt,
	}
	whyRaceLost = &kind{
		name: "race-lost", why: raceStartWhy,
		cause: unordered, mark: say.MarkStartsGo, fix: guardIt,
	}
)

// A raced is a reason about a race. The other place is an access.
type raced struct {
	reason
	access finding.AccessKind // the other one, 0 if it is not known where that is made
	then   trace.Frame        // the access of this side, if the place is on the way to it
	lock   string             // that is lacking
}

func (r raced) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	v := r.slots(s, c)
	v['n'], v['t'] = c.Name(r.lock), c.Line(r.then)
	w := r.words(v)
	if r.access != 0 {
		w.Other = marked(r.other, r.access.Mark().With())
	}
	return w
}

// A side is one access of a race.
type side struct {
	raced
	mine     finding.AccessKind
	seen, of int // runs with the race detector; of is 0 if the failure is the report
}

func (r side) Words(s *finding.Suspect, c finding.Coder) finding.Words {
	w := r.raced.Words(s, c)
	w.Mark = r.mine.Mark().With()
	return w
}

// Reported returns in how many of some runs the race detector has seen it.
func (r side) Reported() (seen, of int) { return r.seen, r.of }

func races(s *scene) []finding.Suspect {
	var all []finding.Race
	if sides, ok := s.reported(); ok {
		all = append(all, finding.Race{Accesses: sides})
	}
	all = append(all, s.Test.Races...)
	var adds, list []finding.Suspect // nobody waits for a goroutine: that is the cause of all its races
	for i := range all {
		r := &all[i]
		e := s.evidenceOf(r)
		adds = append(adds, s.addsInside(r, e)...)
		list = append(list, s.raced(r, e)...)
	}
	return append(adds, list...)
}

// racesOf returns where goroutines that a statement starts race with others: that nobody waits for them explains it.
func (s *scene) racesOf(started trace.Frame) (list []trace.Frame) {
	for i := range s.Test.Races {
		sides := s.Test.Races[i].Accesses
		if s.racePlace(sides[0].Started) == started || s.racePlace(sides[1].Started) == started {
			list = append(list, s.racePlace(sides[0].At), s.racePlace(sides[1].At))
		}
	}
	return list
}

// evidenceOf returns what a race is for what is said of it.
func (s *scene) evidenceOf(r *finding.Race) finding.Evidence {
	e := finding.Evidence{Class: finding.Mechanism, Link: max(s.linkAt(r.Accesses[0].At), s.linkAt(r.Accesses[1].At))}
	if r.Of == 0 {
		e.Link = finding.Decides // the failure is the race
	}
	if r.Apart() {
		e.Class = finding.Hint
	}
	return e
}

// reported returns the accesses of the race report that the failure is.
func (s *scene) reported() (sides [2]finding.Access, ok bool) {
	r, ok := race.Parse(s.Failure.Message)
	if !ok {
		return sides, false
	}
	return Sides(r, s.Sites)
}

// Sides returns the two accesses of a report where each is made in the user's code, or, as
// far as the detector knows, by a goroutine that is started there. Modules that go.mod replaces by
// a directory are the user's, too.
func Sides(r race.Report, sites *trace.Sites) (sides [2]finding.Access, ok bool) {
	for i := range r.Accesses {
		a := &r.Accesses[i]
		made, started := slices.DeleteFunc(users(a.Stack, sites), wraps), users(a.Started, sites)
		sides[i].Kind, sides[i].Group = kindOf(a), r.OfGroup()
		if len(started) > 0 {
			sides[i].Started = started[0]
		}
		switch {
		case len(made) > 0:
			sides[i].At, sides[i].Calls = made[0], made[1:]
		case len(started) > 0:
			sides[i].At, sides[i].Lost = started[0], true
		default:
			return sides, false
		}
	}
	return sides, true
}

func kindOf(a *race.Access) finding.AccessKind {
	if a.Write {
		return finding.Write
	}
	return finding.Read
}

func users(stack []trace.Frame, sites *trace.Sites) (list []trace.Frame) {
	for _, f := range stack {
		if RaceFile(f, sites) != "" {
			list = append(list, f)
		}
	}
	return list
}

// wraps reports whether a frame is that of a function that the compiler has made of a go
// statement with arguments: its line is one of the function that starts it, which it is not in.
func wraps(f trace.Frame) bool {
	return strings.HasPrefix(f.Func[strings.LastIndex(f.Func, ".")+1:], "gowrap")
}

// RaceFile returns the path of a frame of a race relative to the root, "" if it is not in the user's code.
func RaceFile(f trace.Frame, sites *trace.Sites) string {
	if rel, ok := sites.Rel(f.File); ok {
		return rel
	}
	rel, _ := sites.Beside(f)
	return rel
}

// racePlace makes a place of a race relative to the root.
func (s *scene) racePlace(f trace.Frame) trace.Frame {
	if rel := RaceFile(f, s.Sites); rel != "" {
		return trace.Frame{File: rel, Line: f.Line}
	}
	return trace.Frame{}
}

// raced returns the two sides of a race, that without a lock before one with; of two
// without any also the statement that starts the goroutine of one, if the other's was
// started elsewhere.
func (s *scene) raced(r *finding.Race, e finding.Evidence) []finding.Suspect {
	sides := r.Accesses
	lacks := s.lacks(sides[0], sides[1])
	if s.lacks(sides[1], sides[0]) {
		slices.Reverse(sides[:])
		lacks = true
	}
	direct, called := s.unwaited(r, e)
	list := slices.Concat(s.unlocked(r, e), s.instances(r, e), s.tooSoon(r, e), direct, s.leftAlone(r, e))
	for i, a := range sides {
		other := sides[1-i]
		beside := raced{reason: reason{whyRace, s.racePlace(other.At)}, access: other.Kind}
		if other.Lost {
			beside.access = 0
		}
		var why finding.Reason = side{beside, a.Kind, r.Seen, r.Of}
		if a.Lost {
			beside.kind = whyRaceLost
			why = beside
		}
		list = append(list, at(line(s.racePlace(a.At)), e, why))
	}
	list = append(list, called...)
	for i, a := range sides {
		if other := sides[1-i]; !lacks && !a.Lost && a.Started.File != "" && other.Started.File == "" {
			list = append(list, s.startOf(a, e))
		}
	}
	return list
}

// tooSoon returns what ends a wait of one side of a race before the other side's access:
// it comes too soon to order the two.
func (s *scene) tooSoon(r *finding.Race, e finding.Evidence) (list []finding.Suspect) {
	for i, a := range r.Accesses {
		if a.Lost || r.Accesses[1-i].Lost {
			continue
		}
		m := s.meet(s.stack(a), s.waits(s.stack(r.Accesses[1-i]), s.racePlace(a.Started)))
		if m.signal == nil {
			continue
		}
		list = append(list, at(s.lineOf(m.signal), e,
			signal{reason{whyRaceSignal, frameOf(s.lineOf(m.wait))}, s.racePlace(a.At)}))
	}
	return list
}

// stack returns where the functions of one side of a race stand, the innermost first.
func (s *scene) stack(a finding.Access) (list []trace.Frame) {
	for _, f := range append([]trace.Frame{a.At}, a.Calls...) {
		list = append(list, s.racePlace(f))
	}
	return list
}

// lacks reports whether the other side of a race is made under a lock, and this one, as the source has it,
// under none.
func (s *scene) lacks(a, other finding.Access) bool {
	mine, known := s.locksOf(a)
	theirs, _ := s.locksOf(other)
	if !known || len(mine.Held) > 0 || len(mine.Unsure) > 0 {
		return false
	}
	return slices.ContainsFunc(theirs.Held, func(l *source.Op) bool { return guards(l, other) })
}

// guards reports whether a lock, as it is taken, guards an access: who writes under RLock is
// not guarded.
func guards(lock *source.Op, a finding.Access) bool {
	return a.Kind&finding.Write == 0 || !strings.HasSuffix(lock.How, ".RLock")
}

// locksOf returns the locks that an access is made under: those of its function and of
// all that it was called by.
func (s *scene) locksOf(a finding.Access) (l source.Locks, known bool) {
	if a.Lost {
		return l, false
	}
	for _, f := range append([]trace.Frame{a.At}, a.Calls...) {
		at := s.racePlace(f)
		here, ok := s.Source.Locked(at.File, at.Line)
		if !ok {
			return l, false
		}
		l.Held, l.Unsure = append(l.Held, here.Held...), append(l.Unsure, here.Unsure...)
	}
	return l, true
}

// linkAt returns how close what a line changes or reads is to what decided.
func (s *scene) linkAt(f trace.Frame) finding.Link {
	return s.linkOf(line(s.racePlace(f)))
}
