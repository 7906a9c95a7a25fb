package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/analyze"
	"github.com/fdebug/fdebug/internal/history"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/trace"
)

// A pushJob is `fdebug push`.
type pushJob struct {
	app  *app
	out  string   // -o: the store that runs are taken from
	to   string   // -to: directory of reports; "" for none
	runs []string // directories or ids, as typed

	store store.Store
	db    history.DB
}

func (a *app) pushCmd(args []string) (int, error) {
	j := &pushJob{app: a}
	fs := newFlagSet("push")
	a.dbFlag(fs)
	fs.StringVar(&j.out, "o", "", "")
	fs.StringVar(&j.to, "to", "", "")
	var err error
	if j.runs, err = fs.parse(args); err != nil {
		return exitUsage, err
	}
	if a.db == "" {
		return exitUsage, advice.With(advice.Usagef("push needs a database"), "-db postgres://user@host/database, or "+dbEnv+" in the environment")
	}
	if err := a.checkDB(); err != nil {
		return exitUsage, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return j.run(ctx)
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

func (j *pushJob) run(ctx context.Context) (int, error) {
	j.store = j.app.store(j.out)
	dirs, err := j.find()
	if err != nil {
		return exitTrouble, err
	}
	if j.db, err = j.app.openServer(ctx); err != nil {
		return exitTrouble, err
	}
	defer j.db.Close()
	var failed error
	for _, dir := range dirs {
		err := j.push(ctx, dir)
		switch {
		case err == nil:
			continue
		case ctx.Err() != nil:
			return exitInterrupted, advice.With(errors.New("interrupted"), againHint)
		case isAway(err):
			return exitTrouble, withAgain(err)
		}
		if failed != nil {
			j.app.printError(failed)
		}
		failed = err
	}
	if failed != nil {
		return exitTrouble, failed
	}
	return exitOK, nil
}

// find returns the directories of the runs: those that are named, or all that are over.
func (j *pushJob) find() (dirs []string, err error) {
	ids := j.runs
	if len(ids) == 0 {
		if ids, err = j.store.Runs(); err != nil || len(ids) == 0 {
			return nil, explainNoRun(fmt.Errorf("no run in %s", j.app.Show(j.store.Dir)))
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
			return nil, explainNoRun(err)
		}
		if store.InUse(dir) {
			if len(j.runs) > 0 {
				return nil, fmt.Errorf("%s: %w", id, store.ErrInUse)
			}
			j.app.Progressf("%s is left out: a process is at it", id)
			continue
		}
		dirs = append(dirs, dir)
	}
	return dirs, nil
}

// push adds a run. The reports come first, so that those named in the history exist.
func (j *pushJob) push(ctx context.Context, dir string) error {
	var meta analyze.Meta
	if err := meta.ReadFile(dir); err != nil {
		return explainNoRun(err)
	}
	reports, said := "", ""
	if j.to != "" {
		path, err := reportsPath(&meta, dir)
		if err != nil {
			return err
		}
		added, err := store.Reports{Dir: j.to}.Add(ctx, path, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", j.app.Show(dir), err)
		}
		said = j.tellReports(dir, path, added)
		if added.Files > 0 {
			reports = path
		}
	}
	n, err := addRunDir(ctx, j.db, dir, reports)
	if err != nil {
		return err
	}
	runs := "known already"
	if n > 0 {
		runs = text.Plural(n, "run") + " added"
	}
	fmt.Fprintf(j.app.Stdout, "%s: %s%s\n", filepath.Base(dir), runs, said)
	return nil
}

func (j *pushJob) tellReports(dir, path string, added *store.Added) string {
	if len(added.Left) > 0 {
		j.app.Warnf("%s: left out, as the reports of one run may take %s: %s", filepath.Base(dir), showBytes(store.MaxReports), strings.Join(added.Left, ", "))
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
	return store.ReportsPath(cmp.Or(sites.Module, "unknown"), run)
}
