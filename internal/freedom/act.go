package freedom

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// An Act is one perturbation of a run, at a place: of a [Site] it is searched, of a [Position] it is run, and of what
// can be found again it is kept. Its kind says which of the other fields count:
//
//	stall            At, First, Dose
//	order            At waits for Until, at most for Dose
//	select map rand  Seed, At
//	gc               At, First; or it is a setting
//	all others       settings: What, At, Value, Unit, Text
//
// Choices and settings have no goroutine: they apply to all goroutines whose last event is the
// block of At, or to all goroutines if that is zero.
type Act[P comparable] struct {
	Kind  trace.ActKind
	What  Aspect        `json:",omitempty"` // what is set; 0 only lists where it is asked for
	At    P             `json:",omitzero"`
	Until P             `json:",omitzero"`
	First bool          `json:",omitempty"` // for a class: only the first goroutine that comes there
	Seed  uint64        `json:",omitempty"`
	Value int64         `json:",omitempty"`
	Unit  int64         `json:",omitempty"`
	Text  string        `json:",omitempty"` // for settings in the environment
	Dose  time.Duration `json:",omitempty"`
}

// A Step is an act of a run.
type Step = Act[Position]

// Map returns an act at the places that f returns for its own.
func Map[P, Q comparable](a Act[P], f func(P) Q) Act[Q] {
	b := Act[Q]{Kind: a.Kind, What: a.What, First: a.First, Seed: a.Seed, Value: a.Value, Unit: a.Unit, Text: a.Text,
		Dose: a.Dose}
	var none P
	if a.At != none {
		b.At = f(a.At)
	}
	if a.Until != none {
		b.Until = f(a.Until)
	}
	return b
}

// Sets reports whether an act fixes what the system around the program decides.
func (a Act[P]) Sets() bool { return byKind[a.Kind].Where == ByAnswers && !a.Collects() }

// Collects reports whether an act collects garbage at a position.
func (a Act[P]) Collects() bool { return a.Kind == trace.ActGC && !a.Everywhere() }

// Chooses reports whether an act makes random choices follow a seed.
func (a Act[P]) Chooses() bool { return byKind[a.Kind].Where == ByDraws }

// Holds reports whether an act holds a goroutine at a position.
func (a Act[P]) Holds() bool { return a.Kind == trace.ActStall }

// Orders reports whether an act makes a goroutine wait for another one.
func (a Act[P]) Orders() bool { return a.Kind == trace.ActOrder }

// alike reports whether the runtime counts two acts together.
func (a Act[P]) alike(b Act[P]) bool { return a.Kind == b.Kind && a.Collects() == b.Collects() }

// Everywhere reports whether an act applies to all blocks.
func (a Act[P]) Everywhere() bool { return a.At == *new(P) }

// Takes returns the dose of an act: how long it holds, or how late a timer is; 0 if it has none.
func (a Act[P]) Takes() time.Duration {
	switch {
	case a.Holds():
		return a.Dose
	case a.What == TimerLate:
		return time.Duration(a.Value)
	}
	return 0
}

// Dosed returns the act with another dose: a hold of another length, a timer that late. An act
// without a dose is returned unchanged.
func (a Act[P]) Dosed(dose time.Duration) Act[P] {
	switch {
	case a.Holds():
		a.Dose = dose
	case a.What == TimerLate:
		a.Value = int64(dose)
	}
	return a
}

// Moved returns the same act at another place.
func (a Act[P]) Moved(to P) Act[P] {
	a.At = to
	return a
}

// Seeded returns the same choices with another seed.
func (a Act[P]) Seeded(seed uint64) Act[P] {
	a.Seed = seed
	return a
}

// Waits returns how long an act may keep a goroutine, or the test, waiting.
func (a Act[P]) Waits() time.Duration {
	switch {
	case a.Holds(), a.Orders():
		return a.Dose
	case a.What == ClockPhase:
		return time.Duration(a.Unit)
	}
	return 0
}

// Somewhere follows the kind of a collection at a place.
const Somewhere = "at"

// Name returns the kind of an act with what it sets: "clock phase", "gc at" of a collection.
func (a Act[P]) Name() string {
	switch {
	case a.Collects():
		return a.Kind.String() + " " + Somewhere
	case a.What != 0:
		return a.Kind.String() + " " + a.What.String()
	}
	return a.Kind.String()
}

// Those returns the acts for which is returns true.
func Those[P comparable](acts []Act[P], is func(Act[P]) bool) []Act[P] {
	return slices.DeleteFunc(slices.Clone(acts), func(a Act[P]) bool { return !is(a) })
}

// Kinds returns the names of the kinds of acts, each once: holds first, settings last.
func Kinds[P comparable](acts []Act[P]) (names []string) {
	for _, is := range []func(Act[P]) bool{Act[P].Holds, Act[P].Orders, Act[P].Chooses, Act[P].Collects, Act[P].Sets} {
		for _, a := range Those(acts, is) {
			if name := a.Kind.String(); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// Of returns the acts of a plan for which is returns true.
func (p Plan) Of(is func(Step) bool) []Step {
	return Those(p.Acts, is)
}

// Does reports whether a plan has an act for which is returns true.
func (p Plan) Does(is func(Step) bool) bool { return slices.ContainsFunc(p.Acts, is) }

// First returns the first act of a plan for which is returns true, or the zero Act if there is none.
func (p Plan) First(is func(Step) bool) Step {
	if i := slices.IndexFunc(p.Acts, is); i >= 0 {
		return p.Acts[i]
	}
	return Step{}
}

// Each returns a plan with f applied to each act.
func (p Plan) Each(f func(Step) Step) Plan {
	p.Acts = slices.Clone(p.Acts)
	for i := range p.Acts {
		p.Acts[i] = f(p.Acts[i])
	}
	return p
}

// Dosed returns a plan in which everything with a dose has another one.
func (p Plan) Dosed(dose time.Duration) Plan {
	return p.Each(func(a Step) Step { return a.Dosed(dose) })
}

// Without returns a plan without the acts for which is returns true.
func (p Plan) Without(is func(Step) bool) Plan {
	p.Acts = slices.DeleteFunc(slices.Clone(p.Acts), is)
	return p
}

// With returns a plan with more acts.
func (p Plan) With(more ...Step) Plan {
	p.Acts = append(slices.Clip(p.Acts), more...)
	return p
}

// Index returns the number under which traces list the i-th act of a plan: its number among the acts of its kind.
func (p Plan) Index(i int) int {
	n := 0
	for _, a := range p.Acts[:i] {
		if a.alike(p.Acts[i]) {
			n++
		}
	}
	return n
}
