// Package stored works on what is there already, and runs no test: it writes the reports of a run
// again, finds one, exports a trace, and compares coverage profiles.
package stored

import (
	"context"
	"path/filepath"

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/runner"
	"github.com/fdebug/fdebug/internal/terminal"
	"github.com/fdebug/fdebug/trace"
)

// Report writes the reports of a run again from its stored traces.
func Report(ctx context.Context, screen *terminal.Screen, dir, note string) (int, error) {
	notes, err := session.ReadNote(note)
	if err != nil {
		return exit.Usage, err
	}
	results, err := runner.Load(dir)
	if err != nil {
		return exit.Trouble, err
	}
	sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
	if err != nil {
		return exit.Trouble, err
	}
	an := &analyze.Analyzer{Dir: dir, Sites: sites, Notes: notes, Warnf: screen.Warnf}
	if err := an.Meta.ReadFile(dir); err != nil {
		return exit.Trouble, err
	}
	result, err := an.Result(ctx, results)
	if err != nil {
		return exit.Trouble, err
	}
	if err := an.Complete(ctx, result); err != nil {
		return exit.Trouble, err
	}
	files, err := screen.Write(ctx, an, result)
	if err != nil {
		return exit.Trouble, err
	}
	s := terminal.Summary{Screen: screen, Result: result, Results: results, Files: files, Dir: screen.Show(dir),
		Options: an.Meta.Options, Interrupted: ctx.Err() != nil}
	code, err := s.Print()
	screen.OpenReport(dir, result, files)
	return code, err
}
