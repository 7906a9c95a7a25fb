package diagnose

import (
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// A Claim is a reason that a rule gives for a place, and what follows from it for others. No one
// else decides by kinds of reasons.
type Claim struct {
	Kind     finding.ReasonKind
	Category string // of a flake that is so caused, "" if that does not follow
	InTest   string // the same if the place is in a test's file, "" for Category
	// of returns the category where Kind alone does not tell; may be nil.
	of     func(*finding.Reason) string
	Try    Try
	NoWait NoWait
	// Early is set if another goroutine comes to a place too early.
	Early bool
	// Measures is set if the failed check measures a time. ByCheck: where the reason says so.
	Measures, ByCheck bool
}

// A Try says what experiments make of a place.
type Try uint8

const (
	TryLines   Try = iota // they hold goroutines there, and at the other place
	TryChoices            // they make choices there, and at the other place
	TryTests              // they run the tests
	TryNothing            // they have shown it, or it is only where the failure surfaces
)

// A NoWait says whether a place tells that a test does not wait for what it has started.
type NoWait uint8

const (
	Waits  NoWait = iota // it does not tell
	InTest               // it does in a test's file
	Always
)

// ClaimOf returns the claim of a reason, zero if no rule has it.
func ClaimOf(kind finding.ReasonKind) Claim {
	for _, r := range Rules() {
		for _, c := range r.claims {
			if c.Kind == kind {
				return c
			}
		}
	}
	return Claim{}
}

// CategoryOf returns the category of a flake that a place is the cause of, "" if that does not follow.
func CategoryOf(s *finding.Suspect) string {
	c := ClaimOf(s.Reason.Kind)
	switch {
	case c.InTest != "" && strings.HasSuffix(s.File, "_test.go"):
		return c.InTest
	case c.of != nil:
		return c.of(&s.Reason)
	}
	return c.Category
}

// Measuring reports whether a reason is about a time that the failed check measures.
func Measuring(r *finding.Reason) bool {
	c := ClaimOf(r.Kind)
	return c.Measures || c.ByCheck && r.Checked
}
