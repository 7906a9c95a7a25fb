package law

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// A Goroutine is the identity of one, the same in all runs.
type Goroutine uint64

// A Step is what a goroutine does from one of its positions to the next. A goroutine can wait before it.
type Step struct {
	G     Goroutine
	Block int // 0: its end
	Hit   int // which visit of Block it is, from 1
	// At is when the goroutine came there, in nanoseconds since the process started; Never if it did not in that run.
	At int64
	// Timer is set if the goroutine had waited for something else, and a timer made it go on there.
	Timer bool
}

// Never is the time of a step that a goroutine would have come to, had the run gone on.
const Never = math.MaxInt64

// is reports whether two steps of different runs are the same.
func (s Step) is(o Step) bool { return s.G == o.G && s.Block == o.Block && s.Hit == o.Hit }

// A Course is the steps of a goroutine in a run that others can notice, its end last.
type Course []Step

// after returns the step after one, or the end.
func (c Course) after(s Step) Step {
	return c[min(c.index(s)+1, len(c)-1)]
}

// before returns the step before one, or the first.
func (c Course) before(s Step) Step {
	return c[max(c.index(s)-1, 0)]
}

func (c Course) index(s Step) int { return slices.IndexFunc(c, s.is) }

// A Held is a run that failed while a goroutine was held. Courses that it cut short go on as in a run that passes.
type Held struct {
	G        Course
	At       int   // the step of G before which it was held
	From, To int64 // when, as in Step
	// Others are those that may be at fault first: the test's own goroutine, then one of each go statement.
	Others []Course
	Class  map[Goroutine]uint64 // which of them one go statement started
}

// alike returns a step, and the same one of the others that the same go statement started.
func (h *Held) alike(s Step) []Step {
	list := []Step{s}
	for _, c := range h.Others {
		o := s
		if o.G = c[0].G; o.G != s.G && h.Class[o.G] == h.Class[s.G] && c.index(o) >= 0 {
			list = append(list, o)
		}
	}
	return list
}

// turns has the goroutines like two that one go statement started begin when both have ended, one after the other.
func (h *Held) turns(g, other Goroutine) (list []Wait) {
	before := []Step{{G: g}, {G: other}}
	for _, c := range h.Others {
		if class := h.Class[c[0].G]; class == h.Class[g] && class == h.Class[other] && c[0].G != other {
			list = append(list, each(c[:1], before)...)
			before = []Step{{G: c[0].G}}
		}
	}
	return list
}

// pasts returns the steps that a goroutine, and those like it, come to after one.
func (h *Held) pasts(s Step) (list []Step) {
	for _, o := range h.alike(s) {
		list = append(list, h.course(o.G).after(o))
	}
	return list
}

// course returns that of a goroutine.
func (h *Held) course(g Goroutine) Course {
	for _, c := range h.Others {
		if c[0].G == g {
			return c
		}
	}
	return h.G
}

// meanwhile returns the steps of others while G was held, with the step of each that came next, by time.
func (h *Held) meanwhile() (list []Step) {
	for _, c := range h.Others {
		for _, s := range c {
			if s.At < h.From {
				continue
			}
			list = append(list, s)
			if s.At > h.To || s.At == Never {
				break
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Step) int { return cmp.Compare(a.At, b.At) })
	return list
}

// A Wait makes a goroutine wait before a step until another one is before its own, or has passed it.
type Wait struct{ At, Until Step }

// An Outcome is what came of a run.
type Outcome struct {
	Failed, Passed bool  // as the failure that is explained; neither if it failed in another way, or had no outcome
	Acted          []int // numbers of the waits at which a goroutine came
	Unmet          []int // those of them for which nobody came
	Expired        []int // and those of these that ran into their limit, before the process ended
	away           bool  // others waited in vain for the goroutine that is to wait for them
}

// vain returns the numbers of the waits that were in vain. The end of a process that fails ends others.
func (o *Outcome) vain() []int {
	if o.Failed {
		return o.Expired
	}
	return o.Unmet
}

// A Runner makes runs.
type Runner interface {
	// Held makes runs with the act that is to be explained until one fails so, and returns it, nil if none does. The
	// goroutine is held at a step, where the act says if that is of none. Others wait as well, if it fails with that.
	Held(ctx context.Context, at Step, gates []Wait) (*Held, error)
	// Wait makes a run in which goroutines wait for each other.
	Wait(ctx context.Context, waits []Wait) (Outcome, error)
	// Hold makes a run in which nothing is done but that a goroutine takes longer before a step: as long as sufficed.
	Hold(ctx context.Context, at Step) (Outcome, error)
}

// A Kind says how the steps of a law have to meet.
type Kind uint8

// Kinds of laws.
const (
	None     Kind = iota // none was found
	Order                // F before B
	Between              // F between A and B
	Deadline             // B late, for F has a limit
)

// A Law is what decides whether a test fails.
type Law struct {
	Kind    Kind
	A, B, F Step
	// Waits force the failure, and Opposite that F comes after B, or all of its goroutine; where one of many suffices, that
	// each of them does. Elsewhere has G wait as Waits do, but until the other one is right before F, and not past it.
	Waits, Opposite, Elsewhere []Wait
	Runs                       int // that it took to find it
}
