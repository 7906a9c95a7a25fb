package report

import (
	"fmt"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// forcedSaid is verdictSaid for two events that were forced into an order.
func (v *viewer) forcedSaid(d *finding.Verdict) prose {
	begins := "The order of two goroutines decides: when "
	if !d.OrderDecides() {
		begins = "If it is forced that "
	}
	p := v.spanPlace(say(begins), d.Window[0])
	p = v.eventWho(p.text(v.visitWords(d, 0)), d, 0)
	p = v.spanPlace(p.text(" comes before "), d.Window[1])
	p = v.eventWho(p.text(v.visitWords(d, 1)), d, 1)
	if d.Amid {
		p = p.text(", and after all that the other goroutine does before that")
	}
	p = p.text(fmt.Sprintf(", the test fails%s: in %s", v.otherWords(d), inRuns(d.Proof.Confirmed.With)))
	if d.Proof.Confirmed.Cure.Of > 0 {
		p = v.pastSaid(p.text("; "), d).text(" in " + shareOf(d.Proof.Confirmed.Cure))
	}
	p = p.text(".")
	if against := passedSo(d); against != "" {
		p = p.text(" The order alone does not decide: " + against + ".")
	}
	return p
}

// pastSaid says in which order of two events the test passes.
func (v *viewer) pastSaid(p prose, d *finding.Verdict) prose {
	x := d.Past
	switch {
	case x == nil:
		return p.text("in the other order")
	case x.Ended:
		return p.text("if it comes only when the other goroutine has ended,")
	case x.At.File == "":
		return p.text("if it comes later,")
	}
	p = v.spanPlace(p.text("if it comes when the other goroutine has come to "), x.At).text(v.timeWords(x.Visit, x.At))
	if x.Amid {
		p = p.text(", and before that goes on,")
	}
	return p
}

// passedSo says how many runs passed with the order that a verdict is about, and how many failed without it; "" if none did.
func passedSo(d *finding.Verdict) string {
	var said []string
	if d.PassedSo > 0 {
		said = append(said, fmt.Sprintf("it was the same in %d of %d passing runs", d.PassedSo, d.PassedOf))
	}
	if d.FailedElse > 0 {
		said = append(said, fmt.Sprintf("it was not so in %d of %d failing runs", d.FailedElse, d.FailedOf))
	}
	if len(said) == 0 {
		return ""
	}
	return "with nothing changed " + strings.Join(said, ", and ") + " of which it is known"
}
