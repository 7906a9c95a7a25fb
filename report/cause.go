package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// A causeView is the answer that a page begins with: what experiments have shown to make
// the test fail or, where they have shown nothing, what is most likely.
type causeView struct {
	verdictView
	ID      string
	Code    []listing // the few lines that it is about
	Fix     []prose   // how this kind is fixed, with the names of this code
	Explain string    // command that says the rest
	Looks   prose     // without a verdict: the category that it looks like, and why
	Tried   string    // without a verdict: what experiments were made
	Longer  string    // without a verdict: command that gives experiments more time
	Begin   prose     // the place to look at first, where that is none of those that are told
	Others  []suspectView
}

// causes returns what is known of the causes, the best first.
func (v *viewer) causes() []causeView {
	var out []causeView
	for i := range v.t.Verdicts {
		out = append(out, v.shownCause(i, &v.t.Verdicts[i]))
	}
	if len(out) == 0 && len(v.t.Failures) > 0 && count(v.t.Runs).Passed > 0 {
		out = append(out, v.likelyCause())
	}
	return out
}

// shownCause is what experiments have shown.
func (v *viewer) shownCause(i int, d *finding.Verdict) causeView {
	c := causeView{Code: v.excerpt(d), ID: fmt.Sprintf("cause-%d", i+1)} // its lines before what links to them
	c.verdictView, c.Fix = v.verdictView(d), v.gapFixOf(d)
	if s := v.firstOf(d); c.Fix == nil || s != nil && s.Reason.By != "" { // what brought it about comes after it
		c.Fix = append(c.Fix, v.fix(d)...)
	}
	c.Begin = v.begin(d)
	if of := v.ofFailures(d); of != "" {
		c.Title += ", " + of
	}
	if d.Category != "" && c.Advice != "" {
		c.Explain = "fdebug explain " + v.clean.line(d.Category, 60)
	}
	return c
}

// begin says which place comes first, by what a verdict has shown and the source, if the verdict
// itself does not name it.
func (v *viewer) begin(d *finding.Verdict) prose {
	s := v.firstOf(d)
	if dead := v.t.Deadlock(d); dead != nil && d.Class < finding.Proved {
		s = dead
	}
	if s == nil {
		return nil
	}
	switch s.Reason.Kind {
	case finding.ReasonExperiment, finding.ReasonWindow, finding.ReasonCure, finding.ReasonHeldStart, finding.ReasonTest, finding.ReasonTestCall, finding.ReasonTestBefore:
		return nil
	}
	why, _, _ := strings.Cut(Why(s), ": with ") // the counts stand right above
	return v.spanPlace(say("Look first at "), finding.Span{File: s.File, Start: s.Start, End: s.End}).text(": " + v.clean.line(why, 1000) + ".")
}

// firstOf returns the first place that a verdict is about, nil if there is none.
func (v *viewer) firstOf(d *finding.Verdict) *finding.Suspect {
	if v.t == nil { // the verdict stands by itself
		return nil
	}
	for _, f := range v.t.Failures {
		for i := range f.Suspects {
			s := &f.Suspects[i]
			if x := s.Reason.Verdict; x != nil && x.Signature == d.Signature && x.Kind() == d.Kind() {
				return s
			}
		}
	}
	return nil
}

// failureOf returns the number, from 1, of the failure that a verdict is about, 0 if
// it is none of those that are shown.
func (v *viewer) failureOf(d *finding.Verdict) int {
	same := func(f *finding.Failure) bool { return f.Signature == d.Signature }
	if i := slices.IndexFunc(v.t.Failures, same); i >= 0 {
		return i + 1
	}
	return slices.IndexFunc(v.t.Failures, d.About) + 1
}

// ofFailures says which failures a verdict is about, "" if all of those that are shown, or none: what counts
// is the check that fails, in whatever words.
func (v *viewer) ofFailures(d *finding.Verdict) string {
	var list []string
	for i, f := range v.t.Failures {
		if d.About(f) {
			list = append(list, strconv.Itoa(i+1))
		}
	}
	switch n := len(list); {
	case n == 0 || n == len(v.t.Failures):
		return ""
	case n == 1:
		return "of failure " + list[0]
	default:
		return "of failures " + strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
}

// likelyCause is for a test of which nothing was shown: the place that is ranked first,
// what was tried, and what to try next.
func (v *viewer) likelyCause() causeView {
	c := causeView{verdictView: verdictView{Title: "Cause not proved", Class: "unproved"}, ID: "cause-1", Looks: v.looks(), Tried: v.tried(v.t), Longer: v.longer()}
	list := v.t.Suspects()
	if len(list) == 0 {
		c.Said = say("No place was found that predicts the outcome beyond chance.")
		return c
	}
	s := &list[0]
	c.Code = v.likelyExcerpt(s) // before what links to its lines
	if c.Said = v.surfaced(s); c.Said == nil {
		c.Said = v.spanPlace(say(likely(s)+": "), finding.Span{File: s.File, Start: s.Start, End: s.End}).text(": " + v.clean.line(Why(s), 1000) + ".")
	}
	c.Fix = v.gapFix(s)
	if all := v.suspects(list); len(all) > 1 {
		c.Others = all[1:]
	}
	if look := v.t.Looks; look.Category != "" {
		c.Advice, c.Explain = advice(look.Category), "fdebug explain "+v.clean.line(look.Category, 60)
	}
	return c
}

// likely says how sure it is that the place that is ranked first is the cause, where nothing was shown: what no count
// bears out is no more than a hint.
func likely(s *finding.Suspect) string {
	if s.Class == finding.Hint {
		return "A hint, no more"
	}
	return "Most likely"
}

// surfaced says of a place that is no more than where the failure shows that nothing was
// found that leads to it; nil if the place is more than that.
func (v *viewer) surfaced(s *finding.Suspect) prose {
	if !Surfaces(s) {
		return nil
	}
	what := ""
	switch s.Reason.Kind {
	case finding.ReasonCheck:
		what = "The check that failed is "
	case finding.ReasonDied:
		what = "The process died in "
	case finding.ReasonDivergence:
		what = "Failing runs went straight to where the test fails from "
	default:
		what = "What the failed check looks at comes from " + v.clean.line(s.Reason.Source, 100) + ", at "
	}
	p := v.spanPlace(say("Nothing was found that leads to the failure. "+what), finding.Span{File: s.File, Start: s.Start, End: s.End})
	return p.text(".")
}

// Surfaces reports whether a place is no more than where a failure shows: the check that
// failed, the way into it, or a value that it looks at. These separate failing from passing
// runs by what a failed check is. How often a loop went round before does not.
func Surfaces(s *finding.Suspect) bool {
	switch s.Reason.Kind {
	case finding.ReasonCheck, finding.ReasonDied:
		return true
	case finding.ReasonDivergence:
		return s.Class == finding.Symptom && s.Reason.Loop == nil
	case finding.ReasonDraw, finding.ReasonDrawVaries:
		return s.Class == finding.Symptom
	}
	return false
}

// categoryName is a category as it is written in a sentence.
func (v *viewer) categoryName(category string) string {
	return strings.ReplaceAll(v.clean.line(category, 60), "-", " ")
}

// looks says which category a test without a verdict looks like, and why.
func (v *viewer) looks() prose {
	l := v.t.Looks
	if l.Category == "" {
		return nil
	}
	p := say("Looks like ").bold(v.categoryName(l.Category)).text(": ")
	switch l.Reason {
	case finding.LooksByMessage:
		return p.text("the failure says ").code(v.clean.line(l.Detail, 100)).text(".")
	case finding.LooksByLate:
		return p.text("the test had passed when a goroutine that it had started, and not waited for, ended the process.")
	case finding.LooksByValues:
		return p.text("the numbers that decide differ in their last digits only, " + v.clean.line(l.Detail, 100) + ".")
	}
	best := "the place that is named first"
	if list := v.t.Suspects(); len(list) > 0 && list[0].Tells() {
		best = "the place that predicts the outcome best"
	}
	return v.place(p.text(best+" is of that kind ("), spanLines(l.At)).text("). No experiment has shown it.")
}

// longer returns the command that gives experiments more time; "" if all was tried, or
// there was nothing to try.
func (v *viewer) longer() string {
	if t := v.t.Tried; t == nil || t.Complete {
		return ""
	}
	r := v.again(50)
	r.flags = append(slices.DeleteFunc(r.flags, func(f string) bool { return strings.HasPrefix(f, "-experiments") }), "-experiments=10m")
	return r.line()
}

// kindLine is the category with how it is known, for a title: "concurrency · proved".
func (v *viewer) kindLine() string {
	if len(v.t.Verdicts) > 0 {
		d := &v.t.Verdicts[0]
		switch {
		case d.Unshown():
			return "failure " + d.Class.String()
		case d.Category == "":
			return "cause " + d.Class.String()
		}
		return v.categoryName(d.Category) + " · " + d.Class.String()
	}
	if c := v.t.Looks.Category; c != "" {
		return "looks like " + v.categoryName(c)
	}
	return ""
}

// drawWords are the kinds of random choices as users call them.
var drawWords = map[string]string{"map": "map order", "rand": "random numbers"}

// kindWords names the kind of a perturbation that chooses, or the kinds.
func (v *viewer) kindWords(kind string) string {
	parts := strings.Split(v.clean.line(kind, 60), "+")
	for i, p := range parts {
		parts[i] = cmp.Or(drawWords[p], p)
	}
	return strings.Join(parts, ", ")
}
