package session

import (
	"context"
	"runtime"
	"slices"
	"time"

	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/store"
)

// A Config says which tests a session runs, and how. Flags of commands set most of it.
type Config struct {
	// Packages, and how their tests are built.
	Patterns   []string // packages, as for go test
	Rev        string   // only packages that differences from this revision can affect
	OnlyNew    bool     // only tests that were changed since Rev
	BundleFile string   // has the tests; "" to build them
	Flags      []string // of the go command, for building
	Vet        string   // -vet
	Overlay    string   // -overlay
	Instrument []string // packages of other modules to record too
	Generated  bool     // record generated files too

	// Runs.
	Sel       runner.Selection // which tests run
	N         int              // runs of each package
	Plain     int              // runs of each package without probes
	Parallel  int              // parallel processes of one package
	Beside    int              // packages that run in parallel; 0 for one
	Budget    Budget           // of time
	Seed      uint64           // the seeds of all runs are derived from it; with 0 they are different each time
	TraceSize int64            // limit for a trace, in bytes
	Values    bool             // whether to record values

	// Experiments.
	Experiments time.Duration // how long they may take; below 0: as long as the runs took
	Kinds       []string      // kinds of perturbation to try; nil for all
	Hunts       bool          // whether runs are made to provoke failures
	// Like are failures that were seen elsewhere, as LikeFile has them. Nothing else is looked for, if there are any.
	Like     []*runner.Seen
	LikeFile string

	// Results.
	Out     string // directory for them; "" for .fdebug in the module
	Keep    int    // how many runs the store keeps
	Verbose bool
	Command []string // as typed, for the report
	Version string   // of fdebug
}

// New returns a session that works as fdebug run does without flags, in the directory of the
// console, and keeps no history.
func New(c *Console) *Session {
	return &Session{Console: c, Config: Config{
		Patterns: []string{"."}, N: 50, Plain: PlainRuns(50), Parallel: 1, Beside: runtime.GOMAXPROCS(0),
		TraceSize: 256 << 20, Values: true, Keep: store.Keep, Experiments: -1,
	}, Hooks: Hooks{Remember: func(context.Context, store.Store, string) bool { return true }}}
}

// NewLab returns a session for experiments alone: packages run once before, and traces are small.
func NewLab(c *Console) *Session {
	s := New(c)
	s.N, s.Plain, s.TraceSize = 1, 0, labTraces
	return s
}

// PlainRuns is how many runs without probes go with n recorded ones, if nobody says.
func PlainRuns(n int) int { return max(3, n/10) }

// Takes reports whether a kind of perturbation was chosen.
func (c *Config) Takes(kind string) bool { return c.Kinds == nil || slices.Contains(c.Kinds, kind) }
