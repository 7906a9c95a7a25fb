package report

import (
	"fmt"
	"path"

	"github.com/fdebug/fdebug/internal/finding"
)

// raceWords says what the race detector has seen, and where the source lacks an order.
func raceWords(s *finding.Suspect) string {
	r := &s.Reason
	text := raceClaim(s)
	if d := r.Verdict; d != nil {
		text += fmt.Sprintf("; with a goroutine held %s%s the test failed in %s, with nothing changed in %s", afterThis(d), lasting(d), inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain))
	}
	if r.Of > 0 {
		text += fmt.Sprintf(" (seen in %d of %d runs with the race detector%s)", r.Seen, r.Of, apart(r))
	}
	return text
}

// raceClaim says what a place has to do with a race.
func raceClaim(s *finding.Suspect) string {
	r := &s.Reason
	other := fmt.Sprintf("the %s of the same memory at %s", r.OtherAccess, at(r.Other))
	if r.Lost {
		other = fmt.Sprintf("a %s of the same memory by the goroutine started at %s", r.OtherAccess, at(r.Other))
	}
	switch r.Kind {
	case finding.ReasonRaceLost:
		return fmt.Sprintf("starts a goroutine that takes part in a data race: nothing orders its %s and %s", r.Access, other)
	case finding.ReasonRaceSignal:
		return fmt.Sprintf("ends the wait at %s before the %s at %s, which is one side of a data race", at(r.Other), r.Access, at(r.Then))
	case finding.ReasonRaceAdd:
		if r.Lost {
			return addsInside(r) + "; nothing orders the two, a data race of the group itself"
		}
		return fmt.Sprintf("%s; nothing orders the %s at %s and a %s after the wait, a data race", addsInside(r), r.Access, at(r.Then), r.OtherAccess)
	case finding.ReasonRaceGo:
		return fmt.Sprintf("starts the goroutine that makes the %s at %s, which is one side of a data race", r.Access, at(r.Other))
	case finding.ReasonRace:
		text := fmt.Sprintf("a data race: nothing orders this %s and %s", r.Access, other)
		if r.Held != "" {
			text += fmt.Sprintf("; that one is made under the lock %s, and this one under none", r.Held)
		}
		return text
	}
	return gapWords(s)
}

// addsInside says that a goroutine itself adds to the group that is to wait for it.
func addsInside(r *finding.Reason) string {
	return fmt.Sprintf("adds to %s in a goroutine, and, as far as the source shows, nothing has added for that before it is started: the wait at %s may end before this is run", r.Code, at(r.Other))
}

// gapWords says where the source lacks what would order the sides of a race.
func gapWords(s *finding.Suspect) string {
	r := &s.Reason
	mine, other := fmt.Sprintf("the %s at %s", r.Access, at(r.Then)), fmt.Sprintf("the %s at %s", r.OtherAccess, at(r.Other))
	switch r.Kind {
	case finding.ReasonRaceUnlock:
		text := fmt.Sprintf("gives back the lock %s before %s, which is one side of a data race; the other side, %s, ", r.Code, mine, other)
		if r.Held == "" {
			return text + "comes after it is given back too"
		}
		return text + "is made under it"
	case finding.ReasonRaceNoLock:
		return fmt.Sprintf("goes on from here, under no lock, to %s, which is one side of a data race; the other side, %s, is made under the lock %s", mine, other, r.Held)
	case finding.ReasonRaceUnguarded:
		return fmt.Sprintf("goes on from here, under no lock, to %s, which is one side of a data race; the other side is %s, and what both are about is used under the lock %s at %s", mine, other, r.Held, at(r.Started))
	case finding.ReasonRaceBranch:
		return fmt.Sprintf("comes here without the wait for %s that another branch of this function has, at %s, and that the goroutine started at %s ends after its %s at %s: nothing orders that and the %s here%s, a data race",
			r.Code, at(r.Then), at(r.Started), r.Access, at(r.Other), r.OtherAccess, called(r, "here"))
	case finding.ReasonRaceOutlives:
		return fmt.Sprintf("%s ends after this without having waited, as far as the source shows, for the goroutine that makes %s: nothing orders that and %s in %s, a data race", r.Code, mine, other, r.Var)
	case finding.ReasonRaceShared:
		return fmt.Sprintf("gives the package's variable %s to what is made here; by that, perhaps, two instances have come to the same memory: the sides of a data race, %s and %s, are both made under %s by the source, which is two locks then", r.Var, mine, other, r.Held)
	case finding.ReasonRaceSleep:
		return fmt.Sprintf("sleeps for a time, and does not wait for the goroutine started at %s, as far as the source shows: nothing orders its %s at %s and a %s after this, a data race", at(r.Then), r.Access, at(r.Other), r.OtherAccess)
	}
	comes, here := passes(s)
	return fmt.Sprintf("%s without having waited for the goroutine started at %s, as far as the source shows: nothing orders its %s at %s and the %s %s%s, a data race", comes, at(r.Then), r.Access, at(r.Other), r.OtherAccess, here, called(r, here))
}

// passes says that a goroutine comes to a place, and where that is: of several lines the last one.
func passes(s *finding.Suspect) (comes, here string) {
	if s.End <= s.Start {
		return "comes here", "here"
	}
	here = fmt.Sprintf("line %d", s.End)
	return "goes on to " + here, "at " + here
}

// afterThis says where a goroutine was held that had come past the place.
func afterThis(d *finding.Verdict) string {
	if d.At.File == "" {
		return "after this"
	}
	return fmt.Sprintf("after this, at %s:%d,", path.Base(d.At.File), d.At.Start)
}

// called says of an access that it is not made at the place itself.
func called(r *finding.Reason, here string) string {
	if r.Called {
		return ", or in what is called " + here
	}
	return ""
}

// apart says of a race that it was seen only where the test passed, if it failed in other
// runs of that kind.
func apart(r *finding.Reason) string {
	if r.Runs.FailTaken > 0 || r.Runs.FailNot == 0 {
		return ""
	}
	return fmt.Sprintf(", in all of which this test passed; it failed in %d of the others", r.Runs.FailNot)
}
