package report

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/say"
)

// A failureView is one way in which the test fails: error, cause, how it comes about, values,
// other places; and what of it is folded.
type failureView struct {
	ID       string
	Title    string // "failure 1 of 3", "" if there is just one
	Runs     string // "12 runs"
	Where    say.Sentence
	Message  string
	Wordings []wordingView // what other runs said at the same place
	Cause    *causeView
	How      *howView
	Values   []valueView
	ValuesOf say.Sentence // which runs these are of
	Others   []otherView

	// Folded.
	More       []*howView // further divergences
	MoreValues []valueView
	Waits      *waitsView
	Output     string
	Dump       string
	Warnings   []string
}

const (
	topValues = 3 // operands that are shown openly
	topOthers = 4 // other places
)

// failure returns the view of the i-th failure of the test. Listings come first, since
// sentences link to their lines.
func (v *viewer) failure(i int, f *finding.Failure) *failureView {
	v.f = f
	w := &failureView{
		ID:      fmt.Sprintf("failure-%d", i+1),
		Message: v.message(f),
		Output:  v.long(f.Output, 16<<10, 48<<10),
		Dump:    v.long(f.Dump, dumpHead, dumpTail),
		Runs:    plural(len(f.Runs), "run"),
	}
	if len(v.t.Failures) > 1 {
		w.Title = fmt.Sprintf("failure %d of %d", i+1, len(v.t.Failures))
	}
	v.how(w, i, f)
	w.Cause = v.causeOf(i, f)
	if i == 0 {
		_, text, _ := strings.Cut(advice(strings.TrimPrefix(w.Cause.Explain, explain)), "\n") // without its title
		w.Cause.Advice = markdownHTML(text)
	}
	if p, ok := v.src.Frame(f.Frame); ok || p.File != "" {
		w.Where = say.Of(v.at(p))
	}
	values := v.values(f)
	if n := f.ForValues; n.Failed+n.Passed > 0 {
		w.ValuesOf = say.ValuesOf.With(say.Count(n.Failed+n.Passed), say.Count(n.Passed), say.Count(n.Failed))
	}
	w.Values, w.MoreValues = values[:min(len(values), topValues)], values[min(len(values), topValues):]
	w.Others = v.others(f, w.Cause)
	w.Waits = v.waits(f.Hang)
	w.Wordings = v.wordings(f)
	return w
}

// message returns the message of the test without the place, which stands beside it.
func (v *viewer) message(f *finding.Failure) string {
	return v.clean.Cut(v.said(f, f.Message), 4<<10, 2<<10)
}

func (v *viewer) said(f *finding.Failure, message string) string {
	message = strings.TrimRight(message, "\n")
	if f.Frame.File != "" {
		message = strings.TrimPrefix(message,
			fmt.Sprintf("%s:%d: ", path.Base(filepath.ToSlash(f.Frame.File)), f.Frame.Line))
	}
	return message
}

// how adds where runs diverge, the first divergence openly.
func (v *viewer) how(w *failureView, i int, f *finding.Failure) {
	if f.ValuesLeftOut != "" {
		w.Warnings = append(w.Warnings, v.clean.Line(f.ValuesLeftOut, 300))
	}
	a := f.Analysis
	if a == nil {
		w.How = v.notCompared(f)
		return
	}
	for k, d := range a.Chain {
		x := v.divergence(i, k, d)
		if k == 0 {
			w.How = x
		} else {
			w.More = append(w.More, x)
		}
	}
	for _, err := range a.Warnings {
		w.Warnings = append(w.Warnings, v.warning(f, err))
	}
}

// notCompared says why runs were not compared.
func (v *viewer) notCompared(f *finding.Failure) *howView {
	if count(v.t.Runs).Passed > 0 && f.LeftOut != "" {
		return &howView{Said: []say.Sentence{say.NotCompared.With()}}
	}
	return nil
}

// How much of a dump is shown: its head and its tail.
const (
	dumpHead = 128 << 10
	dumpTail = 16 << 10
)
