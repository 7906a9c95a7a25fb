package session

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/fdebug/fdebug/internal/advice"
	"github.com/fdebug/fdebug/internal/exit"
	"github.com/fdebug/fdebug/internal/provenance"
	"github.com/fdebug/fdebug/internal/store"
)

// MakeWork makes the temporary directory, unless there is one, and removes those of killed processes.
func (j *Session) MakeWork() (err error) {
	if j.Work != "" {
		return nil
	}
	store.SweepTemp(os.TempDir(), "fdebug-*")
	if j.Work, err = os.MkdirTemp("", "fdebug-"); err != nil {
		return err
	}
	j.lock(j.Work)
	return nil
}

// lock marks a directory as in use until CleanUp. On a file system without locks, nobody removes the
// directory after a kill.
func (j *Session) lock(dir string) {
	if l, err := store.LockDir(dir); err == nil {
		j.Locks = append(j.Locks, l)
	}
}

// CleanUp removes the temporary directory and releases the run.
func (j *Session) CleanUp() {
	for _, l := range j.Locks {
		l.Release()
	}
	if j.Packed.Close != nil {
		j.Packed.Close()
	}
	if j.Work != "" {
		os.RemoveAll(j.Work)
	}
}

// SetStore says where results go.
func (j *Session) SetStore() error {
	j.Store = store.Store{Dir: j.Out, Keep: j.Keep}
	if j.Out == "" {
		if j.Plan.Std != "" {
			return advice.With(errors.New("fdebug does not write to Go's own source tree"),
				"-o DIR says where the results go")
		}
		j.Store.Dir = filepath.Join(j.Plan.Toolchain.ModuleRoot(), store.Name)
	}
	return nil
}

// MakeRunDir makes the directory for the results.
func (j *Session) MakeRunDir(ctx context.Context) error {
	if err := j.SetStore(); err != nil {
		return err
	}
	j.Store.Sweep()
	j.Origin = j.OriginHere(ctx).Or(provenance.FromEnv(j.Getenv))
	dir, err := j.Store.Create(time.Now())
	if err != nil {
		if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			return advice.With(err, "the module directory cannot be written to; -o DIR puts the results elsewhere")
		}
		return err
	}
	j.Dir = dir
	j.lock(dir)
	j.key = rand.Text()
	m := j.Meta()
	if err = m.WriteFile(dir); err == nil {
		err = j.Plan.Sites.WriteFile(filepath.Join(dir, "sites.json"))
	}
	if err != nil {
		os.RemoveAll(dir) // otherwise it would look like the newest run
	}
	return err
}

// Publish adds this run to the history, and may make it the latest one.
func (j *Session) Publish(ctx context.Context, latest bool) {
	ctx, cancel := exit.Closing(ctx)
	defer cancel()
	if latest {
		if err := j.Store.SetLatest(j.Dir); err != nil {
			j.Warnf("%v", err)
		}
	}
	if !j.Remember(ctx, j.Store, j.Dir) {
		return
	}
	if err := j.Store.Prune(); err != nil {
		j.Warnf("%v", err)
	}
}

// StoreIn returns the store in dir, or the one of the module around the working
// directory, or where that would be.
func (c *Console) StoreIn(dir string) store.Store {
	if dir != "" {
		return store.Store{Dir: dir}
	}
	start, err := filepath.Abs(c.Chdir)
	if err != nil {
		start = c.Chdir
	}
	for d := start; ; d = filepath.Dir(d) {
		if info, err := os.Stat(filepath.Join(d, store.Name)); err == nil && info.IsDir() {
			return store.Store{Dir: filepath.Join(d, store.Name)}
		}
		if d == filepath.Dir(d) {
			return store.Store{Dir: filepath.Join(start, store.Name)}
		}
	}
}

// ExplainNoRun adds to an error how there can be a run.
func ExplainNoRun(err error) error {
	return advice.With(err, "fdebug run ./... -n 50 makes one; -o DIR says where it is if not in .fdebug")
}

// ReadNote returns the content of the user's note.
func ReadNote(name string) (string, error) {
	if name == "" {
		return "", nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return "", advice.Usagef("-note: %v", err)
	}
	return string(data), nil
}
