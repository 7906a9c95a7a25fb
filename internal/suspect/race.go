package suspect

import (
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// raceScore is above all others: the race detector proves what it says.
const raceScore = 0.99

// An access is one side of a race: what it does, and the innermost place of its
// stack that is in the module.
type access struct {
	what string // "read", "write"
	file string // as in trace.Sites
	line int
}

// Races returns the two accesses of a data race, for a message that is a report
// of the race detector; nil for others. They need no passing run.
func Races(message string, sites *trace.Sites) []finding.Suspect {
	if !strings.HasPrefix(message, "WARNING: DATA RACE") {
		return nil
	}
	var sides []access
	for _, part := range strings.Split(message, "\n\n") {
		if a, ok := accessIn(part, sites); ok {
			sides = append(sides, a)
		}
	}
	if len(sides) != 2 {
		return nil
	}
	var list []finding.Suspect
	for i, a := range sides {
		b := sides[1-i]
		if i == 1 && a.file == b.file && a.line == b.line {
			break
		}
		list = append(list, finding.Suspect{
			File: a.file, Start: a.line, End: a.line, Score: raceScore - 0.01*float64(i),
			Why: fmt.Sprintf("a data race: nothing orders this %s and the %s at %s:%d, of the same memory on another goroutine", a.what, b.what, path.Base(b.file), b.line),
		})
	}
	return list
}

var (
	raceAccess = regexp.MustCompile(`(?im)^(?:previous )?(?:atomic )?(read|write) at 0x`)
	racePlace  = regexp.MustCompile(`(?m)^ {6}(.+):(\d+)(?: \+0x[0-9a-f]+)?$`)
)

// accessIn reads the section of a report that shows one access.
func accessIn(part string, sites *trace.Sites) (access, bool) {
	what := raceAccess.FindStringSubmatch(part)
	if what == nil {
		return access{}, false
	}
	for _, m := range racePlace.FindAllStringSubmatch(part, -1) {
		if rel, ok := sites.Rel(m[1]); ok {
			line, err := strconv.Atoi(m[2])
			return access{strings.ToLower(what[1]), rel, line}, err == nil
		}
	}
	return access{}, false
}
