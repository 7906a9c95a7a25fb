package report

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
)

// A failureView is one way in which the test fails.
type failureView struct {
	ID      string
	Heading string // "Failure 1 of 2", "" if there is just one
	Runs    string // "12 runs: 3, 7, ..."
	Alone   bool   // no other way in which it fails was seen in as many runs
	Summary prose
	// Short is the error in a line, for above the cause; nil if it gave no message.
	Short    prose
	Happened []prose
	Message  string
	Failed   string // what the message is: "It failed"
	Where    prose
	Look     prose // where to look for the cause, if there are no suspects
	Suspects []suspectView
	Chain    []*divergenceView
	Others   []prose // goroutines found on one side only
	Races    []prose // that the race detector reported for the test, with its first failure
	Hang     *hangView
	Orders   []orderView
	Values   []valueView
	// ValuesCaption says of which runs the values are.
	ValuesCaption string
	Data          []prose // where the values first differ
	Curve         *curveView
	Spectrum      []scoreRow
	Evidence      []evidencePart
	GotWant       *gotWant
	Wordings      []wordingView // what other runs said at the same place
	Output        string
	Dump          string
	Dumped        string // what that shows, as a title
	Warnings      []string
}

// A divergenceView is one divergence of the chain.
type divergenceView struct {
	ID       string
	Heading  prose
	SamePath bool // runs do not diverge here
	Happened []prose
	Facts    prose
	Listings []listing
	Rest     []listing // other functions that the common part reached
	RestOf   int       // how many there are
	RestNote string
	Warnings []string
}

// failure returns the view of the i-th failure of the test. Listings come
// first, since sentences link to their lines.
func (v *viewer) failure(i int, f *finding.Failure) *failureView {
	v.f = f
	w := &failureView{
		ID:      "failure-" + thousands(int64(i+1)),
		Message: v.clean.cut(strings.TrimRight(f.Message, "\n"), 4<<10, 2<<10),
		Output:  v.long(f.Output, 16<<10, 48<<10),
		Dump:    v.long(f.Dump, dumpHead, dumpTail),
		Dumped:  dumped(f).title,
		Runs:    plural(len(f.Runs), "run") + ": " + v.runList(f.Runs),
		Failed:  failedIn(f),
	}
	w.Alone = !slices.ContainsFunc(v.t.Failures, func(o *finding.Failure) bool { return o != f && len(o.Runs) >= len(f.Runs) })
	if len(v.t.Failures) > 1 {
		w.Heading = "Failure " + thousands(int64(i+1)) + " of " + thousands(int64(len(v.t.Failures)))
	}
	v.compared(w, i, f)
	if p, ok := v.src.frame(f.Frame); ok || p.File != "" {
		w.Where = v.place(nil, p)
	}
	w.Short = v.short(w, f)
	w.Happened = v.happened(f)
	w.Suspects = v.suspects(f.Suspects)
	if len(f.Suspects) == 0 { // which are more precise
		w.Look = v.hint(f)
	}
	w.Summary = v.summary(f)
	w.Hang = v.hang(f.Hang)
	w.Orders = v.orders(f)
	numberArrows(w.Orders, w.ID)
	w.Values, w.ValuesCaption = v.values(f), v.valuesCaption(f)
	w.Data = v.data(f.Data)
	if i == 0 {
		w.Races = v.races()
	}
	w.once()
	w.Curve = v.curve(f)
	w.GotWant = parseGotWant(w.Message)
	w.Wordings = v.wordings(f)
	w.Evidence = w.evidence(len(v.t.Verdicts) > 0 && v.t.Verdicts[0].Held(), v.boxed())
	return w
}

// compared adds to the view of the i-th failure what the comparison of its runs has found.
func (v *viewer) compared(w *failureView, i int, f *finding.Failure) {
	if why := f.ValuesLeftOut; why != "" {
		w.Warnings = append(w.Warnings, "Values were recorded, but not compared: "+v.clean.line(why, 300)+". fdebug report compares them, however long it takes.")
	}
	a := f.Analysis
	if a == nil {
		return
	}
	for k, d := range a.Chain {
		w.Chain = append(w.Chain, v.listings(i, k, d))
	}
	for _, err := range a.Warnings {
		w.Warnings = append(w.Warnings, v.warning(f, err))
	}
	said := slices.Clone(w.Warnings)
	for k, d := range a.Chain {
		said = v.words(w.Chain[k], d, said)
	}
	w.Others = append(v.goroutines(a.OnlyFailing, true), v.goroutines(a.OnlyPassing, false)...)
	w.Spectrum = v.spectrum(a)
}

// short returns where a failure was and what it said, on one line; nil if it said nothing.
func (v *viewer) short(w *failureView, f *finding.Failure) prose {
	said := strings.Join(strings.Fields(w.Message), " ")
	if said == "" {
		return nil
	}
	p := say(failedIn(f))
	if w.Where != nil {
		p = p.text(" at ").add(w.Where)
		said = strings.TrimPrefix(said, fmt.Sprintf("%s:%d: ", path.Base(filepath.ToSlash(f.Frame.File)), f.Frame.Line))
	}
	return p.text(": ").code(v.clean.line(said, 200))
}

// failedIn says of which run the message of a failure is, and what it is about.
func failedIn(f *finding.Failure) string {
	switch {
	case raced(f) && strings.Count(f.Output, "WARNING: DATA RACE") > 1: // where an access was, and nothing failed
		return "The race detector reported several races; the first one has an access"
	case raced(f):
		return "The race detector reported a race, which has an access"
	case len(f.Runs) > 1: // others may have another text
		return fmt.Sprintf("In run %d it failed", f.Runs[0])
	}
	return "It failed"
}

// numberArrows gives the arrows of a failure names that are unique on the page.
func numberArrows(list []orderView, failure string) {
	for k := range list {
		if l := list[k].Lanes; l != nil {
			l.ID = fmt.Sprintf("%s-arrow-%d", failure, k+1)
		}
	}
}

// once leaves out paragraphs that were there before. What is said under the
// heading of a divergence is of that one, and stays.
func (w *failureView) once() {
	said := map[string]bool{}
	keep := func(list []prose) []prose {
		return slices.DeleteFunc(list, func(p prose) bool {
			text := p.Plain()
			before := text != "" && said[text]
			said[text] = true
			return before
		})
	}
	w.Happened, w.Others = keep(w.Happened), keep(w.Others)
	if w.Hang != nil {
		w.Hang.Said = keep(w.Hang.Said)
	}
	for i := range w.Orders {
		w.Orders[i].Said = keep(w.Orders[i].Said)
	}
	w.Data = keep(w.Data)
}
