package proof

import (
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/freedom"
	"github.com/fdebug/fdebug/trace"
)

// Held reports whether what decides is when goroutines run: one is held, or their order is forced.
func (p *Proof) Held() bool {
	return strings.Contains(p.Kind(), "stall") || strings.Contains(p.Kind(), "order")
}

// CategoryOfKind returns the category of flakes whose outcome what was done decides. Of several kinds some count
// before others: who is late may need a choice, and what is drawn may be so in the order of a map.
func (p *Proof) CategoryOfKind() string {
	kinds := strings.Split(p.Kind(), "+")
	var all []*freedom.Freedom
	for _, name := range []string{"stall", "limits", "tests", "order", "rand"} {
		all = append(all, freedom.Of(name))
	}
	for _, k := range append(all, freedom.Settable()...) {
		if k.Category == "" || !slices.Contains(kinds, k.Name) {
			continue
		}
		if a := p.Decisive().First(func(a Act) bool { return a.Kind == k.Act() }); a != nil {
			return a.Category()
		}
		return k.Category
	}
	return "concurrency"
}

// ChosenKinds returns the kinds of choices that are made on purpose while goroutines are
// held, joined by "+"; "" if all are left to chance.
func (p *Proof) ChosenKinds() string {
	if !p.Held() {
		return ""
	}
	chosen := strings.Split(p.Kind(), "+")
	return strings.Join(slices.DeleteFunc(chosen, func(kind string) bool { return !choose(kind) }), "+")
}

// Decisive returns the acts that decide.
func (p *Proof) Decisive() Acts {
	if p.Always {
		return p.Opposite
	}
	return p.Plan
}

// Where returns the lines that decide: the two events of an order, the first and the last place of a
// window, those at which goroutines are held, or where is chosen or asked for what makes it fail.
func (p *Proof) Where() (list []Span) {
	first, then := p.Events()
	switch {
	case first != nil: // two, be they of one line
		return []Span{first.Shown, then.Shown}
	case p.Law.Kind == LawTimers:
		return shown(list, p.At...)
	case p.Window() != nil:
		return shown(list, p.Window()...)
	case p.Held():
		return shown(p.Chosen(), p.Plan.at(Act.Holds)...)
	case p.Plan.Does(Act.Collects):
		for _, at := range p.Plan.at(Act.Collects) {
			at.Shown.End = at.Shown.Start // before these lines
			list = shown(list, at)
		}
		return list
	case p.Plan.Does(Act.Sets):
		return shown(list, p.At...)
	}
	return p.choices()
}

// Chosen returns where choices are made that a hold needs.
func (p *Proof) Chosen() []Span {
	if p.ChosenKinds() == "" {
		return nil
	}
	return p.choices()
}

// choices returns where the choices are made that decide: those of the plan or, where it makes all choices, those that
// its opposite makes otherwise. What is done elsewhere says nothing. What is chosen last comes first: what is chosen
// before is often seen only through it.
func (p *Proof) choices() []Span {
	for _, places := range [][]Place{p.Plan.at(Act.Chooses), p.Opposite.at(Act.Chooses), p.Asked()} {
		if at := shown(nil, places...); at != nil {
			slices.Reverse(at)
			return at
		}
	}
	return nil
}

// Hold returns the only place at which a goroutine is held, nil if there is none or there are several.
func (p *Proof) Hold() *Place {
	if holds := p.Plan.Of(Act.Holds); len(holds) == 1 {
		return holds[0].At
	}
	return nil
}

// Test returns the test in whose goroutine one was started, or whose own it is; "" if that is not known.
func (g *GoroutineRef) Test() string {
	if g == nil || len(g.Chain) == 0 {
		return ""
	}
	return g.Chain[0].Test
}

// Root reports whether it is the goroutine of a test.
func (g *GoroutineRef) Root() bool { return g.Started().Test != "" }

// Go returns the statement of the user's code that started a goroutine, zero for a test's own; by is
// the function of a library that did, "" if it was none.
func (g *GoroutineRef) Go() (at trace.Frame, by string) {
	switch s := g.Started(); {
	case s.Test != "":
	case s.File == "":
		by = s.In
	default:
		at = trace.Frame{Func: s.In, File: s.File, Line: s.Line}
	}
	return at, by
}

// Like reports whether two goroutines came about alike.
func (g *GoroutineRef) Like(o *GoroutineRef) bool {
	return g != nil && o != nil && slices.Equal(g.Chain, o.Chain)
}

// at returns the places of acts that something is true of.
func (l Acts) at(is func(Act) bool) (list []Place) {
	for _, a := range l {
		if is(a) && a.At != nil {
			list = append(list, *a.At)
		}
	}
	return list
}

// shown appends the lines of places, each once.
func shown(list []Span, places ...Place) []Span {
	for _, p := range places {
		if p.Shown.File != "" && !slices.Contains(list, p.Shown) {
			list = append(list, p.Shown)
		}
	}
	return list
}
