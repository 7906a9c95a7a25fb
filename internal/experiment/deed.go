package experiment

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/search"
)

// A deed is an act as a trial has it.
type deed interface {
	search.Act
	add(t *Trial)
}

// An act is one of a freedom, which says what can be made of it.
type act struct {
	freedom.Act[Site]
	b     *bench
	least time.Duration // the shortest dose that sufficed, if it has a longer one
}

func (b *bench) act(a freedom.Act[Site]) act {
	x := act{Act: a, b: b}
	if a.Holds() {
		x.least = a.Dose
	}
	return x
}

func (b *bench) hold(site Site, dose time.Duration) act { return b.act(freedom.Hold(site, dose)) }

// plan returns acts as they are searched. One that is own is that itself.
func (b *bench) plan(acts []freedom.Act[Site], own act) (p search.Plan) {
	for _, a := range acts {
		if a == own.Act {
			p = append(p, own)
		} else {
			p = append(p, b.act(a))
		}
	}
	return p
}

func (b *bench) plans(lists [][]freedom.Act[Site], own act) (list []search.Plan) {
	for _, acts := range lists {
		list = append(list, b.plan(acts, own))
	}
	return list
}

// brief returns a hold no longer than goroutines of its class are held.
func (a act) brief() act {
	if most := a.b.short[a.At.Class]; most > 0 && a.Holds() {
		a.Dose, a.least = min(a.Dose, most), min(a.least, most)
	}
	return a
}

// at returns the site, of the first of its class to come there if the goroutine did not come in some run.
func (a act) at() Site {
	if a.b.absent[a.At] {
		a.At.G = freedom.Goroutine{Class: a.At.Class}
	}
	return a.At
}

func (a act) add(t *Trial) {
	if a.What == freedom.AllChoices {
		t.acts(freedom.Pins(a.Seed)...)
		return
	}
	x := a.brief().Act
	if at := a.at(); at != x.At {
		x.At, x.First = at, true
	}
	t.acts(freedom.Map(x, Site.Position))
}

// weaken is by how much a dose is made shorter at once: by as much as replays make it longer.
const weaken = factor

// Weaker, Between and Surely change the dose.
func (a act) Weaker() search.Act {
	a = a.brief()
	switch d := a.Takes(); {
	case d == 0 && a.Verbs().Weaker != nil:
		return first(a.b.plan(a.Verbs().Weaker(a.Act), a))
	case d/weaken < minDose:
		return nil
	default:
		return a.b.act(a.Dosed(round(d / weaken)))
	}
}

func (a act) Between(weaker search.Act) search.Act {
	dose, ok := between(a.brief().Takes(), weaker.(act).Takes())
	if !ok {
		return nil
	}
	return a.b.act(a.brief().Dosed(dose))
}

// between returns a time between two on a logarithmic scale, if they differ by enough to be told apart.
func between(more, less time.Duration) (time.Duration, bool) {
	d := round(time.Duration(math.Sqrt(float64(less) * float64(more))))
	return d, float64(more) > dosePrecision*float64(less) && less < d && d < more
}

// dosePrecision is the ratio of two doses that are told apart.
const dosePrecision = 1.25

func (a act) Surely() search.Act {
	a = a.brief()
	if a.least = cmp.Or(a.least, a.Takes()); a.least > 0 {
		a.Act = a.Dosed(times(a.least, factor))
	} else if f := a.Verbs().Surely; f != nil {
		return cmp.Or(first(a.b.plan(f(a.Act), a)), search.Act(a))
	}
	return a
}

func first(p search.Plan) search.Act {
	if len(p) == 0 {
		return nil
	}
	return p[0]
}

// Moved holds the goroutine further on, or further back.
func (a act) Moved(n int) search.Act {
	if !a.Holds() {
		return nil
	}
	all, err := a.b.positions(a.At)
	i := indexOf(all, a.At)
	if err != nil || i < 0 || i+n < 0 || i+n >= len(all) {
		return nil
	}
	a.At = all[i+n]
	return a
}

// Parts, Without, Opposites, Elsewhere and Partners are those that the freedom says.
func (a act) Parts(done any) []search.Act {
	o, ok := done.(*Outcome)
	if f := a.Verbs().Parts; f != nil && ok {
		return a.b.plan(f(a.Act, o.Draws, offer{a.b}), a)
	}
	return nil
}

func (a act) Without() search.Act {
	if f := a.Verbs().Without; f != nil {
		return first(a.b.plan(f(a.Act, offer{a.b}), a))
	}
	return nil
}

func (a act) Opposites() []search.Plan {
	if f := a.Verbs().Opposites; f != nil {
		return a.b.plans(f(a.Act, offer{a.b}), a)
	}
	return nil
}

func (a act) Elsewhere() []search.Act { return a.besides(a.Verbs().Elsewhere) }
func (a act) Partners() []search.Act  { return a.besides(a.Verbs().Partners) }

func (a act) Narrower() []search.Act {
	return slices.DeleteFunc(a.besides(a.Verbs().Narrower), func(search.Act) bool { return !a.b.does("stall") })
}

// Narrow looks first where goroutines meet, and then at what the freedom says. It stops asking once there is an error.
func (a act) Narrow(f *search.Found, fails func(...search.Plan) (bool, error)) (met *search.Law, err error) {
	if a.Holds() {
		met, err = a.b.narrowed(f, a)
	}
	if err != nil || a.Holds() && !a.b.does("timer") || met != nil && met.Fails != nil || a.Verbs().Narrow == nil ||
		len(f.Decides()) > 1 {
		return met, err
	}
	l := a.Verbs().Narrow(a.Act, f.Always, offer{a.b}, func(plans ...[]freedom.Act[Site]) (is bool) {
		if err == nil {
			is, err = fails(a.b.plans(plans, a)...)
		}
		return is
	})
	if l == nil || err != nil {
		return met, err
	}
	says := ruled{Law: proof.Law{Kind: proof.LawKind(l.Kind), Range: l.Range}}
	for _, x := range l.Passes[0] {
		says.blocks = append(says.blocks, x.At.Block)
	}
	return &search.Law{Fails: a.b.plans(l.Fails, a), Passes: a.b.plans(l.Passes, a), Says: says}, nil
}

func (a act) besides(verb func(freedom.Act[Site], freedom.Bench) []freedom.Act[Site]) []search.Act {
	if verb == nil {
		return nil
	}
	return a.b.plan(verb(a.Act, offer{a.b}), a)
}

func ptr[T any](v T) *T { return &v }
