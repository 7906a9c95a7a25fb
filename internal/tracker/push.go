package tracker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/session"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
	"github.com/fdebug/fdebug/trace"
)

// A Push adds runs to the database of a team, and their reports to a directory.
type Push struct {
	*Keeper
	Out     string   // -o: the store that runs are taken from
	Reports string   // -reports: the directory they go to; "" for none
	Runs    []string // directories or ids, as typed

	store store.Store
	db    *history.DB
}

const againHint = "the same command goes on: what is there already counts once"

// withAgain adds advice to an error that says that the server went away.
func withAgain(err error) error {
	var server *history.ServerError
	if errors.As(err, &server) && server.Unreachable {
		return advice.With(err, againHint)
	}
	return err
}

func (j *Push) Run(ctx context.Context) (int, error) {
	j.store = j.StoreIn(j.Out)
	dirs, err := j.find()
	if err != nil {
		return exit.Trouble, err
	}
	if j.db, err = j.openHistory(ctx, j.store); err != nil {
		return exit.Trouble, err
	}
	defer j.db.Close()
	return j.each(ctx, dirs, j.push)
}

// each does something with each of a list. It goes on after an error, unless that is about the
// server, and prints all errors but the last.
func (k *Keeper) each(ctx context.Context, list []string, do func(context.Context, string) error) (int, error) {
	var failed error
	for _, x := range list {
		err := do(ctx, x)
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return exit.Interrupted, advice.With(errors.New("interrupted"), againHint)
		case isAway(err):
			return exit.Trouble, withAgain(err)
		}
		if failed != nil {
			k.PrintError(failed)
		}
		failed = err
	}
	if failed != nil {
		return exit.Trouble, failed
	}
	return exit.OK, nil
}

// find returns the directories of the runs: those that are named, or all that are over.
func (j *Push) find() (dirs []string, err error) {
	ids := j.Runs
	if len(ids) == 0 {
		if ids, err = j.store.Runs(); err != nil || len(ids) == 0 {
			return nil, session.ExplainNoRun(fmt.Errorf("no run in %s", j.Show(j.store.Dir)))
		}
	}
	for _, id := range ids {
		dir, err := j.store.Find(id)
		if err == nil {
			dir, err = filepath.Abs(dir)
		}
		if err == nil {
			dir, err = filepath.EvalSymlinks(dir) // its name becomes that of the reports
		}
		if err != nil {
			return nil, session.ExplainNoRun(err)
		}
		if store.InUse(dir) {
			if len(j.Runs) > 0 {
				return nil, fmt.Errorf("%s: %w", id, store.ErrInUse)
			}
			j.Progressf("%s is left out: a process is at it", id)
			continue
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// push adds a run. The reports come first, so that those named in the history exist.
func (j *Push) push(ctx context.Context, dir string) error {
	var meta analyze.Meta
	if err := meta.ReadFile(dir); err != nil {
		return session.ExplainNoRun(err)
	}
	reports, said := "", ""
	if j.Reports != "" {
		path, err := reportsPath(&meta, dir)
		if err != nil {
			return err
		}
		added, err := Reports{Dir: j.Reports}.Add(ctx, path, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", j.Show(dir), err)
		}
		said = j.tellReports(dir, path, added)
		if added.Files > 0 {
			reports = path
		}
	}
	n, err := addRuns(ctx, j.db, dir, reports, nil)
	if err != nil {
		return err
	}
	runs := "known already"
	if n > 0 {
		runs = text.Plural(n, "run") + " added"
	}
	fmt.Fprintf(j.Stdout, "%s: %s%s\n", filepath.Base(dir), runs, said)
	return nil
}

func (j *Push) tellReports(dir, path string, added *Added) string {
	if len(added.Left) > 0 {
		j.Warnf("%s: left out, as the reports of one run may take %s: %s", filepath.Base(dir),
			showBytes(MaxReports), strings.Join(added.Left, ", "))
	}
	switch {
	case added.Files == 0:
		return "; it has no reports"
	case added.Written == 0:
		return "; reports are there already: " + path
	}
	return fmt.Sprintf("; %s to %s", text.Plural(added.Written, "file"), path)
}

// reportsPath names the reports of a run. Jobs on several machines may begin in the same second,
// and then only their keys differ.
func reportsPath(meta *analyze.Meta, dir string) (string, error) {
	sites, err := trace.ReadSites(filepath.Join(dir, "sites.json"))
	if err != nil {
		return "", err
	}
	run := filepath.Base(dir)
	if key := strings.ToLower(meta.Key); key != "" {
		run += "-" + key[:min(8, len(key))]
	}
	return ReportsPath(cmp.Or(sites.Module, "unknown"), run)
}
