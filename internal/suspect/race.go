package suspect

import (
	"fmt"
	"path"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/race"
	"github.com/fdebug/fdebug/trace"
)

// raceScore is above all others: the race detector proves what it says.
const raceScore = 0.99

// Races returns the two accesses of a data race, for a message that is a report
// of the race detector; nil for others. They need no passing run.
func Races(message string, sites *trace.Sites) []finding.Suspect {
	r, ok := race.Parse(message)
	if !ok {
		return nil
	}
	var sides [2]finding.Access
	for i := range r.Accesses {
		at, ok := r.Accesses[i].InUserCode(func(file string) bool { _, ok := sites.Rel(file); return ok })
		if !ok {
			return nil
		}
		sides[i] = finding.Access{Write: r.Accesses[i].Write, At: at}
	}
	return raced(sides, "a data race: nothing orders this %s and the %s at %s:%d, of the same memory on another goroutine", sites)
}

// Raced returns the accesses of the races that were seen in runs made with the
// race detector. They need no failing run.
func Raced(races []finding.Race, sites *trace.Sites) []finding.Suspect {
	var list []finding.Suspect
	for _, r := range races {
		seen := fmt.Sprintf(" (seen in %d of %d runs with the race detector)", r.Seen, r.Of)
		list = append(list, raced(r.Accesses, "a data race: nothing orders this %s and the %s at %s:%d, of the same memory on another goroutine"+seen, sites)...)
	}
	for i := range list {
		list[i].Score = raceScore - 0.001*float64(i)
	}
	return list
}

// raced returns the two sides of a race.
func raced(sides [2]finding.Access, format string, sites *trace.Sites) []finding.Suspect {
	var list []finding.Suspect
	for i, a := range sides {
		b := sides[1-i]
		if i == 1 && a.At.File == b.At.File && a.At.Line == b.At.Line {
			break
		}
		file, _ := sites.Rel(a.At.File)
		list = append(list, finding.Suspect{
			File: file, Start: a.At.Line, End: a.At.Line, Score: raceScore - 0.01*float64(i),
			Why: fmt.Sprintf(format, access(a), access(b), path.Base(b.At.File), b.At.Line),
		})
	}
	return list
}

func access(a finding.Access) string {
	if a.Write {
		return "write"
	}
	return "read"
}
