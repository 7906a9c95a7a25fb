// Package proof is the model of what was proved, or made likely, about a failure: by what
// the test fails, by what it passes, and how often. Its JSON is a replay file.
package proof

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/trace"
)

// A Proof is what makes a test fail, and what makes it pass, with the runs that show it. It is kept as JSON, one file a
// failure, with the kind of what is done beside its fields.
// Times are nanoseconds; seeds and numbers of goroutines are strings. See [Act] and [Place].
type Proof struct {
	Version   int       `json:"fdebug_replay"` // of the format
	Fdebug    string    `json:"fdebug"`        // what it was made with, as Go and Platform
	Go        string    `json:"go"`
	Platform  string    `json:"platform"`
	Module    string    `json:"module"`
	Package   string    `json:"package"`
	Test      string    `json:"test"`      // the top-level test, which is run alone
	Signature Signature `json:"signature"` // of the failure: test, place and masked message
	Message   string    `json:"message"`
	Logs      []string  `json:"logs,omitempty"` // places from which passing tests print: no failed checks
	Build     BuildInfo `json:"build"`          // flags, what was instrumented, and the hash of the binary with probes
	Tests     Tests     `json:"tests,omitzero"` // flags that say which tests ran, and how
	Verdict   Verdict   `json:"verdict"`
	// of the flake, in what is written: "async-wait"; "" if none follows. What found it asks finding.Verdict instead.
	Category string `json:"category,omitempty"`
	Natural  bool   `json:"natural,omitempty"` // runs without the plan failed so too
	// nothing was done in the runs of Confirmed.With: the test fails anyway
	Always bool `json:"always,omitempty"`
	// Smallest is the shortest hold asked for with which it failed several times in a row, 0 if the kind has none.
	Smallest  time.Duration `json:"smallest_ns,omitempty"`
	Plan      Acts          `json:"plan,omitempty"`      // done in the runs that fail
	Opposite  Acts          `json:"opposite,omitempty"`  // and in those that pass
	Elsewhere Acts          `json:"elsewhere,omitempty"` // the same as Plan, where it does not matter
	Decides   []string      `json:"decides,omitempty"`   // of choices, the kinds that decide, where Plan fixes others too
	// At is, of a hold, the first and the last place at which it fails; of an order, the events that come first and
	// then when it fails; else where is chosen or asked for what decides.
	At        []Place      `json:"at,omitempty"`
	Law       Law          `json:"law,omitzero"`     // what in the program decides, where goroutines meet; zero if that is not known
	Before    []string     `json:"before,omitempty"` // other tests that run
	Needs     []string     `json:"needs,omitempty"`  // tests without which it fails
	Shuffle   int64        `json:"shuffle,omitempty"`
	Confirmed Confirmation `json:"confirmed"`
	Found     int          `json:"found_after_runs,omitempty"` // runs made until it first failed
	Runs      int          `json:"runs,omitempty"`             // made until the verdict, the search included
	// of Runs, those that an earlier session had made: Took has not their time
	Kept int           `json:"kept_runs,omitempty"`
	Took time.Duration `json:"took_ns,omitempty"`
	// Replay and Report are the names of its replay file and of the page that tells it, in what has proofs of several
	// tests; "" if there is none.
	Replay string `json:"replay,omitempty"`
	Report string `json:"report,omitempty"`
}

// Within reports whether it fails only if a goroutine is held between what one statement reads and what it writes: then
// what others have written meanwhile is lost.
func (p *Proof) Within() bool {
	return len(p.At) == 2 && p.At[0].Inside && p.At[0].Block == p.At[1].Block
}

// IsCalled reports whether the test that was proved something of is called so.
func (p *Proof) IsCalled(typed string) bool {
	return text.IsTest(typed, p.Package, p.Test) || text.IsTest(typed, p.Package, p.Signature.Test)
}

// Names returns the names of the test: TestX, TestX/case, p.TestX or example.com/m/p.TestX.
func (p *Proof) Names() (names []string) {
	for _, test := range []string{p.Test, p.Signature.Test} {
		if test != "" {
			names = append(names, test, path.Base(p.Package)+"."+test, p.Package+"."+test)
		}
	}
	return names
}

// A Signature is that of a failure. File is relative to the module's root.
type Signature struct {
	Test    string `json:"test"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// Place names the line of a failure without its directory: "file.go:12", "" if it is unknown.
func (s Signature) Place() string {
	if s.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", path.Base(s.File), s.Line)
}

// String returns test, place and message of a failure; "" if it is not known.
func (s Signature) String() string {
	if s == (Signature{}) {
		return ""
	}
	parts := []string{cmp.Or(s.Test, "(package)")}
	if place := s.Place(); place != "" {
		parts = append(parts, place)
	}
	return strings.Join(append(parts, s.Message), ": ")
}

// A BuildInfo says how the binary was built.
type BuildInfo struct {
	Flags      []string `json:"flags,omitempty"`
	Patterns   []string `json:"patterns,omitempty"` // of the packages that were instrumented, as import paths
	Instrument []string `json:"instrument,omitempty"`
	Generated  bool     `json:"generated,omitempty"`
	// Inside are the packages that were built with positions inside statements, in this order.
	Inside []string `json:"inside,omitempty"`
	Hash   string   `json:"hash"`
}

// Tests says which tests ran, and how, besides what is done: flags of the go command, and Args for the tests
// themselves. What was not given is zero.
type Tests struct {
	Run      string        `json:"run,omitempty"`
	Skip     string        `json:"skip,omitempty"`
	Short    bool          `json:"short,omitempty"`
	CPU      string        `json:"cpu,omitempty"`
	Parallel int           `json:"parallel,omitempty"`
	Count    int           `json:"count,omitempty"`
	Timeout  time.Duration `json:"timeout_ns,omitempty"`
	FullPath bool          `json:"fullpath,omitempty"`
	FailFast bool          `json:"failfast,omitempty"`
	CPUs     float64       `json:"cpus,omitempty"`
	Args     []string      `json:"args,omitempty"`
}

// A Law is what in the program decides. Where goroutines meet, the plan forces an order, or what comes between, and At has
// its steps: f, and b, before which it comes. Where something is set, all that Plan could set does the same within Range.
type Law struct {
	Kind  LawKind `json:"kind,omitempty"`  // where goroutines meet, or two readings of the clock differ
	After *Place  `json:"after,omitempty"` // of LawBetween: a, which f comes after; of LawDeadline: the wait with a limit
	freedom.Range
}

// A LawKind is a kind of laws, as package law has them.
type LawKind string

const (
	LawOrder    LawKind = "order"
	LawBetween  LawKind = "between"
	LawDeadline LawKind = "deadline"     // the goroutine that is held comes late, whatever others do
	LawEnds     LawKind = "ends"         // a period of the clock ends between two readings of it, those of At
	LawTimers   LawKind = freedom.Timers // the first timer of At fires after the second one
)

// MarshalJSON adds what is derived.
func (p Proof) MarshalJSON() ([]byte, error) {
	type plain Proof
	return json.Marshal(struct {
		Kind string `json:"kind"`
		*plain
	}{p.Kind(), (*plain)(&p)})
}

// Kind returns the name of the kind, or kinds, of what decides.
func (p *Proof) Kind() string {
	switch {
	case p.Needs != nil:
		return "tests"
	case p.Decides != nil:
		return strings.Join(p.Decides, "+")
	case p.Always:
		return p.Opposite.Kind()
	}
	kind := p.Plan.Kind()
	if len(p.Before) > 0 || p.Shuffle != 0 {
		return strings.TrimPrefix(kind+"+tests", "+")
	}
	return kind
}

// Window returns the first and the last place at which a hold fails, nil if they were not looked for.
func (p *Proof) Window() []Place {
	if p.Plan.Does(Act.Holds) && len(p.At) == 2 && p.Law.Kind != LawTimers {
		return p.At
	}
	return nil
}

// Events returns the two events of an order, the one that comes first when it fails first; nil if none is forced.
func (p *Proof) Events() (first, then *Place) {
	if p.Plan.Does(Act.Orders) && len(p.At) == 2 {
		return &p.At[0], &p.At[1]
	}
	return nil, nil
}

// Asked returns where the program asks for what is set, or chooses what matters of the choices of a whole kind.
func (p *Proof) Asked() []Place {
	if p.Plan.Does(Act.Holds) || p.Plan.Does(Act.Orders) {
		return nil
	}
	return p.At
}

// CureHolds returns the holds with which the test passes, where that is known: not those
// that are the plan's own, beside which something else is otherwise.
func (p *Proof) CureHolds() Acts {
	return p.Opposite.Of(func(a Act) bool {
		return a.Holds() && p.Law.Kind != LawTimers && a.At != nil && !p.Plan.Does(func(b Act) bool { return b.Holds() && b.At.same(a.At) })
	})
}

// Orders reports whether the order of two events is forced.
func (p *Proof) Orders() bool { return p.Plan.Does(Act.Orders) }

// Places returns all places that are named, those at which the plan acts first.
func (p *Proof) Places() (list []*Place) {
	for _, acts := range []Acts{p.Plan, p.Opposite, p.Elsewhere} {
		for i := range acts {
			list = append(list, places(acts[i])...)
		}
	}
	for i := range p.At {
		list = append(list, &p.At[i])
	}
	if p.Law.After != nil {
		list = append(list, p.Law.After)
	}
	return list
}

// Reworded returns p as it is for code in which a part of a statement, was, stands no
// more, but now in its place: its places are there.
func (p *Proof) Reworded(was, now string) *Proof {
	data, err := json.Marshal(p)
	next := &Proof{}
	if was == "" || err != nil || json.Unmarshal(data, next) != nil {
		return p
	}
	for _, at := range next.Places() {
		at.Text = strings.ReplaceAll(at.Text, Words(was), Words(now))
		if at.Goroutine == nil {
			continue
		}
		for i, s := range at.Goroutine.Chain {
			at.Goroutine.Chain[i].Text = strings.ReplaceAll(s.Text, Words(was), Words(now))
		}
	}
	return next
}

// Words is a text as places have it: with one space between words.
func Words(text string) string { return strings.Join(strings.Fields(text), " ") }

// Lines returns the lines ("dir/file.go:12") at which a proof acts, and the ends of its
// window.
func (p *Proof) Lines() (places, window []string) {
	line := func(p *Place) string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
	places = []string{}
	for _, a := range p.Plan {
		if a.At != nil && (a.Holds() || a.Chooses() || a.Collects()) {
			places = append(places, line(a.At))
		}
	}
	for i := range p.At {
		if p.Plan.Does(Act.Orders) || p.Plan.Does(Act.Sets) {
			places = append(places, line(&p.At[i]))
		}
	}
	for _, at := range p.Window() {
		window = append(window, line(&at))
	}
	return places, window
}

// Frame returns where the failure is reported.
func (s Signature) Frame() trace.Frame { return trace.Frame{File: s.File, Line: s.Line} }
