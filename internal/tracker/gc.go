package tracker

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

	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/store"
	"github.com/fdebug/fdebug/internal/text"
	"github.com/fdebug/fdebug/internal/tracker/history"
)

// A GC removes old runs from a store, and shows what is left.
type GC struct {
	*Keeper
	Store store.Store
	Older time.Duration // 0 for no limit
	Dry   bool
}

func (j *GC) Run(ctx context.Context) (int, error) {
	before := j.sizes(ctx)
	after := before
	if !j.Dry {
		if err := j.collect(ctx); err != nil {
			return exit.Trouble, err
		}
		after = j.sizes(ctx)
	}
	tw := tabwriter.NewWriter(j.Stdout, 0, 0, 2, ' ', 0)
	for i, s := range after {
		fmt.Fprintf(tw, "%s\t%s\t%s%s\n", s.name, showBytes(s.bytes), s.what, freed(before[i].bytes-s.bytes))
	}
	tw.Flush()
	return exit.OK, nil
}

// collect removes everything that is not to be kept. It adds runs to the history before it
// removes them.
func (j *GC) collect(ctx context.Context) error {
	db, err := j.openHistory(ctx, j.Store)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := j.catchUp(ctx, db, j.Store, ""); isAway(err) {
		return err
	} else if err != nil {
		j.warnHistory(err)
	}
	j.Store.Sweep()
	if err := j.Store.Prune(); err != nil && !errors.Is(err, fs.ErrNotExist) { // with a server there may be no store
		return err
	}
	if err := j.removeOld(); err != nil {
		return err
	}
	if j.Older == 0 {
		return nil
	}
	_, err = db.Prune(ctx, time.Now().Add(-j.Older))
	return err
}

// removeOld removes histories that were set aside.
func (j *GC) removeOld() error {
	for _, name := range store.Glob(j.Store.Dir, history.Name+".damaged-*") {
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	return nil
}

// A size is what a part of the store takes.
type size struct {
	name, what string
	bytes      int64
}

func (j *GC) sizes(ctx context.Context) []size {
	ids, _ := j.Store.Runs()
	list := []size{
		{"runs", text.Plural(len(ids), "run"), j.below("runs")},
		{"hunt", "what hunts know", j.below("hunt")},
		{history.Name, "", 0},
	}
	entries, _ := os.ReadDir(j.Store.Dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), history.Name) {
			list[2].bytes += info.Size()
		}
	}
	if j.URL != "" {
		list = append(list, size{history.ShowServer(j.URL), "", 0})
	}
	db, err := j.openReadOnly(ctx, j.Store)
	if err != nil {
		return list
	}
	defer db.Close()
	if n, err := db.Size(ctx); err == nil {
		last := &list[len(list)-1]
		if j.URL != "" {
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
func (j *GC) below(name string) int64 {
	var sum int64
	filepath.WalkDir(filepath.Join(j.Store.Dir, name), func(path string, d fs.DirEntry, err error) error {
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
