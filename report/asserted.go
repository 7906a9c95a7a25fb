package report

import (
	"fmt"

	"github.com/fdebug/fdebug/internal/finding"
)

// assertedWords says of a check that it relies on an order, and what was seen of that.
func assertedWords(s *finding.Suspect) string {
	r := &s.Reason
	what := r.Code
	if r.Within {
		what = "a list in " + r.Code
	}
	where := what + " is compared in order here"
	if r.Since > s.Start {
		where = fmt.Sprintf("%s, which is made or changed from here on, is compared in order at line %d", what, r.Since)
	}
	said := fmt.Sprintf("%s, and nothing sorts it before in this function, as far as the source shows; ", where)
	if r.Said {
		said += fmt.Sprintf("in %d of %d failing runs, by what the check said, it had the elements that were wanted, in another order; ", r.Seen, r.Of)
	} else {
		said += fmt.Sprintf("in %d of %d failing runs in which %s was recorded it had the elements that it had in some passing run, in an order that it had in none; ", r.Seen, r.Of, r.Code)
	}
	switch d := r.Verdict; {
	case d != nil:
		return said + fmt.Sprintf("with what is chosen at random at %s (%s) fixed to one choice the test failed%s in %s, with nothing changed in %s", at(r.Then), d.Kind(), there(r), inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain))
	case r.Data != nil && r.Data.Sure():
		return said + fmt.Sprintf("what is drawn at %s (%s) predicts the outcome: %s", at(r.Then), r.Source, dataWhy(r.Data))
	}
	return said + fmt.Sprintf("it may depend on %s at %s, which differs from run to run", r.Source, at(r.Then))
}

// assertedFix says how a check can do without an order that nothing promises.
func (v *viewer) assertedFix(r *finding.Reason) []prose {
	what, it := say("").code(r.Code), "a sorted copy of it with one"
	if r.Within {
		what, it = say("the lists in ").code(r.Code), "sorted copies of them with those"
	}
	list := []prose{
		say("If users of the code may rely on an order of what the loop makes, make one there, at ").add(v.codeOf(r.Then)).text(": go through sorted keys, if they have an order, or sort the list before anything is made to correspond to it. Expect that one here."),
		say("If they may not, compare ").add(what).text(" without regard to order, as " + it + " of what is expected, and so wherever the test looks at what the loop makes."),
	}
	return append(list, say("To expect the order that was seen most often is no fix: Go chooses anew where each loop over a map begins."))
}
