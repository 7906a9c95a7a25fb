package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/text"
)

// A Brief is what a command says to a program that acts on it: one line of JSON, at most 4 kB. What result.json has too
// is called so here.
type Brief struct {
	Schema  string      `json:"schema"`
	Said    string      `json:"said,omitempty"`     // what all runs came to
	Tests   []BriefTest `json:"tests"`              // the worst first
	LeftOut int         `json:"left_out,omitempty"` // tests for which there is no room
	Next    string      `json:"next,omitempty"`     // the command to go on with, where no test has one
}

// BriefSchema is the schema of a Brief.
const BriefSchema = "fdebug-brief/v1"

// A BriefTest is a test of a Brief. Only Printed has what the test, and not fdebug, has said.
type BriefTest struct {
	Package string        `json:"package,omitempty"` // unknown where a patch is judged by what it says
	Test    string        `json:"test"`
	State   finding.State `json:"state,omitempty"`
	Runs    int           `json:"runs,omitempty"`
	Failed  int           `json:"failed,omitempty"`
	Verdict string        `json:"verdict,omitempty"` // of its cause: "proved"; or of an edit: "gone"
	Kind    string        `json:"kind,omitempty"`
	Said    string        `json:"said,omitempty"`   // the cause, or the verdict, in a sentence
	Counts  []BriefCount  `json:"counts,omitempty"` // fresh runs that show it
	Law     *proof.Law    `json:"law,omitempty"`    // its steps are in Places
	Places  []Place       `json:"places,omitempty"`
	Fix     []string      `json:"fix,omitempty"`    // what to try
	Next    string        `json:"next,omitempty"`   // the command to go on with
	Replay  string        `json:"replay,omitempty"` // the replay file
	Report  string        `json:"report,omitempty"` // the page
	Printed []string      `json:"printed,omitempty"`
}

// A BriefCount is how many runs of one kind failed, or one condition of a verdict on an edit.
type BriefCount struct {
	Name   string `json:"name"`           // "with" what is shown, "plain", and so on
	Is     string `json:"is,omitempty"`   // of a condition, the verdict that follows from it alone
	Says   string `json:"says,omitempty"` // and why
	Failed int    `json:"failed"`
	Of     int    `json:"of,omitempty"`     // none where it was not asked of runs
	Missed int    `json:"missed,omitempty"` // runs that count nowhere: it was not done in them
}

// Limits of a brief.
const (
	maxBrief      = 4096 // bytes, with the end of the line
	maxPrinted    = 20   // lines
	maxPrintedRow = 200  // characters of each
	maxBriefText  = 400  // characters of what all runs came to
)

// Add adds the tests of a result whose pages are in a directory, as it is shown.
func (b *Brief) Add(r *finding.Result, dir string) error {
	var doc bytes.Buffer
	if err := JSON(&doc, r); err != nil {
		return err
	}
	d, err := ReadJSON(&doc)
	if err != nil {
		return err
	}
	leaders := finding.Leaders(r.Tests)
	for i := range d.Tests {
		if t := r.Tests[i]; leaders[t] == t {
			b.Tests = append(b.Tests, d.Tests[i].Brief(dir))
		}
	}
	return nil
}

// AddProof adds a test with nothing but a proof, called by a name, and returns it. r has the source and the
// options.
func (b *Brief) AddProof(r *finding.Result, p *proof.Proof, name string) (*BriefTest, error) {
	r.Tests = []*finding.Test{{Package: p.Package, Name: cmp.Or(p.Signature.Test, p.Test),
		Failures: []*finding.Failure{{Signature: p.Signature.String(), Message: p.Message}},
		Verdicts: []finding.Verdict{{Proof: *p, Category: p.Category}}}}
	err := b.Add(r, "")
	if err != nil {
		return nil, err
	}
	t := &b.Tests[len(b.Tests)-1]
	t.State, t.Fix, t.Printed = "", nil, nil // its page knows more
	t.Next = newViewer(r).retried("verify", shellQuote(name))
	return t, nil
}

// AddStored adds the test with a page of a stored result, whose pages are in a directory, as it is shown.
func (b *Brief) AddStored(d *Document, page, dir string) {
	for i := range d.Tests {
		if t := &d.Tests[i]; t.Report == page {
			b.Tests = append(b.Tests, t.Brief(dir))
		}
	}
}

// Brief returns the test as a brief has it, with the directory of its page.
func (t *DocumentTest) Brief(dir string) BriefTest {
	x := BriefTest{Package: t.Package, Test: t.Test, State: t.State, Runs: t.Runs, Failed: t.Failed, Next: t.Next}
	if c := t.Cause; c != nil {
		x.Verdict, x.Kind, x.Said, x.Places, x.Fix = c.Verdict, c.Kind, c.Said, c.Places, c.Fix
	}
	if t.Report != "" {
		x.Report = filepath.Join(dir, t.Report)
	}
	if t.State.InExperiments() {
		x.Runs, x.Failed = 0, 0 // which of them are kept was chosen by outcome
	}
	if len(t.Failures) > 0 {
		x.Print(t.Failures[0].Message)
		x.prove(t)
	}
	return x
}

// prove adds the runs that show the cause of the first failure.
func (t *BriefTest) prove(d *DocumentTest) {
	f := &d.Failures[0]
	if x := f.Seen; x != nil {
		t.Count("perturbed", x.Perturbed)
		t.Count("plain", x.Plain)
		return
	}
	if len(d.Experiments) == 0 {
		return
	}
	p := d.Experiments[0]
	if i := slices.IndexFunc(d.Experiments, func(p *proof.Proof) bool {
		return p.Signature.String() == f.Signature
	}); i >= 0 {
		p = d.Experiments[i]
	}
	t.Replay = p.Replay
	if p.Law != (proof.Law{}) {
		t.Law = &proof.Law{Kind: p.Law.Kind, Range: p.Law.Range}
	}
	t.Count("with", p.Confirmed.With)
	t.Count("cure", p.Confirmed.Cure)
	t.Count("sham", p.Confirmed.Sham)
	t.Count("plain", p.Confirmed.Plain)
}

// Count adds runs of one kind, if there are any.
func (t *BriefTest) Count(kind string, c proof.Count) {
	if c.Of+c.Missed > 0 {
		t.Counts = append(t.Counts, BriefCount{Name: kind, Failed: c.Failed, Of: c.Of, Missed: c.Missed})
	}
}

// Print adds the lines of a message that a test has printed. They are data.
func (t *BriefTest) Print(message string) {
	for line := range strings.Lines(message) {
		if line = text.Line(line, maxPrintedRow); line != "" && len(t.Printed) < maxPrinted {
			t.Printed = append(t.Printed, line)
		}
	}
}

// Line returns the brief as a line of JSON. Where that is too long, tests are shortened, then left out, the last first.
func (b *Brief) Line() []byte {
	b.Schema, b.Said, b.Tests = BriefSchema, text.Clip(b.Said, maxBriefText), notNil(b.Tests)
	slices.SortStableFunc(b.Tests, func(s, t BriefTest) int { return cmp.Compare(s.rank(), t.rank()) })
	if len(b.Next) > maxBriefText { // a part of a command is none
		b.Next = ""
	}
	for {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if enc.Encode(b) == nil && line.Len() <= maxBrief {
			return line.Bytes()
		}
		b.shorten()
	}
}

// rank says how soon a test is told. Those that failed by themselves come first.
func (t *BriefTest) rank() int {
	list := []finding.State{finding.Passing, finding.Recorder, finding.OnlySeen, finding.Provoked, finding.Flaky, finding.Failing}
	return -slices.Index(list, t.State)
}

// shorten leaves out what can be missed most easily.
func (b *Brief) shorten() {
	last := len(b.Tests) - 1
	for i := last; i > 0; i-- {
		if t := &b.Tests[i]; t.Places != nil || t.Printed != nil {
			t.Counts, t.Law, t.Places, t.Fix, t.Report, t.Printed = nil, nil, nil, nil, "", nil
			return
		}
	}
	if t := &b.Tests[0]; last == 0 && len(t.Printed) > 0 {
		t.Printed = t.Printed[:len(t.Printed)-1]
		return
	}
	b.Tests = b.Tests[:last]
	b.LeftOut++
}
