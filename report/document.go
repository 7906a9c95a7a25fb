package report

// Schema is the schema of result.json that this package writes and reads.
const Schema = "fdebug/v1"

// A Document is the content of result.json. Files are relative to the module
// root; parts that are absent are left out.
type Document struct {
	Schema   string         `json:"schema"`
	Command  []string       `json:"command"`
	Go       string         `json:"go"`
	Module   string         `json:"module"`
	Started  string         `json:"started,omitempty"` // RFC 3339, UTC
	Elapsed  float64        `json:"elapsed_s"`
	Tests    []DocumentTest `json:"tests"`
	Warnings []string       `json:"warnings,omitempty"`
}

// A DocumentTest is a test of a Document.
type DocumentTest struct {
	Package  string            `json:"package"`
	Test     string            `json:"test"`
	Flaky    bool              `json:"flaky"`
	Runs     int               `json:"runs"`
	Passed   int               `json:"passed"`
	Failed   int               `json:"failed"`
	Skipped  int               `json:"skipped"`
	NotRun   int               `json:"not_run"`
	Plain    *DocumentPlain    `json:"plain,omitempty"`
	Report   string            `json:"report,omitempty"`    // file name of the page, beside result.json
	SameRuns []string          `json:"same_runs,omitempty"` // other subtests of its test that fail in the very same runs
	Failures []DocumentFailure `json:"failures,omitempty"`
	Suspects []DocumentSuspect `json:"suspects,omitempty"` // of the most frequent failure that has any
	Cause    *DocumentCause    `json:"cause,omitempty"`
	Repro    []DocumentRepro   `json:"repro,omitempty"`
	Warnings []string          `json:"warnings,omitempty"`
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
	FailingTaken int             `json:"failing_taken"`
	PassingTaken int             `json:"passing_taken"`
	P            float64         `json:"p_value"`
	Warnings     []string        `json:"warnings"`
}

// A DocumentRange is a range of lines.
type DocumentRange struct {
	File  string `json:"file"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

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
	Passing []DocumentSeen `json:"passing"`
	Failing []DocumentSeen `json:"failing"`
	LeftOut int            `json:"left_out,omitempty"` // values of either outcome beyond the 200 most frequent
}

// A DocumentSeen is a value and the runs that had it.
type DocumentSeen struct {
	Value string `json:"value"`
	Runs  []int  `json:"runs"`
}

// A DocumentSuspect is a place where the cause may lie.
type DocumentSuspect struct {
	DocumentRange
	Score float64 `json:"score"`
	Why   string  `json:"why"`
}

// A DocumentCause is the kind of flake.
type DocumentCause struct {
	Category   string   `json:"category"`
	Confidence float64  `json:"confidence"`
	Evidence   []string `json:"evidence"`
}

// A DocumentRepro is a way to make the test fail.
type DocumentRepro struct {
	File       string `json:"file"`
	Kind       string `json:"kind"`
	Reproduced int    `json:"reproduced"`
	Of         int    `json:"of"`
}
