package freedom

import (
	"slices"
	"time"

	"github.com/fdebug/fdebug/trace"
)

// An Act is one perturbation of a run. Its kind says which of the other fields count:
//
//	stall            At, First, Dose
//	order            At waits for Until, at most for Dose
//	select map rand  Seed, At
//	gc               At, First; or it is a setting
//	all others       settings: What, At, Value, Unit, Text
//
// Choices and settings have no goroutine: they apply to all goroutines whose last event is the
// block of At, or to all goroutines if that is 0.
type Act struct {
	Kind  trace.ActKind
	What  Aspect        `json:",omitempty"` // what is set; 0 only lists where it is asked for
	At    Position      `json:",omitzero"`
	Until Position      `json:",omitzero"`
	First bool          `json:",omitempty"` // for a class: only the first goroutine that comes there
	Seed  uint64        `json:",omitempty"`
	Value int64         `json:",omitempty"`
	Unit  int64         `json:",omitempty"`
	Text  string        `json:",omitempty"` // for settings in the environment
	Dose  time.Duration `json:",omitempty"`
}

// Sets reports whether an act fixes what the system around the program decides.
func (a Act) Sets() bool {
	return a.Kind >= trace.ActClock && !a.Collects()
}

// Collects reports whether an act collects garbage at a position.
func (a Act) Collects() bool { return a.Kind == trace.ActGC && a.At.G != Goroutine{} }

// Chooses reports whether an act makes random choices follow a seed.
func (a Act) Chooses() bool {
	return slices.Contains(drawKinds[:], a.Kind)
}

// Holds reports whether an act holds a goroutine at a position.
func (a Act) Holds() bool { return a.Kind == trace.ActStall }

// Orders reports whether an act makes a goroutine wait for another one.
func (a Act) Orders() bool { return a.Kind == trace.ActOrder }

// alike reports whether the runtime counts two acts together.
func (a Act) alike(b Act) bool { return a.Kind == b.Kind && a.Collects() == b.Collects() }

// Everywhere reports whether an act applies to all blocks.
func (a Act) Everywhere() bool { return a.At == Position{} }

// Dosed returns the act with another dose: a hold of another length, a timer that late. An act
// without a dose is returned unchanged.
func (a Act) Dosed(dose time.Duration) Act {
	switch {
	case a.Holds():
		a.Dose = dose
	case a.What == TimerLate:
		a.Value = int64(dose)
	}
	return a
}

// Moved returns the same act at another position.
func (a Act) Moved(to Position) Act {
	a.At, a.First = to, to.G.Class != 0
	return a
}

// Seeded returns the same choices with another seed.
func (a Act) Seeded(seed uint64) Act {
	a.Seed = seed
	return a
}

// Waits returns how long an act may keep a goroutine, or the test, waiting.
func (a Act) Waits() time.Duration {
	switch {
	case a.Holds(), a.Orders():
		return a.Dose
	case a.What == ClockPhase:
		return time.Duration(a.Unit)
	}
	return 0
}

// Of returns the acts of a plan for which is returns true.
func (p Plan) Of(is func(Act) bool) []Act {
	return slices.DeleteFunc(slices.Clone(p.Acts), func(a Act) bool { return !is(a) })
}

// Does reports whether a plan has an act for which is returns true.
func (p Plan) Does(is func(Act) bool) bool { return slices.ContainsFunc(p.Acts, is) }

// First returns the first act of a plan for which is returns true, or the zero Act if there is
// none.
func (p Plan) First(is func(Act) bool) Act {
	if i := slices.IndexFunc(p.Acts, is); i >= 0 {
		return p.Acts[i]
	}
	return Act{}
}

// Each returns a plan with f applied to each act.
func (p Plan) Each(f func(Act) Act) Plan {
	p.Acts = slices.Clone(p.Acts)
	for i := range p.Acts {
		p.Acts[i] = f(p.Acts[i])
	}
	return p
}

// Dosed returns a plan in which everything with a dose has another one.
func (p Plan) Dosed(dose time.Duration) Plan {
	return p.Each(func(a Act) Act { return a.Dosed(dose) })
}

// Without returns a plan without the acts for which is returns true.
func (p Plan) Without(is func(Act) bool) Plan {
	p.Acts = slices.DeleteFunc(slices.Clone(p.Acts), is)
	return p
}

// With returns a plan with more acts.
func (p Plan) With(more ...Act) Plan {
	p.Acts = append(slices.Clip(p.Acts), more...)
	return p
}

// Index returns the number under which traces list the i-th act of a plan: its number among the
// acts of its kind.
func (p Plan) Index(i int) int {
	n := 0
	for _, a := range p.Acts[:i] {
		if a.alike(p.Acts[i]) {
			n++
		}
	}
	return n
}
