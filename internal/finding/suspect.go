package finding

import (
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// A Suspect is a place where the cause may lie, and not only where it surfaces: a
// hypothesis with its evidence.
type Suspect struct {
	Span
	Rule string `json:"rule"` // that proposed it
	Evidence
	// Seen says in how many failing runs it was so, and Of how many were looked at; 0 if that was not counted.
	Seen    int      `json:"seen,omitempty"`
	Of      int      `json:"of,omitempty"`
	Verdict *Verdict `json:"-"` // of the experiment that shows it, nil if none does
	Reason  Reason   `json:"-"`
}

// InTest reports whether the place is in a file of tests.
func (s *Suspect) InTest() bool { return strings.HasSuffix(s.File, "_test.go") }

// Category returns the category of a flake that the place is the cause of, "" if that does not follow.
func (s *Suspect) Category() string { return s.Reason.Claim().Category }

// Surfaces reports whether a place is no more than where a failure shows: the check that failed, the way into it, or a
// value that it looks at. These separate failing from passing runs by what a failed check is.
func (s *Suspect) Surfaces() bool { return s.Class == Symptom && s.Reason.Claim().Surfaces }

// A Reason says why a rule names a place. Each rule has types of its own for that, in package diagnose; others
// know only what they can ask here.
type Reason interface {
	Kind() string // its name in tests: "late"
	Claim() Claim
	// Why says it in a list of places.
	Why(Coder) say.Sentence
	// Words are all else that is said of a place with this reason.
	Words(*Suspect, Coder) Words
}

// A Claim is what follows from a reason for others than its rule.
type Claim struct {
	Category string // of a flake that is so caused, "" if that does not follow
	Try      Try
	Other    trace.Frame // where experiments look too, zero for nowhere; the file is relative to the module root
	Tests    []string    // for TryTests
	Deadlock bool        // goroutines wait for locks that will not be released
	Surfaces bool        // of a symptom: see [Suspect.Surfaces]
	Differs  bool        // it says where runs differ, and nothing else
	Changes  bool        // a test makes the change there that it leaves behind
	// Allows is the time that a limit allows, 0 for none.
	Allows time.Duration
	// Raced says in how many runs with the race detector it has reported a race, of none if the failure is the report.
	Raced Count
}

// A Try says what experiments make of a place.
type Try uint8

const (
	TryLines   Try = iota // they hold goroutines there, and at the other place
	TryChoices            // they make choices there, and at the other place
	TryTests              // they run the tests
	TryNothing            // it is only where the failure surfaces
)

// Words are what is said of a place. No decision reads them.
type Words struct {
	// Cause is for a place that is likely to be the cause, or was seen to be: the sentence of the proof that would be
	// made. It is empty if the place is no more than where runs differ.
	Cause []say.Sentence
	Mark  say.Sentence // of the place in the source
	Other []MarkedPlace
	Fix   []say.Sentence // empty if the source lacks nothing there
}

// A MarkedPlace is another place that a cause is about.
type MarkedPlace struct {
	At   trace.Frame
	Mark say.Sentence
}

// A Coder makes what sentences show of places and names.
type Coder interface {
	Code(Span) say.Code // the first line
	Line(trace.Frame) say.Code
	Named(string, Span) say.Code // this text, with the place
	Ranged(Span) say.Code        // what a range statement there goes through, without text if there is none
	Drawn(Span) say.Code         // the call that draws a number there, else the line
	Name(string) say.Name
}

// Chosen is where a choice is made at a place.
func Chosen(c Coder, at Span) say.Chosen {
	return say.Chosen{At: c.Code(at), Drawn: c.Drawn(at), Ranged: c.Ranged(at)}
}
