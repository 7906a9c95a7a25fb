package runner

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Dumped is a goroutine in a dump.
type Dumped struct {
	Number  uint64        // of the goroutine, see trace.Goroutine.Number
	State   string        // "chan receive"
	Waiting time.Duration // how long, in whole minutes; 0 if less than one
	Frames  []trace.Frame // innermost first
	Creator trace.Frame   // its go statement, zero if none
}

// ParseDump returns the goroutines of the dump that a process ended with.
func ParseDump(text string) []Dumped { return dumped(parseGoroutines(text)) }

// leakHead begins a goroutine in what package go.uber.org/goleak prints.
var leakHead = regexp.MustCompile(`Goroutine (\d+) in state ([^,\n]*)(.*), with \S+ on top of the stack:\n`)

// ParseLeaks returns the goroutines that package go.uber.org/goleak found in the output of a test, nil if it
// found none.
func ParseLeaks(output string) []Dumped {
	_, leaks, ok := strings.Cut(output, "found unexpected goroutines:\n")
	if !ok {
		return nil
	}
	return dumped(goroutinesIn(leaks, leakHead))
}

func dumped(gs []goroutine) (ds []Dumped) {
	for _, g := range gs {
		ds = append(ds, Dumped{g.number, g.state, g.waiting, g.frames, g.creator})
	}
	return ds
}

// minutes returns the time in the header of a goroutine, ", 9 minutes, locked to thread".
func minutes(rest string) time.Duration {
	for part := range strings.SplitSeq(rest, ",") {
		if n, ok := strings.CutSuffix(strings.TrimSpace(part), " minutes"); ok {
			if m, err := strconv.ParseUint(n, 10, 31); err == nil {
				return time.Duration(m) * time.Minute
			}
		}
	}
	return 0
}
