package report

import "github.com/fdebug/fdebug/internal/finding"

// The model, by the names that this package has for it.
type (
	Result         = finding.Result
	Test           = finding.Test
	Run            = finding.Run
	Status         = finding.Status
	Failure        = finding.Failure
	Suspect        = finding.Suspect
	Order          = finding.Order
	Options        = finding.Options
	Value          = finding.Value
	Seen           = finding.Seen
	Limit          = finding.Limit
	DataDivergence = finding.DataDivergence
	Hang           = finding.Hang
	HangKind       = finding.HangKind
	Wait           = finding.Wait
	Actor          = finding.Actor
	Held           = finding.Held
	Waker          = finding.Waker
	Releaser       = finding.Releaser
	Fate           = finding.Fate
	FateState      = finding.FateState
	Turn           = finding.Turn
)

const (
	Passed  = finding.Passed
	Failed  = finding.Failed
	Skipped = finding.Skipped
	NotRun  = finding.NotRun
	Timeout = finding.Timeout
	Crashed = finding.Crashed
)
