package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/listing"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// Schema is the schema of result.json that this package writes. It reads those before it too: version 2, in which
// waits and values have places with start and end, and version 1, without what experiments have shown.
const Schema = "fdebug/v3"

var schemas = []string{Schema, "fdebug/v2", "fdebug/v1"}

// A Document is the content of result.json: the model, of package finding, with what is derived
// from it. Files are relative to the module root; parts that are absent are left out; fields may be added.
type Document struct {
	Schema   string         `json:"schema"`
	Command  []string       `json:"command"`
	Go       string         `json:"go"`
	Module   string         `json:"module"`
	Started  string         `json:"started,omitempty"` // RFC 3339, UTC
	Elapsed  float64        `json:"elapsed_s"`
	Rounds   int            `json:"rounds"`              // runs that all packages had
	Asked    int            `json:"asked"`               // of how many
	NeverRun []string       `json:"never_run,omitempty"` // packages that there was no time for
	Tests    []DocumentTest `json:"tests"`
	Warnings []string       `json:"warnings,omitempty"`
}

// A DocumentTest is a test of a Document.
type DocumentTest struct {
	Package string `json:"package"`
	Test    string `json:"test"`
	// State is "recorder-only" if it fails only with the recorder, and "seen" if it failed in experiments, unexplained.
	State       finding.State     `json:"state,omitempty"`
	Flaky       bool              `json:"flaky"` // by all runs, those without the recorder too
	Runs        int               `json:"runs"`
	Passed      int               `json:"passed"`
	Failed      int               `json:"failed"`
	Skipped     int               `json:"skipped"`
	NotRun      int               `json:"not_run"`
	Extra       int               `json:"extra,omitempty"`        // of runs: beyond the rounds, which rates leave out
	ExtraFailed int               `json:"extra_failed,omitempty"` // of failed
	Plain       *DocumentPlain    `json:"plain,omitempty"`
	Report      string            `json:"report,omitempty"`    // file name of the page, beside result.json
	SameRuns    []string          `json:"same_runs,omitempty"` // other subtests that fail in the very same runs
	Cause       *Cause            `json:"cause,omitempty"`     // what the page says first
	Failures    []DocumentFailure `json:"failures,omitempty"`
	Suspects    []DocumentSuspect `json:"suspects,omitempty"` // of the most frequent failure that has any
	Facts       []finding.Fact    `json:"facts,omitempty"`    // what recorded runs show, the best first
	// Repro is how to make it fail: by the first of Experiments that has a replay file.
	Repro *DocumentRepro `json:"repro,omitempty"`
	Next  string         `json:"next,omitempty"` // the command to go on with
	// What experiments have shown, the best first.
	Experiments Proofs `json:"experiments,omitempty"`
	// Races are what the race detector saw in runs of the test that were made with it.
	Races    []finding.Race `json:"races,omitempty"`
	Warnings []string       `json:"warnings,omitempty"`
}

// A DocumentPlain counts the control runs without instrumentation.
type DocumentPlain struct {
	Runs   int `json:"runs"`
	Failed int `json:"failed"`
	// Failure is the first of them that failed.
	Failure *finding.PlainFailure `json:"failure,omitempty"`
}

// A DocumentFailure is one way in which a test fails, with where it leaves passing runs.
type DocumentFailure struct {
	finding.Failure
	Divergences []DocumentDivergence `json:"divergences,omitempty"`
	Suspects    []DocumentSuspect    `json:"suspects,omitempty"`
	Warnings    []string             `json:"warnings,omitempty"`
}

// A DocumentDivergence is a divergence, the earliest of a failure first.
type DocumentDivergence struct {
	Goroutine    string        `json:"goroutine"`
	CommonPrefix int64         `json:"common_prefix"`
	PassingRun   int           `json:"passing_run"`
	FailingRun   int           `json:"failing_run"`
	LastCommon   *trace.Span   `json:"last_common,omitempty"`
	PassOnly     []trace.Span  `json:"pass_only,omitempty"`
	FailOnly     []trace.Span  `json:"fail_only,omitempty"`
	SamePath     bool          `json:"same_path,omitempty"`
	Loop         *DocumentLoop `json:"loop,omitempty"` // what was counted, if not who went to fail_only
	FailingTaken int           `json:"failing_taken"`
	PassingTaken int           `json:"passing_taken"`
	P            float64       `json:"p_value"`
}

// A DocumentLoop says what was counted of a loop: runs that made at least, or fewer
// than, so many iterations.
type DocumentLoop struct {
	At      *trace.Span `json:"at,omitempty"`
	AtLeast int64       `json:"at_least,omitempty"`
	Fewer   int64       `json:"fewer_than,omitempty"`
}

// A DocumentSuspect is a place where the cause may lie, with its evidence. They are
// in the order of the ranking (docs/diagnosis.md), at most five.
type DocumentSuspect struct {
	finding.Suspect
	Why string `json:"why"` // in words, for people: they may change
}

// A DocumentRepro is how to make a test fail.
type DocumentRepro struct {
	Command string `json:"command"` // of fdebug
	Verify  string `json:"verify"`  // that says whether a fix has helped
	File    string `json:"file"`    // the replay file
	Failed  int    `json:"failed"`  // fresh runs that failed when it was found
	Of      int    `json:"of"`
}

// Proofs are what experiments have shown of a test, each as in its replay file.
type Proofs []*proof.Proof

// UnmarshalJSON leaves out what other versions have written.
func (l *Proofs) UnmarshalJSON(data []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(data, &list); err != nil {
		return err
	}
	for _, text := range list {
		var p proof.Proof
		if json.Unmarshal(text, &p) == nil && p.Version == proof.Version {
			*l = append(*l, &p)
		}
	}
	return nil
}

// JSON writes result.json.
func JSON(w io.Writer, r *finding.Result) error {
	var b bytes.Buffer
	v, enc := newViewer(r), json.NewEncoder(&b)
	enc.SetIndent("", " ")
	if err := enc.Encode(v.document()); err != nil {
		return err
	}
	_, err := w.Write(v.shownTexts(b.Bytes()))
	return err
}

// literal is a text in JSON, with the colon if it is the name of a field.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.)*":?`)

// shownTexts makes the texts of a document fit to be shown: bounded, without secrets and home directories. Names of
// tests and packages stay as they are.
func (v *viewer) shownTexts(doc []byte) []byte {
	field := ""
	return literal.ReplaceAllFunc(doc, func(text []byte) []byte {
		if name, is := bytes.CutSuffix(text, []byte(":")); is {
			field = strings.Trim(string(name), `"`)
			return text
		}
		var s string
		if json.Unmarshal(text, &s) != nil {
			return text
		}
		shown, _ := json.Marshal(v.shownText(field, s))
		return shown
	})
}

func (v *viewer) shownText(field, s string) string {
	head, tail := 4<<10, 2<<10
	switch field {
	case "test", "package", "module":
		return s
	case "file":
		if !strings.HasSuffix(s, proof.Suffix) {
			s, _ = v.src.Rel(s)
		}
		fallthrough
	case "command", "verify", "replay", "report", "next": // are used
		return v.clean.Secrets.Hide(s)
	case "output":
		head, tail = 16<<10, 48<<10
	case "dump":
		head, tail = 64<<10, 16<<10
	}
	return v.clean.Cut(s, head, tail)
}

// document makes the document of the result.
func (v *viewer) document() *Document {
	d := &Document{
		Schema: Schema, Command: notNil(v.r.Command), Go: v.r.Go, Module: v.r.Module,
		Elapsed: v.r.Elapsed.Round(time.Millisecond).Seconds(), Rounds: v.r.Executions, Asked: v.r.Asked,
		NeverRun: v.r.NeverRun, Tests: []DocumentTest{}, Warnings: v.r.Warnings,
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
		Package: t.Package, Test: t.Name, State: t.State(), Flaky: c.flaky() || t.State() == finding.Flaky,
		Warnings: t.Warnings, Runs: c.Runs, Passed: c.Passed, Failed: c.Failed, Skipped: c.Skipped,
		NotRun: c.NotRun, Extra: x.Runs, ExtraFailed: x.Failed,
	}
	if p := count(t.Plain); p.Runs > 0 {
		d.Plain = &DocumentPlain{p.Runs, p.Failed, t.PlainFailure}
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
	d.Races = t.Races
	d.Suspects, d.Facts = documentSuspects(t.Suspects()), documentFacts(t)
	d.Repro, d.Next = v.documentRepro(), v.goOn()
	for i := range t.Verdicts {
		d.Experiments = append(d.Experiments, t.Verdicts[i].Document())
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

// goOn is the command to go on with: the one that judges an edit, else one that looks for more.
func (v *viewer) goOn() string {
	if r := v.documentRepro(); r != nil {
		return r.Verify
	}
	o := v.again()
	o.Run, o.Shuffle = v.alone(), ""
	return v.command(o, "hunt", 0)
}

func (v *viewer) documentFailure(f *finding.Failure) DocumentFailure {
	v.f = f
	d := DocumentFailure{Failure: *f, Suspects: documentSuspects(f.Suspects)}
	d.Runs, d.Values, d.Data = notNil(f.Runs), slices.Clone(f.Values), slices.Clone(f.Data)
	for i := range d.Values {
		cutSeen(&d.Values[i].Passing, &d.Values[i].Failing)
	}
	for i := range d.Data {
		cutSeen(&d.Data[i].Passing, &d.Data[i].Failing)
	}
	if a := f.Analysis; a != nil {
		for _, x := range a.Chain {
			d.Divergences = append(d.Divergences, v.documentDivergence(x))
		}
		for _, err := range a.Warnings {
			d.Warnings = append(d.Warnings, v.warning(f, err))
		}
	}
	return d
}

// cutSeen leaves the most frequent values.
func cutSeen(lists ...*[]finding.Seen) {
	for _, l := range lists {
		*l = (*l)[:min(len(*l), maxListed)]
	}
}

// maxListed is how many values of one outcome are kept.
const maxListed = 200

func documentSuspects(list []finding.Suspect) (out []DocumentSuspect) {
	for i := range list[:min(len(list), maxSuspects)] {
		s := DocumentSuspect{list[i], Why(&list[i])}
		s.End, s.P = max(s.Start, s.End), finite(s.P)
		out = append(out, s)
	}
	return out
}

// documentFacts returns the facts of the most frequent failure that has any.
func documentFacts(t *finding.Test) []finding.Fact {
	i := slices.IndexFunc(t.Failures, func(f *finding.Failure) bool { return len(f.Facts) > 0 })
	if i < 0 {
		return nil
	}
	list := slices.Clone(t.Failures[i].Facts)
	for i := range list {
		list[i].P = finite(list[i].P)
	}
	return list
}

func (v *viewer) documentDivergence(x *divergence.Divergence) DocumentDivergence {
	d := DocumentDivergence{
		Goroutine: v.t.Name, CommonPrefix: x.CommonPrefix, PassingRun: x.PassingRun, FailingRun: x.FailingRun,
		SamePath: x.SamePath, FailingTaken: x.Table.FailTaken, PassingTaken: x.Table.PassTaken, P: finite(x.P),
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
	return d
}

func (v *viewer) documentLoop(l *divergence.Loop) *DocumentLoop {
	d := new(DocumentLoop)
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
func ranges(p *listing.Place) []trace.Span {
	if p == nil {
		return nil
	}
	var out []trace.Span
	for _, n := range p.Lines {
		if k := len(out) - 1; k >= 0 && out[k].End == n-1 {
			out[k].End = n
			continue
		}
		out = append(out, trace.LineOf(p.File, n))
	}
	return out
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
	if !slices.Contains(schemas, head.Schema) {
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
