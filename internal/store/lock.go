package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// lockName is the file in a directory on which its user holds a lock. If the process is killed
// the file stays behind, but the lock does not.
const lockName = "lock"

// A Lock marks a directory as in use, until it is released or this process ends in any way.
type Lock struct {
	dir  string // directory whose lock file is removed on release; "" for one that stays
	file *os.File
}

// LockDir marks dir as in use by this process.
func LockDir(dir string) (*Lock, error) {
	// The file is locked before it gets its name, so there is no moment at which it exists and is
	// not locked.
	f, err := os.CreateTemp(dir, lockName+"-")
	if err != nil {
		return nil, err
	}
	err = lockFile(f)
	if err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, lockName))
	}
	if err != nil {
		f.Close()
		os.Remove(f.Name())
		return nil, err
	}
	return &Lock{dir: dir, file: f}, nil
}

// Release marks the directory as unused.
func (l *Lock) Release() {
	if l.dir != "" {
		os.Remove(filepath.Join(l.dir, lockName))
	}
	l.file.Close()
}

// A use says whether a directory is in use.
type use uint8

const (
	unused    use = iota // there is no lock file
	abandoned            // its user was killed
	inUse
)

// useOf says whether dir is in use. In doubt it is.
func useOf(dir string) use {
	name := filepath.Join(dir, lockName)
	info, err := os.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return unused
	case err != nil || !info.Mode().IsRegular() || !ours(info):
		return inUse
	case isLocked(name):
		return inUse
	}
	return abandoned
}

// SweepTemp removes directories in parent that match a pattern and that killed processes have left. They must
// have been marked with [LockDir].
func SweepTemp(parent, pattern string) {
	for _, dir := range Glob(parent, pattern) {
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && useOf(dir) == abandoned {
			os.RemoveAll(dir)
		}
	}
}

// ErrInUse is returned for a directory that another process uses exclusively.
var ErrInUse = errors.New("in use by another process")

// onlyName is the file that [Exclusive] locks. It stays: a name that is removed could be locked
// twice.
const onlyName = "only"

// Exclusive gives this process exclusive use of a directory, until the lock is released or the
// process ends, or fails with [ErrInUse]. It creates the directory.
func Exclusive(dir string) (*Lock, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, onlyName), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	if lockFile(f) != nil {
		f.Close()
		return nil, ErrInUse
	}
	return &Lock{file: f}, nil
}

// LockOpen locks a directory without a file in it, if the system can, or fails with [ErrInUse].
func LockOpen(dir *os.Root) (*os.File, error) {
	f, err := dir.Open(".")
	if err != nil {
		return nil, err
	}
	if errors.Is(lockFile(f), syscall.EWOULDBLOCK) {
		f.Close()
		return nil, ErrInUse
	}
	return f, nil
}
