package finding

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A Class says how a cause is known. Later classes are better.
type Class uint8

const (
	Symptom    Class = iota // where the failure surfaces
	Hint                    // what the source looks like, not seen to matter
	Associated              // it predicts the outcome over the runs
	// seen to happen: a report of the race detector, a cycle of locks, who no longer ends a wait
	Mechanism
	Reproduced // an experiment that forces it makes the test fail
	Proved     // an experiment that forces it makes the test fail, and one that prevents it makes it pass
)

var classNames = [...]string{"symptom", "hint", "associated", "mechanism", "reproduced", "proved"}

func (c Class) String() string { return classNames[c] }

// MarshalText makes a class its name in files.
func (c Class) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a class.
func (c *Class) UnmarshalText(text []byte) error {
	i := slices.Index(classNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("unknown class %q", text)
	}
	*c = Class(i)
	return nil
}

// A Link says how a place is connected with the condition or check at which runs
// diverge, by what the source says of objects. Later links are closer.
type Link uint8

const (
	Unlinked Link = iota
	Mentions      // it changes something that the deciding function mentions
	Feeds         // it changes something that the condition is computed from
	Decides       // it changes something that the condition reads, or is the condition
)

var linkNames = [...]string{"", "mentions", "feeds", "decides"}

func (l Link) String() string { return linkNames[l] }

// MarshalText makes a link its name in files.
func (l Link) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a link; another name is of none.
func (l *Link) UnmarshalText(text []byte) error {
	*l = Link(max(0, slices.Index(linkNames[:], string(text))))
	return nil
}

// Evidence speaks for a hypothesis.
type Evidence struct {
	Class Class `json:"class"`
	// Chance says that it was drawn before the test could have a say in it: a random
	// number, the order of a map, the order of tests. If the outcome goes with that,
	// it is its doing, or a coincidence as rare as P says: it can't be a consequence.
	Chance bool `json:"chance,omitempty"`
	Link   Link `json:"link,omitempty"`
	// Table counts failing and passing runs by whether it was so in them; zero if
	// that was not counted. P is Fisher's exact test on Table, corrected for the number
	// of hypotheses where several were tried.
	Table divergence.Table `json:"table,omitzero"`
	P     float64          `json:"p_value,omitempty"`
	// Step is the divergence of the chain that it is about, from 0, the earliest.
	Step int `json:"-"`
	// Explains are the places that it accounts for: it comes before them.
	Explains []trace.Frame `json:"-"`
}

// Compare orders evidence, the better first: by class, then what no event of a run
// can have caused, then by link, then by whether it separates the outcomes without
// exception, then by the step that it explains, the earlier first, then by p-value.
func (e Evidence) Compare(f Evidence) int {
	return cmp.Or(
		cmp.Compare(f.Class, e.Class),
		compareBool(f.Chance, e.Chance),
		cmp.Compare(f.Link, e.Link),
		compareBool(f.Table.Perfect(), e.Table.Perfect()),
		cmp.Compare(e.Step, f.Step),
		cmp.Compare(e.P, f.P),
	)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
