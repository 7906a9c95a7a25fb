package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
)

// An orderView is an order that predicts the outcome: in words, and as a
// picture of one passing above one failing run.
type orderView struct {
	Said  []prose
	Lanes *lanesView
}

// orders says which goroutine had come how far.
func (v *viewer) orders(f *finding.Failure) []orderView {
	var out []orderView
	for _, o := range f.Orders {
		if o.Found == nil {
			out = append(out, orderView{Said: []prose{v.cameBefore(o)}})
			continue
		}
		out = append(out, orderView{Said: v.orderSaid(f, o), Lanes: v.lanes(f, o)})
	}
	return out
}

// cameBefore says which event came before which.
func (v *viewer) cameBefore(o finding.Order) prose {
	a, b := v.framePlace(o.A), v.framePlace(o.B)
	p := say(fmt.Sprintf("In %d of %s ", o.PassBefore, plural(o.PassOf, "passing run")))
	p = v.codeAt(v.place(p, a), a).text(" came before ")
	p = v.codeAt(v.place(p, b), b)
	return p.text(fmt.Sprintf("; in failing runs that was so in %d of %d.", o.FailBefore, o.FailOf))
}

// orderSaid is the order in sentences.
func (v *viewer) orderSaid(f *finding.Failure, o finding.Order) []prose {
	found := o.Found
	a, b := v.framePlace(o.A), v.framePlace(o.B)
	p := v.codeWithPlace(say("When ").add(v.anchorName(f, found)).text(" came to "), b)
	p = p.text(visitOf(found) + ", ").add(v.otherName(found)).text(" had run ")
	if literal := v.literal(o.Event.Block); literal != nil {
		p = p.add(literal)
	} else {
		p = v.codeWithPlace(p, a)
	}
	p = p.text(nthTime(o) + " " + share(o.PassBefore, o.PassOf, len(f.Analysis.Passing), "passing run") + ", but " + share(o.FailBefore, o.FailOf, len(f.Runs), "failing run") + ".")
	slow := v.slowSaid(found, o.Event)
	if s := inDoubt(len(f.Runs)-o.FailOf, len(f.Analysis.Passing)-o.PassOf); s != "" {
		if len(slow) > 0 {
			slow = slow.text(" ")
		}
		slow = slow.text(s)
	}
	return []prose{p, slow}
}

// literal names a block of a function literal that is written within a line of another function,
// which may run without it; nil for another block.
func (v *viewer) literal(b int) prose {
	at, ok := v.src.block(b)
	if !ok || !v.r.Sites.SharesLine(b) {
		return nil
	}
	return v.place(say("the function literal ").code(v.quoted(at, false)).text(" ("), at).text(")")
}

// visitOf says at which of several visits runs are compared, "" if each made one.
func visitOf(o *divergence.Order) string {
	switch {
	case o.Visit < 0:
		return ", which is not at the same pass over it in all runs"
	case o.Visit > 1:
		return " for the " + ordinal(o.Visit) + " time"
	}
	return ""
}

// nthTime says which time of several the other goroutine had run its event, "" if it
// was the first.
func nthTime(o finding.Order) string {
	if o.Event.Nth < 2 {
		return ""
	}
	return " for the " + ordinal(o.Event.Nth) + " time"
}

// inDoubt says how many runs the counts of an order leave out.
func inDoubt(fail, pass int) string {
	var list []string
	if fail > 0 {
		list = append(list, plural(fail, "more failing run"))
	}
	if pass > 0 {
		list = append(list, plural(pass, "more passing run"))
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("Not counted: %s, in which the order can't be told, or which did not do the same until then.", strings.Join(list, " and "))
}

// slowSaid says where the goroutine that came too late was instead.
func (v *viewer) slowSaid(found *divergence.Order, event divergence.Missed) prose {
	slow, word, later := found.Fail, "failing", event.FailAt
	if !found.Late {
		slow, word, later = found.Pass, "passing", event.PassAt
	}
	both := "It ran it later, so both orders were seen, and nothing in the program enforces one."
	if later < 0 {
		both = "There it never ran it."
	}
	if slow.Other == nil {
		return say(fmt.Sprintf("In %s run %d no such goroutine ran anything.", word, slow.Run))
	}
	at, ok := slow.Last.Block()
	if !ok || at == 0 {
		return nil
	}
	where, ok := v.src.block(at)
	if !ok {
		return nil
	}
	p := say(fmt.Sprintf("The last that this goroutine is known to have run by then in %s run %d was ", word, slow.Run))
	if literal := v.literal(at); literal != nil {
		return p.add(literal).text(". " + both)
	}
	return v.codeWithPlace(p, where).text(". " + both)
}

// share says in how many runs: "in all 35 passing runs", "in none of the 15"; if
// there are more runs than the n of which it is known, "in 35 of 35".
func share(k, n, all int, what string) string {
	switch {
	case n == 0:
		return "in no " + what + " for which that is known"
	case n < all:
	case k == n && n == 1:
		return "in the one " + what
	case k == n:
		return "in all " + plural(n, what)
	case k == 0 && n > 1:
		return "in none of the " + plural(n, what)
	}
	return fmt.Sprintf("in %d of %s", k, plural(n, what))
}

// otherName names the goroutine that was late or early.
func (v *viewer) otherName(o *divergence.Order) prose {
	g := o.Pass.Other
	if g == nil {
		g = o.Fail.Other
	}
	switch {
	case g == nil:
		return say("another goroutine")
	case g.Root:
		return say("the test's own goroutine")
	}
	if len(o.Class) == 0 {
		return say("another goroutine")
	}
	frame := o.Class[len(o.Class)-1]
	if at, own := v.src.frame(frame); own {
		return v.place(say(certain(o.Nth, o.Of)+" started at "), at)
	}
	if by := starter(frame.Func, g); by != "" {
		return say(certain(o.Nth, o.Of) + v.byLibrary(o.Of, o.Class)).code(v.funcName(by))
	}
	return say("another goroutine")
}

// certain names a goroutine, the same in all runs, among those that were started at the same
// place: what is counted of it others may have done in any run.
func certain(nth, of int) string {
	if of > 1 && nth == 0 {
		return "a certain goroutine"
	}
	return theGoroutine(nth, of)
}

// anchorName names the goroutine that diverges.
func (v *viewer) anchorName(f *finding.Failure, o *divergence.Order) prose {
	d := f.Analysis.Chain[o.Divergence]
	if len(d.Class) == 0 {
		return say("the test")
	}
	at, own := v.src.frame(d.Class[len(d.Class)-1])
	if own {
		return v.place(say(certain(d.Nth, d.Of)+" started at "), at)
	}
	if by := starter(d.Class[len(d.Class)-1].Func, d.Goroutine); by != "" && d.Of > 1 {
		return say(certain(d.Nth, d.Of) + v.byLibrary(d.Of, d.Class)).code(v.funcName(by))
	}
	if first := v.firstFunc(d); first != nil { // a library started it
		name := v.clean.line(v.r.Sites.Funcs[first.Func].Name, 80)
		return v.place(say("the goroutine that ran ").code(name).text(" ("), *first).text(")")
	}
	return say("the goroutine that diverges")
}
