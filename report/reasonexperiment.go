package report

import (
	"fmt"
	"path"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/trace"
)

// shownWords says what an experiment has shown of a place.
func shownWords(s *finding.Suspect) string {
	r := &s.Reason
	switch r.Kind {
	case finding.ReasonExperiment:
		return experimentWords(r.Verdict, there(r), heldWords(s), s) + gathersWords(s)
	case finding.ReasonWindow:
		return windowWords(r.Verdict)
	case finding.ReasonHeldStart, finding.ReasonCure, finding.ReasonHeldToo:
		return besidesWords(r, there(r))
	}
	return partnerWords(s, at(r.Other))
}

// there says where the runs of an experiment failed, of a failure that says something else
// at the same check.
func there(r *finding.Reason) string {
	if r.Other.File == "" {
		return ""
	}
	return " at " + at(r.Other) + " (in these words or others)"
}

// windowWords says what the end of a window has to do with what was shown elsewhere.
func windowWords(d *finding.Verdict) string {
	switch {
	case d.At.File == "" && d.Proof.FromStart:
		return "an end of the window; in the runs that count the goroutine was held from its beginning"
	case d.At.File == "":
		return "an end of the window in which a goroutine was held; at which place of it was not kept"
	}
	return fmt.Sprintf("an end of the window; in the runs that count the goroutine was held at %s:%d", path.Base(d.At.File), d.At.Start)
}

// besidesWords says what an experiment has shown about another place than that at which
// it acts.
func besidesWords(r *finding.Reason, there string) string {
	d := r.Verdict
	where := "here"
	if r.Called {
		where = "here, or in what is called here,"
	}
	switch r.Kind {
	case finding.ReasonHeldToo:
		return fmt.Sprintf("what comes here, and goes on, is too early: with a goroutine held%s the test failed%s in %s, with another one held %s too, for longer, in %s",
			heldAt(d), there, inRuns(d.Proof.Confirmed.With), where, shareOf(d.Early.Held))
	case finding.ReasonCure:
		return fmt.Sprintf("with a goroutine held %s%s the test failed%s in %s, with nothing changed in %s", where, instead(d), there, inRuns(d.Proof.Confirmed.Cure), shareOf(d.Proof.Confirmed.Plain))
	}
	held := "held from its beginning"
	if !d.Proof.FromStart || !d.AtBeginning() {
		held = "held"
		held += heldAt(d)
	}
	who := "starts a goroutine; with that"
	if d.Every {
		who = "starts goroutines; with each of them"
	}
	return fmt.Sprintf("%s %s%s the test failed%s in %s, with nothing changed in %s", who, held, lasting(d), there, inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain))
}

// instead says that holding a goroutine stands in the place of another perturbation; "" if there is none.
func instead(d *finding.Verdict) string {
	if d.Proof.Always {
		return ""
	}
	return " instead"
}

// heldOnes says who was held: one goroutine, or each that is started at the same place.
func heldOnes(d *finding.Verdict) string {
	if d.Every && d.Started.File != "" {
		return fmt.Sprintf("each goroutine that is started at %s:%d", path.Base(d.Started.File), d.Started.Line)
	}
	if d.Every {
		return "each such goroutine"
	}
	return "a goroutine"
}

// partnerWords says what the goroutine does, or does not do, for which the one that was
// held was late.
func partnerWords(s *finding.Suspect, other string) string {
	r, d := &s.Reason, s.Reason.Verdict
	one, it, that := "the goroutine", "the goroutine that is started at "+other, "that"
	if d.Every {
		one, it, that = "each such goroutine", "the goroutines that are started at "+other, "each of them"
	}
	held := fmt.Sprintf("%s the test failed in %s, with nothing changed in %s", lasting(d), inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain))
	switch r.Kind {
	case finding.ReasonSignal:
		return fmt.Sprintf("ends the wait at %s too early: with %s held after this%s", other, one, held)
	case finding.ReasonAddInside:
		return fmt.Sprintf("%s; with %s held before this%s", addsInside(r), one, held)
	case finding.ReasonSleepBefore:
		return sleepWords(d, r.Then)
	case finding.ReasonMeasuredLate:
		return fmt.Sprintf("the measured time begins here, after the deadline at %s is set: with %s held%s%s", other, one, heldAt(d), held)
	case finding.ReasonLimitHeld:
		if r.Checked {
			return fmt.Sprintf("gives the limit of %s for the time that is measured at %s: with a goroutine held%s%s", dose(r.Limit), other, heldAt(d), held)
		}
		return fmt.Sprintf("gives the limit of %s after which the test gives up at %s: with a goroutine held%s%s; the shortest hold with which it failed several times in a row was %s", dose(r.Limit), other, heldAt(d), held, dose(d.Proof.Smallest))
	case finding.ReasonReading:
		return fmt.Sprintf("the clock is read here: with %s held%s%s, and with a clock that stands still meanwhile for what is read here in %s", one, heldAt(d), held, shareOf(d.Still))
	case finding.ReasonSleepHeld:
		return fmt.Sprintf("sleeps for a time, and does not wait for %s, as far as the source shows: with %s held%s", it, that, held)
	}
	if r.Then.File != "" {
		then := fmt.Sprintf("%s:%d", path.Base(r.Then.File), r.Then.Line)
		return fmt.Sprintf("comes here, having waited at %s for %s, but, as far as the source shows, not for what that does afterwards: with %s held%s", then, it, that, held)
	}
	comes, _ := passes(s)
	if r.Waited.File != "" {
		return fmt.Sprintf("%s, having waited last at %s:%d, by the source not directly for %s: with %s held%s", comes, path.Base(r.Waited.File), r.Waited.Line, it, that, held)
	}
	return fmt.Sprintf("%s without having waited for %s, as far as the source shows: with %s held%s", comes, it, that, held)
}

// heldAt says at which place a goroutine was held, with a space before it; "" if that was not kept.
func heldAt(d *finding.Verdict) string {
	if d.At.File == "" {
		return ""
	}
	return fmt.Sprintf(" at %s:%d", path.Base(d.At.File), d.At.Start)
}

// sleepWords says what an experiment has shown of where a goroutine goes on after a sleep.
func sleepWords(d *finding.Verdict, before trace.Frame) string {
	if before.File == "" {
		return fmt.Sprintf("sleeps for a time: with a goroutine held here%s, as if it slept longer, the test failed in %s, with nothing changed in %s", instead(d), inRuns(d.Proof.Confirmed.Cure), shareOf(d.Proof.Confirmed.Plain))
	}
	then := at(before)
	if d.Ordered() {
		return fmt.Sprintf("sleeps for a time before %s, %s: with one order the test failed in %s, with nothing changed in %s%s",
			then, oneOfTwo(d), inRuns(d.Proof.Confirmed.With), shareOf(d.Proof.Confirmed.Plain), otherOrder(d))
	}
	return fmt.Sprintf("sleeps for a time before %s: with a goroutine held there instead, as if it slept longer, the test failed in %s, with nothing changed in %s", then, inRuns(d.Proof.Confirmed.Cure), shareOf(d.Proof.Confirmed.Plain))
}

// gathersWords says of a loop over a map what becomes of the list that it makes; "" if that is not known.
func gathersWords(s *finding.Suspect) string {
	if s.Reason.Gathers == "" {
		return ""
	}
	return fmt.Sprintf("; %s, which the loop appends to, is used at %s:%d, and not sorted by then, as far as the source shows", s.Reason.Gathers, path.Base(s.File), s.End)
}

// experimentWords says what was done to make the test fail, and how often it did.
func experimentWords(d *finding.Verdict, there, here string, s *finding.Suspect) string {
	plain := "with nothing changed"
	if len(d.Tests()) > 0 {
		plain = "alone"
	}
	counts := fmt.Sprintf("failed%s in %s, %s in %s", there, inRuns(d.Proof.Confirmed.With), plain, shareOf(d.Proof.Confirmed.Plain))
	switch {
	case len(d.Settings()) > 0 && len(d.Tests()) > 0:
		return fmt.Sprintf("if %s the test, after %s in the same process, %s", SaidSettings(d.Settings()), strings.Join(d.Tests(), ", "), counts)
	case len(d.Settings()) > 0:
		return fmt.Sprintf("if %s the test %s", SaidSettings(d.Settings()), counts)
	case len(d.Holds) > 1:
		return fmt.Sprintf("with a goroutine held here and %s held elsewhere,%s, the test %s", plural(len(d.Holds)-1, "other"), lasting(d), counts)
	case d.Proof.Smallest > 0:
		return fmt.Sprintf("with %s held %s%s the test %s", heldOnes(d), here, lasting(d), counts)
	case d.Ordered():
		said := oneOfTwo(d) + ": with one order the test " + counts + otherOrder(d)
		if against := passedSo(d); against != "" {
			said += "; " + against
		}
		return said
	case d.Held():
		return fmt.Sprintf("with %s held %s%s the test %s", heldOnes(d), here, lasting(d), counts)
	case d.Needs():
		return fmt.Sprintf("alone the test failed in %s, after %s in the same process in %s", inRuns(d.Proof.Confirmed.With), strings.Join(d.Tests(), ", "), shareOf(d.Proof.Confirmed.Cure))
	case len(d.Tests()) > 0:
		return fmt.Sprintf("with just %s before it in the same process the test %s", strings.Join(d.Tests(), ", "), counts)
	}
	return fmt.Sprintf("with what is chosen at random %s (%s) fixed to one choice%s the test %s", hereChosen(d), d.Kind(), chosenToo(d, s), counts)
}

func hereChosen(d *finding.Verdict) string {
	if mayBeAfter(d.Window) {
		return chosenHere(d) + " this"
	}
	return chosenHere(d)
}

// chosenToo says at which other places choices were fixed in the same runs, "" for none.
func chosenToo(d *finding.Verdict, s *finding.Suspect) string {
	var others []finding.Span
	for _, x := range d.Window {
		if x.File != s.File || x.Start != s.Start {
			others = append(others, x)
		}
	}
	switch {
	case len(d.Window) < 2:
		return ""
	case len(others) == 1:
		return fmt.Sprintf(", and at %s:%d to one as well,", path.Base(others[0].File), others[0].Start)
	}
	return fmt.Sprintf(", and at %d other places to one as well,", len(others))
}

// heldWords says where a goroutine was held, of a place that is where, or that has the
// line in it: it may begin with what the goroutine did right before.
func heldWords(s *finding.Suspect) string {
	r := &s.Reason
	at := r.Verdict.At
	switch {
	case at.File != "" && at.Start != s.Start && r.Since > 0:
		return fmt.Sprintf("after this, at %s:%d,", path.Base(at.File), at.Start)
	case at.File != "" && at.Start != s.Start:
		return fmt.Sprintf("at %s:%d", path.Base(at.File), at.Start)
	case r.Since > 0:
		return fmt.Sprintf("after line %d", r.Since)
	}
	return "here"
}

// oneOfTwo names an event of an order, by what is known of that.
func oneOfTwo(d *finding.Verdict) string {
	if d.OrderDecides() {
		return "one of two events whose order decides"
	}
	return "one of two events of which the order was forced"
}

// otherOrder says how often it failed with the other order of two events.
func otherOrder(d *finding.Verdict) string {
	if d.Proof.Confirmed.Cure.Of == 0 {
		return ""
	}
	if d.Past != nil {
		return fmt.Sprintf(", if the first comes later in %s", shareOf(d.Proof.Confirmed.Cure))
	}
	return fmt.Sprintf(", with the other order in %s", shareOf(d.Proof.Confirmed.Cure))
}
