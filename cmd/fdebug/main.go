// Fdebug finds out why Go tests are flaky. It runs them many times and records the order of their
// lines. It compares failing with passing runs, and makes experiments. fdebug help says how to
// use it.
package main

import (
	"os"
	"runtime/debug"

	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/tracker"
	"github.com/fdebug/fdebug/internal/tracker/team"
)

func main() { start(parts()) }

// start runs the program with the parts for a team, nil for none.
func start(t *team.Parts) {
	// Traces are read in pieces and dropped at once: a low garbage limit
	// costs little time here and keeps fdebug out of the way of the tests.
	debug.SetGCPercent(50)
	a := &app{
		Console: &session.Console{Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Redact: tracker.Redact},
		args:    os.Args,
	}
	a.history().EnvURL, a.history().Team = os.Getenv(tracker.DBEnv), t
	os.Unsetenv(tracker.DBEnv)
	os.Exit(a.main(os.Args[1:]))
}
