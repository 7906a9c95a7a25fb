package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/text"

	"github.com/fdebug/fdebug/internal/history"
	"github.com/fdebug/fdebug/internal/store"
)

// A gcJob is `fdebug gc`.
type gcJob struct {
	app   *app
	store store.Store
	older days // 0 for no limit
	dry   bool
}

func (a *app) gcCmd(args []string) (int, error) {
	j := &gcJob{app: a}
	fs := newFlagSet("gc")
	out := fs.String("o", "", "")
	a.dbFlag(fs)
	keep := fs.Int("keep", store.Keep, "")
	fs.Var(&j.older, "older", "")
	fs.BoolVar(&j.dry, "n", false, "")
	args, err := fs.parse(args)
	if err != nil {
		return exitUsage, err
	}
	if len(args) > 0 {
		return exitUsage, advice.Usagef("gc takes no arguments")
	}
	if *keep < 1 {
		return exitUsage, keepError(*keep)
	}
	if err := a.checkDB(); err != nil {
		return exitUsage, err
	}
	j.store = a.store(*out)
	j.store.Keep = *keep
	if _, err := os.Stat(j.store.Dir); err != nil && a.db == "" {
		return exitTrouble, explainNoRun(fmt.Errorf("nothing in %s", a.Show(j.store.Dir)))
	}
	return j.run(context.Background())
}

func keepError(n int) error {
	return advice.With(advice.Usagef("-keep %d: want at least 1 run", n), "-keep says how many runs stay with their traces and reports; the history of all others stays too")
}

func (j *gcJob) run(ctx context.Context) (int, error) {
	before := j.sizes(ctx)
	if !j.dry {
		if err := j.collect(ctx); err != nil {
			return exitTrouble, err
		}
	}
	after := before
	if !j.dry {
		after = j.sizes(ctx)
	}
	tw := tabwriter.NewWriter(j.app.Stdout, 0, 0, 2, ' ', 0)
	for i, s := range after {
		fmt.Fprintf(tw, "%s\t%s\t%s%s\n", s.name, showBytes(s.bytes), s.what, freed(before[i].bytes-s.bytes))
	}
	tw.Flush()
	return exitOK, nil
}

// collect removes everything that is not to be kept. It adds runs to the history before it
// removes them.
func (j *gcJob) collect(ctx context.Context) error {
	db, err := j.app.openHistory(ctx, j.store)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := j.app.catchUp(ctx, db, j.store, ""); isAway(err) {
		return err
	} else if err != nil {
		j.app.warnHistory(err)
	}
	j.store.Sweep()
	if err := j.store.Prune(); err != nil && !errors.Is(err, fs.ErrNotExist) { // with a server there may be no store
		return err
	}
	if err := j.removeOld(); err != nil {
		return err
	}
	if j.older == 0 {
		return nil
	}
	_, err = db.Prune(ctx, time.Now().Add(-time.Duration(j.older)))
	return err
}

// removeOld removes histories that were set aside or converted. The one here is open, so
// that of an older fdebug was converted.
func (j *gcJob) removeOld() error {
	patterns := []string{history.Name + ".damaged-*"}
	if j.app.db == "" {
		patterns = append(patterns, history.OldName+"*")
	}
	for _, pattern := range patterns {
		names, _ := filepath.Glob(filepath.Join(j.store.Dir, pattern)) // the pattern is ours
		for _, name := range names {
			if err := os.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// A size is what a part of the store takes.
type size struct {
	name, what string
	bytes      int64
}

func (j *gcJob) sizes(ctx context.Context) []size {
	ids, _ := j.store.Runs()
	list := []size{
		{"runs", text.Plural(len(ids), "run"), j.below("runs")},
		{"hunt", "what hunts know", j.below("hunt")},
		{history.Name, "", 0},
	}
	entries, _ := os.ReadDir(j.store.Dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && (strings.HasPrefix(e.Name(), history.Name) || strings.HasPrefix(e.Name(), history.OldName)) {
			list[2].bytes += info.Size()
		}
	}
	db, err := history.OpenReadOnly(ctx, filepath.Join(j.store.Dir, history.Name))
	if j.app.db != "" {
		list = append(list, size{history.ShowServer(j.app.db), "", 0})
		db, err = j.app.openServerReadOnly(ctx)
	}
	if err != nil {
		return list
	}
	defer db.Close()
	if n, err := db.Size(ctx); err == nil {
		last := &list[len(list)-1]
		if j.app.db != "" {
			last.bytes = n.Bytes
		}
		last.what = fmt.Sprintf("%s in %s", text.Plural(n.Runs, "run"), text.Plural(n.Sessions, "session"))
		if !n.Oldest.IsZero() {
			last.what += " since " + n.Oldest.Format(time.DateOnly)
		}
	}
	return list
}

// below returns the total size of the files below a directory of the store.
func (j *gcJob) below(name string) int64 {
	var sum int64
	filepath.WalkDir(filepath.Join(j.store.Dir, name), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // removed meanwhile
			}
			return err
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}

func freed(n int64) string {
	if n <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%s freed)", showBytes(n))
}

func showBytes(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.1f kB", float64(n)/(1<<10))
}
