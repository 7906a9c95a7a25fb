package finding

import (
	"strings"

	"github.com/fdebug/fdebug/divergence"
	"github.com/fdebug/fdebug/trace"
)

// A Value is an operand that decided a branch or a check.
type Value struct {
	Expr   string      `json:"expr"` // "q.done"
	At     trace.Frame `json:"at"`
	Source string      `json:"source,omitempty"` // what it is: "math/rand", "" if no value from outside
	// Nth is which value of the place it is in each run, from 0; -1: the one at which runs diverge.
	Nth int `json:"nth,omitempty"`
	// Unlike says that it is that, which is not the same one in all runs.
	Unlike bool `json:"unlike,omitempty"`
	// Passing and Failing are the values seen, the most frequent first.
	Passing []Seen `json:"passing"`
	Failing []Seen `json:"failing"`
}

// A Seen is one value and the runs that had it.
type Seen struct {
	Text string `json:"value"`
	Runs []int  `json:"runs"`
	Hash uint64 `json:"-"` // of the whole value; Text may be its beginning; 0 where that is not known
}

// A DataKind says what is known of a place where chance enters.
type DataKind string

const (
	DataValue  DataKind = "value"  // its value predicts the outcome: Found
	DataVaries DataKind = "varies" // it differs from run to run, and Operand may be computed from it
)

// A DataDivergence is a place where the data of failing runs comes to differ from
// that of passing runs: where a value enters from outside.
type DataDivergence struct {
	Kind   DataKind    `json:"kind"`
	Expr   string      `json:"expr"` // "rand.IntN(100)"
	At     trace.Frame `json:"at"`
	Source string      `json:"source"` // "math/rand", "map order"
	// Operand is the operand that decided and is computed from it, "" if it is not known.
	Operand string                     `json:"operand,omitempty"`
	Found   *divergence.DataDivergence `json:"-"`
	// Passing and Failing are the values that Found rests on, one for each run, the
	// most frequent first.
	Passing []Seen `json:"passing,omitempty"`
	Failing []Seen `json:"failing,omitempty"`
}

// Chance reports whether it is drawn anew in each run whatever happens there.
func (d *DataDivergence) Chance() bool {
	switch d.Source {
	case "map order", "math/rand", "math/rand/v2", "crypto/rand":
		return true
	}
	return false
}

// Made reports whether the value is what the run has made up to there, and not what it was
// given: what goroutines have sent, how many of them there are, how long it took, what was
// written.
func (d *DataDivergence) Made() bool {
	switch d.Source {
	case "a channel", "the Go scheduler", "the list of goroutines", "a pool", "a file", "a directory", "a file's size":
		return true
	case "the clock":
		return strings.HasPrefix(d.Expr, "time.Since(") || strings.HasPrefix(d.Expr, "time.Until(")
	}
	return false
}

// Sure reports whether the runs show that it predicts the outcome.
func (d *DataDivergence) Sure() bool { return d.Kind == DataValue }
