package proof

import (
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// An Act is one thing that is done to a run, as [freedom.Act] has it, at a place that can be
// found again.
type Act struct {
	Kind  string         `json:"kind"` // "stall", "order", "map"
	What  freedom.Aspect `json:"what,omitempty"`
	At    *Place         `json:"at,omitempty"` // nil for anywhere
	Until *Place         `json:"until,omitempty"`
	Seed  uint64         `json:"seed,string,omitempty"`
	Value int64          `json:"value,omitempty"`
	Unit  int64          `json:"unit,omitempty"`
	Text  string         `json:"text,omitempty"`
	// Dose is the shortest that suffices of a hold and of a timer that is late, which is done in
	// a multiple of it; of an order the limit.
	Dose time.Duration `json:"dose_ns,omitempty"`
}

// Acts are what is done to one run.
type Acts []Act

// Code returns the kind of an act, 0 if there is no such kind.
func (a Act) Code() trace.ActKind { return freedom.Of(a.Kind).Act() }

// bare is the act without its places.
func (a Act) bare() freedom.Act { return freedom.Act{Kind: a.Code(), What: a.What} }

// Holds, Orders, Chooses, Collects and Sets are those of [freedom.Act].
func (a Act) Holds() bool    { return a.bare().Holds() }
func (a Act) Orders() bool   { return a.bare().Orders() }
func (a Act) Chooses() bool  { return a.bare().Chooses() }
func (a Act) Collects() bool { return a.Code() == trace.ActGC && a.At != nil }
func (a Act) Sets() bool     { return a.bare().Sets() && !a.Collects() }

// dosed reports whether more of an act is more likely to make a test fail.
func (a Act) dosed() bool { return a.Holds() || a.What == freedom.TimerLate }

// Perturb returns the act for a run, with n times its dose; position finds its places.
func (a Act) Perturb(dose time.Duration, position func(*Place) freedom.Position) freedom.Act {
	b := a.bare()
	b.Seed, b.Value, b.Unit, b.Text, b.Dose = a.Seed, a.Value, a.Unit, a.Text, a.Dose
	if a.At != nil {
		b.At = position(a.At)
	}
	if a.Until != nil {
		b.Until = position(a.Until)
	}
	switch {
	case a.Holds():
		b.First = a.At.Goroutine != nil && a.At.Goroutine.First
	case a.Collects():
		b.First = b.At.G.Class != 0
	case a.dosed():
		b.Dose = 0
	}
	if a.dosed() && dose > 0 {
		b = b.Dosed(dose)
	}
	return b
}

// places returns where an act is done.
func (a *Act) places() (list []*Place) {
	for _, p := range []*Place{a.At, a.Until} {
		if p != nil {
			list = append(list, p)
		}
	}
	return list
}

// valid reports whether an act can be in a file that fdebug has written.
func (a Act) valid() bool {
	switch {
	case a.Holds():
		return a.At != nil && a.At.held() && len(a.At.Goroutine.Chain) > 0 && a.Dose > 0
	case a.Orders():
		return a.At != nil && a.Until != nil && a.At.held() && !a.At.End && a.Until.held() && a.Dose > 0
	case a.Collects():
		return a.At.collects()
	case a.Sets() && a.What == 0:
		return false
	case a.Chooses(), a.Sets():
		return a.At == nil || a.At.draws()
	}
	return false
}

// Of returns the acts that something is true of.
func (l Acts) Of(is func(Act) bool) Acts {
	return slices.DeleteFunc(slices.Clone(l), func(a Act) bool { return !is(a) })
}

// Does reports whether there is an act that something is true of.
func (l Acts) Does(is func(Act) bool) bool { return slices.ContainsFunc(l, is) }

// First returns the first act that something is true of, nil if there is none.
func (l Acts) First(is func(Act) bool) *Act {
	if i := slices.IndexFunc(l, is); i >= 0 {
		return &l[i]
	}
	return nil
}

// Kind returns the names of the kinds of acts, joined by "+".
func (l Acts) Kind() string {
	var names []string
	for _, is := range []func(Act) bool{Act.Holds, Act.Orders, Act.Chooses, Act.Collects, Act.Sets} {
		for _, a := range l.Of(is) {
			if !slices.Contains(names, a.Kind) {
				names = append(names, a.Kind)
			}
		}
	}
	return strings.Join(names, "+")
}

// Name returns the kind of an act with what it sets: "clock phase", "gc at" of a collection.
func (a Act) Name() string {
	switch {
	case a.Collects():
		return a.Kind + collected
	case a.What != 0:
		return a.Kind + " " + a.What.String()
	}
	return a.Kind
}

const collected = " at" // some place

// Named returns acts by their names, "stall+select", of no place.
func Named(names string) (acts Acts) {
	for name := range strings.SplitSeq(names, "+") {
		kind, what, _ := strings.Cut(name, " ")
		a := Act{Kind: kind}
		if " "+what == collected {
			a.At = &Place{}
		} else if what != "" && a.What.UnmarshalText([]byte(what)) != nil {
			continue
		}
		if a.Code() != 0 {
			acts = append(acts, a)
		}
	}
	return acts
}

// Set returns the acts that set the system around the program, and those that collect garbage.
func (l Acts) Set() Acts {
	return l.Of(func(a Act) bool { return a.Sets() && a.What != 0 || a.Collects() })
}
