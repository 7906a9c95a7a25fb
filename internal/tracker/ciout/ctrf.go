package ciout

import (
	"encoding/json"
	"io"
	"time"

	"github.com/fdebug/fdebug/internal/finding"
)

// The objects of CTRF, the Common Test Report Format (ctrf.io), as far as they are used.
type (
	ctrfDocument struct {
		Format    string      `json:"reportFormat"`
		Version   string      `json:"specVersion"`
		Timestamp string      `json:"timestamp,omitempty"`
		By        string      `json:"generatedBy"`
		Results   ctrfResults `json:"results"`
	}
	ctrfResults struct {
		Tool        ctrfTool        `json:"tool"`
		Summary     ctrfSummary     `json:"summary"`
		Tests       []ctrfTest      `json:"tests"`
		Environment ctrfEnvironment `json:"environment"`
	}
	ctrfTool struct {
		Name    string `json:"name"`
		Version string `json:"version,omitempty"`
	}
	ctrfSummary struct {
		Tests    int   `json:"tests"`
		Passed   int   `json:"passed"`
		Failed   int   `json:"failed"`
		Skipped  int   `json:"skipped"`
		Pending  int   `json:"pending"`
		Other    int   `json:"other"`
		Flaky    int   `json:"flaky"`
		Suites   int   `json:"suites"`
		Start    int64 `json:"start"`
		Stop     int64 `json:"stop"`
		Duration int64 `json:"duration"`
	}
	ctrfTest struct {
		Name     string        `json:"name"`
		Status   string        `json:"status"`
		Duration int64         `json:"duration"`
		Suite    []string      `json:"suite"`
		Message  string        `json:"message,omitempty"`
		Trace    string        `json:"trace,omitempty"`
		Raw      string        `json:"rawStatus"`
		Retries  int           `json:"retries,omitempty"`
		Attempts []ctrfAttempt `json:"retryAttempts,omitempty"`
		Flaky    bool          `json:"flaky,omitempty"`
		Stdout   []string      `json:"stdout,omitempty"`
		Extra    *ctrfFound    `json:"extra,omitempty"`
	}
	ctrfAttempt struct {
		Attempt  int    `json:"attempt"`
		Status   string `json:"status"`
		Duration int64  `json:"duration"`
	}
	ctrfEnvironment struct {
		Application string      `json:"appName,omitempty"`
		Extra       ctrfMachine `json:"extra"`
	}
	// Own fields stand in extra, below the name of the program, as the specification wants.
	ctrfMachine struct {
		Go       string `json:"fdebug.go,omitempty"`
		Platform string `json:"fdebug.platform,omitempty"`
	}
	ctrfFound struct {
		Failed      int    `json:"fdebug.failed"` // runs with the recorder
		Passed      int    `json:"fdebug.passed"`
		PlainFailed int    `json:"fdebug.plainFailed"` // control runs
		PlainPassed int    `json:"fdebug.plainPassed"`
		Class       string `json:"fdebug.class"` // how the cause is known: "proved"
		Place       string `json:"fdebug.place,omitempty"`
		Cause       string `json:"fdebug.cause"`
	}
)

// maxAttempts is how many executions of a test are written.
const maxAttempts = 100

// CTRF writes a report in the Common Test Report Format. The duration of a test is that
// of one execution, on average; its attempts are the executions with the recorder.
func (r *Report) CTRF(w io.Writer) error {
	clean := r.cleaner()
	doc := ctrfDocument{Format: "CTRF", Version: "0.0.0", By: "fdebug"}
	x := &doc.Results
	x.Tool = ctrfTool{"fdebug", r.Fdebug}
	x.Environment = ctrfEnvironment{clean.line(r.Result.Module, maxName),
		ctrfMachine{r.Result.Go, clean.line(r.Result.Platform, maxName)}}
	x.Tests = []ctrfTest{}
	x.Summary.Suites = len(r.Suites)
	if started := r.Result.Started; !started.IsZero() {
		end := started.Add(r.Result.Elapsed)
		doc.Timestamp = end.UTC().Format(time.RFC3339)
		x.Summary.Start, x.Summary.Stop, x.Summary.Duration = started.UnixMilli(), end.UnixMilli(),
			r.Result.Elapsed.Milliseconds()
	}
	for _, s := range r.Suites {
		pkg := clean.line(s.Package, maxName)
		if s.Err != "" {
			x.add(ctrfTest{
				Name: "(package)", Status: "failed", Suite: []string{pkg}, Raw: "build",
				Message: "could not be tested", Trace: clean.cut(s.Err, 16<<10, 16<<10),
			})
		}
		for _, c := range s.Cases {
			x.add(r.ctrfTest(pkg, c, clean))
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", " ")
	return enc.Encode(doc)
}

// add adds a test and counts it.
func (x *ctrfResults) add(t ctrfTest) {
	x.Tests = append(x.Tests, t)
	x.Summary.Tests++
	switch t.Status {
	case "passed":
		x.Summary.Passed++
	case "failed":
		x.Summary.Failed++
	case "skipped":
		x.Summary.Skipped++
	}
	if t.Flaky {
		x.Summary.Flaky++
	}
}

func (r *Report) ctrfTest(pkg string, c *Case, clean *cleaner) ctrfTest {
	t := ctrfTest{
		Name: clean.line(c.name(), maxName), Status: "passed", Duration: c.mean().Milliseconds(),
		Suite: []string{pkg}, Raw: string(c.state()),
	}
	switch c.state() {
	case finding.Passing:
		return t
	case skipped:
		t.Status = "skipped"
		return t
	case finding.Failing:
		t.Status = "failed"
	case finding.Flaky, finding.Provoked, finding.OnlySeen:
		t.Flaky = true
	}
	first := r.failures(c, clean)[0]
	t.Message, t.Trace = first.message, first.text
	if first.output != "" {
		t.Stdout = []string{first.output}
	}
	cause := r.causeOf(c)
	t.Extra = &ctrfFound{c.Runs.Failed, c.Runs.Passed, c.Plain.Failed, c.Plain.Passed, cause.Verdict,
		clean.line(cause.Place(), maxName), clean.line(cause.Said, maxMessage)}
	if c.Test != nil {
		t.Attempts = attempts(c.Test.Runs)
		t.Retries = len(t.Attempts)
	}
	return t
}

// ctrfStatus is the name of an ending.
var ctrfStatus = map[string]string{"fail": "failed", "pass": "passed", "skip": "skipped", "": "other"}

// attempts returns the outcomes of a test in its first runs.
func attempts(runs []finding.Run) []ctrfAttempt {
	var list []ctrfAttempt
	for _, run := range runs[:min(len(runs), maxAttempts)] {
		list = append(list, ctrfAttempt{run.N, ctrfStatus[ending(run.Status)], run.Elapsed.Milliseconds()})
	}
	return list
}
