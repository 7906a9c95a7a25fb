package report

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/internal/say"
	"github.com/fdebug/fdebug/trace"
)

// JSON writes result.json.
func JSON(w io.Writer, r *finding.Result) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(true)
	enc.SetIndent("", " ")
	return enc.Encode(newViewer(r).document())
}

// document makes the document of the result.
func (v *viewer) document() *Document {
	d := &Document{
		Schema: Schema, Command: notNil(v.r.Command), Go: v.r.Go, Module: v.r.Module,
		Elapsed: thousandths(v.r.Elapsed.Seconds()), Rounds: v.r.Executions, Asked: v.r.Asked, NeverRun: v.r.NeverRun,
		Tests: []DocumentTest{}, Warnings: v.r.Warnings,
	}
	if !v.r.Started.IsZero() {
		d.Started = v.r.Started.UTC().Format("2006-01-02T15:04:05Z07:00")
	}
	for _, t := range v.r.Tests {
		d.Tests = append(d.Tests, v.documentTest(t))
	}
	return d
}

func (v *viewer) documentTest(t *finding.Test) DocumentTest {
	v.of(t)
	c, x := count(t.Runs), extra(t.Runs)
	d := DocumentTest{
		Package: t.Package, Test: t.Name, State: t.State(), Flaky: c.flaky() || t.State() == finding.Flaky, Warnings: t.Warnings, Runs: c.Runs,
		Passed: c.Passed, Failed: c.Failed, Skipped: c.Skipped, NotRun: c.NotRun, Extra: x.Runs, ExtraFailed: x.Failed,
	}
	if p := count(t.Plain); p.Runs > 0 {
		d.Plain = &DocumentPlain{p.Runs, p.Failed, v.documentPlainFailure(t)}
	}
	if name := v.names[t]; name != "" {
		d.Report = name + ".html"
	}
	if len(t.Failures) > 0 {
		c := v.cause()
		d.Cause = &c
	}
	for _, o := range t.Alike {
		d.SameRuns = append(d.SameRuns, o.Name)
	}
	for _, f := range t.Failures {
		d.Failures = append(d.Failures, v.documentFailure(f))
	}
	d.Suspects, d.Facts = documentSuspects(t.Suspects()), documentFacts(t)
	d.Repro = v.documentRepro()
	for i := range t.Verdicts {
		d.Experiments = append(d.Experiments, v.documentProof(&t.Verdicts[i]))
	}
	return d
}

// documentRepro returns how to make the test at hand fail, nil if that is not known.
func (v *viewer) documentRepro() *DocumentRepro {
	for i := range v.t.Verdicts {
		d := &v.t.Verdicts[i]
		if x := v.verdictView(d); x.Replay != "" {
			return &DocumentRepro{Command: x.Replay, Verify: x.Verify, File: d.Proof.Replay,
				Failed: d.Proof.Confirmed.With.Failed, Of: d.Proof.Confirmed.With.Of}
		}
	}
	return nil
}

// documentProof returns the results of experiments, without secrets.
func (v *viewer) documentProof(d *finding.Verdict) *proof.Proof {
	p := d.Proof
	p.Message = v.clean.Cut(p.Message, 4<<10, 2<<10)
	p.Signature.Message = v.clean.Secrets.Hide(p.Signature.Message)
	return &p
}

func (v *viewer) documentPlainFailure(t *finding.Test) *DocumentPlainFailure {
	f := t.PlainFailure
	if f == nil {
		return nil
	}
	return &DocumentPlainFailure{f.Run, v.clean.Cut(f.Message, 4<<10, 2<<10), v.clean.Cut(f.Output, 16<<10, 48<<10),
		v.clean.Cut(f.Dump, 64<<10, 16<<10)}
}

func (v *viewer) documentFailure(f *finding.Failure) DocumentFailure {
	v.f = f
	d := DocumentFailure{Signature: v.clean.Secrets.Hide(f.Signature), Message: v.clean.Cut(f.Message, 4<<10, 2<<10),
		Runs: notNil(f.Runs), Seen: f.Seen, LeftOut: f.LeftOut, ValuesLeftOut: f.ValuesLeftOut}
	if a := f.Analysis; a != nil {
		for _, x := range a.Chain {
			d.Divergences = append(d.Divergences, v.documentDivergence(x))
		}
		for _, err := range a.Warnings {
			d.Warnings = append(d.Warnings, v.warning(f, err))
		}
	}
	for _, o := range f.Orders {
		d.Orders = append(d.Orders, DocumentOrder{v.frameRange(o.A), v.frameRange(o.B), o.PassBefore, o.PassOf,
			o.FailBefore, o.FailOf})
	}
	d.Hang = v.documentHang(f.Hang)
	d.Data = v.documentData(f.Data)
	d.Suspects = documentSuspects(f.Suspects)
	for _, x := range f.Values {
		d.Values = append(d.Values, documentValue(DocumentValue{Expr: x.Expr, At: v.frameRange(x.At), Source: x.Source,
			Which: v.whichTime(&x)}, x.Passing, x.Failing))
	}
	return d
}

func documentSuspects(list []finding.Suspect) (out []DocumentSuspect) {
	for i := range list[:min(len(list), maxSuspects)] {
		s := &list[i]
		x := DocumentSuspect{DocumentRange: DocumentRange{File: s.File, Start: s.Start, End: max(s.Start, s.End)},
			Rule: s.Rule, Class: s.Class.String(), Chance: s.Chance, Link: s.Link.String(), Why: Why(s)}
		if t := s.Table; t.Total() > 0 {
			x.Table = documentTable(t, s.P)
		}
		out = append(out, x)
	}
	return out
}

func documentTable(t divergence.Table, p float64) *DocumentTable {
	return &DocumentTable{t.FailTaken, t.FailTaken + t.FailNot, t.PassTaken, t.PassTaken + t.PassNot, finite(p)}
}

func (v *viewer) documentDivergence(x *divergence.Divergence) DocumentDivergence {
	d := DocumentDivergence{
		Goroutine: v.t.Name, CommonPrefix: x.CommonPrefix, PassingRun: x.PassingRun, FailingRun: x.FailingRun,
		SamePath: x.SamePath, FailingTaken: x.Table.FailTaken, PassingTaken: x.Table.PassTaken, P: finite(x.P),
		Warnings: []string{},
	}
	if len(x.Class) > 0 {
		at, own := v.src.Frame(x.Class[len(x.Class)-1])
		d.Goroutine = fmt.Sprintf("started at %s:%d", at.File, at.Start)
		if first := v.firstFunc(x); first != nil && !own {
			d.Goroutine = fmt.Sprintf("ran %s at %s:%d", v.r.Sites.Funcs[first.Func].Name, first.File, first.Start)
		}
	}
	last, pass, fail := v.ends(x)
	if last != nil {
		d.LastCommon = &last.Span
	}
	d.PassOnly, d.FailOnly = ranges(pass), ranges(fail)
	if x.Loop != nil {
		d.Loop = v.documentLoop(x.Loop)
	}
	for _, err := range x.Warnings {
		d.Warnings = append(d.Warnings, v.warning(v.f, err))
	}
	return d
}

func (v *viewer) documentLoop(l *divergence.Loop) *DocumentLoop {
	d := &DocumentLoop{Never: l.Limit == 0}
	if at := v.event(trace.Event(l.Header)); at != nil {
		d.At = &at.Span
	}
	if l.More {
		d.AtLeast = l.Limit
	} else {
		d.Fewer = l.Limit
	}
	return d
}

// ranges returns the lines of p that hold code, as ranges.
func ranges(p *listing.Place) []DocumentRange {
	if p == nil {
		return nil
	}
	var out []DocumentRange
	for _, n := range p.Lines {
		if k := len(out) - 1; k >= 0 && out[k].End == n-1 {
			out[k].End = n
			continue
		}
		out = append(out, listing.LineOf(p.File, n))
	}
	return out
}

func (v *viewer) frameRange(f trace.Frame) DocumentRange {
	p, _ := v.src.Frame(f)
	return p.Span
}

// notNil makes an empty list of a nil one: in JSON the one is [], the other null.
func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// finite replaces what JSON can't say.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// thousandths rounds a number for people that read the JSON.
func thousandths(x float64) float64 { return math.Round(x*1000) / 1000 }

// maxJSON is the size of a result.json that is read.
const maxJSON = 64 << 20

// ReadJSON reads a result.json. Fields it does not know are ignored, so that a
// later writer of the same schema can add some.
func ReadJSON(r io.Reader) (*Document, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxJSON+1))
	if err != nil {
		return nil, err
	}
	if len(data) > maxJSON {
		return nil, fmt.Errorf("result.json is larger than %d MB", maxJSON>>20)
	}
	var head struct {
		Schema string `json:"schema"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("not a result.json: %w", err)
	}
	if head.Schema != Schema && head.Schema != schema1 {
		if strings.HasPrefix(head.Schema, "fdebug/") {
			return nil, fmt.Errorf("result.json has schema %.40q, this version of fdebug reads %q", head.Schema, Schema)
		}
		return nil, fmt.Errorf("not a result.json of fdebug: its schema is %.40q", head.Schema)
	}
	d := new(Document)
	if err := json.Unmarshal(data, d); err != nil {
		return nil, fmt.Errorf("damaged result.json: %w", err)
	}
	return d, d.check()
}

// check returns an error for a result that fdebug can't have written.
func (d *Document) check() error {
	for _, t := range d.Tests {
		for _, n := range []int{t.Runs, t.Passed, t.Failed, t.Skipped, t.NotRun} {
			if n < 0 || n > t.Runs {
				return fmt.Errorf("damaged result.json: %.100q has %d of %d runs", t.Test, n, t.Runs)
			}
		}
		if strings.ContainsAny(t.Report, "/\\\x00") {
			return fmt.Errorf("damaged result.json: the report of %.100q is not a file name", t.Test)
		}
	}
	return nil
}

// A DocumentFact is something that recorded runs did differently by outcome, without any experiment: how many
// runs of each outcome did so.
type DocumentFact struct {
	Freedom string          `json:"freedom"`
	Aspect  string          `json:"aspect"`
	At      []DocumentRange `json:"at,omitempty"`
	Test    string          `json:"test,omitempty"` // that ran before
	Unit    float64         `json:"unit_s,omitempty"`
	Likely  bool            `json:"likely"`
	Behind  bool            `json:"behind,omitempty"` // it adds nothing to those before it
	Table   DocumentTable   `json:"table"`            // p_value is corrected for all that was looked at
}

// documentFacts returns the facts of the most frequent failure that has any.
func documentFacts(t *finding.Test) (out []DocumentFact) {
	for _, f := range t.Failures {
		for _, x := range f.Facts {
			out = append(out, DocumentFact{Freedom: x.Freedom, Aspect: x.Measure, At: x.At, Test: x.Test,
				Unit: x.Unit.Seconds(), Likely: x.Likely, Behind: x.Behind, Table: *documentTable(x.Table, x.P)})
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// A DocumentData is a data divergence in result.json.
type DocumentData struct {
	Expr   string        `json:"expr"`
	At     DocumentRange `json:"at"`
	Source string        `json:"source"`
	Why    string        `json:"why"`
	Sure   bool          `json:"sure"`

	Which   string         `json:"which,omitempty"` // of the values of At
	Limit   *finding.Limit `json:"limit,omitempty"`
	Passing []DocumentSeen `json:"passing,omitempty"`
	Failing []DocumentSeen `json:"failing,omitempty"`
}

func (v *viewer) documentData(list []finding.DataDivergence) []DocumentData {
	var out []DocumentData
	for _, d := range list {
		x := DocumentData{Expr: d.Expr, At: v.frameRange(d.At), Source: d.Source, Why: dataReason(&d), Sure: d.Sure(),
			Which: which(&d), Limit: d.Limit}
		x.Passing, _ = documentSeen(d.Passing)
		x.Failing, _ = documentSeen(d.Failing)
		out = append(out, x)
	}
	return out
}

// dataReason says what is known of a place where chance enters.
func dataReason(d *finding.DataDivergence) string {
	if d.Sure() {
		return say.WhyValue.With().String()
	}
	return say.WhyMayDepend.With().String()
}

// which names one of the values of a source, "" if there is just one.
func which(x *finding.DataDivergence) string {
	d := x.Found
	if d == nil {
		return ""
	}
	thing := map[divergence.ValueKind]string{divergence.ValueKey: "key",
		divergence.ValueReceived: "value received"}[x.Values]
	if thing == "" {
		thing = "value"
	}
	switch {
	case d.Rule == divergence.RuleOrder && d.Nth > 0:
		return fmt.Sprintf("the order of the keys in pass %d", d.Nth+1)
	case d.Rule == divergence.RuleOrder:
		return "the order of the keys"
	case d.Nth < 0 && d.Rule == divergence.RuleAbove:
		return "the greatest " + thing + " in a run"
	case d.Nth < 0:
		return "the least " + thing + " in a run"
	case x.Values == divergence.ValueKey:
		return fmt.Sprintf("key %d of this test", d.Nth+1)
	case x.Values == divergence.ValueReceived && d.Nth == 0:
		return "the first value received"
	case x.Values == divergence.ValueReceived:
		return fmt.Sprintf("value %d received", d.Nth+1)
	case d.Nth > 0 || d.Several:
		return fmt.Sprintf("the value of call %d", d.Nth+1)
	}
	return ""
}
