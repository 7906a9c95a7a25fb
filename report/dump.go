package report

import (
	"regexp"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// A dumpKind says what a goroutine dump shows: in a sentence, and as its title.
type dumpKind struct{ who, title string }

var (
	dumpOfAll   = dumpKind{"each goroutine was", "Goroutines when it was stopped"}
	dumpOfSome  = dumpKind{"goroutines were", "Goroutines when it was stopped"}
	dumpOfPanic = dumpKind{"the goroutine that panicked was", "The goroutine that panicked"}
	dumpOfOne   = dumpKind{"one goroutine was", "One goroutine when the process ended"}
)

// How much of a dump is shown: its head and its tail.
const (
	dumpHead = 128 << 10
	dumpTail = 16 << 10
)

var dumpedGoroutine = regexp.MustCompile(`(?m)^goroutine [1-9][0-9]* .*\[.*\]:\r?$`)

// dumped says what the dump of a failure shows. Of a panic, and of most fatal errors, the
// runtime prints but the goroutine that it was in, unless it is told to print all.
func dumped(f *finding.Failure) dumpKind {
	several := len(dumpedGoroutine.FindAllStringIndex(f.Dump, 2)) > 1
	switch {
	case several && (len(f.Dump) > dumpHead+dumpTail || strings.Contains(f.Dump, "\n[... ")):
		return dumpOfSome
	case several:
		return dumpOfAll
	case strings.HasPrefix(f.Dump, "panic: ") || strings.HasPrefix(f.Message, "panic: "):
		return dumpOfPanic
	}
	return dumpOfOne
}
