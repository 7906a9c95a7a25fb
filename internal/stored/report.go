// Package stored works on what is there already, and runs no test: it writes the reports of a run
// again, finds one, exports a trace, and compares coverage profiles.
package stored

import (
	"context"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/terminal"
)

// Report writes the reports of a run again from its stored traces.
func Report(ctx context.Context, screen *terminal.Screen, dir, note string) (int, error) {
	notes, err := session.ReadNote(note)
	if err != nil {
		return exit.Usage, err
	}
	an := &analyze.Analyzer{Dir: dir, Notes: notes, Warnf: screen.Warnf}
	result, results, err := an.Read(ctx)
	if err != nil {
		return exit.Trouble, err
	}
	s := terminal.Summary{Screen: screen, Result: result, Results: results, Dir: screen.Show(dir),
		Options: an.Meta.Options, Interrupted: ctx.Err() != nil}
	code, err := s.Report(ctx, an, func() error { return nil })
	if s.Files != nil {
		screen.OpenReport(dir, result, s.Files)
	}
	return code, err
}
