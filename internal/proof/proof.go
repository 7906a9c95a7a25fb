// Package proof is the model of what was proved, or made likely, about a failure: by what
// the test fails, by what it passes, and how often. Its JSON is a replay file.
package proof

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// A Proof is what makes a test fail, and what makes it pass, with the runs that show it.
// Kind and places are derived from what is done. It is kept as JSON, one file a failure:
//
//	{
//	  "kind"                      of what is done, derived
//	  "fdebug_replay": 2,         version of the format
//	  "fdebug", "go", "platform"  what it was made with
//	  "module", "package", "test" the top-level test, which is run alone
//	  "signature"                 of the failure: test, place and masked message
//	  "logs"                      places from which passing tests print: no failed checks
//	  "build"                     flags, what was instrumented, and the hash of the
//	                              binary with probes
//	  "verdict", "artefact"
//	  "natural"                   runs without the plan failed so too
//	  "always"                    it fails with nothing done; the opposite makes it pass
//	  "plan"                      what is done in the runs that fail
//	  "opposite"                  what is done in the runs that pass
//	  "elsewhere"                 the same as plan, where it does not matter
//	  "decides"                   of choices, the kinds that decide, where plan fixes others too
//	  "at"                        of a hold, the first and the last place at which it fails; of an
//	                              order, the events that come first and then when it fails; else
//	                              where is chosen or asked for what decides
//	  "from_start"                the first place is where the goroutine begins
//	  "early"                     the hold of another goroutine that lets it pass too
//	  "before", "suite", "shuffle"                   which other tests run
//	  "needs"                     tests without which it fails
//	  "limit"                     duration in the source that smallest_ns is about
//	  "smallest_ns"               the shortest hold that fails, 0 for draws
//	  "confirmed"                 counts: with, plain, sham, cure; each with
//	                              failed, of, other, missed
//	  "runs", "kept_runs", "took_ns"                 what it took
//	}
//
// Times are nanoseconds; seeds and numbers of goroutines are strings. See [Act] and [Place].
// Files of version 1 are read too (convert.go).
type Proof struct {
	Version   int       `json:"fdebug_replay"`
	Fdebug    string    `json:"fdebug"`
	Go        string    `json:"go"`
	Platform  string    `json:"platform"`
	Module    string    `json:"module"`
	Package   string    `json:"package"`
	Test      string    `json:"test"`
	Signature Signature `json:"signature"`
	Message   string    `json:"message"`
	Logs      []string  `json:"logs,omitempty"`
	Build     BuildInfo `json:"build"`
	Verdict   string    `json:"verdict"`
	Natural   bool      `json:"natural,omitempty"`  // runs without the plan failed so too
	Always    bool      `json:"always,omitempty"`   // nothing was done in the runs of Confirmed.With: the test fails anyway
	Artefact  string    `json:"artefact,omitempty"` // why it is a deadline artefact, "" if it is none
	Limit     string    `json:"limit,omitempty"`    // duration in the source that Smallest is about, with its place
	// Smallest is the shortest hold asked for with which it failed several times in a row, 0 if
	// the kind has none.
	Smallest  time.Duration `json:"smallest_ns,omitempty"`
	Plan      Acts          `json:"plan,omitempty"`
	Opposite  Acts          `json:"opposite,omitempty"`
	Elsewhere Acts          `json:"elsewhere,omitempty"`
	Decides   []string      `json:"decides,omitempty"`
	At        []Place       `json:"at,omitempty"`
	FromStart bool          `json:"from_start,omitempty"`
	Early     *Early        `json:"early,omitempty"`
	Before    []string      `json:"before,omitempty"`
	Needs     []string      `json:"needs,omitempty"`
	Suite     bool          `json:"suite,omitempty"`
	Shuffle   int64         `json:"shuffle,omitempty"`
	Confirmed Confirmation  `json:"confirmed"`
	Runs      int           `json:"runs,omitempty"`      // made until the verdict, the search included
	Kept      int           `json:"kept_runs,omitempty"` // of Runs, those that an earlier session had made: Took has not their time
	Took      time.Duration `json:"took_ns,omitempty"`
}

// A Signature is that of a failure. File is relative to the module's root.
type Signature struct {
	Test    string `json:"test"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Message string `json:"message"`
}

// A BuildInfo says how the binary was built.
type BuildInfo struct {
	Flags      []string `json:"flags,omitempty"`
	Patterns   []string `json:"patterns,omitempty"` // of the packages that were instrumented, as import paths
	Instrument []string `json:"instrument,omitempty"`
	Generated  bool     `json:"generated,omitempty"`
	Hash       string   `json:"hash"`
}

// An Early is where another goroutine must be held too for the test to pass, and how often it failed then.
type Early struct {
	At   Place         `json:"at"`
	Dose time.Duration `json:"dose_ns"`
	Held Count         `json:"held"`
}

// A Count is what became of the runs of one kind.
type Count struct {
	Failed int `json:"failed"`           // with the signature in question
	Of     int `json:"of"`               // runs that count: what is done was done, and the test passed or failed so
	Other  int `json:"other,omitempty"`  // runs that failed with another signature: they count on no side
	Missed int `json:"missed,omitempty"` // runs in which it was not done: they count on no side either
	// Unmet are those of Of in which somebody waited for an order that did not come about.
	Unmet int `json:"unmet,omitempty"`
}

// A Confirmation is the four counts that a verdict follows from, of runs that were
// made for it alone.
type Confirmation struct {
	With  Count `json:"with"`
	Plain Count `json:"plain"`
	Sham  Count `json:"sham,omitzero"` // the same elsewhere, zero if there was no other site
	Cure  Count `json:"cure,omitzero"` // zero if none is known, or none is needed
	// Held is how long goroutines were held in the runs of With, the median; 0 if none was, or
	// that was not kept.
	Held time.Duration `json:"held_ns,omitempty"`
}

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
	if p.Suite || len(p.Before) > 0 || p.Shuffle != 0 {
		return strings.TrimPrefix(kind+"+tests", "+")
	}
	return kind
}

// Window returns the first and the last place at which a hold fails, nil if they were not looked for.
func (p *Proof) Window() []Place {
	if p.Plan.Does(Act.Holds) && len(p.At) == 2 {
		return p.At
	}
	return nil
}

// Events returns the two events of an order, the one that comes first when it fails first; nil if
// none is forced.
func (p *Proof) Events() (first, then *Place) {
	if p.Plan.Does(Act.Orders) && len(p.At) == 2 {
		return &p.At[0], &p.At[1]
	}
	return nil, nil
}

// Asked returns where the program asks for what is set, or chooses what matters of the choices
// of a whole kind.
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
		return a.Holds() && !p.Plan.Does(func(b Act) bool { return b.Holds() && b.At.same(a.At) })
	})
}

// Places returns all places that are named, those at which the plan acts first.
func (p *Proof) Places() (list []*Place) {
	for _, acts := range []Acts{p.Plan, p.Opposite, p.Elsewhere} {
		for i := range acts {
			list = append(list, acts[i].places()...)
		}
	}
	for i := range p.At {
		list = append(list, &p.At[i])
	}
	if p.Early != nil {
		list = append(list, &p.Early.At)
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
// window: from the statement that starts the goroutine, if that is where the window begins.
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
	for i, at := range p.Window() {
		if start := at.Goroutine.Started(); i == 0 && p.FromStart && start.File != "" {
			window = append(window, fmt.Sprintf("%s:%d", start.File, start.Line))
		}
		window = append(window, line(&at))
	}
	return places, window
}

// Frame returns where the failure is reported.
func (s Signature) Frame() trace.Frame { return trace.Frame{File: s.File, Line: s.Line} }
