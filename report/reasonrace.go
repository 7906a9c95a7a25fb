package report

import (
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
)

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
