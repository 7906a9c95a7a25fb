package report

import (
	"encoding/json"

	"github.com/fdebug/fdebug/internal/finding"
	"github.com/fdebug/fdebug/internal/proof"
	"github.com/fdebug/fdebug/trace"
)

// Schema is the schema of result.json that this package writes and reads.
const Schema = "fdebug/v2"

// schema1 is one that is read still, without what experiments have shown.
const schema1 = "fdebug/v1"

// A Document is the content of result.json. Files are relative to the module
// root; parts that are absent are left out; fields may be added.
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
	Facts       []DocumentFact    `json:"facts,omitempty"`    // what recorded runs show, the best first
	// Repro is how to make it fail: by the first of Experiments that has a replay file.
	Repro *DocumentRepro `json:"repro,omitempty"`
	// What experiments have shown, the best first.
	Experiments Proofs   `json:"experiments,omitempty"`
	Warnings    []string `json:"warnings,omitempty"`
}

// A DocumentPlain counts the control runs without instrumentation.
type DocumentPlain struct {
	Runs   int `json:"runs"`
	Failed int `json:"failed"`
	// Failure is the first of them that failed.
	Failure *DocumentPlainFailure `json:"failure,omitempty"`
}

// A DocumentPlainFailure is a control run that failed.
type DocumentPlainFailure struct {
	Run     int    `json:"run"` // its number among the control runs
	Message string `json:"message"`
	Output  string `json:"output,omitempty"`
	Dump    string `json:"dump,omitempty"`
}

// A DocumentFailure is one way in which a test fails.
type DocumentFailure struct {
	Signature string `json:"signature"`
	Message   string `json:"message"`
	Runs      []int  `json:"runs"`
	LeftOut   string `json:"left_out,omitempty"` // why it was not compared with the passing runs
	// Seen is in how many runs of experiments it came. Absent where it came in others, or has a verdict.
	Seen *finding.SeenIn `json:"seen,omitempty"`
	// ValuesLeftOut says why values that were recorded were not compared.
	ValuesLeftOut string               `json:"values_left_out,omitempty"`
	Divergences   []DocumentDivergence `json:"divergences,omitempty"`
	Hang          *DocumentHang        `json:"hang,omitempty"` // who waited for what
	Orders        []DocumentOrder      `json:"orders,omitempty"`
	Values        []DocumentValue      `json:"values,omitempty"`
	Data          []DocumentData       `json:"data,omitempty"`
	Suspects      []DocumentSuspect    `json:"suspects,omitempty"`
	Warnings      []string             `json:"warnings,omitempty"`
}

// A DocumentDivergence is a divergence, the earliest of a failure first.
type DocumentDivergence struct {
	Goroutine    string          `json:"goroutine"`
	CommonPrefix int64           `json:"common_prefix"`
	PassingRun   int             `json:"passing_run"`
	FailingRun   int             `json:"failing_run"`
	LastCommon   *DocumentRange  `json:"last_common,omitempty"`
	PassOnly     []DocumentRange `json:"pass_only,omitempty"`
	FailOnly     []DocumentRange `json:"fail_only,omitempty"`
	SamePath     bool            `json:"same_path,omitempty"`
	Loop         *DocumentLoop   `json:"loop,omitempty"` // what was counted, if not who went to fail_only
	FailingTaken int             `json:"failing_taken"`
	PassingTaken int             `json:"passing_taken"`
	P            float64         `json:"p_value"`
	Warnings     []string        `json:"warnings"`
}

// A DocumentLoop says what was counted of a loop: runs that made at least, or fewer
// than, so many iterations; or that went to pass_only in none of them.
type DocumentLoop struct {
	At      *DocumentRange `json:"at,omitempty"`
	AtLeast int64          `json:"at_least,omitempty"`
	Fewer   int64          `json:"fewer_than,omitempty"`
	Never   bool           `json:"never,omitempty"`
}

// A DocumentRange is a range of lines.
type DocumentRange = trace.Span

// A DocumentOrder says that A came before B, and how often.
type DocumentOrder struct {
	A            DocumentRange `json:"a"`
	B            DocumentRange `json:"b"`
	PassingTaken int           `json:"passing_taken"`
	Passing      int           `json:"passing"`
	FailingTaken int           `json:"failing_taken"`
	Failing      int           `json:"failing"`
}

// A DocumentValue is an operand that decided, with the values seen.
type DocumentValue struct {
	Expr    string         `json:"expr"`
	At      DocumentRange  `json:"at"`
	Source  string         `json:"source,omitempty"`
	Which   string         `json:"which,omitempty"` // if not that at which runs diverge: "the 3rd time"
	Passing []DocumentSeen `json:"passing"`
	Failing []DocumentSeen `json:"failing"`
	LeftOut int            `json:"left_out,omitempty"` // values of either outcome beyond the 200 most frequent
}

// A DocumentSeen is a value and the runs that had it.
type DocumentSeen struct {
	Value string `json:"value"`
	Runs  []int  `json:"runs"`
}

// A DocumentSuspect is a place where the cause may lie, with its evidence. They are
// in the order of the ranking (docs/diagnosis.md), at most five.
type DocumentSuspect struct {
	DocumentRange
	Rule string `json:"rule"` // that proposed it: a name of fdebug help rules
	// how it is known: "symptom", "hint", "associated", "mechanism", "reproduced", "proved"
	Class string `json:"class"`
	// settled before any event could have a say in it: a random number, the order of a map or of the tests, the time
	Chance bool `json:"chance,omitempty"`
	// with what decided: "mentions", "feeds", "decides"; absent if none is known
	Link  string         `json:"link,omitempty"`
	Table *DocumentTable `json:"table,omitempty"` // what it rests on, if that was counted
	Why   string         `json:"why"`             // in words, for people: they may change
}

// A DocumentTable counts the runs in which something was so (taken): what it is
// depends on the rule, and Why says it. Failing and Passing are the runs where it is
// known whether it was so.
type DocumentTable struct {
	FailingTaken int     `json:"failing_taken"`
	Failing      int     `json:"failing"`
	PassingTaken int     `json:"passing_taken"`
	Passing      int     `json:"passing"`
	P            float64 `json:"p_value"` // of Fisher's exact test, two-sided; times the hypotheses that were tried
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
