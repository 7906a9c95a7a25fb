package main

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/store"
)

// makeWork makes the temporary directory, and removes those of processes that
// were killed.
func (j *session) makeWork() (err error) {
	store.SweepTemp(filepath.Join(os.TempDir(), "fdebug-*"))
	if j.work, err = os.MkdirTemp("", "fdebug-"); err != nil {
		return err
	}
	j.lock(j.work)
	return nil
}

// lock marks a directory as in use. Not all file systems have locks: then what
// is left after a kill stays.
func (j *session) lock(dir string) {
	if l, err := store.LockDir(dir); err == nil {
		j.locks = append(j.locks, l)
	}
}

// cleanUp removes the temporary directory and gives the run free.
func (j *session) cleanUp() {
	for _, l := range j.locks {
		l.Release()
	}
	if j.bundle != nil {
		j.bundle.Close()
	}
	if j.work != "" {
		os.RemoveAll(j.work)
	}
}

// setStore says where results go.
func (j *session) setStore() error {
	j.store = store.Store{Dir: j.out, Keep: j.keep}
	if j.out == "" && j.bundle != nil {
		j.store.Dir = filepath.Join(j.absDir(), store.Name)
	} else if j.out == "" {
		if j.plan.Std != "" {
			return withHint(errors.New("fdebug does not write to Go's own source tree"), "-o DIR says where the results go")
		}
		j.store.Dir = filepath.Join(j.plan.Toolchain.ModuleRoot(), store.Name)
	}
	return nil
}

// makeRunDir makes the directory for the results.
func (j *session) makeRunDir(ctx context.Context) error {
	if err := j.setStore(); err != nil {
		return err
	}
	j.store.Sweep()
	j.origin = j.originHere(ctx).Or(provenance.FromEnv(j.getenv))
	dir, err := j.store.Create(time.Now())
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return withHint(err, "the module directory cannot be written to; -o DIR puts the results elsewhere")
		}
		return err
	}
	j.dir = dir
	j.lock(dir)
	j.key = rand.Text()
	m := j.meta()
	if err = m.WriteFile(dir); err == nil {
		err = j.plan.Sites.WriteFile(filepath.Join(dir, "sites.json"))
	}
	if err != nil {
		os.RemoveAll(dir) // or it would be taken for the newest run
	}
	return err
}

// publish makes this run the latest one, and adds it to the history.
func (j *session) publish() {
	if err := j.store.SetLatest(j.dir); err != nil {
		j.warnf("%v", err)
	}
	if !j.remember(j.store, j.dir) {
		return
	}
	if err := j.store.Prune(); err != nil {
		j.warnf("%v", err)
	}
}
