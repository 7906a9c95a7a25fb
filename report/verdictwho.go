package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// heldWho says which goroutine is held.
func (v *viewer) heldWho(p prose, started trace.Frame, by, inTest string) prose {
	switch {
	case started.File != "":
		p = v.place(p.text("a goroutine started at "), v.framePlace(started))
	case by != "":
		p = p.text("a goroutine that ").code(v.funcName(by)).text(" started")
	case inTest == "":
		return p.text("the test's own goroutine")
	default:
		return p.text("the goroutine of ").code(v.clean.line(inTest, 200))
	}
	return v.inTest(p, inTest)
}

// inTest says that a goroutine was started in another test, or a subtest of the same.
func (v *viewer) inTest(p prose, name string) prose {
	if name == "" {
		return p
	}
	return p.text(" in ").code(v.clean.line(name, 200))
}

// whoOf is heldWho of a verdict about one hold: which of those that are started there, if there are several.
func (v *viewer) whoOf(d *finding.Verdict) prose {
	who := v.heldWho(nil, d.Started, d.StartedBy, d.InTest)
	switch {
	case d.Every:
		who[0].text = strings.Replace(who[0].text, "a goroutine", "every goroutine", 1)
	case d.OneOf && d.InTest == "": // of another test's it is not known how many it has
		who[0].text = strings.Replace(who[0].text, "a goroutine", "one of the goroutines", 1)
	}
	return who
}

// holdsSaid says which goroutines are held at once, and where.
func (v *viewer) holdsSaid(d *finding.Verdict, long string) prose {
	p := say("If ")
	for i, h := range d.Holds {
		if i > 0 {
			p = p.text(", and ")
		}
		p = v.spanPlace(v.heldWho(p, h.Started, h.StartedBy, h.InTest).text(" is held "+long+"at "), h.At)
	}
	return p
}

// eventWho says in which goroutine an event of an order is: others may come to the same line
// in any order.
func (v *viewer) eventWho(p prose, d *finding.Verdict, i int) prose {
	if i >= len(d.Events) {
		return p
	}
	h := d.Events[i]
	switch {
	case h.Nth > 0 && h.Started.File != "":
		return v.inTest(v.place(p.text(" in the "+ordinal(int64(h.Nth))+" goroutine started at "), v.framePlace(h.Started)), h.InTest)
	case h.Nth > 0 && h.StartedBy != "":
		return v.inTest(p.text(" in the "+ordinal(int64(h.Nth))+" goroutine that ").code(v.funcName(h.StartedBy)).text(" started"), h.InTest)
	}
	return v.heldWho(p.text(" in "), h.Started, h.StartedBy, h.InTest)
}

// earlySaid says who comes too early while the goroutine is held, if that was shown.
func (v *viewer) earlySaid(p prose, d *finding.Verdict) prose {
	e := d.Early
	if e == nil {
		return p
	}
	who := v.heldWho(nil, e.Started, e.StartedBy, e.InTest)
	if e.Started == d.Started && e.StartedBy == d.StartedBy { // one of its kind
		who[0].text = strings.Replace(who[0].text, "a goroutine", "another goroutine", 1)
	}
	p = p.text(" With ").add(who)
	p = v.spanPlace(p.text(" held too, for longer, at "), e.At)
	return p.text(fmt.Sprintf("%s, it failed in %s: what that does from there on comes too early.", v.timeWords(e.Visit, e.At), shareOf(e.Held)))
}
